# A program that changes the log dies by SIGKILL. Whatever it was doing, the log is sound as it lies there, and the next
# command goes on.
. "$SOURCE_DIR/tests/durability/killing.sh"
run=one

# A step's command notes itself in the journal and, in the file faults, what must not be: that it
# completed before, that its checkpoint is not in the log yet, that the log cannot be read.
cat >"$before/step" <<'END'
#!/bin/sh
said=$(eventlog list --run "$PAWL_RUN_ID" --step "$PAWL_STEP_ID" -n 99 --json 2>&1) || echo "$PAWL_STEP_ID: $said" >>faults
case $said in *'"StepCompleted"'*) echo "$PAWL_STEP_ID: runs again" >>faults ;; esac
case $said in
*'"StepCheckpointed"'*"$PAWL_RETRY_TOKEN"*) ;;
*) echo "$PAWL_STEP_ID: runs before its checkpoint" >>faults ;;
esac
echo "$PAWL_STEP_ID $PAWL_RETRY_TOKEN" >>journal
cat
END
chmod +x "$before/step"
cat >"$before/team.yaml" <<'END'
terms:
  - surface: workspace
    definition: A folder in which one step does its work.
  - surface: workspace
    definition: The account that a customer's people share.
END
sed 's/workspace/ledger/' "$before/team.yaml" >"$before/more.yaml"
cat >"$before/mission.yaml" <<'END'
mission: refund-service
glossary: { team_domain: team.yaml }
steps:
  - { id: research, inputs: { topic: refunds }, run: [./step] }
  - id: specify
    critical: true
    inputs: { description: Refunds land in the workspace., earlier: { $from: research } }
    run: [./step]
  - { id: publish, inputs: { text: { $from: specify } }, run: [./step] }
END

# keep CODE COMMAND...: what it leaves is what the next commands that die begin with.
keep() {
        restore
        runs "$@"
        rm out err
        cd "$top"
        rm -rf "$before"
        mv "$work" "$before"
}

# finish: what a user would do until the run, which is called $run, has completed.
finish() {
        goes pawl resume "$run"
        if [ "$code" -eq 1 ]; then
                says "resume $run: is no|no log here" err
                goes pawl run mission.yaml --run "$run"
        fi
        if [ "$code" -eq 3 ]; then
                runs 0 pawl resolve "$(pawl conflicts --json |
                        jq -r --arg run "$run" 'map(select(.run_id == $run))[0].conflict_id')" --pick 2
                goes pawl resume "$run"
        fi
        same "$code" 0
        says "^run $run: completed, 3 of 3" out
        sound
        [ ! -e faults ] || { cat faults; return 1; }
        same "$(sort -u journal | cut -d' ' -f1 | tr '\n' ' ')" "publish research specify "
        same "$(eventlog list --run "$run" --type StepCompleted -n 99 --json | wc -l)" 3
        # a resume writes a handoff beside the log, a checkpoint its index; a kill may leave their temporary files
        same "$(ls -A .pawl | grep -vE '^(\.gitignore$|events.db-lock$|handoff-|\.pawl-|workspace\.index)' | tr '\n' ' ')" "events.db events.db-shm events.db-wal "
}

# sweep AGAIN COMMAND...: as at_each.
sweep() {
        restore
        it "${*:2}"
        LD_PRELOAD=$shim CALL_LIST=$calls "${@:2}" >out 2>err </dev/null || [ $? -eq 3 ]
        [ "$(wc -l <"$calls")" -ge 5 ]
        at_each 40 "$@"
        cd "$top"
        rm "$calls"
}

# The user goes on with the run; or does the same again, which now succeeds; or the same again, which
# succeeds or is told that the conflict has its answer.
nothing() {
        :
}

once_more() {
        runs 0 "$@"
}

unless_answered() {
        goes "$@"
        [ "$code" -eq 0 ] || { same "$code" 1; says "answered|resolved" err; }
}

sweep once_more pawl init
sweep nothing pawl run mission.yaml --run one
keep 3 pawl run mission.yaml --run one
sweep once_more pawl init --rebuild
sweep once_more pawl glossary import more.yaml --scope core
conflict=$(cd "$before" && pawl conflicts --json | jq -r '.[0].conflict_id')
token=$(cd "$before" && pawl conflicts --json | jq -r '.[0].retry_token')
sweep unless_answered pawl resolve "$conflict" --pick 1
keep 0 pawl resolve "$conflict" --pick 1
sweep once_more pawl resume "$token"

# A log of an older schema, its newest events still in the -wal: any command that writes migrates it.
run=new
rm -rf "$before/.pawl" "$before/journal"
mkdir -m 700 "$before/.pawl"
for file in "" -wal; do
        cp "$SOURCE_DIR/tests/golden/logs/v1-wal.db$file" "$before/.pawl/events.db$file"
        chmod 600 "$before/.pawl/events.db$file"
done
it "the old log is of version 1, and later is not"
version_of() {
        od -An -tu1 -j63 -N1 "$1/.pawl/events.db" | tr -d ' ' # user_version in the database's header
}
same "$(version_of "$before")" 1
sweep once_more pawl glossary import more.yaml --scope core
[ "$(version_of "$work")" -gt 1 ]
it "nearly every instant was one to die at (how many calls there are differs a little by chance)"
[ "$deaths" -ge $((instants * 9 / 10)) ]
echo "killed $deaths times at $instants instants of 6 commands and a migration; every log verified, every run completed"
