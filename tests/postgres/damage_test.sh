# Needs PAWL_WITH_POSTGRES.
# A server's tables are as little trusted as a file: what was changed in them is named, with exit 5, and nothing is
# built on it.
[ -e "$PAWL_TEST_SERVER" ] || { echo "there is no PostgreSQL to test with"; exit 77; }
command -v psql >/dev/null || { echo "psql is not installed"; exit 77; }
. "$SOURCE_DIR/tests/cli/shared.sh"
server=$(cat "$PAWL_TEST_SERVER")
mine=$(basename "$PWD").$$
export PAWL_DB="$server#$mine"
sql() { psql -qAt -v ON_ERROR_STOP=1 "$server" -c "$1"; }
here="log_id = (SELECT log_id FROM pawl.logs WHERE name = '$mine')"
kept="kept_$$"

runs 0 pawl init
for name in one two three; do runs 0 pawl checkpoint $name; done
sql "CREATE TABLE $kept AS SELECT * FROM pawl.events WHERE $here"
trap 'sql "DROP TABLE IF EXISTS $kept"' EXIT

# damaged MESSAGE SQL: so say all that read or build on it; then it is as it was.
damaged() {
        sql "$2"
        before=$(sql "SELECT count(*), max(encode(hash, 'hex')) FROM pawl.events WHERE $here")
        fails 5 "$1" eventlog verify
        fails 5 "$1|projection: the state tables stand at seq 3" pawl checkpoint four
        same "$(sql "SELECT count(*), max(encode(hash, 'hex')) FROM pawl.events WHERE $here")" "$before"
        sql "DELETE FROM pawl.events WHERE $here; INSERT INTO pawl.events SELECT * FROM $kept;
                UPDATE pawl.logs SET head_seq = 3 WHERE $here"
        runs 0 eventlog verify
}
damaged 'seq 3: its hash does not fit' "UPDATE pawl.events SET payload = replace(payload, 'three', 'tree') WHERE $here AND seq = 3"
damaged 'seq 3: the event is missing' "DELETE FROM pawl.events WHERE $here AND seq = 3"
damaged 'seq [1-3]: the event is missing' "DELETE FROM pawl.events WHERE $here"
damaged 'seq 4: the event is missing' "UPDATE pawl.logs SET head_seq = 4 WHERE $here"
damaged "seq 2: its hash is not the one that the log's head has" "UPDATE pawl.logs SET head_seq = 2 WHERE $here"

sql "DELETE FROM pawl.events WHERE $here AND seq = 3"
fails 5 'seq 3: the event is missing' eventlog show 3
fails 1 'seq 4: there is no such event' eventlog show 4
