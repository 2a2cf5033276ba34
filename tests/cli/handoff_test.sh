# The handoff document: printed, written, and the same from the same log.
. "$SOURCE_DIR/tests/cli/shared.sh"
write_mission

it "without a session there is none to hand off"
pawl init >/dev/null
fails 1 "no session yet" pawl handoff
fails 1 "session nobody: is not in this log" pawl handoff nobody

it "a blocked run's says what holds it, and how to go on"
runs 3 pawl run mission.yaml --run one --no-input
session=$(eventlog export | jq -r 'select(.type == "SessionStarted").session_id')
conflict=$(pawl conflicts --json | jq -r '.[0].conflict_id')
runs 0 pawl handoff
says "^HANDOFF $session: mission refund-service, interrupted, started [-0-9T:]{19}Z, last activity" out
says '^Progress: 1/3 \(33%\)$' out
says '^- research$' out
says "^  blocked by: $conflict, \"workspace\"$" out
says '^1\. publish$' out
says "^- $PWD/mission.yaml$" out
same "$(tail -1 out)" "pawl resume one"
[ "$(wc -l <out)" -lt 50 ]
same "$(grep -nE '^(CURRENT|DONE|IN PROGRESS|NEXT|FILES|ISSUES|GO ON)$' out | cut -d: -f2 | paste -sd,)" \
        "CURRENT,DONE,IN PROGRESS,NEXT,FILES,ISSUES,GO ON"

it "its commands do what they say"
runs 0 pawl handoff
sed -n 's/^  \(pawl resolve .*--pick 2.*\)/\1/p' out >answer
runs 0 bash -e answer
runs 0 pawl handoff
says '^None blocking$' out
says '^  status: blocked, and answered: it can go on$' out
tail -1 out >go_on
runs 0 bash -e go_on --no-input
runs 0 pawl handoff
says '^Progress: 3/3 \(100%\)$' out
same "$(tail -1 out)" "Nothing is left to do: it is completed."

it "the same log gives the same bytes, wherever it lies and whatever the locale"
runs 0 pawl handoff "$session"
mv out before
mkdir -p far/.pawl
on_server || cp .pawl/events.db far/.pawl/
chmod -R a-w far/.pawl
(cd far && LC_ALL=tr_TR.UTF-8 TZ=Asia/Tokyo TERM=xterm pawl handoff "$session") >out
cmp before out
chmod -R u+w far/.pawl

it "a session whose process was killed was interrupted at its step, which is not done"
cat >slow.yaml <<'END'
mission: slow
steps:
  - id: first
    run: [sh, -c, "echo first"]
  - id: second
    run: [sh, -c, "touch running; sleep 60"]
END
pawl run slow.yaml --run two --no-input >/dev/null 2>&1 &
pid=$!
await running
kill -9 $pid
wait $pid 2>/dev/null || true
runs 0 pawl handoff --mission slow
mv out before
runs 0 pawl handoff
cmp before out
says '^HANDOFF .*: mission slow, interrupted, ' out
says '^Ended: process died$' out
says '^- first$' out
says '^  status: interrupted: it was being done, and is not done$' out
says '^pawl resume [a-z0-9-]+$' out

it "--mission names the mission's latest"
runs 0 pawl handoff --mission refund-service
says '^HANDOFF .*: mission refund-service, completed' out
fails 1 "mission nowhere: has no session" pawl handoff --mission nowhere
fails 1 "is not of mission slow" pawl handoff "$session" --mission slow

it "--summary lists the last, and counts the others"
runs 0 pawl handoff --mission refund-service --summary 1
says '^\(2 steps before these\)$' out
says '^- publish$' out
lacks '^- specify$' out
misused "summary" pawl handoff --summary 0

it "--json has the same text"
runs 0 pawl handoff "$session"
mv out text
runs 0 pawl handoff "$session" --json
same "$(jq -r '[.session_id, .mission_id, .run_id] | join(" ")' out)" "$session refund-service one"
jq -j .text out | cmp - text

it "--write puts it into a file, through a link too, and says nothing"
(umask 022 && pawl handoff "$session" --write handoff.md >out)
is_empty out
cmp handoff.md text
same "$(stat -c %a handoff.md)" 644
mkdir elsewhere
ln -s elsewhere/h.md link
runs 0 pawl handoff "$session" --write link
cmp elsewhere/h.md text
[ -L link ]
same "$(find . -name '.pawl-*' ! -name .pawl | wc -l)" 0

it "what is no file, or lies in no directory, is refused"
fails 1 "^pawl: elsewhere: is not a regular file" pawl handoff --write elsewhere
fails 1 "^pawl: nowhere/h.md: cannot write the handoff" pawl handoff --write nowhere/h.md

it "--read says what is understood, and what is new, and changes nothing"
head=$(eventlog head)
runs 0 pawl handoff --read text
lacks '^\+' out
same "$(tail -1 out)" '0 new notes, 0 done; a resume of a run whose mission has this file as its `handoff` takes them into the log'
sed 's/^NEXT$/# next:/; s/$/\r/' text | sed '/^----.$/d' >edited
printf 'QUESTIONS\n=========\n* Who \033[31msigns?\n' >>edited
runs 0 pawl handoff --read edited
says '^QUESTIONS$' out
says '^\+ Who \\x1b\[31msigns\?$' out
says '^1 new note,' out
runs 0 pawl handoff --read edited --json
same "$(jq -c '[.session_id, .new_notes, .done_notes]' out)" \
        "[\"$session\",[{\"section\":\"QUESTIONS\",\"text\":\"Who \\u001b[31msigns?\"}],0]"
same "$(jq -r '.sections[].name' out | paste -sd,)" "CURRENT,DONE,IN PROGRESS,NEXT,FILES,ISSUES,GO ON,QUESTIONS"
jq -e '[.sections[].entries[] | select(.new)] | length == 1' out >/dev/null
same "$(eventlog head)" "$head"

it "a file that is no text is told of, and the log used"
printf 'NEXT\n- \377\n' >edited
runs 1 pawl handoff "$session" --read edited
same "$(wc -l <err)" 1
says '^pawl: edited: byte 8: is not UTF-8' err
cmp out text
fails 1 "^pawl: nothing: cannot read the handoff: No such file" pawl handoff --read nothing
misused "do not go together" pawl handoff --read text --write other

it "what an agent told as done is in progress nowhere, and one figure is the same everywhere"
agent=$(pawl session start --mission paper --step draft --pending review)
runs 0 pawl session update --id "$agent" --done draft
runs 0 pawl handoff "$agent"
says '^Step: none$' out
says '^Progress: 1/2 \(50%\)$' out
same "$(sed -n '/^IN PROGRESS$/,/^NEXT$/p' out | sed -n 3p)" None
same "$(pawl sessions --id "$agent" --json | jq -c '.[0] | [.steps_completed, .steps_total, .current_step]')" '[1,2,null]'
same "$(pawl handoff "$agent" --json | jq -c '[.steps_completed, .steps_total, [.done[].step_id], [.in_progress[].step_id], [.next[].step_id]]')" \
        '[1,2,["draft"],[],["review"]]'

it "a session that ended with work open says so, and how to go on"
runs 0 pawl session end --id "$agent"
runs 0 pawl handoff "$agent"
lacks 'Nothing is left to do' out
same "$(tail -2 out)" "It was ended with steps still to be done:
pawl session resume $agent"
same "$(pawl handoff "$agent" --json | jq -r .go_on | unnamed)" "pawl session resume $agent"
runs 0 pawl sessions --latest
says "^Resume the latest: pawl session resume $agent$" out
pawl handoff "$agent" >text
runs 0 pawl handoff --read text
lacks '^\+' out

it "its end left a checkpoint, which it can be resumed from"
same "$(pawl sessions --id "$agent" --json | jq -c '.[0] | [.checkpoints, [.session_checkpoints[].reason], [.steps[] | [.step_id, .status]]]')" \
        '[1,["session_end"],[["draft","completed"],["review","pending"]]]'
runs 0 pawl sessions --id "$agent"
says '^  draft: completed$' out
says '^  review: pending$' out
says '^  seq [0-9]+: session_end, 20' out
seq=$(pawl sessions --id "$agent" --json | jq '.[0].checkpoint')
runs 0 pawl session resume "$agent" --checkpoint "$seq"
runs 0 pawl session update --id "$(cat out)" --done review
runs 0 pawl session end --id "$(pawl sessions --latest --json | jq -r '.[0].session_id')"
runs 0 pawl handoff
same "$(tail -1 out)" "Nothing is left to do: it is completed."

it "FILES knows what changed between a session's checkpoints, and --json what it left in lists"
mkdir tree
cd tree
forget_log
! on_server || mkdir -m 700 .pawl # what lies beside it is here
git init -q .
git config user.email a@b.c
git config user.name a
printf '/out\n/err\n' >.git/info/exclude
cat >mission.yaml <<'END'
mission: files
steps:
  - {id: one, run: [sh, -c, "echo 1 >kept; echo 1 >gone"]}
  - {id: two, run: [sh, -c, "echo 2 >kept; rm gone; echo 2 >new; git add new; git commit -qm two; git rev-parse HEAD >head; test -e ok"]}
  - {id: three, run: [sh, -c, "true"]}
END
runs 0 pawl init
runs 1 pawl run mission.yaml --run tree
runs 0 pawl handoff
says '^- kept \(added\)$' out
lacks '^- gone' out
says '^- new \(added\)$' out
lacks 'mission.yaml \(' out
runs 0 pawl handoff --json
same "$(jq -c '[.status, [.done[].step_id], [.in_progress[] | [.step_id, .status, .exit_code]], [.next[].step_id]]' out)" \
        '["error",["one"],[["two","failed",1]],["three"]]'
same "$(jq -c '[.files[] | select(.change) | [.path, .change]]' out)" \
        '[["head","added"],["kept","added"],["new","added"]]'
same "$(jq -r '.commits[-1].commit' out)" "$(cat head)"
same "$(jq -r .go_on out)" "$(pawl handoff | tail -1 | unnamed)"
same "$(jq -c '[.workspace_checkpoints[] | [.n, .step_id]]' out)" '[[1,null],[2,"one"],[3,null]]'
same "$(jq -c '.session_checkpoints | map(.reason)' <(pawl sessions --id "$(jq -r .session_id out)" --json | jq '.[0]'))" '["step_complete"]'

it "and the next session, what it did itself, and not what was there before it"
touch ok
runs 0 pawl resume tree
runs 0 pawl handoff --json
same "$(jq -c '[.files[] | select(.change) | [.path, .change]]' out)" '[]'

it "a run that was rolled back is where it is, in every list"
runs 0 pawl rollback 2 --yes
same "$(pawl runs --id tree --json | jq -c '[.steps_completed, .steps_total]')" '[1,3]'
same "$(pawl sessions --latest --json | jq -c '.[0] | [.steps_completed, .steps_total]')" '[1,3]'
runs 0 pawl handoff
says '^Progress: 1/3 \(33%\)$' out
cd ..
