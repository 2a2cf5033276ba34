# Needs PAWL_WITH_GIT.
# Going back to a checkpoint of the workspace, and taking that back.
. "$SOURCE_DIR/tests/cli/shared.sh"

# tree: every file of the workspace with its mode and content, and every link.
tree() {
        find . -path ./.pawl -prune -o ! -name out ! -name err ! -name screen ! -name '*.exp' -printf '%P %y %m %l\n' | sort
        find . -path ./.pawl -prune -o -type f ! -name out ! -name err ! -name screen ! -name '*.exp' -print0 | sort -z | xargs -0 sha256sum
}

checkpoint() {
        pawl checkpoints --json | jq -r "${2:-.[-1]} | .$1"
}

printf '%s\n' out err screen '*.exp' ignored >.pawlignore
mkdir -p src/deep
echo one >src/one.c
echo two >src/deep/two.c
ln -s one.c src/link
chmod 640 src/one.c
pawl init >/dev/null
runs 0 pawl checkpoint first
first=$(tree)
can_be_killed

it "the plan names what is written, removed and left alone, and changes nothing"
echo changed >src/one.c
rm src/deep/two.c && rmdir src/deep
echo new >src/new.c
runs 0 pawl checkpoint second
echo mine >mine.txt
echo hidden >ignored
second=$(tree)
runs 0 pawl rollback 1 --plan
says '^rollback to checkpoint 1 \(cp-01-first-' out
says '^  write   src/one.c \(4 B\)$' out
says '^  write   src/deep/two.c \(4 B\)$' out
says '^  remove  src/new.c$' out
says '^  leave   mine.txt: ' out
says '^plan [0-9a-f]{64}$' out
same "$(tree)" "$second"
same "$(pawl checkpoints --json | jq length)" 2
plan=$(pawl rollback 1 --plan --json | jq -r .plan)
same "plan $plan" "$(pawl rollback 1 --plan | tail -n 1)"

it "the plan is shown where nothing can be written"
held=()
[ "$(id -u)" -ne 0 ] || held=(setpriv --bounding-set=-dac_override,-dac_read_search --inh-caps=-all)
chmod 400 .pawl/* && chmod 500 .pawl
ls -lR --full-time .pawl >"$kept/before"
same "plan $plan" "$("${held[@]}" "$BIN/pawl" rollback 1 --plan | tail -n 1)"
"${held[@]}" "$BIN/pawl" rollback 1 --plan | head -n -1 >"$kept/plan"
says '^  remove  src/new.c$' "$kept/plan"
fails 1 'no rollback or restore is left that can be undone' "${held[@]}" "$BIN/pawl" undo --plan
ls -lR --full-time .pawl | diff "$kept/before" -
chmod 700 .pawl && chmod 600 .pawl/*

it "without anybody to ask it does nothing"
fails 1 'there is nobody to ask; .*--yes' pawl rollback 1
fails 1 '^pawl: plan 0{64}: is not what would be done any more, ' pawl rollback 1 --apply "$(printf '0%.0s' {1..64})"
same "$(tree)" "$second"
same "$(pawl checkpoints --json | jq length)" 2

it "a plan is done only as long as nothing moves"
echo moved >>src/one.c
fails 1 "^pawl: plan $plan: is not what would be done any more, " pawl rollback 1 --apply "$plan"
same "$(cat src/one.c | tail -n 1)" moved
sed -i '$d' src/one.c
planned=$(pawl rollback 1 --plan | head -n -1)
runs 0 pawl rollback 1 --yes --reason "It did not work" --actor user:ana
says 'the workspace is as checkpoint 1 has it' out
says '`pawl undo` takes this back' out
same "$(sed -n '/^plan/q;p' out)" "$planned"
same "$(cat mine.txt ignored)" 'mine
hidden'
rm mine.txt ignored
same "$(tree)" "$first"

it "the later ones are given up, and valid: their contents are there; the current one is the one gone back to"
same "$(checkpoint valid '.[1]') $(checkpoint given_up '.[1]') $(checkpoint why_invalid '.[1]')" "true rolled back to 1 null"
same "$(checkpoint given_up '.[0]') $(checkpoint current '.[0]')" "null true"
same "$(checkpoint safety) $(checkpoint trigger) $(checkpoint n)" "true auto 3"
same "$(eventlog export | jq -r 'select(.type == "WorkspaceRolledBack") | .actor + " " + .payload.reason')" \
        "user:ana It did not work"
runs 0 pawl show 2
says '✓ valid, given up: rolled back to 1' out
runs 0 eventlog verify
runs 0 eventlog replay --check

it "undo takes it back exactly"
planned=$(pawl undo --plan | head -n -1)
runs 0 pawl undo --yes
same "$(sed -n '/^plan/q;p' out)" "$planned"
same "$(cat src/one.c src/new.c)" 'changed
new'
[ ! -e src/deep ]
same "$(checkpoint given_up '.[1]')" null
runs 0 eventlog replay --check

it "redo reverses an undo, an undo the redo, and a plan is shown before either"
fails 1 '^pawl: redo to checkpoint 4: there is nobody to ask; look with --plan, then say --yes, or --apply HASH' pawl redo
runs 0 pawl redo --plan
says '^redo: back to checkpoint 4 ' out
says '^  gives up checkpoint 2$' out
runs 0 pawl redo --yes
says '`pawl undo` takes this back' out
same "$(cat src/one.c)" one
runs 0 pawl undo --plan
says '^  takes up checkpoint 2$' out
runs 0 pawl undo --yes
same "$(cat src/one.c src/new.c)" 'changed
new'

it "the history says what each gave up"
runs 0 pawl rollbacks --json
same "$(jq -c '[.[] | [.target, .safety, .undo, .status, .given_up]]' out)" \
        '[[1,3,false,"undone",[2]],[3,4,true,"undone",[]],[4,5,true,"undone",[2]],[5,6,true,"done",[]]]'
same "$(jq -r '.[0] | .actor + ": " + .reason' out)" "user:ana: It did not work"
runs 0 pawl rollbacks
says 'rollback +1 +3 +undone +1 checkpoint, 0 steps +It did not work' out

it "every checkpoint can be gone to, a safety copy and one that was given up too"
runs 0 pawl rollback 3 --yes
same "$(cat src/new.c)" new
runs 0 pawl rollback 1 --yes
runs 0 pawl rollback 2 --yes --json
same "$(jq -c '.target | [.n, .current, .given_up]' out)" '[2,true,null]'
same "$(cat src/new.c)" new
runs 0 eventlog replay --check

it "on a terminal the plan is shown, and only y and yes are yes"
before=$(tree)
dialog 1 'spawn pawl rollback 1
see "plan \[0-9a-f\]+"
see "go back"
send "ye\r"
see "nothing was changed"'
same "$(tree)" "$before"
dialog 0 'spawn pawl rollback 1
see "go back"
send "yes\r"
see "the workspace is as checkpoint 1"'
[ ! -e src/new.c ]
dialog 1 'spawn pawl undo
see "plan \[0-9a-f\]+"
see "undo it"
send "n\r"
see "nothing was changed"'
[ ! -e src/new.c ]
dialog 0 'spawn pawl undo
see "undo it"
send "y\r"
see "the workspace is as checkpoint"'
same "$(tree)" "$before"

it "an empty path, as of a variable that is not set, is not all of them"
before=$(tree)
fails 1 "path '': is empty; name one, or . for all there is" pawl rollback 1 --yes -- ""
fails 1 "path '': is empty; name one, or . for all there is" pawl diff 1 -- src ""
same "$(tree)" "$before"

it "some paths go back alone, named from the working directory on"
runs 0 pawl rollback 1 --plan -- src/deep
says '^  write   src/deep/two.c' out
says '^1 to write|^2 to write' out
fails 1 'path nothing: neither the workspace nor checkpoint 1 has captured' pawl rollback 1 --yes -- nothing
misused 'one argument too many: "src"; paths come after --' pawl rollback 1 src
(cd src && pawl rollback 1 --yes -- deep ../src/one.c >../out)
says '^2 paths? are as|^the paths are as checkpoint 1 has them' out
same "$(cat src/one.c src/deep/two.c src/new.c)" 'one
two
new'
same "$(checkpoint given_up '.[1]')" null
runs 0 pawl diff 1 -- src/one.c src/deep
says '^no difference$' out
runs 0 pawl diff 1 2 -- src/new.c
says '^A  src/new.c' out
same "$(grep -c '^[AMDT]  ' out)" 1
misused 'paths come after --' pawl diff 1 2 src
runs 0 pawl undo --yes
same "$(tree)" "$before"
runs 0 eventlog replay --check

it "with --clean what no checkpoint recorded goes too, but nothing that is ignored"
echo hidden >ignored
runs 0 pawl rollback 1 --clean --plan
says '^  remove  mine.txt$' out
runs 0 pawl rollback 1 --clean --yes
[ ! -e mine.txt ]
[ -e ignored ]
runs 0 pawl undo --yes
same "$(cat mine.txt)" mine
rm ignored

if ! on_server; then # which takes no damage from here
it "a checkpoint that does not verify is not gone back to"
cp -r .pawl whole
sqlite3 .pawl/events.db "DELETE FROM packed WHERE hash = x'$(echo one | sha256sum | cut -d' ' -f1)'"
before=$(tree)
fails 5 '^pawl: checkpoint 1 does not verify, .*: content [0-9a-f]{16}: its part 0 is not in the log; ' pawl rollback 1 --yes
same "$(tree | grep -v whole)" "$(grep -v whole <<<"$before")"
runs 5 pawl validate 1
fails 5 '^pawl: checkpoint 1: is damaged: content [0-9a-f]{16}: [^;]*; try `pawl rebuild 1`' pawl rollback 1 --yes
remove_log && mv whole .pawl
fi

it "the steps that a run completed since are run again"
forget_log
rm -rf src mine.txt
cat >mission.yaml <<'END'
mission: build
workspace: {exclude: [journal]}
steps:
  - {id: one, run: [sh, -c, "echo one >>journal; echo 1 >one.txt"]}
  - {id: two, run: [sh, -c, "echo two >>journal; echo 2 >two.txt"]}
  - {id: three, run: [sh, -c, "echo three >>journal; echo 3 >three.txt"]}
END
runs 0 pawl run mission.yaml --run r
runs 0 pawl rollback 1 --plan
says '^  step    one of run r is to be run again$' out
runs 0 pawl rollback 2 --plan
says '^  step    two of run r is to be run again$' out
runs 0 pawl rollback 2 --yes
says 'continue with `pawl resume r`' out
[ -e one.txt ]
[ ! -e two.txt ]
[ ! -e three.txt ]
same "$(eventlog replay --json | jq -r '[.runs[0].status] + [.runs[0].steps[].status] | join(" ")')" \
        "interrupted completed pending pending"
runs 0 pawl resume r
same "$(tr '\n' ' ' <journal)" "one two three two three "
[ -e three.txt ]
runs 0 eventlog replay --check

it "steps follow the place in the log, forward and back"
steps() {
        eventlog replay --json | jq -r '[.runs[0].status] + [.runs[0].steps[].status] | join(" ")'
}
runs 0 pawl rollback 3 --yes
same "$(steps)" "interrupted completed completed pending"
runs 0 pawl rollback 4 --plan
says '^  step    three of run r is completed again$' out
runs 0 pawl rollback 4 --yes
same "$(steps)" "interrupted completed completed completed"
[ -e three.txt ]
runs 0 pawl undo --yes
same "$(steps)" "interrupted completed completed pending"
runs 0 pawl redo --yes
same "$(steps)" "interrupted completed completed completed"
runs 0 pawl resume r
same "$(tr '\n' ' ' <journal)" "one two three two three "
same "$(steps)" "completed completed completed completed"
runs 0 eventlog replay --check

it "the plan names the work of other runs and by hand that it replaces; their steps stay"
sed 's/mission: build/mission: other/; s/[123]\.txt/other.txt/; s/one\.txt\|two\.txt\|three\.txt/other.txt/' mission.yaml >other.yaml
runs 0 pawl run other.yaml --run o
echo mine >>one.txt
runs 0 pawl rollback 2 --plan
says '^  by hand one.txt, other.yaml$' out
says '^  run     o changed .*other.txt.*; its steps stay as they are$' out
says '^  step    two of run r is to be run again$' out
pawl rollback 2 --plan --json >out
same "$(jq -c '[.others[].run_id] | sort' out)" '[null,"o"]'
same "$(jq -c '[.items[] | select(.by_hand) | .path]' out)" '["one.txt","other.yaml"]'
runs 0 pawl rollback 2 --yes
same "$(eventlog replay --json | jq -c '[.runs[] | select(.run_id == "o") | .steps[].status] | unique')" '["completed"]'
runs 0 pawl undo --yes
same "$(tail -n 1 one.txt)" mine
runs 0 eventlog replay --check

it "git goes back with it where nothing is lost by that, and forward again"
forget_log
git init -q -b main . && git config user.email a@b && git config user.name c
printf 'out\nerr\n.pawl\n' >.gitignore
git add -A && git commit -qm first
at=$(git rev-parse HEAD)
runs 0 pawl checkpoint
echo more >more.txt && git add -A && git commit -qm second
later=$(git rev-parse HEAD)
runs 0 pawl checkpoint
runs 0 pawl rollback 1 --git --yes
same "$(git rev-parse HEAD)" "$at"
[ ! -e more.txt ]
same "$(git status --porcelain)" ""
runs 0 pawl undo --yes
same "$(git rev-parse HEAD) $(cat more.txt)" "$later more"
echo staged >staged.txt && git add staged.txt
fails 1 'staged' pawl rollback 1 --git --yes
same "$(git rev-parse HEAD)" "$later"

if ! on_server; then # which is put back to what it was
it "looking at what an undo would do gives up no rollback that is half done"
forget_log
rm -rf .git
echo before >more.txt
runs 0 pawl checkpoint
echo after >more.txt
runs 0 pawl checkpoint
cp -r .pawl "$kept/"
at=$(first_call 'renameat2 more.txt' pawl rollback 1 --yes)
interrupt() {
        remove_log && cp -r "$kept/.pawl" . && echo after >more.txt
        killed_at "$at" pawl rollback 1 --yes
}
half_done() {
        same "$(eventlog export | jq -r '.type | select(startswith("WorkspaceRoll"))')" WorkspaceRollbackStarted
}
interrupt
half_done
runs 0 pawl undo --plan
says '^abandon the rollback to checkpoint 1' out
half_done
runs 0 pawl rollback --finish --plan
says '^rollback to checkpoint 1' out
half_done

it "nor does an undo that was agreed to before: that plan is done, or nothing"
fails 1 'was interrupted' pawl undo --apply "$(printf %064d 0)"
half_done

it "status says that it was interrupted and what to type, and whether somebody is at it"
runs 0 pawl status
same "$(head -n -1 out)" "interrupted  rollback to checkpoint 1: the files are half-way
             \`pawl rollback --finish\` goes on with it, \`pawl undo\` goes back to where it began"
same "$(pawl status --json | jq -c '.runs, (.rollback | del(.seq))')" '[]
{"target":1,"safety":3,"undo":false,"redo":false,"status":"interrupted","finish":"pawl rollback --finish","give_up":"pawl undo"}'
runs 0 flock . pawl status
same "$(head -n -1 out)" "running      rollback to checkpoint 1: the files are half-way"
runs 0 pawl --db .pawl/events.db status
says '`pawl rollback --finish --db .*` goes on with it, `pawl undo --db ' out

it "and no run begins, or goes on, over files that are half put back"
mkdir "$kept/missions"
cat >"$kept/missions/half.yaml" <<'END'
mission: half
steps:
  - {id: a, run: [sh, -c, "touch $STARTED_HERE; test -e $MENDED_HERE"]}
END
sed 's/^mission: half/&-by-hand\nworkspace: {checkpoint: manual}/' "$kept/missions/half.yaml" >"$kept/missions/by-hand.yaml"
export STARTED_HERE=$kept/started MENDED_HERE=$kept/mended
before=$(eventlog head)
fails 1 'a rollback to checkpoint 1 was interrupted; `pawl rollback --finish` goes on with it, `pawl undo` goes' \
        pawl run "$kept/missions/half.yaml"
test ! -e "$kept/started"
same "$(eventlog head)" "$before"
half_done
runs 6 flock . pawl run "$kept/missions/half.yaml"
test ! -e "$kept/started"

it "but for missions that take no checkpoints of the workspace"
runs 1 pawl run "$kept/missions/by-hand.yaml" --run hand
test -e "$kept/started"
touch "$kept/mended"
runs 0 pawl resume hand

it "nor does a run that was there before"
remove_log && cp -r "$kept/.pawl" .
rm "$kept/started" "$kept/mended"
echo after >more.txt
runs 1 pawl run "$kept/missions/half.yaml" --run early
rm "$kept/started"
cp -r .pawl "$kept/early"
early=$(first_call 'renameat2 more.txt' pawl rollback 1 --yes)
remove_log && cp -r "$kept/early" .pawl
echo after >more.txt
killed_at "$early" pawl rollback 1 --yes
before=$(eventlog head)
fails 1 'a rollback to checkpoint 1 was interrupted; `pawl rollback --finish` goes' pawl resume early
test ! -e "$kept/started"
same "$(eventlog head)" "$before"
runs 0 pawl rollback --finish
touch "$kept/mended"
runs 0 pawl resume early
interrupt

it "and both ways to end one tell what was done"
runs 0 pawl undo
says '^the rollback to checkpoint 1 was given up: the files are as they were' out
same "$(cat more.txt)" after
runs 0 eventlog replay --check
interrupt
runs 0 pawl rollback --finish
says '^the workspace is as checkpoint 1 has it' out
same "$(cat more.txt)" before
runs 0 eventlog replay --check
fi

it "what a checkpoint has comes back though a rule hides it now, and undo brings back what was there"
forget_log
rm -rf .git .gitignore more.txt && mkdir hidden
own_log
echo v1 >a.log && echo v1 >hidden/x
runs 0 pawl checkpoint one
printf '%s\n' '*.log' hidden/ >.gitignore
echo v2 >a.log && echo v2 >hidden/x && echo mine >hidden/y
runs 0 pawl checkpoint two
runs 0 pawl rollback 1 --plan --json
jq -r .plan out >"$kept/plan"
same "$(jq -c '[.writes, .left, .missed]' out)" '[2,0,0]'
runs 0 pawl rollback 1 --apply "$(cat "$kept/plan")"
says '^the workspace is as checkpoint 1 has it' out
same "$(cat a.log hidden/x hidden/y)" 'v1
v1
mine'
runs 0 pawl undo --yes
same "$(cat a.log hidden/x hidden/y)" 'v2
v2
mine'
runs 0 eventlog replay --check

it "a file that git tracks no more is no exception, nor one that a step let git ignore"
git init -q .
git add -f a.log
runs 0 pawl checkpoint tracked
git rm -q --cached a.log
echo v3 >a.log
runs 0 pawl rollback current --yes
same "$(cat a.log)" v2
cat >hides.yaml <<'END'
mission: hides
steps:
  - {id: a, run: [sh, -c, "mkdir -p made && echo a >made/x"]}
  - {id: b, run: [sh, -c, "echo made/ >>.gitignore; echo b >made/x; exit 1"]}
END
runs 1 pawl run hides.yaml --no-input
runs 0 pawl rollback @a --yes
same "$(cat made/x)" a
runs 0 pawl undo --yes
same "$(cat made/x)" b

it "what cannot be captured is left, named, and no rollback says that it is as the checkpoint has it"
rm -rf .git .gitignore hides.yaml made hidden
forget_log
own_log
echo v1 >a.log
runs 0 pawl checkpoint one --max-file 100
echo '*.log' >.gitignore
head -c 200 /dev/zero >a.log
runs 1 pawl rollback 1 --yes
says '^not all of checkpoint 1 could be put back: 0 written, 0 removed, 2 left alone$' out
says '^  leave   a\.log: not captured: too large; the checkpoint has something there$' out
says '^pawl: checkpoint 1: 1 path is not as it has it, first a\.log: not captured: too large; move away what is in the way, then `pawl rollback 1`$' err
same "$(stat -c %s a.log)" 200
runs 1 pawl rollback 1 --yes --json
same "$(jq -c '[.applied, .missed, [.items[] | select(.missed).path]]' out)" '[true,1,["a.log"]]'

it "usage"
misused 'name the checkpoint' pawl rollback
misused 'name no checkpoint' pawl rollback 1 --finish
