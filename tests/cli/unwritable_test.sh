# A path that cannot be written does not stop a rollback: another user's directory.
. "$SOURCE_DIR/tests/cli/shared.sh"
if [ "$(id -u)" != 0 ] || ! command -v setpriv >/dev/null; then
        echo "skipped: only root can make another user's directory"
        exit 0
fi
as_user() {
        setpriv --reuid=1000 --regid=1000 --clear-groups env HOME=/nonexistent "$@"
}
mkdir w
chmod 755 . w "$(dirname "$BIN")" 2>/dev/null || true
chown 1000:1000 w
cd w
as_user sh -c 'echo 1 >a; mkdir made; echo 1 >z'
runs 0 as_user "$BIN/pawl" checkpoint one
mkdir made/gen
echo root >made/gen/x
as_user sh -c 'echo 2 >a; echo 2 >z'
runs 0 as_user "$BIN/pawl" checkpoint two

it "the rest is put back, the path is listed with the reason, and nothing is half-done"
runs 1 as_user "$BIN/pawl" rollback 1 --yes
says '^pawl: checkpoint 1: 2 paths are not as it has them, first made/gen: Permission denied; change the permissions of it or of its directory, then `pawl rollback --finish`$' err
says 'leave +made/gen/x: Permission denied' out
same "$(cat a z | tr -d '\n')" 11
same "$(cat made/gen/x)" root
runs 0 as_user "$BIN/pawl" status
runs 0 as_user "$BIN/eventlog" replay --check

it "--finish tries it again: in vain, and then not"
runs 1 as_user "$BIN/pawl" rollback --finish
says 'not as it has' err
chown -R 1000:1000 made/gen
runs 0 as_user "$BIN/pawl" rollback --finish
[ ! -e made/gen ]
fails 1 'there is nothing to finish' as_user "$BIN/pawl" rollback --finish
runs 0 as_user "$BIN/pawl" checkpoint three
runs 0 as_user "$BIN/eventlog" verify

it "what a person put there between the rollback and --finish stays, and one undo reverses both"
as_user sh -c 'echo 1 >a; mkdir -p made/gen/deep; echo 1 >made/gen/deep/x; echo 1 >made/gen/y'
runs 0 as_user "$BIN/pawl" checkpoint four
chown root:root made/gen/deep
runs 1 as_user "$BIN/pawl" rollback 1 --yes
chown 1000:1000 made/gen/deep
as_user sh -c 'echo mine >made/gen/mine; echo mine >made/gen/deep/mine; mkdir made/gen/deep/dir; echo mine >other'
runs 0 as_user "$BIN/pawl" rollback --finish
same "$(find made other | sort | tr '\n' ' ')" \
        "made made/gen made/gen/deep made/gen/deep/dir made/gen/deep/mine made/gen/mine other "
same "$(as_user "$BIN/eventlog" replay --json | jq -c '[.rollbacks[-1] | .status, .in_part]')" '["done",true]'
runs 0 as_user "$BIN/pawl" undo --yes
same "$(cat made/gen/deep/x made/gen/y | tr -d '\n')" 11
same "$(cat made/gen/deep/mine)" mine
runs 0 as_user "$BIN/pawl" redo --yes
same "$(find made -type f | sort | tr '\n' ' ')" "made/gen/deep/mine made/gen/mine "
runs 0 as_user "$BIN/eventlog" replay --check
runs 0 as_user "$BIN/eventlog" verify

it "a file that a person changed meanwhile is left, and named"
as_user sh -c 'rm -rf made other; mkdir -p made/gen; echo 1 >made/gen/x; echo 1 >made/gen/y'
runs 0 as_user "$BIN/pawl" checkpoint five
chown root:root made/gen
runs 1 as_user "$BIN/pawl" rollback 1 --yes
chown 1000:1000 made/gen
as_user sh -c 'echo mine >made/gen/y'
runs 1 as_user "$BIN/pawl" rollback --finish
says '^  leave +made/gen/y: changed since the rollback$' out
same "$(find made -type f) $(cat made/gen/y)" "made/gen/y mine"
runs 1 as_user "$BIN/pawl" rollback --finish
rm made/gen/y
runs 0 as_user "$BIN/pawl" rollback --finish
fails 1 'there is nothing to finish' as_user "$BIN/pawl" rollback --finish
runs 0 as_user "$BIN/eventlog" verify
