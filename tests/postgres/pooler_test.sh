# Needs PAWL_WITH_POSTGRES.
# Behind PgBouncer in transaction mode, where each transaction has another session, all is as without it.
[ -e "$PAWL_TEST_SERVER" ] || { echo "there is no PostgreSQL to test with"; exit 77; }
bouncer=$(PATH=$PATH:/usr/sbin command -v pgbouncer) || { echo "there is no pgbouncer"; exit 77; }
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
