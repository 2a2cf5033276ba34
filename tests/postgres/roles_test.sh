# Needs PAWL_WITH_POSTGRES.
# A role with the rights that the how-to grants does all that a writer does, and no more; one that may only read, reads.
[ -e "$PAWL_TEST_SERVER" ] || { echo "there is no PostgreSQL to test with"; exit 77; }
command -v psql >/dev/null || { echo "there is no psql"; exit 77; }
. "$SOURCE_DIR/tests/cli/shared.sh"
database=roles_$$
server=$(cat "$PAWL_TEST_SERVER")
owner=${server/\/postgres?/\/$database?}
writer=pawl_$$ reader=reader_$$
as() { printf '%s#roles' "${owner/tester@/$1@}"; }
psql -qc "CREATE DATABASE $database" "$server"
trap 'psql -qc "DROP DATABASE $database WITH (FORCE)" -c "DROP ROLE $writer" -c "DROP ROLE $reader" "$server"' EXIT

psql -qc "CREATE ROLE $writer LOGIN" "$server"
fails 1 "permission denied for database $database.*grant the role" pawl init --db "$(as "$writer")"
runs 0 pawl init --db "$owner"
sed -n '/^```sql$/,/^```$/p' "$SOURCE_DIR/docs/how-to/run-on-postgresql.md" | grep -v '^```' |
        sed -E "/CREATE ROLE/d; s/(TO|FROM) pawl;/\1 $writer;/" >grants.sql
psql -qv ON_ERROR_STOP=1 -f grants.sql "$owner"

write_mission
runs 0 pawl init --db "$(as "$writer")"
export PAWL_DB
PAWL_DB=$(as "$writer")
runs 3 pawl run mission.yaml --run r1 --no-input
runs 0 pawl resolve "$(pawl conflicts --json | jq -r '.[0].conflict_id')" --pick 1
runs 0 pawl resume r1 --no-input
runs 0 pawl rollback 1 --yes
runs 0 pawl prune checkpoints --keep 1 --yes
runs 0 pawl init --rebuild
runs 0 eventlog replay --check
runs 0 eventlog verify
if psql -qc 'UPDATE pawl.events SET type = type' "${PAWL_DB%#*}" 2>why; then exit 1; fi
if psql -qc 'DELETE FROM pawl.events' "${PAWL_DB%#*}" 2>why; then exit 1; fi

psql -qc "CREATE ROLE $reader LOGIN" -c "GRANT USAGE ON SCHEMA pawl TO $reader" \
        -c "GRANT SELECT ON ALL TABLES IN SCHEMA pawl TO $reader" "$owner"
PAWL_DB=$(as "$reader")
runs 0 eventlog verify
runs 0 eventlog replay --check
runs 0 pawl status
runs 0 pawl runs
fails 1 'permission denied for table logs.*grant the role' pawl checkpoint

# A primary that takes no writes, as a standby.
psql -qc "ALTER ROLE $writer SET default_transaction_read_only = on" "$server"
PAWL_DB=$(as "$writer")
runs 0 eventlog verify
