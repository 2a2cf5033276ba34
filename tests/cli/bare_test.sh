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
