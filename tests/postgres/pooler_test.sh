# Needs PAWL_WITH_POSTGRES.
# Behind PgBouncer in transaction mode, where each transaction has another session, all is as without it.
[ -e "$PAWL_TEST_SERVER" ] || { echo "there is no PostgreSQL to test with"; exit 77; }
bouncer=$(PATH=$PATH:/usr/sbin command -v pgbouncer) || { echo "there is no pgbouncer"; exit 77; }
command -v psql >/dev/null || { echo "psql is not installed"; exit 77; }
. "$SOURCE_DIR/tests/cli/shared.sh"
server=$(cat "$PAWL_TEST_SERVER")
socket=${server#*host=}
pool=$(mktemp -d /tmp/pawl-pooler-XXXXXX)
run=()
if [ "$(id -u)" = 0 ]; then
        run=(setpriv --reuid=nobody "--regid=$(id -g nobody)" --clear-groups)
        chown nobody "$pool"
fi
chmod 755 "$pool"
cat >"$pool/pgbouncer.ini" <<END
[databases]
* = host=$socket user=tester
[pgbouncer]
unix_socket_dir = $pool
unix_socket_mode = 0777
listen_addr =
listen_port = 6432
auth_type = any
pool_mode = transaction
default_pool_size = 3
min_pool_size = 3
server_round_robin = 1
logfile = $pool/log
END
"${run[@]}" "$bouncer" -q "$pool/pgbouncer.ini" >"$pool/out" 2>&1 &
pooler=$!
trap 'kill $pooler; wait $pooler || true; rm -rf "$pool"' EXIT
await "$pool/.s.PGSQL.6432"
PAWL_DB="postgresql://tester@/postgres?host=$pool&port=6432#$(basename "$PWD")"
export PAWL_DB
log_on_server "$server#$(basename "$PWD")"

write_mission
runs 0 pawl init
runs 3 pawl run mission.yaml --run r1 --no-input
runs 0 pawl resolve "$(pawl conflicts --json | jq -r '.[0].conflict_id')" --pick 1
runs 0 pawl resume r1 --no-input
for i in 1 2 3 4; do
        (for _ in 1 2 3 4 5; do pawl checkpoint --json >all-$i || echo failed; done) >failed-$i 2>&1 &
        pids[i]=$!
done
for i in 1 2 3 4; do
        wait "${pids[i]}"
        is_empty failed-$i
done
runs 0 eventlog verify
runs 0 eventlog replay --check
runs 0 pawl validate

# Nothing of another schema is executed there either, whatever the pooler's session looks at first.
database=pooler_$$
psql -qXc "CREATE DATABASE $database" "$server"
trap 'kill $pooler; wait $pooler || true; rm -rf "$pool"; psql -qXc "DROP DATABASE IF EXISTS $database WITH (FORCE)" "$server"' EXIT
direct=${server/\/postgres?/\/$database?}
for type in bigint text numeric bytea; do
        psql -qX -v ON_ERROR_STOP=1 "$direct" -c "CREATE FUNCTION public.planted(a $type, b $type) RETURNS boolean LANGUAGE plpgsql AS \$\$ BEGIN RAISE EXCEPTION 'planted'; END \$\$" \
                -c "CREATE OPERATOR public.= (LEFTARG = $type, RIGHTARG = $type, FUNCTION = public.planted)" \
                -c "CREATE OPERATOR public.> (LEFTARG = $type, RIGHTARG = $type, FUNCTION = public.planted)" \
                -c "CREATE OPERATOR public.+ (LEFTARG = $type, RIGHTARG = $type, FUNCTION = public.planted)"
done
psql -qX "$direct" -c "CREATE FUNCTION public.planted(a numeric, b integer) RETURNS numeric LANGUAGE plpgsql AS \$\$ BEGIN RAISE EXCEPTION 'planted'; END \$\$" \
        -c "CREATE OPERATOR public.* (LEFTARG = numeric, RIGHTARG = integer, FUNCTION = public.planted)" \
        -c "ALTER DATABASE $database SET search_path = public, pg_catalog"
PAWL_DB="postgresql://tester@/$database?host=$pool&port=6432#log"
rm -rf .pawl
runs 0 pawl init
for i in 1 2 3; do # in each session that the pooler keeps
        psql -qX "${PAWL_DB%#*}" -c "BEGIN; CREATE TEMP TABLE IF NOT EXISTS json (a text); CREATE TEMP TABLE IF NOT EXISTS bytea (a text); SELECT pg_sleep(1); COMMIT" >/dev/null 2>&1 &
        pids[i]=$!
done
wait "${pids[@]:1:3}"
runs 3 pawl run mission.yaml --run r1 --no-input
runs 0 pawl resolve "$(pawl conflicts --json | jq -r '.[0].conflict_id')" --pick 1
runs 0 pawl resume r1 --no-input
runs 0 pawl du
runs 0 pawl init --rebuild
runs 0 eventlog verify
runs 0 eventlog replay --check
same "$(psql -qAtX "${PAWL_DB%#*}" -c 'SHOW search_path')" "public, pg_catalog"
