# A run with four steps at work at once dies by SIGKILL. Whatever it was doing, the log is sound, a resume starts exactly the
# steps that are not completed, and none of them is at work twice.
. "$SOURCE_DIR/tests/durability/killing.sh"

# A step's command notes itself in the journal and, in the file faults, what must not be: that it
# completed before, that its checkpoint is not in the log yet, that it is at work already, that
# what it needs is not completed.
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

completed() {
        eventlog list --run one --type StepCompleted -n 99 --json 2>/dev/null | jq -r .step_id | sort
}

finish() {
        completed >done-before || :
        : >journal-before
        [ ! -e journal ] || cp journal journal-before
        goes pawl resume one
        if [ "$code" -eq 1 ]; then
                says "resume one: is no|no log here" err
                goes pawl run mission.yaml --run one
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

restore
it "runs to its end, and notes where it can die"
LD_PRELOAD=$shim CALL_LIST=$calls pawl run mission.yaml --run one >out 2>err </dev/null
[ ! -e faults ] || { cat faults; exit 1; }
same "$(sort journal | cut -d' ' -f1 | tr '\n' ' ')" "a b c d e f g "
at_each 60 : pawl run mission.yaml --run one
it "nearly every instant was one to die at"
[ "$deaths" -ge $((instants * 8 / 10)) ]
echo "killed $deaths times at $instants instants; every log verified, every run completed"
