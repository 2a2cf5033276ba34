# Needs PAWL_WITH_GIT, PAWL_WITH_ARCHIVE.
# Documents of other programs whose commitHash is a commit of git: the files of that commit come back, and go again.
. "$SOURCE_DIR/tests/cli/shared.sh"
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null
export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@example.org GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@example.org
export PAWL_TOOL_CHECKPOINT_FILES=$PWD/calls
mkdir calls

# document NAME HASH: as Gemini CLI leaves them.
document() {
        jq -n --arg hash "$2" '{history: [1.5], clientHistory: [], commitHash: $hash,
                toolCall: {name: "write_file", args: {file_path: "a.txt"}}}' >"$PAWL_TOOL_CHECKPOINT_FILES/$1.json"
}

# What `runs` writes is no part of the workspace.
leave_out() {
        printf 'out\nerr\n' >>"$(git rev-parse --git-common-dir)/info/exclude"
}

# A repository with two commits, a log beside it, and what no commit has.
project() {
        git init -q -b main "$1"
        cd "$1"
        leave_out
        mkdir -p sub/deep
        echo one >a.txt
        echo deep >sub/deep/b.txt
        printf '#!/bin/sh\n' >tool
        chmod 755 tool
        ln -s a.txt link
        head -c 5000000 /dev/urandom >large
        printf 'x\n' >'name with "quotes"'
        echo only >only-then
        git add -A
        git commit -qm one
        first=$(git rev-parse HEAD)
        echo two >a.txt
        rm only-then
        git commit -qam two
        pawl init >/dev/null
        runs 0 pawl checkpoint
        echo three >a.txt
        echo new >new.txt
        rm sub/deep/b.txt
        runs 0 pawl checkpoint
}

files() { # every file's mode, type, content or target, but for those of git and the log
        find . \( -name .git -o -name .pawl -o -name out -o -name err \) -prune -o -printf '%m %y %l %p\n' | sort
        find . \( -name .git -o -name .pawl -o -name out -o -name err \) -prune -o -type f -print0 | sort -z | xargs -0 sha256sum
}

here=$PWD
it "the files of the commit come back, by a rollback that can be undone"
project whole
document one "$first"
chmod 600 a.txt # what git does not know of stays
files >../before
head=$(git rev-parse HEAD) index=$(sha256sum <.git/index)
runs 0 pawl restore one --json
same "$(jq -c '[.restored, .checkpoint.n, .safety, .history[0]]' out)" '[true,3,4,1.5]'
same "$(cat a.txt) $(cat sub/deep/b.txt) $(cat only-then) $(readlink link)" "one deep only a.txt"
same "$(stat -c %a a.txt tool sub/deep/b.txt | xargs)" "600 755 644"
[ ! -e new.txt ] || exit 1
same "$(GIT_INDEX_FILE=../index git add -A; GIT_INDEX_FILE=../index git write-tree)" "$(git rev-parse "$first^{tree}")"
same "$(git rev-parse HEAD) $(sha256sum <.git/index)" "$head $index"
same "$(eventlog list --json --type WorkspaceCheckpointed | jq -c "select(.payload.n == 3).payload | [.imported, .origin.commit, .trigger, .files]")" \
        "[true,\"$first\",\"auto\",6]"
runs 0 pawl undo --yes
files >../after
cmp ../before ../after

it "the same commit is taken once"
runs 0 pawl restore one --json
same "$(jq .checkpoint.n out)" 3
same "$(pawl checkpoints --json | jq 'map(select(.description != null and (.description | startswith("commit ")))) | length')" 1
runs 0 pawl undo --yes
runs 0 pawl validate
runs 0 eventlog verify
runs 0 eventlog replay --check
runs 0 pawl export --output out.tar
mkdir elsewhere; runs 0 pawl init elsewhere
runs 0 pawl import out.tar --db elsewhere/.pawl/events.db
rm -r out.tar elsewhere

it "packed or loose, and whichever object leads to the commit"
git gc -q --prune=now
git tag -a -m "A tag" tagged "$first"
document tag "$(git rev-parse tagged)"
runs 0 pawl restore tag --json
same "$(cat a.txt) $(jq .checkpoint.n out)" "one 3"
runs 0 pawl undo --yes
rm -rf .git/index.lock

it "below the top of a work tree only that directory is concerned"
cd sub
pawl init >/dev/null
echo other >deep/c.txt
runs 0 pawl checkpoint
echo top >../a.txt
runs 0 pawl restore one --json
same "$(cat deep/b.txt) $(cat ../a.txt)" "deep top"
[ ! -e deep/c.txt ] || exit 1
runs 0 pawl undo --yes
same "$(cat deep/c.txt)" other
rm -r .pawl

it "from another work tree, and from a shallow clone what it has"
cd "$here/whole"
git worktree add -q ../tree "$first"
cd ../tree
pawl init >/dev/null
rm -r ./*
echo other >a.txt
runs 0 pawl checkpoint
document two "$(git rev-parse main)"
runs 0 pawl restore two
same "$(cat a.txt)" two
cd ..
git clone -q --depth 1 "file://$PWD/whole" shallow
cd shallow
leave_out
pawl init >/dev/null
echo other >a.txt
runs 0 pawl checkpoint
runs 0 pawl restore two
same "$(cat a.txt)" two
same "$(eventlog head | cut -d ' ' -f 1)" "$(eventlog list --json | wc -l)"
head=$(eventlog head)
fails 1 "one.json: commitHash $first is no checkpoint of this log: .*: the git repository has no commit $first; fetch it" pawl restore one
same "$(eventlog head) $(cat a.txt)" "$head two"

it "a submodule is left alone, and said"
cd "$here"
git init -q -b main inner
(cd inner && echo inner >i && git add i && git commit -qm inner)
git init -q -b main outer
cd outer
leave_out
git -c protocol.file.allow=always submodule --quiet add "$here/inner" sub 2>/dev/null
echo outer >o
git add -A
git commit -qm outer
document outer "$(git rev-parse HEAD)"
pawl init >/dev/null
runs 0 pawl checkpoint
echo changed >o
echo changed >sub/i
runs 0 pawl checkpoint
runs 0 pawl restore outer
says 'sub' out
same "$(cat o) $(cat sub/i)" "outer changed"

it "a repository elsewhere is named"
cd "$here"
git init -q --bare shadow.git
mkdir plain
cd plain
echo kept >k.txt
printf '/out\n/err\n' >.pawlignore
git --git-dir ../shadow.git --work-tree . add -A
git --git-dir ../shadow.git --work-tree . commit -qm shadow
document shadow "$(git --git-dir ../shadow.git rev-parse HEAD)"
pawl init >/dev/null
echo lost >k.txt
runs 0 pawl checkpoint
head=$(eventlog head)
fails 1 'shadow.json: commitHash [0-9a-f]* is no checkpoint of this log: .*in no git repository' pawl restore shadow
fails 1 'nowhere: is no git repository; name the directory' pawl restore shadow --repository nowhere
same "$(eventlog head) $(cat k.txt)" "$head lost"
runs 0 pawl restore shadow --repository ../shadow.git
same "$(cat k.txt)" kept

it "what is none is refused, and nothing changes"
cd "$here/whole"
head=$(eventlog head)
files >../before
document bad 0123456789012345678901234567890123456789
fails 1 'the git repository has no commit 0123456789012345678901234567890123456789; fetch it' pawl restore bad
document blob "$(git rev-parse "$first:a.txt")"
fails 1 'the git repository has no commit' pawl restore blob
for hash in 012345 "$(echo "$first" | tr a-f A-F)" "$first$first" "${first}x" HEAD main; do
        document other "$hash"
        fails 1 'is no checkpoint of this log; open the log' pawl restore other
done
rm -f .git/objects/pack/*.idx
fails 1 'commitHash [0-9a-f]* is no checkpoint of this log: ' pawl restore one
same "$(eventlog head)" "$head"
files >../after
cmp ../before ../after

it "a tree that git does not make, and one beyond the bounds"
cd "$here/plain"
evil() { # evil NAME: a commit whose tree has an entry of that name
        blob=$(echo evil | git --git-dir ../shadow.git hash-object -w --stdin)
        tree=$(printf '100644 %s\0%b' "$1" "$(echo "$blob" | sed 's/../\\x&/g')" |
                git --git-dir ../shadow.git hash-object -t tree -w --stdin --literally)
        git --git-dir ../shadow.git commit-tree -m evil "$tree"
}
head=$(eventlog head)
for name in .. .git a/b; do
        document evil "$(evil "$name")"
        fails 1 'has an entry that git does not make|No such|tree|corrupt' pawl restore evil --repository ../shadow.git
done
[ ! -e ../evil ] || exit 1
same "$(eventlog head) $(cat k.txt)" "$head kept"
tree=$(git --git-dir ../shadow.git rev-parse "$(git --git-dir ../shadow.git rev-list --all | head -1)^{tree}")
for _ in 1 2 3 4 5 6 7; do # ten of ten of ten ...
        tree=$(for n in 0 1 2 3 4 5 6 7 8 9; do printf '040000 tree %s\t%s\n' "$tree" "$n"; done |
                git --git-dir ../shadow.git mktree)
done
document bomb "$(git --git-dir ../shadow.git commit-tree -m bomb "$tree")"
fails 1 'has more than 200000 files and directories; take a checkpoint with a greater bound first: .pawl checkpoint --max-files N.' \
        pawl restore bomb --repository ../shadow.git
same "$(eventlog head) $(cat k.txt)" "$head kept"
runs 0 eventlog verify
