# A repository of git has one log, and each of its work trees is a workspace of its own in it.
. "$SOURCE_DIR/tests/cli/shared.sh"
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null
top=$PWD
commit() { git -C "$1" -c user.name=A -c user.email=a@example.com commit -qam "$2"; }
n_of() { pawl checkpoints --json "$@" | jq -c '[.[].n]'; }
current() { pawl checkpoints --all --json | jq -c '[.[] | select(.current).n]'; }
git init -q main
mkdir -p main/sub/deep
echo one >main/file
git -C main add .
commit main first
git -C main worktree add -q "$top/side" -b side
git -C main worktree add -q "$top/main/.agents/x" -b x

it "the log is made at the top of the main work tree, wherever in the repository, and it is said where"
(cd main/sub/deep && runs 0 pawl checkpoint from-below && says "the log of this repository is $top/main/.pawl/events.db" err)
rm -rf main/.pawl
(cd main/.agents/x && runs 0 pawl checkpoint of-x && says "main/.pawl/events.db" err)
cd side
runs 0 pawl checkpoint of-side
[ ! -s err ]
cd ..
same "$(find . -name events.db)" ./main/.pawl/events.db

it "each work tree has its own checkpoints and its own current one"
cd main
runs 0 pawl checkpoint of-main --json
same "$(jq -c '[.not_captured[] | [.path, .why]]' out)" '[[".agents/x","work tree"]]'
same "$(n_of)$(n_of --all)$(current)" '[3][1,2,3][3]'
same "$(cd ../side && n_of && current)" $'[2]\n[2]'
same "$(cd .agents/x && pawl checkpoints --json | jq -c '.[0].worktree.path')" "\"$top/main/.agents/x\""
same "$(pawl checkpoints --json | jq '.[0].worktree')" null

it "a rollback, its undo and a restore in one leave the others alone"
echo two >file
echo two >.agents/x/file
echo two >../side/file
(cd .agents/x && runs 0 pawl rollback 1 --yes)
same "$(cat file .agents/x/file ../side/file)" $'two\none\ntwo'
runs 0 pawl rollback 3 --yes
same "$(cat file .agents/x/file ../side/file)" $'one\none\ntwo'
(cd .agents/x && runs 0 pawl undo --yes)
same "$(cat file .agents/x/file ../side/file)" $'one\ntwo\ntwo'
(cd ../side && runs 1 pawl undo --yes && says 'no rollback or restore is left' err)

it "a checkpoint of another work tree comes by --dir or --here alone"
runs 1 pawl rollback 2 --yes
says "checkpoint 2: is of another work tree, $top/side; --dir DIR .*, --here" err
(cd ../side && runs 1 pawl rollback 3 --yes && says "another work tree, the main one" err)
runs 0 pawl rollback 2 --dir "$top/elsewhere"
same "$(cat "$top/elsewhere/file")" one
[ ! -e "$top/elsewhere/.pawl" ]
runs 1 pawl rollback 2 --dir "$top/elsewhere"
says 'is not empty' err
echo three >file
runs 0 pawl rollback 2 --here --yes
same "$(cat file)" one

it "a work tree that is moved keeps its checkpoints; one that is removed leaves them"
git worktree move ../side ../moved
(cd ../moved && same "$(n_of)" '[2]' && runs 0 pawl checkpoint after --json && same "$(n_of | jq length)" 2)
git worktree remove --force .agents/x
runs 0 pawl rollback 1 --dir "$top/of-x"
same "$(cat "$top/of-x/file")" one
git worktree add -q .agents/x x
(cd .agents/x && same "$(n_of)" '[]')
runs 0 eventlog verify
runs 0 eventlog replay --check

it "prune keeps the checkpoint that each work tree is at, or was when it was removed"
same "$(pawl prune checkpoints --include-manual --keep 0 --dry-run --json | jq -c '[.checkpoints[] | select(.why == "current").n] | sort')" '[2,4,8]'
same "$(current)$(cd ../moved && current)" '[2][8]'

it "a run goes on in the work tree that has its files"
git worktree add -q ../runs -b runs
cd ../runs
printf 'mission: m\nsteps:\n  - {id: a, run: [touch, a]}\n  - {id: b, run: [test, -e, go]}\n' >m.yaml
runs 1 pawl run m.yaml --run one
cd ../main
runs 1 pawl resume one
says "^pawl: run one: its files are in another work tree, $top/runs; resume it there" err
cd ../runs
touch go
runs 0 pawl resume one
cd ../main

it "status says which work tree it is about"
(cd ../runs && pawl status | says "^work tree $top/runs\$" /dev/stdin && same "$(pawl status --json | jq -r .worktree)" "$top/runs")
same "$(pawl status --json | jq .worktree)" null

it "where the main work tree is gone, no other log is made"
mv "$top/main" "$top/away"
(cd ../runs && runs 1 pawl checkpoint x && says '^pawl: work tree .*/runs/: .* cannot be reached.*--db' err && [ ! -e .pawl ])
mv "$top/away" "$top/main"
cd "$top/main"

it "a log in a linked work tree is used, with a warning"
cp -r .pawl .agents/x/
(cd .agents/x && runs 0 pawl status && says "$top/main/.agents/x/.pawl/events.db: this log is in a linked work tree.*pawl copy" err)
rm -rf .agents/x/.pawl
cd ..

it "a directory that the repository ignores, and one of the home directory's repository, have a log of their own"
echo ignored/ >main/.gitignore
mkdir main/ignored
mv main/.pawl kept
(cd main/ignored && runs 0 pawl checkpoint own && [ -e .pawl/events.db ] && [ ! -e ../.pawl ])
rm -rf main/ignored
mv kept main/.pawl
mkdir -p home/project
git init -q home
(cd home/project && HOME=$top/home runs 0 pawl checkpoint own && [ -e .pawl/events.db ])

it "a bare repository has it in its own directory, also for its work trees"
git clone -q --bare main bare.git
git -C bare.git worktree add -q "$top/of-bare" side
(cd of-bare && runs 0 pawl checkpoint of-bare && [ -e ../bare.git/.pawl/events.db ] && same "$(n_of)" '[1]')

it "a submodule is a repository of its own"
git -C main -c protocol.file.allow=always submodule --quiet add "$top/bare.git" module
(cd main/module && mv ../.pawl ../../kept && runs 0 pawl checkpoint of-module && [ -e .pawl/events.db ] && mv ../../kept ../.pawl)

it "a directory with a mark that no fork of this log has left is captured"
mkdir -p plain/src/.pawl
cd plain
echo code >src/main.c
echo stranger >src/.pawl/root
runs 0 pawl checkpoint marked
rm -r src
runs 0 pawl rollback 1 --yes
same "$(cat src/main.c)" code
cd ..

it "a fork's own directory is listed"
mkdir forks
cd forks
printf 'mission: m\nsteps:\n  - {id: a, run: [touch, a]}\n  - {id: b, run: [touch, b]}\n' >m.yaml
runs 0 pawl run m.yaml --run one
runs 0 pawl fork one --from b --dir own
runs 0 pawl checkpoint with-fork --json
same "$(jq -c '[.not_captured[] | [.path, .why]]' out)" '[["own","fork"]]'
cd ..
