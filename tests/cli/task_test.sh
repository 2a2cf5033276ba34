# A task marked done from a hook, with its checkpoint, the handoff and a commit.
. "$SOURCE_DIR/tests/cli/shared.sh"
export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b.c GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b.c

it "an unknown mission is a clear error, and so is none"
runs 0 pawl init
fails 1 'session: no session is active; `pawl session start --mission M` begins one' pawl task done T1
fails 1 'mission nowhere: is not known here' pawl task done T1 --mission nowhere
same "$(eventlog head | cut -d' ' -f1)" 0

it "it marks the task in the active session, and writes the handoff"
id=$(pawl session start --mission paper --pending T1 --pending T2 --actor agent:one)
runs 0 pawl task done T1
says "^task T1: done, checkpoint 2 of $id$" out
says "^handoff: .*/.pawl/handoff.txt$" out
same "$(eventlog export | jq -c 'select(.type == "SessionCheckpointed") | [.payload.reason, .payload.completed_steps]')" '["task_complete",["T1"]]'
same "$(pawl sessions --json | jq -c '.[0] | [.steps_completed, .steps_total]')" '[1,2]'
pawl handoff | cmp - .pawl/handoff.txt
same "$(stat -c %a .pawl/handoff.txt)" 600

it "with --commit it commits what is staged, and only if something is"
runs 1 pawl task done T1 --commit
says '^pawl: git: this directory is no repository of git' err
same "$(grep -c '^pawl: ' err)" 1
git init -q .
printf '/.pawl/\n/out\n/err\n' >.git/info/exclude
runs 0 pawl task done T2 --commit --mission paper --write progress.txt
says '^git: nothing is staged' out
[ ! -e .git/refs/heads/main ]
[ ! -e .git/refs/heads/master ]
says 'T2' progress.txt
echo one >file
git add file
echo two >other
runs 0 pawl task done T2 --commit "The second task" --mission paper
same "$(git log --format=%s)" "The second task"
same "$(git ls-files)" file
echo three >>file
git add file
runs 0 pawl task done T3 --commit
same "$(git log -1 --format=%s)" "Complete T3"
misused 'one argument too many: "why"' pawl task done T1 why

it "a commit that fails is said, and the task is marked all the same"
printf '#!/bin/sh\nexit 1\n' >.git/hooks/pre-commit
chmod +x .git/hooks/pre-commit
echo four >>file
git add file
runs 1 pawl task done T4 --commit
says 'pawl: git: the commit ended with 1; .* the task is marked' err
same "$(pawl sessions --json | jq -c '.[0].steps_completed')" 4

it "without an active session it goes on from the last one"
runs 0 pawl session end
runs 0 pawl task done T5 --mission paper
same "$(pawl sessions --json | jq -c '[length, .[0].steps_completed, .[0].status]')" '[2,5,"active"]'

it "it marks the session that \$PAWL_SESSION_ID names, and no other mission's"
other=$(pawl session start --mission thesis)
fails 1 'session: more than one session is active' pawl task done T6
PAWL_SESSION_ID=$other runs 0 pawl task done T6 --json
same "$(jq -r .mission_id out)" thesis
same "$(pawl sessions --json | jq -c '.[] | select(.mission_id == "paper") | .steps_completed' | head -n 1)" 5
PAWL_SESSION_ID=$other runs 0 pawl session end
PAWL_SESSION_ID=$other fails 1 "session $other: has ended .completed.; .pawl session resume $other. begins another where it left off" pawl task done T7
next=$(pawl session resume "$other")
PAWL_SESSION_ID=$other fails 1 "has ended .completed.; $next is the active one of mission thesis" pawl task done T7
fails 6 "session $next of .* is active" pawl session resume "$next"
runs 0 pawl session resume "$next" --take-over
PAWL_SESSION_ID=$(cat out) runs 0 pawl session end

it "the hook is installed once, never over a file that differs, and works"
runs 0 pawl hooks install
says '^Connect it' out
mkdir elsewhere
(cd elsewhere && runs 0 ../.pawl/hooks/task-done T6)
same "$(pawl sessions --json | jq -c '.[] | select(.mission_id == "paper") | .steps_completed' | head -n 1)" 6
runs 0 pawl hooks install
says 'is installed already' out
echo '# mine' >>.pawl/hooks/task-done
before=$(cat .pawl/hooks/task-done)
fails 1 'task-done: is there and differs, so it is left as it is' pawl hooks install
same "$(cat .pawl/hooks/task-done)" "$before"
runs 0 eventlog replay --check

it "a hook that cannot be made says why"
rm -r .pawl/hooks && : >.pawl/hooks
fails 1 'hooks/task-done: cannot make it: Not a directory; check the path$' pawl hooks install
is_empty .pawl/hooks
