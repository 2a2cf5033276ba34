# Needs PAWL_WITH_POSTGRES.
# A way to the server that cuts one in twenty messages off: runs and workers go on, and each step's end is recorded
# once. And of several hosts one that says nothing is passed.
[ -e "$PAWL_TEST_SERVER" ] || { echo "there is no PostgreSQL to test with"; exit 77; }
command -v python3 >/dev/null || { echo "python3 is not installed"; exit 77; }
. "$SOURCE_DIR/tests/cli/shared.sh"
server=$(cat "$PAWL_TEST_SERVER")
proxy=$SOURCE_DIR/tests/support/postgres_proxy.py
folder=$(mktemp -d /tmp/pawl-proxy-XXXXXX) # a socket's path is short
proxies=()
trap 'kill "${proxies[@]}" 2>/dev/null || true; rm -rf "$folder"' EXIT
log=cuts.$$
steps=3 runs=2 rounds=1
[ "${PAWL_TEST_FULL:-}" != 1 ] || { steps=30 runs=10 rounds=20; }
{
        echo 'mission: m'
        echo 'steps:'
        for i in $(seq $steps); do echo "  - {id: s$i, run: [sh, -c, 'echo \$PAWL_RETRY_TOKEN >>\"$PWD/tokens\"']}"; done
} >mission.yaml
runs 0 pawl init --db "$server#$log"

python3 "$proxy" "$folder" "${server#*host=}/.s.PGSQL.5432" 5 &
proxies+=($!)
until_it test -e "$folder/.s.PGSQL.5432"
through="postgresql://tester@/postgres?host=$folder#$log"

# What reads in one view of the log reads all of it again: of a log that is short enough to be read so uncut.
runs 0 pawl init --db "$server#$log.few"
head -n 5 mission.yaml >few.yaml
runs 0 pawl run few.yaml --no-input --db "$server#$log.few"
runs 0 pawl validate 1 --db "${through%#*}#$log.few"
runs 0 pawl export 1 -o all.tar --db "${through%#*}#$log.few"
runs 0 eventlog replay --check --db "${through%#*}#$log.few"
rm tokens few.yaml all.tar

for i in $(seq $rounds); do runs 0 pawl run mission.yaml --run "r$i" --no-input --db "$through"; done
for i in $(seq $runs); do runs 0 pawl submit mission.yaml --db "$through"; done
runs 0 pawl work --once --slots 2 --dir work --db "$through"
PAWL_DB="$server#$log"
log_on_server "$PAWL_DB"
export PAWL_DB
runs 0 eventlog verify
runs 0 eventlog replay --check
total=$(((rounds + runs) * steps))
same "$(events StepCompleted)" "$total"
same "$(sort tokens | uniq -d)" ''
same "$(wc -l <tokens)" "$total"
same "$(pawl runs --json | jq -r '.runs[].status' | sort -u)" completed

# A host that says nothing, before one that does.
python3 "$proxy" "$folder" none silent >port &
proxies+=($!)
until_it test -s port
several="postgresql://tester@/postgres?host=127.0.0.1,${server#*host=}&port=$(cat port),5432"
began=$SECONDS
runs 0 pawl status --db "$several#$log"
[ $((SECONDS - began)) -lt 20 ]
began=$SECONDS
fails 1 'has not answered for 2 s' pawl status \
        --db "postgresql://tester@/postgres?host=127.0.0.1,127.0.0.1&port=$(cat port)&connect_timeout=1#$log"
[ $((SECONDS - began)) -lt 15 ]
