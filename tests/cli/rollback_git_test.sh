# The branch and a rollback: what can be done is done where the branch cannot move, and nothing is half-moved.
. "$SOURCE_DIR/tests/cli/shared.sh"
can_be_killed
export HOME=$kept
git config --global user.email a@example.com
git config --global user.name a
mkdir w && cd w
printf '%s\n' out err .pawl >.gitignore

# lay: two commits with a checkpoint each, in a log of its own
lay() {
        remove_log && rm -rf .git b && git init -q -b main && pawl init >/dev/null
        echo 1 >a && git add -A && git commit -qm one
        runs 0 pawl checkpoint one
        echo 2 >a && git add -A && git commit -qm two
        runs 0 pawl checkpoint two
        first=$(git rev-parse HEAD~1) second=$(git rev-parse HEAD)
}

it "an undo that cannot move the branch says what can be done, and that can be"
lay
runs 0 pawl rollback 1 --git --yes
same "$(git rev-parse HEAD)" "$first"
echo mine >b && git add b && git commit -qm mine
fails 1 'the branch stays where it is: it was moved since; look at `git reflog`, or put the files back alone with `pawl rollback 3`$' \
        pawl undo --yes
lacks 'leave git where it is' err
runs 0 pawl rollback 3 --yes
same "$(cat a) $(git log -1 --format=%s)" "2 mine"

it "--finish does the rest where somebody committed after the kill, and undo leaves that commit alone"
lay
cp -r .pawl .git "$kept/"
# interrupt CALL [N]: the rollback is killed N calls after that one.
again() {
        remove_log && rm -rf .git b && cp -r "$kept/.pawl" "$kept/.git" . && echo 2 >a
}
interrupt() {
        local at
        again
        at=$(first_call "$1" pawl rollback 1 --git --yes)
        again
        killed_at $((at + ${2:-0})) pawl rollback 1 --git --yes
}
interrupt 'renameat2 a'
echo mine >b && git add b && git commit -qm mine -- b
runs 1 pawl rollback --finish
says '^  leave +\.git: the branch stays where it is: it was moved since' out
says '^pawl: checkpoint 1: 1 path is not as it has it, first \.git: the branch stays where it is: it was moved since; look at `git reflog`' err
same "$(cat a) $(git log -1 --format=%s)" "1 mine"
fails 1 'there is nothing to finish' pawl rollback --finish
runs 0 pawl undo --yes
same "$(cat a) $(git log -1 --format=%s)" "2 mine"
runs 0 eventlog verify
runs 0 eventlog replay --check

it "and so does an undo that abandons it"
interrupt 'write main.lock' 1
same "$(git rev-parse HEAD)" "$first"
echo mine >b && git add b && git commit -qm mine -- b
runs 1 pawl undo
says '^  leave +\.git: the branch stays where it is' out
same "$(cat a) $(git log -1 --format=%s)" "2 mine"
runs 0 eventlog replay --check

[ "$(id -u)" = 0 ] && command -v setpriv >/dev/null || exit 0
it "root moves neither branch nor index where their owner may not"
lay
chown -R 1000:1000 .git && chown root:root .git/refs/heads .git/refs/heads/main
git config --global --add safe.directory "$PWD"
runs 1 pawl rollback 1 --git --yes
says '^  leave +\.git: ' out
same "$(cat a) $(git rev-parse HEAD)" "1 $second"
same "$(git diff --cached --name-only)" ""
same "$(stat -c %u .git/index)" 1000
chown -R 1000:1000 .git
runs 0 pawl undo --yes
same "$(cat a) $(git rev-parse HEAD) $(git status --porcelain)" "2 $second "
