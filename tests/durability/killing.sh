# Programs that die by SIGKILL at a call that writes, or half-way through it: at each such call under PAWL_TEST_FULL=1, else
# at some of every kind. Sourced; what they begin with is put into the directory before.
. "$SOURCE_DIR/tests/cli/shared.sh"
shim=$BUILD_DIR/tests/kill_at_write.so
export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}verify_asan_link_order=0
instants=0 deaths=0
top=$PWD before=$PWD/before work=$PWD/work calls=$PWD/calls
mkdir "$before"

# restore: the folder as it was before the command that dies.
restore() {
        cd "$top"
        rm -rf "$work"
        cp -a "$before" "$work"
        cd "$work"
}

# dies N HALF COMMAND...: it is killed at call N, and all that it started has ended too (it has the
# other end of a pipe as its standard error). False if it came to its own end before that.
dies() {
        local n=$1 half=$2 said
        shift 2
        said=$( (LD_PRELOAD=$shim KILL_AT=$n KILL_HALF=$half "$@" 2>&1 >/dev/null </dev/null
                echo "code $?") 2>/dev/null)
        [ "${said##*code }" -eq 137 ]
}

# sound: what lies there now is a log that verifies, and whose state tables follow from it; or none.
sound() {
        if [ -e .pawl/events.db ]; then
                runs 0 eventlog verify
                runs 0 eventlog replay --check
        else
                fails 1 "no log here" eventlog verify
        fi
}

# goes CODE COMMAND...: as runs, but any exit code, which is in $code.
goes() {
        code=0
        "$@" >out 2>err </dev/null || code=$?
}

# chosen EVERY: the numbers of the calls to die at: the first of each kind and, of the others, every so many.
chosen() {
        if [ "${PAWL_TEST_FULL:-}" = 1 ]; then
                seq "$(wc -l <"$calls")"
        else
                awk -v every="$1" '!seen[$1 FS substr($2, 1, 13)]++ || NR % every == 0 { print NR }' "$calls"
        fi
}

# at_each EVERY AGAIN COMMAND...: the command dies at one of these calls after the other. After each, what is there is sound; then
# comes what a user does next, AGAIN; then the run goes to its end, by the function finish.
at_each() {
        local every=$1 again=$2 n half halves=0
        shift 2
        for n in $(chosen "$every"); do
                halves=$((1 - halves))
                for half in 0 1; do
                        [ "${PAWL_TEST_FULL:-}" = 1 ] || [ "$half" -eq "$halves" ] || continue
                        it "$*: killed at call $n, $half half done: $(sed -n "${n}p" "$calls")"
                        restore
                        instants=$((instants + 1))
                        if dies "$n" "$half" "$@"; then
                                deaths=$((deaths + 1))
                        fi
                        sound
                        $again "$@"
                        finish
                done
        done
}
