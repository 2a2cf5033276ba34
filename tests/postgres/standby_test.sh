# Needs PAWL_WITH_POSTGRES.
# A standby is promoted in the middle of a load, by the primary's crash. A synchronous one has each event that was
# acknowledged, and the writers go on there. An asynchronous one lacks the last: each writer that knows of one
# stops with exit 5 and names both, what is gone and where the log ends now; whoever lost nothing goes on.
[ -e "$PAWL_TEST_SERVER" ] || { echo "there is no PostgreSQL to test with"; exit 77; }
command -v psql >/dev/null || { echo "psql is not installed"; exit 77; }
. "$SOURCE_DIR/tests/cli/shared.sh"
support=$SOURCE_DIR/tests/support/postgres
rounds=1 steps=25
[ "${PAWL_TEST_FULL:-}" != 1 ] || { rounds=20 steps=60; }
middle=$((steps / 2))
writers="r1 r2 r3"
sql() { psql -qAt -v ON_ERROR_STOP=1 "$(cat "$1.url")" -c "$2"; }
ended() {
        touch over
        "$support" stop "$PWD/primary.url"
        "$support" stop "$PWD/standby.url"
}
trap ended EXIT

# until_says WHAT COMMAND...: wait until the command prints it.
until_says() {
        local wanted=$1 tries
        shift
        for tries in $(seq 1200); do
                [ "$("$@")" != "$wanted" ] || return 0
                sleep 0.05
        done
        echo "\"$*\" does not come to \"$wanted\""
        return 1
}

# pair: a primary and a standby that streams from it; $url is for whichever takes writes.
pair() {
        "$support" start "$PWD/primary.url"
        "$support" standby "$PWD/standby.url" "$PWD/primary.url"
        until_says streaming sql primary "SELECT state FROM pg_stat_replication"
        url=$(cat primary.url),$(sed 's/.*host=//' standby.url)'&target_session_attrs=read-write'
        rm -rf r? over cut promoted
}
fail_over() {
        "$support" kill "$PWD/primary.url"
        sleep 0.3
        "$support" promote "$PWD/standby.url"
        touch promoted
}

# mission RUN: of many steps. What a step was started for is acknowledged. In the middle it waits for the cut, in
# the end for the promotion.
mission() {
        local i wait
        mkdir "$1"
        {
                echo 'mission: m'
                echo 'steps:'
                for i in $(seq "$steps"); do
                        wait=
                        [ "$i" != "$middle" ] || wait="; until [ -e $PWD/cut ]; do sleep 0.02; done"
                        [ "$i" != "$steps" ] || wait="; until [ -e $PWD/promoted ]; do sleep 0.02; done"
                        echo "  - {id: s$i, run: [sh, -c, 'echo s$i \$PAWL_RETRY_TOKEN >>$PWD/$1/journal; sleep 0.1$wait']}"
                done
        } >"$1/mission.yaml"
}

# write RUN COMMAND...: a process that writes.
write() {
        (
                code=0
                cd "$1"
                "${@:2}" >out 2>err || code=$?
                echo "$code" >ended
                mv ended code
        ) &
}
run() { mission "$1" && write "$1" pawl run mission.yaml --run "$1" --no-input; }

# has_begun STEP RUN: its command, and so all that came before it.
has_begun() { grep -q "^s$1 " "$2/journal" 2>/dev/null && echo yes; }

# worker_pauses: it has asked, and asks again half a second later.
worker_pauses() {
        until_says t sql primary "SELECT clock_timestamp() - state_change > '0.2 s' FROM pg_stat_activity WHERE pid = $worker"
}

# worker_looks: it has asked whatever it asks once more, after now.
worker_looks() {
        local now
        worker_pauses
        now=$(sql primary "SELECT clock_timestamp()")
        until_says t sql primary "SELECT query_start > '$now' FROM pg_stat_activity WHERE pid = $worker"
        worker_pauses
}

# watch: what is acknowledged, seen from elsewhere, and a writer that is a new process each time.
watch() {
        while [ ! -e over ]; do
                eventlog head >>"heads" 2>>watched || true
                sleep 0.02
        done &
        mkdir -p files
        while [ ! -e over ]; do
                (cd files && date +%N >now && pawl checkpoint --json 2>>../watched | jq -r .id >>../made) || true
        done &
}

# sound: the log is whole, and has what the heads and the steps were told.
sound() {
        runs 0 eventlog verify
        runs 0 eventlog replay --check
        eventlog export >all
        same "$(jq -r '.seq' all | awk '$1 != NR' | head -1)" ''
        same "$(jq -r 'select(.type == "StepCompleted") | .run_id + " " + .step_id' all | sort | uniq -d)" ''
        same "$(jq -r 'select(.type == "RunClaimed") | .run_id + " " + (.payload.fence | tostring)' all | sort | uniq -d)" ''
}

# found WORDS FILE: each line of FILE is one of WORDS.
found() {
        same "$(sort -u "$2" | comm -23 - <(sort -u "$1"))" ''
}

synchronous() {
        pair
        export PAWL_DB="$url#sync"
        runs 0 pawl init
        sql primary "ALTER SYSTEM SET synchronous_standby_names = '*'"
        sql primary "SELECT pg_reload_conf()" >reloaded
        until_says sync sql primary "SELECT sync_state FROM pg_stat_replication"
        touch cut # there is none
        rm -f heads made
        watch
        for run in $writers; do run "$run"; done
        sleep "$1"
        fail_over
        for run in $writers; do
                await "$run/code"
                same "$run: $(cat "$run/code" "$run/err")" "$run: 0"
        done
        touch over
        wait
        sound
        { printf '0 %064d\n' 0; jq -r '"\(.seq) \(.hash)"' all; } >known
        found known heads
        jq -r 'select(.type == "WorkspaceCheckpointed") | .payload.id' all >known
        [ -s made ]
        found known made
        for run in $writers; do
                jq -r --arg run "$run" 'select(.type == "StepCheckpointed" and .run_id == $run) | .step_id + " " + .payload.retry_token' all >known
                found known "$run/journal"
                same "$(sort -u "$run/journal" | wc -l)" "$steps"
                same "$(jq -r --arg run "$run" 'select(.type == "StepCompleted" and .run_id == $run) | .step_id' all | wc -l)" "$steps"
        done
        echo "synchronous: $(sort -u heads | wc -l) heads and $(wc -l <made) checkpoints of new processes were seen, and all are there; $(cat r?/journal | wc -l) commands for $(cat r?/journal | sort -u | wc -l) tokens"
}

asynchronous() {
        local lost known worker resumed=()
        pair
        export PAWL_DB="$url#async"
        runs 0 pawl init
        runs 0 pawl init --db "$url#idle"
        for run in $writers; do run "$run"; done
        mission r5
        (cd r5 && pawl submit mission.yaml >out)
        PAWL_DB="$url&application_name=worker#async" write r5 pawl work --dir work
        mkdir r4
        printf 'mission: m\nsteps: [{id: one, run: [sh, -c, "touch begun; while [ ! -e ../over ]; do sleep 0.1; done"]}, {id: two, run: ["true"]}]\n' >r4/mission.yaml
        (cd r4 && PAWL_DB=$url#idle exec pawl run mission.yaml --no-input >out 2>err) &
        idle=$!
        await r4/begun
        for run in $writers r5; do until_says yes has_begun 1 "$run"; done
        worker=$(sql primary "SELECT pid FROM pg_stat_activity WHERE application_name = 'worker' ORDER BY backend_start LIMIT 1")
        sleep "$1"
        known=$(sql primary "SELECT pg_current_wal_flush_lsn()")
        until_says t sql standby "SELECT pg_last_wal_replay_lsn() >= '$known'"
        sql standby "ALTER SYSTEM SET primary_conninfo = ''"
        sql standby "SELECT pg_reload_conf()" >reloaded
        until_says 0 sql primary "SELECT count(*) FROM pg_stat_replication"
        touch cut
        for run in $writers r5; do until_says yes has_begun $((middle + 2)) "$run"; done
        worker_looks
        fail_over
        for run in $writers r5; do
                await "$run/code"
                same "$run: $(cat "$run/code" && [ "$(cat "$run/code")" = 5 ] || cat "$run/err")" "$run: 5"
        done
        touch over
        wait "$idle"
        wait
        runs 0 eventlog verify
        eventlog export >all
        "$support" again "$PWD/primary.url"
        PAWL_DB="$(cat primary.url)#async" eventlog export >before
        for run in $writers r5; do
                # a worker's run may say besides that the worker stopped it
                grep '^pawl: .* has lost ' "$run/err" | tail -n 1 >err
                says 'has lost what it acknowledged: seq [0-9]+ \([0-9a-f]{16,}.*now the log ends at seq [0-9]+ \([0-9a-f]{16,}' err
                read -r gone hash end end_hash < <(sed -E 's/.*seq ([0-9]+) \(([0-9a-f]+).*seq ([0-9]+) \(([0-9a-f]+).*/\1 \2 \3 \4/' err)
                same "$(jq -r --argjson seq "$gone" 'select(.seq == $seq) | .hash' before | cut -c "1-${#hash}")" "$hash"
                same "$(jq -r --argjson seq "$end" 'select(.seq == $seq) | .hash' all | cut -c "1-${#end_hash}")" "$end_hash"
                [ "$gone" -gt "$end" ]
        done
        lost=$(($(wc -l <before) - $(jq -r .seq all | tail -1)))
        "$support" kill "$PWD/primary.url"
        for run in $writers; do
                pawl resume "$run" --no-input >"$run/out" 2>"$run/err" &
                resumed+=($!)
        done
        for run in "${resumed[@]}"; do wait "$run"; done
        sound
        PAWL_DB="$url#idle" runs 0 eventlog verify
        echo "asynchronous: $lost events were lost; three writers and a worker stopped and said so, another that had lost none went on"
}

for round in $(seq "$rounds"); do
        it "round $round"
        synchronous "0.$((round * 7 % 9 + 1))"
        asynchronous "0.$((round * 4 % 9 + 1))"
done
