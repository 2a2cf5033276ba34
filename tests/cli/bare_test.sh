# Work trees beside a bare repository, and git directories that are not called ".git".
. "$SOURCE_DIR/tests/cli/shared.sh"
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null
export GIT_AUTHOR_NAME=A GIT_AUTHOR_EMAIL=a@example.com GIT_COMMITTER_NAME=A GIT_COMMITTER_EMAIL=a@example.com
top=$PWD
why() { jq -c '[.not_captured[] | [.path, .why]] | sort' "$1"; }

# source_in DIR: a repository with one commit; bare_in DIR NAME: a bare copy of it there, and two work trees beside.
git init -q -b master origin
printf 'out\nerr\nskip/\n' >origin/.gitignore
echo one >origin/a
git -C origin add .
git -C origin commit -qm first
bare_in() {
        mkdir -p "$1"
        git clone -q --bare origin "$1/$2"
        git -C "$1/$2" worktree add -q "$top/$1/main" master
        git -C "$1/$2" worktree add -q "$top/$1/side" -b side
}

# acts_alone DIR: a change there and its rollback, which leave the work tree beside it alone.
acts_alone() {
        (
                cd "$1"
                echo two >b
                runs 0 pawl checkpoint in --json
                [ "$(jq .files out)" -eq 3 ]
                echo BAD >a
                rm b
                echo BAD >../side/a
                runs 0 pawl diff
                says '^M  a ' out
                runs 0 pawl rollback current --yes
                same "$(cat a b ../side/a)" $'one\ntwo\nBAD'
                rm out err
        )
        git -C "$1/../side" checkout -q a
}

it "each work tree beside a bare repository is a workspace of its own, where the log is above them"
bare_in named .bare
echo 'gitdir: ./.bare' >named/.git
(cd named && runs 0 pawl checkpoint top --json && same "$(why out | jq -c 'map(select(.[1] == "work tree"))')" '[["main","work tree"],["side","work tree"]]')
acts_alone named/main
mkdir named/main/skip
(cd named/main/skip && same "$(pawl status --json | jq -r .worktree)" "$top/named/main")
(cd named && same "$(pawl checkpoints --json | jq length)" 1)

it "also where the log is in the repository, and in a directory that is of no repository"
bare_in first .bare
echo 'gitdir: ./.bare' >first/.git
acts_alone first/main
[ -e first/.bare/.pawl/events.db ]
bare_in plain project.git
(cd plain && runs 0 pawl checkpoint top --json && same "$(why out | jq -c 'map(select(.[1] == "work tree"))')" '[["main","work tree"],["side","work tree"]]')
acts_alone plain/main
[ ! -e plain/project.git/.pawl ]

it "what lies in a work tree belongs to it: a submodule, and another repository"
git -C plain/main -c protocol.file.allow=always submodule --quiet add "$top/origin" module
git init -q plain/main/within
for of in module within; do
        same "$(cd plain/main/$of && pawl status --json | jq -r .worktree)" "$top/plain/main"
done

it "a log that is named is about the work tree where it lies above it, and else about its own root"
same "$(cd plain/main && pawl --db ../.pawl/events.db status --json | jq -r .worktree)" "$top/plain/main"
(cd plain && pawl init "$top/other" >/dev/null)
same "$(cd plain/main && pawl --db "$top/other/.pawl/events.db" status --json | jq -r .worktree)" null

# state DIR: all that git's directory has, but for what this test writes.
state() { find "$1" \( -name .pawl -o -name out -o -name err \) -prune -o -type f -print0 | sort -z | xargs -0 sha256sum; }

# rolled_back DIR GIT [N]: after a rollback there, GIT has what it had.
rolled_back() {
        (
                cd "$1"
                before=$(state "$2")
                runs 0 pawl rollback "${3:-current}" --yes
                same "$(state "$2")" "$before"
        )
}

it "a git directory of another name is left out and listed, and no rollback touches it"
mkdir apart
git init -q --separate-git-dir=apart/gd apart
(cd apart && echo one >a && git add a && git commit -qm one && runs 0 pawl checkpoint first --json && same "$(why out)" '[["gd","repository"]]')
(cd apart && git commit -q --allow-empty -m two && git branch other && echo two >a && git add a)
rolled_back apart gd
same "$(cat apart/a)$(git -C apart log --format=%s | head -1)" onetwo
(cd named && runs 0 pawl checkpoint again --json && same "$(why out)" '[[".bare","repository"],["main","work tree"],["side","work tree"]]')
(cd named && echo x >notes && runs 0 pawl checkpoint notes && rm notes && git -C main commit -q --allow-empty -m three)
rolled_back named .bare
same "$(cat named/notes)" x

it "a bare repository that is the root has nothing to capture, whose work trees are workspaces of their own"
git clone -q --bare origin root.git
git -C root.git worktree add -q "$top/root.git/main" master
git -C root.git worktree add -q "$top/root.git/side" -b side
(cd root.git && runs 0 pawl checkpoint root --json && same "$(jq -c '[.files, ([.not_captured[] | select(.why != "repository")] | map(.path))]' out)" '[0,["main","side"]]')
acts_alone root.git/main
git -C root.git/main commit -q --allow-empty -m two
rolled_back root.git "$top/root.git"

it "what an older checkpoint has captured of one is left"
mkdir older
git init -q --separate-git-dir=older/gd older
cd older
echo one >a
printf 'out\nerr\n' >.gitignore
git add a
git commit -qm one
mv gd/refs ../kept # what is no git directory is captured
runs 0 pawl checkpoint captured --json
same "$(why out)" '[]'
mv ../kept gd/refs
git commit -q --allow-empty -m two
echo two >a
cd ..
rolled_back older gd 1
same "$(cat older/a)" one
says 'gd: not captured: a repository' older/out

it "a repository whose directory lies in its work tree by another name has one log, as any other"
mkdir apart/wt
git -C apart worktree add -q "$top/apart/wt/in" -b in
git -C apart worktree add -q "$top/beside" -b beside
mv apart/.pawl apart-log
(cd beside && runs 0 pawl checkpoint of-beside && says "the log of this repository is $top/apart/.pawl/events.db" err)
rm -r apart/.pawl
mv apart-log apart/.pawl
same "$(cd beside && pawl status --json | jq -r .worktree)" "$top/beside"
same "$(cd apart/wt/in && pawl status --json | jq -r .worktree)" "$top/apart/wt/in"

it "a root inside a git directory is refused, with what to name in its place"
mkdir -p "$top/mine/sub" && cd "$top/mine"
git init -q . && echo one >sub/a && mkdir .git/notes && echo n >.git/notes/n
own_log
before=$(eventlog head)
for directory in .git/notes .git/hooks "$top/named/.bare/hooks" "$top/apart/gd/refs/heads"; do
        fails 1 "is in .*/(\.git|\.bare|gd)/, a directory of git's own, whose files no checkpoint has; name the work tree as the root$" \
                pawl checkpoint --root "$directory"
        (cd "$directory" && runs 0 pawl init --db "$top/other-$$.db" && runs 1 pawl checkpoint --db "$top/other-$$.db" --root . \
                && says "a directory of git's own" err && rm -f out err "$top/other-$$.db")
done
same "$(eventlog head)" "$before"
(cd .git/notes && runs 0 pawl checkpoint) # of the work tree
same "$(pawl show 1 --json | jq .files)" 3 # with out and err
