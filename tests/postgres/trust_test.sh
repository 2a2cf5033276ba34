# Needs PAWL_WITH_POSTGRES.
# What another role of the database makes changes nothing that Pawl's statements mean: names are not looked for where it
# can put them, and what would act with the rights of who connects is refused by name.
[ -e "$PAWL_TEST_SERVER" ] || { echo "there is no PostgreSQL to test with"; exit 77; }
command -v psql >/dev/null || { echo "psql is not installed"; exit 77; }
. "$SOURCE_DIR/tests/cli/shared.sh"
server=$(cat "$PAWL_TEST_SERVER")
database=trust_$$ mallory=mallory_$$ owner=owner_$$ worker=worker_$$
admin=${server/\/postgres?/\/$database?}
url() { printf '%s#log' "${admin/tester@/$1@}"; }
sql() { psql -qAtX -v ON_ERROR_STOP=1 "$1" -c "$2"; }
as_mallory() { sql "${admin/tester@/$mallory@}" "$1"; }
psql -qX -c "CREATE ROLE $mallory LOGIN" -c "CREATE ROLE $owner LOGIN" -c "CREATE ROLE $worker LOGIN" "$server"
trap 'psql -qX -c "DROP DATABASE IF EXISTS $database WITH (FORCE)" -c "DROP ROLE $mallory, $owner, $worker" "$server"' EXIT

# fresh [OWNER]: a database without a log, where mallory may make schemas and has code of her own.
fresh() {
        psql -qX -c "DROP DATABASE IF EXISTS $database WITH (FORCE)" -c "CREATE DATABASE $database OWNER ${1:-tester}" "$server" 2>/dev/null
        sql "$admin" "GRANT CREATE ON DATABASE $database TO $mallory; GRANT ALL ON SCHEMA public TO PUBLIC"
        as_mallory "CREATE FUNCTION public.planted() RETURNS boolean LANGUAGE plpgsql AS \$\$ BEGIN RAISE EXCEPTION 'planted'; END \$\$;
                CREATE FUNCTION public.planted_trigger() RETURNS trigger LANGUAGE plpgsql AS \$\$ BEGIN RAISE EXCEPTION 'planted'; END \$\$"
}
# made: a log, and mallory's rights on its tables.
made() {
        fresh "$@"
        runs 0 pawl init --db "$(url "${1:-tester}")"
        sql "$admin" "GRANT ALL ON SCHEMA pawl TO $mallory, $worker; GRANT ALL ON ALL TABLES IN SCHEMA pawl TO $mallory, $worker"
}
# refused WHAT [ROLE]: by all that connects, and WHAT and mallory are named.
refused() {
        for command in "pawl init" "pawl checkpoint" "eventlog verify"; do
                fails 1 "$1.* is controlled by role ${3:-$mallory}" $command --db "$(url "${2:-tester}")"
        done
        fails 1 "$1" pawl list-logs --db "${admin/tester@/${2:-tester}@}"
}
write_mission
printf 'mission: m\nsteps:\n  - id: a\n    run: [echo, hi]\n' >m.yaml

it "operators and functions of other schemas are not executed, even where the database looks there first"
fresh
for type in bigint text numeric 'double precision' integer bytea; do
        as_mallory "CREATE FUNCTION public.planted(\"a\" $type, b $type) RETURNS boolean LANGUAGE plpgsql AS \$\$ BEGIN RAISE EXCEPTION 'planted'; END \$\$"
        for operator in = '<>' '<' '>' '>=' '<=' '+' '-' '*' '||'; do
                as_mallory "CREATE OPERATOR public.$operator (LEFTARG = $type, RIGHTARG = $type, FUNCTION = public.planted)"
        done
done
for type in numeric 'double precision'; do
        as_mallory "CREATE FUNCTION public.planted(a $type, b integer) RETURNS $type LANGUAGE plpgsql AS \$\$ BEGIN RAISE EXCEPTION 'planted'; END \$\$;
                CREATE OPERATOR public.* (LEFTARG = $type, RIGHTARG = integer, FUNCTION = public.planted)"
done
for name in now clock_timestamp pg_backend_pid; do
        as_mallory "CREATE FUNCTION public.$name() RETURNS bigint LANGUAGE plpgsql AS \$\$ BEGIN RAISE EXCEPTION 'planted'; END \$\$"
done
for name in 'quote_ident(text)' 'current_setting(text)' 'set_config(text, text, boolean)' 'octet_length(bytea)' 'to_regclass(text)' \
        'decode(text, text)' 'pg_column_size(bigint)' 'pg_column_size(text)' 'cardinality(bigint[])'; do
        as_mallory "CREATE FUNCTION public.$name RETURNS text LANGUAGE plpgsql AS \$\$ BEGIN RAISE EXCEPTION 'planted'; END \$\$"
done
as_mallory 'CREATE DOMAIN public.json AS text CHECK (public.planted()); CREATE DOMAIN public.bytea AS text; CREATE DOMAIN public.text AS pg_catalog.text CHECK (public.planted())'
sql "$server" "ALTER DATABASE $database SET search_path = public, pg_catalog; ALTER ROLE $owner SET search_path = public, pg_catalog"
PAWL_DB=$(url tester)
export PAWL_DB
runs 0 pawl init
runs 3 pawl run mission.yaml --run r1 --no-input
runs 0 pawl resolve "$(pawl conflicts --json | jq -r '.[0].conflict_id')" --pick 1
runs 0 pawl resume r1 --no-input
runs 0 pawl checkpoint
runs 0 pawl du
runs 0 pawl rollback 1 --yes
runs 0 pawl prune checkpoints --keep 1 --yes
runs 0 pawl init --rebuild
runs 0 eventlog replay --check
runs 0 eventlog verify
runs 0 pawl copy "$PAWL_DB" copied.db
unset PAWL_DB

it "a schema that another role made is refused"
fresh
as_mallory "CREATE SCHEMA pawl; GRANT ALL ON SCHEMA pawl TO PUBLIC"
refused 'schema pawl'
as_mallory "CREATE TABLE pawl.leases (run_id text)"
refused 'schema pawl'

it "a table, view, function, type, operator or sequence that another role made in it is refused"
for object in 'TABLE planted (a text)' 'VIEW planted AS SELECT 1 AS a' 'FUNCTION planted() RETURNS text LANGUAGE sql AS $$SELECT 1$$' \
        'DOMAIN planted AS text' 'TYPE planted AS ENUM (1)' 'SEQUENCE planted' 'OPERATOR + (RIGHTARG = boolean, FUNCTION = public.flag)'; do
        made
        as_mallory "CREATE FUNCTION public.flag(boolean) RETURNS boolean LANGUAGE sql AS \$\$SELECT \$1\$\$"
        word=${object%% *} rest=${object#* }
        object="$word pawl.${rest//(1)/(\'a\')}"
        as_mallory "CREATE ${object/SELECT 1\$\$/SELECT \'a\'\$\$}"
        refused "$(tr '[:upper:]' '[:lower:]' <<<"${word/DOMAIN/type}") .*pawl\."
done

it "a trigger whose function is another role's is refused, however it came there"
for event in 'BEFORE INSERT ON pawl.leases FOR EACH ROW' 'AFTER UPDATE ON pawl.logs FOR EACH STATEMENT'; do
        made
        as_mallory "CREATE TRIGGER planted $event EXECUTE FUNCTION public.planted_trigger()"
        refused 'trigger planted on table pawl\.'
done
made
sql "$admin" "CREATE FUNCTION pawl.audit() RETURNS trigger LANGUAGE plpgsql AS \$\$ BEGIN RETURN NEW; END \$\$;
        CREATE TRIGGER audit BEFORE INSERT ON pawl.events FOR EACH ROW EXECUTE FUNCTION pawl.audit()"
runs 0 pawl run m.yaml --run r1 --no-input --db "$(url tester)" # the owner's own may be there
sql "$admin" "ALTER FUNCTION pawl.audit() OWNER TO $mallory; REVOKE ALL ON SCHEMA pawl FROM $mallory"
refused '(function|trigger) .*audit'

it "a rule, policy, default, check or index that runs another role's function is refused"
while IFS='|' read -r what statement; do
        made
        as_mallory "CREATE FUNCTION public.flag(bigint) RETURNS bigint IMMUTABLE LANGUAGE sql AS \$\$SELECT 1::bigint\$\$"
        sql "$admin" "$statement"
        refused "$what"
done <<'END'
rule planted on table pawl\.leases|CREATE RULE planted AS ON UPDATE TO pawl.leases WHERE public.flag(1) = 1 DO ALSO SELECT 1
policy planted on table pawl\.events|CREATE POLICY planted ON pawl.events USING (public.flag(seq) = 1)
default value for column untold of table pawl\.runs|ALTER TABLE pawl.runs ALTER untold SET DEFAULT public.flag(1)
column more of table pawl\.runs|ALTER TABLE pawl.runs ADD more bigint GENERATED ALWAYS AS (public.flag(untold)) STORED
constraint planted on table pawl\.events|ALTER TABLE pawl.events ADD CONSTRAINT planted CHECK (public.flag(seq) = 1)
index pawl\.planted|CREATE INDEX planted ON pawl.events (public.flag(seq))
END

it "a table of another role that inherits from one of the log's, or refers to it, is refused"
made
sql "$admin" "CREATE TABLE public.planted () INHERITS (pawl.leases); ALTER TABLE public.planted OWNER TO $mallory"
refused 'table (public\.)?planted'
made
as_mallory "CREATE TABLE public.planted (log_id bigint REFERENCES pawl.logs ON DELETE CASCADE)"
refused 'constraint planted_log_id_fkey'

it "an event trigger and a cast that run another role's function are refused"
fresh
as_mallory "CREATE FUNCTION public.noticed() RETURNS event_trigger LANGUAGE plpgsql AS \$\$ BEGIN RAISE EXCEPTION 'planted'; END \$\$"
sql "$admin" "CREATE EVENT TRIGGER planted ON ddl_command_end EXECUTE FUNCTION public.noticed()"
refused 'event trigger planted'
made
as_mallory "CREATE FUNCTION public.to_number(inet) RETURNS bigint LANGUAGE sql AS \$\$SELECT 1::bigint\$\$"
sql "$admin" "CREATE CAST (inet AS bigint) WITH FUNCTION public.to_number(inet) AS IMPLICIT"
refused 'cast from inet to bigint'

it "the owner of the database is trusted, but not by a superuser; a role that others are members of, too, is not"
made "$owner"
runs 0 pawl run m.yaml --run r1 --no-input --db "$(url "$owner")"
runs 0 pawl run m.yaml --run r2 --no-input --db "$(url "$worker")"
refused 'schema pawl' tester "$owner"
sql "$admin" "ALTER DATABASE $database OWNER TO tester"
refused 'schema pawl' "$worker" "$owner"
sql "$admin" "GRANT $owner TO $worker"
refused 'schema pawl' "$worker" "$owner"
sql "$admin" "REVOKE $owner FROM $worker"

it "rows that a policy hides are no rows that are not there"
made
sql "$admin" 'ALTER TABLE pawl.leases ENABLE ROW LEVEL SECURITY; ALTER TABLE pawl.events ENABLE ROW LEVEL SECURITY'
fails 1 'row-level security policy for table "events"' eventlog verify --db "$(url "$worker")"
fails 1 'row-level security policy for table' pawl run m.yaml --run r3 --no-input --db "$(url "$worker")"
runs 0 eventlog verify --db "$(url tester)"

it "a row in the way of a new log ends init, and a row with another's number is no log"
made
sql "$admin" "UPDATE pawl.logs SET name = 'another'"
fails 5 'log_id [0-9]+' timeout 20 pawl init --db "$(url tester)"
sql "$admin" "UPDATE pawl.logs SET name = 'log', log_id = log_id + 1"
for command in "pawl init" "pawl checkpoint" "eventlog verify"; do
        fails 5 'has the number of another log' timeout 20 $command --db "$(url tester)"
done

it "what a trigger of the owner changes is seen before it is committed, and what it leaves out by who wrote it"
while read -r body; do
        made
        runs 0 pawl run m.yaml --run r1 --no-input --db "$(url tester)"
        before=$(eventlog head --db "$(url tester)")
        sql "$admin" "CREATE FUNCTION pawl.changes() RETURNS trigger LANGUAGE plpgsql AS \$\$ BEGIN $body END \$\$;
                CREATE TRIGGER changes BEFORE INSERT ON pawl.events FOR EACH ROW EXECUTE FUNCTION pawl.changes()"
        fails 5 "drop the trigger" pawl checkpoint --db "$(url tester)"
        fails 5 'drop the trigger' pawl run m.yaml --run r2 --no-input --db "$(url tester)"
        same "$(eventlog head --db "$(url tester)")" "$before"
        runs 0 eventlog verify --db "$(url tester)"
done <<'END'
NEW.payload := replace(NEW.payload, 'm', 'n'); RETURN NEW;
NEW.actor := 'user:mallory'; RETURN NEW;
NEW.session_id := 'planted'; RETURN NEW;
NEW.time := NEW.time + 1; RETURN NEW;
END
made
sql "$admin" "CREATE FUNCTION pawl.changes() RETURNS trigger LANGUAGE plpgsql AS \$\$ BEGIN RETURN NULL; END \$\$;
        CREATE TRIGGER changes BEFORE INSERT ON pawl.events FOR EACH ROW EXECUTE FUNCTION pawl.changes()"
fails 5 'left out events' pawl checkpoint --db "$(url tester)"
made
for _ in 1 2 3 4 5; do runs 0 pawl run m.yaml --fresh --no-input --db "file.db"; done
sql "$admin" "CREATE FUNCTION pawl.changes() RETURNS trigger LANGUAGE plpgsql AS \$\$ BEGIN IF NEW.seq = 17 THEN NEW.time := 1; END IF; RETURN NEW; END \$\$;
        CREATE TRIGGER changes BEFORE INSERT ON pawl.events FOR EACH ROW EXECUTE FUNCTION pawl.changes()"
fails 5 'drop the trigger' pawl copy file.db "$(url tester)"
sql "$admin" "DROP TRIGGER changes ON pawl.events"
runs 0 pawl copy file.db "$(url tester)"
