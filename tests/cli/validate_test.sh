# Needs PAWL_WITH_GIT, PAWL_WITH_ARCHIVE.
# pawl validate: a table of what holds, marks for what is damaged, and the way back by an archive.
. "$SOURCE_DIR/tests/cli/shared.sh"
pawl init >/dev/null
pawl import "$SOURCE_DIR/tests/golden/archives/version-1.tar.zst" >/dev/null

it "whole checkpoints are good"
runs 0 pawl validate
is_empty err
same "$(wc -l <out)" 3
says '^ *N +ID +FILE +HASH +GIT +STATE +OVERALL$' out
same "$(grep -c '✓ .*✓ .*- .*✓ .*✓' out)" 2
same "$(events CheckpointInvalidated)" 0
runs 0 pawl validate 2 --json
same "$(jq -c '.[] | [.n, .files, .hash, .git, .state, .good, .valid]' out)" '[2,"good","good",null,"good",true,true]'

it "one that is damaged is named, marked once, and the exit code is 5"
sqlite3 .pawl/events.db "DELETE FROM packed WHERE hash = x'$(printf two | sha256sum | cut -d' ' -f1)'"
runs 5 pawl validate --dry-run
same "$(events CheckpointInvalidated)" 0
runs 5 pawl validate
says '^pawl: checkpoint 2: content [0-9a-f]{16}: ' err
says '^pawl: the last that is valid is checkpoint 1$' err
same "$(events CheckpointInvalidated)" 1
runs 5 pawl validate 2 --json
same "$(jq -c '.[] | [.files, .good, .valid]' out)" '["bad",false,false]'
same "$(events CheckpointInvalidated)" 1
runs 0 pawl validate 1

it "an archive that has it brings the content back"
runs 0 pawl import "$SOURCE_DIR/tests/golden/archives/version-1.tar.zst"
runs 0 pawl validate 2

it "a checkpoint that there is not is refused"
fails 1 '^pawl: checkpoint 9: there is none; `pawl checkpoints` lists them$' pawl validate 9

it "a git commit that is gone is told, and takes nothing from the files"
mkdir home repo && cd repo
export HOME=$PWD/../home GIT_CONFIG_NOSYSTEM=1
git init -q -b main . && git config user.email a@b && git config user.name c
echo one >a && git add a && git commit -qm one
pawl init >/dev/null
runs 0 pawl checkpoint
gone=$(git rev-parse HEAD)
echo two >a
git commit -q --amend -am two
runs 0 pawl checkpoint
runs 0 pawl validate
same "$(grep -c '✓ .*✓ .*✓ .*✓ *$' out)" 2
git reflog expire --expire=now --all
git gc -q --prune=now
runs 1 git cat-file -e "$gone"
runs 0 pawl validate
is_empty err
same "$(sed 1d out | grep -c '✓ .*✗ .*✓ *$')" 1
runs 0 pawl validate --json
same "$(jq -c '.[] | [.n, .files, .hash, .git, .good, .valid]' out)" '[1,"good","good","bad",true,true]
[2,"good","good","good",true,true]'
same "$(events CheckpointInvalidated)" 0
runs 0 pawl rollback 1 --yes
same "$(cat a)" one
