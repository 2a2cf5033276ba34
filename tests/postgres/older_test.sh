# Needs PAWL_WITH_POSTGRES.
# A log on a server that an older Pawl made is read as it is, and is one of today once a program writes to it.
[ -e "$PAWL_TEST_SERVER" ] || { echo "there is no PostgreSQL to test with"; exit 77; }
command -v psql >/dev/null || { echo "psql is not installed"; exit 77; }
. "$SOURCE_DIR/tests/cli/shared.sh"
server=$(cat "$PAWL_TEST_SERVER")
database=older_$$
psql -qc "CREATE DATABASE $database" "$server"
trap 'psql -qc "DROP DATABASE $database WITH (FORCE)" "$server"' EXIT
owner=$(sed -E "s,/[^/?]*(\?|$),/$database\1," <<<"$server")
sql() { psql -qAt -v ON_ERROR_STOP=1 "$owner" -c "$1"; }
export PAWL_DB="$owner#one"
runs 0 pawl init
runs 0 pawl init --db "$owner#two"
sql "DROP TABLE pawl.packs, pawl.packed; ALTER TABLE pawl.runs DROP COLUMN untold; UPDATE pawl.logs SET version = 4"

it "it is read, and stays what it is"
runs 0 eventlog list
runs 0 eventlog verify
runs 0 pawl list-logs
same "$(wc -l <out)" 3
same "$(sql "SELECT string_agg(CAST(version AS text), ',') FROM pawl.logs")" 4,4
same "$(sql "SELECT to_regclass('pawl.packs') IS NULL")" t

it "what writes to it has its tables, and the other log goes on as well"
mkdir tree
(cd tree; for i in 1 2 3; do for n in $(seq 200); do echo "line $n $((n == i))"; done >file; pawl checkpoint v$i >/dev/null; done)
same "$(sql "SELECT version FROM pawl.logs WHERE name = 'one'")" 6
same "$(sql "SELECT version FROM pawl.logs WHERE name = 'two'")" 4
runs 0 pawl validate
runs 0 eventlog list --db "$owner#two"
runs 0 pawl init --db "$owner#three"
(cd tree; PAWL_DB="$owner#two" pawl checkpoint >/dev/null)
same "$(sql "SELECT string_agg(CAST(version AS text), ',') FROM pawl.logs")" 6,6,6
