# A repository that cannot be read: a checkpoint says so, and why, where it has no commit.
. "$SOURCE_DIR/tests/cli/shared.sh"
PATH=$BIN:$PATH
echo leak:libpcre2 >suppressions # libgit2 1.5 loses what it matched extensions with
export LSAN_OPTIONS=suppressions=$PWD/suppressions:print_suppressions=0

# unread PATTERN: checkpoint, its JSON and show each say why
unread() {
        runs 0 pawl checkpoint
        says "^  git is not known: $1$" out
        runs 0 pawl show current
        says "^git +not known: $1$" out
        same "$(pawl show current --json | jq -r '.git, .git_unread')" "$(printf 'null\n%s' "$1")"
        echo more >>a
        same "$(pawl checkpoint --json | jq -r '.git, .git_unread')" "$(printf 'null\n%s' "$1")"
        runs 0 eventlog verify
        runs 0 eventlog replay --check
}

if git init -q --object-format=sha256 sha256 2>/dev/null; then
        it "objects of SHA-256"
        cd sha256
        pawl init >/dev/null
        echo a >a
        git add a && git -c user.email=a@example.com -c user.name=a commit -qm one
        unread 'its objects have names of SHA-256, which this libgit2 does not read'
        fails 1 'no branch of git is known of it' pawl rollback 1 --git --yes
        cd ..
fi

it "a reftable"
git init -q reftable
cd reftable
pawl init >/dev/null
git config core.repositoryformatversion 1
git config extensions.refStorage reftable
echo 'ref: refs/heads/.invalid' >.git/HEAD
unread 'its branches are in a reftable, which this libgit2 does not read'
cd ..

it "no repository, and one that can be read, are not said to be unread"
mkdir none
cd none
pawl init >/dev/null
runs 0 pawl checkpoint
lacks 'git' out
same "$(pawl show current --json | jq -r '.git, .git_unread')" "$(printf 'null\nnull')"
cd ..
git init -q plain
cd plain
pawl init >/dev/null
runs 0 pawl checkpoint
lacks 'git' out
