# A rollback that was killed half-way, in files that a person has edited since: the rest is done, and each such path is
# named with the reason and tried again.
. "$SOURCE_DIR/tests/cli/shared.sh"
PATH=$BIN:$PATH
export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}verify_asan_link_order=0
shim=$BUILD_DIR/tests/kill_at_write.so
kept=$(mktemp -d)
trap 'rm -rf "$kept"' EXIT
mkdir w && cd w && mkdir d gone
echo 1 >a && echo 1 >b && echo 1 >c && echo 1 >d/x && echo 1 >gone/y && echo 1 >z
runs 0 pawl checkpoint one
rm -r gone && mkdir new && echo 2 >new/n
for f in a b c d/x z; do echo 2 >$f; done
runs 0 pawl checkpoint two
cp -r .pawl "$kept/"
LD_PRELOAD=$shim CALL_LIST=$kept/calls pawl rollback 1 --yes >out 2>err
at=$(grep -n '^renameat2 b' "$kept/calls" | cut -d: -f1)
# interrupt: at checkpoint 2, and a rollback to 1 that was killed when it had put a back.
interrupt() {
        remove_log && rm -rf gone new && mkdir new && cp -r "$kept/.pawl" . && echo 2 >new/n
        for f in a b c d/x z; do echo 2 >$f; done
        (LD_PRELOAD=$shim KILL_AT=$at pawl rollback 1 --yes || true) >out 2>err
        same "$(cat a z | tr -d '\n')" 12
}
# contents FILE...: what they hold, in one line.
contents() {
        cat "$@" | tr -d '\n'
}

it "--finish --plan shows what --finish would do, the files that somebody edited too, and changes nothing"
interrupt
echo mine >c && echo mine >d/x
before=$(eventlog head)
runs 0 pawl rollback --finish --plan
says '^  write +z \(' out
says '^  leave +c: changed since the rollback; the checkpoint has something there$' out
says '^  leave +d/x: changed since the rollback' out
same "$(pawl rollback --finish --plan --json | jq -c '[.applied, .missed]')" '[false,2]'
same "$(contents z) $(eventlog head)" "2 $before"

it "--finish does the rest, names each of them with the reason, and is done"
runs 1 pawl rollback --finish
says '^not all of checkpoint 1 could be put back: ' out
same "$(grep -c '^  leave .*: changed since the rollback' out)" 2
says '^pawl: checkpoint 1: 2 paths are not as it has them, first c: changed since the rollback; move it away, then `pawl rollback --finish`$' err
same "$(contents a b c d/x gone/y z)" 11minemine11
runs 0 pawl status
lacks 'half-way' out
runs 0 pawl rollback --finish --plan
says '^  leave +c: changed since the rollback' out

it "and again, as long as they are there"
rm c
runs 1 pawl rollback --finish
says '1 path is not as it has it, first d/x: changed since' err
same "$(contents c d/x)" 1mine
rm d/x
runs 0 pawl rollback --finish
same "$(contents d/x)" 1
fails 1 'there is nothing to finish' pawl rollback --finish
fails 1 'there is nothing to finish' pawl rollback --finish --plan
runs 0 pawl undo --yes
same "$(contents a b c d/x z) $(ls)" "22222 $(printf '%s\n' a b c d err new out z)"
runs 0 eventlog verify
runs 0 eventlog replay --check

it "undo --plan shows what undo would do, and changes nothing"
interrupt
echo mine >a && echo mine >z
before=$(eventlog head)
runs 0 pawl undo --plan
says '^abandon the rollback to checkpoint 1' out
says '^  leave +a: changed since the rollback' out
same "$(contents a z) $(eventlog head)" "minemine $before"

it "undo does the rest too, and --finish tries what it left"
rm -rf gone
runs 1 pawl undo
says '^the rollback to checkpoint 1 was given up: the files are not all as they were before it' out
says '^  leave +a: changed since the rollback' out
says '2 paths are not as the workspace before it has them, first a: changed since .*`pawl rollback --finish`$' err
same "$(contents a b c d/x z)" mine222mine
runs 0 pawl status
lacks 'half-way' out
runs 1 pawl rollback --finish
rm a z
runs 0 pawl rollback --finish
same "$(contents a b c d/x z)" 22222
fails 1 'there is nothing to finish' pawl rollback --finish
runs 0 eventlog verify
runs 0 eventlog replay --check

it "something else in the place of a file, and a directory that is gone, do not stop it either"
interrupt
rm -r d z && mkdir z && echo mine >z/mine && echo mine >d && ln -s d new
runs 1 pawl rollback --finish
same "$(grep -c '^  leave' out)" 3
says '^  leave +d/x: Not a directory' out
says 'first d/x: Not a directory; put its directory back, which something else replaced, then `pawl rollback --finish`$' err
same "$(contents a b c d gone/y z/mine) $(readlink new)" "111mine1mine d"
rm -r z d new && mkdir d
runs 0 pawl rollback --finish
same "$(contents a b c d/x gone/y z)" 111111
runs 0 eventlog verify
