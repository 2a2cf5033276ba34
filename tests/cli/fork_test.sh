# pawl fork: a new run that begins as another one was before a step of it.
. "$SOURCE_DIR/tests/cli/shared.sh"
write_mission
sed -i 's/^steps:/params: {topic: {type: string, default: refunds}, way: {type: string, default: fast}}\nsteps:/
        s/topic: refunds }/topic: {$param: topic} }/
        s/echo research >>journal;/echo research >>journal; echo r >research.txt;/
        s/echo specify >>journal;/echo specify >>journal; echo s >specify.txt;/
        s/\[sh, -c, "echo publish >>journal; echo done"\]/[sh, -c, "echo publish >>journal; echo $0 >publish.txt; echo done", {$param: way}]/' mission.yaml
printf '%s\n' tokens out err head events shown screen script.exp >.gitignore
runs 3 pawl run mission.yaml --run first --no-input --set topic=returns
conflict=$(pawl conflicts --json | jq -r '.[0].conflict_id')
runs 0 pawl resolve "$conflict" --pick 1
runs 0 pawl resume first
steps() { pawl runs --id "$1" --json | jq -r '[.steps[] | .step_id + "=" + .status] | join(" ")'; }
field() { pawl runs --id "$1" --json | jq -c "${2:-.run} | $3" 2>/dev/null; }
before=$(pawl runs --id first --json)
head=$(eventlog head)
said=$(wc -l <journal)

it "what cannot be forked: exit 1, and nothing is written"
fails 1 '^pawl: run nowhere: ' pawl fork nowhere --from publish
fails 1 '^pawl: step nothing: run first has none of that id; ' pawl fork first --from nothing
misused '--from' pawl fork first
mkdir full && touch full/file
fails 1 '^pawl: directory .*/full: is not empty; ' pawl fork first --from publish --dir full
fails 1 '^pawl: .*/full/file' pawl fork first --from publish --dir full/file
fails 1 '^pawl: parameter nothing: ' pawl fork first --from publish --dir new --set nothing=1
fails 1 '^pawl: fork: the files of the workspace go back to checkpoint [0-9]+, and there is nobody to ask; say --yes' pawl fork first --from publish
[ ! -e new ]
same "$(ls full)" file
same "$(eventlog head)" "$head"
[ -e publish.txt ]

it "a fork from the first step has the files as they were before anything ran"
runs 0 pawl fork first --from research --dir from-first
same "$(steps "$(cat out)")" "research=pending specify=pending publish=pending"
[ -s from-first/mission.yaml ]
[ ! -e from-first/research.txt ]
rm -r from-first

it "a fork in a directory of its own: the steps before are completed, outputs and all, in one commit; nothing is run"
runs 0 pawl fork firs --from publish --dir new
second=$(cat out)
says "^\`pawl resume $second\` goes on with it\$" err
same "$(steps "$second")" "research=completed specify=completed publish=pending"
same "$(wc -l <journal)" "$said"
same "$(pawl output "$second" specify)" "$(pawl output first specify)"
eventlog list --run "$second" --json | jq -s -e '[.[].type] == ["RunClaimed", "RunStarted", "StepCompleted", "StepCompleted"]' >/dev/null
eventlog list --run "$second" --json >events
jq -s -e '.[1].payload | .forked_from.run_id == "first" and .forked_from.step_id == "publish" and (.forked_from.seq | type) == "number"
        and .params.topic == "returns"' events >/dev/null
same "$(jq -s -c '[.[2:][].payload.output_hash]' events)" "$(eventlog replay --json | jq -c '[.runs[] | select(.run_id == "first") | .steps[:2][].output_hash]')"
pawl runs --id "$second" >shown
says '^forked from +first, before publish$' shown
same "$(pawl status --json | jq -r --arg run "$second" '.runs[] | select(.run_id == $run) | [.status, .why, .next] | join("; ")' | unnamed)" \
        "interrupted; forked from first, not run yet; pawl resume $second"
runs 0 eventlog replay --check

it "what a step wrote that it has from the other run is there"
fails 1 "^pawl: step specify: ran in run first, which run $second was forked from; .pawl logs first specify. prints what it wrote\$" pawl logs "$second" specify
fails 1 '^pawl: step publish: nothing of what it wrote is kept in run ' pawl logs "$second" publish

it "its files are as they were then, and the other run is not touched"
same "$(ls new)" "journal
mission.yaml
research.txt
specify.txt
team.yaml"
same "$(pawl runs --id first --json)" "$before"
[ -e publish.txt ]

it "git takes nothing of what is kept there beside them"
same "$(cat new/.pawl/.gitignore)" "*"
same "$(find new/.pawl ! -perm 0600 -type f -o ! -perm 0700 -type d)" ""

it "resume goes on with it there, from anywhere; what takes from a step before works"
mkdir elsewhere
if on_server; then
        (cd elsewhere && pawl resume "$second" >../out)
else
        (cd elsewhere && pawl resume "$second" --db ../.pawl/events.db >../out)
fi
same "$(steps "$second")" "research=completed specify=completed publish=completed"
same "$(cat new/publish.txt)" fast
same "$(tail -1 new/journal)" publish
same "$(wc -l <journal)" "$said"
same "$(pawl runs --id first --json)" "$before"

it "the directory is no part of the workspace above it"
runs 0 pawl checkpoint now
runs 0 pawl diff 1 current --json
same "$(jq -r '[.files[].path | select(startswith("new/"))] | length' out)" 0
says 'elsewhere' out

it "--json, and other parameters: what completed with the former value is told of"
runs 0 pawl fork first --from publish --dir slow --set way=slow --json
third=$(jq -r .run_id out)
jq -e '.forked_from == {"run_id": "first", "step_id": "publish", "seq": .forked_from.seq}' out >/dev/null
is_empty err
runs 0 pawl resume "$third"
same "$(cat slow/publish.txt)" slow
runs 0 pawl fork first --from publish --dir topic --set topic=costs
says '^pawl: step research: completed with the former value of topic, and is not run again; fork from it to have it run with the new one$' err

it "a question that had the former value is asked again, and what needs the answer runs again"
cat >asks.yaml <<'END'
mission: asks
workspace: {checkpoint: off}
params: {version: {type: string, default: "1"}, other: {type: string, default: "1"}}
steps:
  - {id: apart, run: [echo, apart]}
  - {id: before, ask: {question: "Publish {$param: version}?"}}
  - {id: behind, needs: [before], run: [echo, "{$param: other}"]}
  - {id: after, needs: [behind, apart], inputs: {said: {$from: before}}, run: [cat]}
END
runs 3 pawl run asks.yaml --run asks --no-input
runs 0 pawl resolve "$(pawl conflicts --json | jq -r '.[0].conflict_id')" --answer yes
runs 0 pawl resume asks
runs 0 pawl fork asks --from after --set version=2
asking=$(cat out)
same "$(grep '^pawl: step be' err)" 'pawl: step before: asks again, as it was answered with the former value of version
pawl: step behind: runs again, as it needs the answer to what is asked again'
same "$(steps "$asking")" "apart=completed before=pending behind=pending after=pending"
runs 3 pawl resume "$asking" --no-input
says "Publish 2[?]" err
runs 0 pawl resolve "$(pawl conflicts --json | jq -r '.[0].conflict_id')" --answer no
runs 0 pawl resume "$asking"
same "$(pawl output "$asking" after)" '{"said":"no"}'
runs 0 pawl fork asks --from after --set other=2
says '^pawl: step behind: completed with the former value of other, and is not run again; ' err
same "$(steps "$(cat out)")" "apart=completed before=completed behind=completed after=pending"
runs 0 pawl cancel "$(cat out)"
rm asks.yaml

it "a fork of a fork"
runs 0 pawl fork "$third" --from specify --dir again --json
fourth=$(jq -r .run_id out)
same "$(steps "$fourth")" "research=completed specify=pending publish=pending"
same "$(ls again)" "$(ls slow | grep -v 'specify\|publish')"
fails 1 "^pawl: run $third: has the directory .*/slow for itself; " pawl fork "$third" --from publish --yes

it "answers count from before the step alone: it asks again"
runs 3 pawl resume "$fourth" --no-input
same "$(pawl conflicts --json | jq -r '[.[] | .run_id + " " + .term] | join(" ")')" "$fourth workspace"

it "and the new answer counts for it"
runs 0 pawl resolve "$(pawl conflicts --json | jq -r '.[0].conflict_id')" --define "A desk."
runs 0 pawl resume "$fourth"
same "$(pawl runs --id "$fourth" --json | jq -r '.steps[1].terms[].definition')" "A desk."
same "$(steps "$fourth")" "research=completed specify=completed publish=completed"

it "what was answered before it is known: a fork of a later step asks nothing"
runs 0 pawl fork first --from publish --dir later
runs 0 pawl resume "$(cat out)"

it "in place: the files go back, by a plan that undo takes back, and no step of the other run changes"
rm -rf full elsewhere out.tar all.tar shown events
runs 0 pawl fork first --from publish --yes
fifth=$(cat out)
says 'publish.txt' err
[ ! -e publish.txt ]
[ -e specify.txt ]
same "$(steps first)" "research=completed specify=completed publish=completed"
runs 0 pawl undo --yes
[ -e publish.txt ]
runs 0 pawl resume "$fifth"
same "$(steps "$fifth")" "research=completed specify=completed publish=completed"

it "of a run that was submitted: its files are set up as a worker had them"
runs 0 pawl submit mission.yaml --run queued
runs 0 pawl work --once
fails 1 '^pawl: run queued: was submitted, and has no directory here; ' pawl fork queued --from publish --yes
runs 0 pawl fork queued --from publish --dir worked
same "$(steps "$(cat out)")" "research=completed specify=completed publish=pending"
[ -e worked/specify.txt ]
runs 0 pawl resume "$(cat out)"
[ -e worked/publish.txt ]
rm -r worked

it "asked on a terminal; no changes nothing"
before=$(pawl runs --json | jq '.runs | length')
dialog 1 'spawn pawl fork first --from specify
see "go back, and fork"
send "n\r"'
same "$(pawl runs --json | jq '.runs | length')" "$before"
[ -e specify.txt ]
dialog 0 'spawn pawl fork first --from specify
see "go back, and fork"
send "y\r"
see "goes on with it"'
[ ! -e specify.txt ]
same "$(pawl runs --json | jq '.runs | length')" $((before + 1))

it "after a rollback that was undone it begins where the step began, and not where the log ends"
runs 0 pawl run mission.yaml --run undone --no-input --fresh
target=$(pawl checkpoints --run undone --step research --json | jq .[0].n)
runs 0 pawl rollback "$target" --yes
same "$(steps undone)" "research=completed specify=pending publish=pending"
runs 0 pawl undo --yes
same "$(steps undone)" "research=completed specify=completed publish=completed"
began=$(eventlog list --run undone --step specify --json | jq -s '.[0].seq')
runs 0 pawl fork undone --from specify --yes --json
same "$(jq .forked_from.seq out)" $((began - 1))
same "$(steps "$(jq -r .run_id out)")" "research=completed specify=pending publish=pending"
runs 0 pawl undo --yes

it "and after going back to what was before a rollback and all that came of it, too"
safety=$(pawl checkpoints --json | jq '[.[] | select(.description == "before a rollback")][-1].n')
runs 0 pawl rollback "$target" --yes
runs 0 pawl resume undone --no-input
runs 0 pawl rollback "$safety" --yes
same "$(steps undone)" "research=completed specify=completed publish=completed"
runs 0 pawl fork undone --from specify --yes --json
same "$(jq .forked_from.seq out)" $((began - 1))

it "the mission that it began with is the run's: one that was edited since is held against it"
runs 0 pawl fork first --from publish --dir edited
sixth=$(cat out)
sed -i 's/echo done/echo ready/' edited/mission.yaml
runs 4 pawl resume "$sixth"
says '^pawl: run .*: its mission changed since: step publish has another command' err
runs 0 pawl resume "$sixth" --accept-changed-mission
same "$(pawl output "$sixth" publish)" ready
runs 0 eventlog replay --check
runs 0 eventlog verify

it "one that fails leaves the directory as empty as it was, so that the same again does it"
rm -rf full
mkdir wide
head -c 400000 /dev/zero >wide/large
echo one >wide/small
cat >wide/full.yaml <<'END'
mission: full
workspace: {root: .}
steps:
  - {id: a, run: [sh, -c, "echo a >a"]}
  - {id: b, run: ["true"]}
END
(
        cd wide
        own_log
        runs 0 pawl run full.yaml --run full
        code=0
        (ulimit -f 200; trap '' XFSZ; exec pawl fork full --from b --dir ../full) >out 2>err || code=$?
        same "$code" 1
        says 'large: cannot write' err
        same "$(ls -A ../full)" ""
        runs 0 pawl fork full --from b --dir ../full
        cmp large ../full/large
)

if ! on_server; then
it "killed at each of its calls it leaves no run or a whole one, and the log well"
forget_log
rm -rf new slow topic again later edited
cat >pair.yaml <<'END'
mission: pair
steps:
  - {id: a, run: [sh, -c, "echo a >a; echo 1"]}
  - {id: b, run: [sh, -c, "echo b >b; echo 2"]}
END
runs 0 pawl run pair.yaml --run pair
cp -r .pawl kept
export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}verify_asan_link_order=0
shim=$BUILD_DIR/tests/kill_at_write.so
LD_PRELOAD=$shim CALL_LIST=$PWD/calls pawl fork pair --from b --dir way >/dev/null 2>&1
rm -rf way
calls=$(wc -l <calls)
[ "$calls" -gt 10 ]
whole=0
for at in $(seq "$calls"); do
        remove_log
        rm -rf way && cp -r kept .pawl
        (LD_PRELOAD=$shim KILL_AT=$at pawl fork pair --from b --dir way || true) >out 2>err
        same "$(eventlog replay --json | jq -c '[.runs[] | select(.run_id != "pair") | [.steps[].status]] | unique')" \
                "$(if [ "$(events RunStarted)" = 2 ]; then echo '[["completed","pending"]]'; else echo '[]'; fi)"
        [ "$(events RunStarted)" = 1 ] || whole=$((whole + 1))
        runs 0 eventlog replay --check
done
[ "$whole" -gt 0 ]
same "$(cat way/a)" a
fi

it "each run is replayed alone as in the whole log"
runs_replay_alone
