# A run with four steps at work at once dies by SIGKILL at a call that writes, or half-way through it: at
# each such call under PAWL_TEST_FULL=1, else at some of every kind. Whatever it was, the log is sound, a
# resume starts exactly the steps that are not completed, and none of them is at work twice.
. "$SOURCE_DIR/tests/cli/shared.sh"
shim=$BUILD_DIR/tests/kill_at_write.so
export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}verify_asan_link_order=0
instants=0 deaths=0
top=$PWD before=$PWD/before work=$PWD/work calls=$PWD/calls

# A step's command notes itself in the journal and, in the file faults, what must not be: that it
# completed before, that its checkpoint is not in the log yet, that it is at work already, that
# what it needs is not completed.
mkdir "$before"
cat >"$before/step" <<'END'
#!/bin/sh
said=$(eventlog list --run "$PAWL_RUN_ID" -n 999 --json 2>&1) || echo "$PAWL_STEP_ID: $said" >>faults
has() {
        printf '%s\n' "$said" | grep "\"type\":\"$1\"" | grep "\"step_id\":\"$2\"" | grep -q "$3"
}
! has StepCompleted "$PAWL_STEP_ID" "" || echo "$PAWL_STEP_ID: runs again" >>faults
has StepCheckpointed "$PAWL_STEP_ID" "$PAWL_RETRY_TOKEN" || echo "$PAWL_STEP_ID: runs before its checkpoint" >>faults
for need; do
        has StepCompleted "$need" "" || echo "$PAWL_STEP_ID: $need is not completed" >>faults
done
if ! mkdir "at-$PAWL_STEP_ID" 2>/dev/null && kill -0 "$(cat "at-$PAWL_STEP_ID/pid")" 2>/dev/null; then
        echo "$PAWL_STEP_ID: is at work twice" >>faults
fi
echo $$ >"at-$PAWL_STEP_ID/pid"
echo "$PAWL_STEP_ID $PAWL_RETRY_TOKEN" >>journal
echo "$PAWL_STEP_ID" >&2
cat
rm -r "at-$PAWL_STEP_ID"
END
chmod +x "$before/step"
cat >"$before/mission.yaml" <<'END'
mission: several
parallel: 4
steps:
  - {id: a, needs: [], run: [./step]}
  - {id: b, needs: [], inputs: {n: 2}, run: [./step]}
  - {id: c, needs: [], run: [./step]}
  - {id: d, needs: [], run: [./step]}
  - {id: e, needs: [a, b], inputs: {$from: b}, run: [./step, a, b]}
  - {id: f, needs: [c], run: [./step, c]}
  - {id: g, needs: [d, e, f], inputs: [{$from: e}, {$from: b}], run: [./step, d, e, f]}
END

restore() {
        cd "$top"
        rm -rf "$work"
        cp -a "$before" "$work"
        cd "$work"
}

# dies N HALF COMMAND...: it is killed at call N, and all that it started has ended too. False if it came
# to its own end before that.
dies() {
        local n=$1 half=$2 said
        shift 2
        said=$( (LD_PRELOAD=$shim KILL_AT=$n KILL_HALF=$half "$@" 2>&1 >/dev/null </dev/null
                echo "code $?") 2>/dev/null)
        [ "${said##*code }" -eq 137 ]
}

sound() {
        if [ -e .pawl/events.db ]; then
                runs 0 eventlog verify
                runs 0 eventlog replay --check
        else
                fails 1 "no log here" eventlog verify
        fi
}

completed() {
        eventlog list --run one --type StepCompleted -n 99 --json 2>/dev/null | jq -r .step_id | sort
}

finish() {
        local code=0
        completed >done-before || :
        : >journal-before
        [ ! -e journal ] || cp journal journal-before
        pawl resume one >out 2>err </dev/null || code=$?
        if [ "$code" -eq 1 ]; then
                says "resume one: is no|no log here" err
                code=0
                pawl run mission.yaml --run one >out 2>err </dev/null || code=$?
        fi
        same "$code" 0
        sound
        [ ! -e faults ] || { cat faults; return 1; }
        same "$(completed | tr '\n' ' ')" "a b c d e f g "
        tail -n +"$(($(wc -l <journal-before) + 1))" journal | cut -d' ' -f1 | sort >begun
        same "$(printf 'a\nb\nc\nd\ne\nf\ng\n' | comm -23 - done-before)" "$(cat begun)"
        same "$(sort -u journal | wc -l)" 7
        same "$(pawl output one g)" '[{"n":2},{"n":2}]'
}

chosen() {
        if [ "${PAWL_TEST_FULL:-}" = 1 ]; then
                seq "$(wc -l <"$calls")"
        else
                awk '!seen[$1 FS substr($2, 1, 13)]++ || NR % 60 == 0 { print NR }' "$calls"
        fi
}

restore
it "runs to its end, and notes where it can die"
LD_PRELOAD=$shim CALL_LIST=$calls pawl run mission.yaml --run one >out 2>err </dev/null
[ ! -e faults ] || { cat faults; exit 1; }
same "$(sort journal | cut -d' ' -f1 | tr '\n' ' ')" "a b c d e f g "
halves=0
for n in $(chosen); do
        halves=$((1 - halves))
        for half in 0 1; do
                [ "${PAWL_TEST_FULL:-}" = 1 ] || [ "$half" -eq "$halves" ] || continue
                it "killed at call $n, $half half done: $(sed -n "${n}p" "$calls")"
                restore
                instants=$((instants + 1))
                if dies "$n" "$half" pawl run mission.yaml --run one; then
                        deaths=$((deaths + 1))
                fi
                sound
                finish
        done
done
it "nearly every instant was one to die at"
[ "$deaths" -ge $((instants * 8 / 10)) ]
echo "killed $deaths times at $instants instants; every log verified, every run completed"
