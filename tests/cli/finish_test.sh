# A rollback that was killed half-way, in files that a person has edited since: the rest is done, and each such path is
# named with the reason and tried again.
. "$SOURCE_DIR/tests/cli/shared.sh"
can_be_killed
mkdir w && cd w && mkdir d gone
echo 1 >a && echo 1 >b && echo 1 >c && echo 1 >d/x && echo 1 >gone/y && echo 1 >z
runs 0 pawl checkpoint one
rm -r gone && mkdir new && echo 2 >new/n
for f in a b c d/x z; do echo 2 >$f; done
runs 0 pawl checkpoint two
cp -r .pawl "$kept/"
at=$(first_call 'renameat2 b' pawl rollback 1 --yes)
# interrupt: at checkpoint 2, and a rollback to 1 that was killed when it had put a back.
interrupt() {
        remove_log && rm -rf gone new && mkdir new && cp -r "$kept/.pawl" . && echo 2 >new/n
        for f in a b c d/x z; do echo 2 >$f; done
        killed_at "$at" pawl rollback 1 --yes
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

it "what was damaged in the log meanwhile does not stop it: the rest is done, and it is named with what heals it"
rm -rf a b c d gone new z .pawl && : >.pawlignore && printf '%s\n' out err damaged >.pawlignore
mkdir d
for f in a b c d/x z; do head -c 100000 /dev/urandom >$f; done
sum=$(cat a b c d/x z | sha256sum)
cp c "$kept/c"
runs 0 pawl checkpoint one
for f in a b c d/x z; do echo 2 >$f; done
runs 0 pawl checkpoint two
rm -rf "$kept/.pawl" && cp -r .pawl "$kept/"
at=$(first_call 'renameat2 b' pawl rollback 1 --yes)
# damage FILE...: as checkpoint 1 has them, by their hashes.
again() {
        remove_log && rm -rf d && mkdir d && cp -r "$kept/.pawl" .
        for f in a b c d/x z; do echo 2 >$f; done
        killed_at "$at" pawl rollback 1 --yes
        log_damaged
}
damage() {
        sqlite3 .pawl/events.db "UPDATE contents SET data = zeroblob(100) WHERE hash = x'$1'"
}
c=$(sha256sum <"$kept/c" | cut -d' ' -f1)
again
damage "$c"
echo mine >z
runs 0 pawl rollback --finish --plan
says '^  leave +c: its content in the log is damaged or lost; the checkpoint has something there$' out
says '^  leave +z: changed since the rollback' out
runs 1 pawl rollback --finish
says '^  leave +c: its content in the log is damaged or lost' out
says '2 paths are not as it has them, first c: its content .* damaged or lost; see `pawl validate`, .*, then `pawl rollback --finish`$' err
same "$(cat c z | tr -d '\n')" 2mine
runs 1 pawl rollback --finish # again, with the other one out of the way
rm z
runs 1 pawl rollback --finish
says ' 1 path is not as it has it, first c: ' err
cp "$kept/c" c # capturing the same content again heals it
runs 0 pawl checkpoint healed
runs 0 pawl rollback --finish
same "$(cat a b c d/x z | sha256sum)" "$sum"
fails 1 'there is nothing to finish' pawl rollback --finish
runs 0 eventlog verify

it "and so it is where a directory of the checkpoint is damaged"
again
python3 - "$(pawl show 1 --json | jq -r .tree)" <<'END'
import sqlite3, sys
log = sqlite3.connect(".pawl/events.db")
pack, = log.execute("SELECT pack FROM packed WHERE hash = ?", (bytes.fromhex(sys.argv[1]),)).fetchone()
log.execute("DELETE FROM packed WHERE hash = ?", (bytes.fromhex(sys.argv[1]),))
log.commit()
END
runs 0 pawl rollback --finish
same "$(cat a b c d/x z | sha256sum)" "$sum"

it "what is done is called by its name: a rollback, an undo, a redo, and which of them it reverses"
forget_log
rm -rf a b c d z && echo 1 >f
runs 0 pawl checkpoint one
echo 2 >f
runs 0 pawl checkpoint two
# plans COMMAND PATTERN, and then it is killed, and gone on with, or given up; each kept log is as before.
step() {
        local command=$1 plan=$2 before after head
        runs 0 pawl $command --plan
        says "^$plan" out
        rm -rf "$kept/before" && cp -r .pawl "$kept/before" && cp f "$kept/f"
        # shellcheck disable=SC2086
        at=$(first_call 'renameat2 f' pawl $command --yes)
        remove_log && cp -r "$kept/before" .pawl && cp "$kept/f" f
        # shellcheck disable=SC2086
        killed_at "$at" pawl $command --yes
        local word=${command%% *} article=a
        [ "$word" != undo ] || article=an
        runs 0 pawl status
        says "^interrupted  $word to checkpoint [0-9]+: the files are half-way$" out
        same "$(pawl status --json | jq -c '[.rollback.undo, .rollback.redo]')" \
                "$([ $word = rollback ] && echo '[false,false]' || { [ $word = undo ] && echo '[true,false]' || echo '[true,true]'; })"
        fails 1 ": $article $word to checkpoint [0-9]+ was interrupted; " pawl checkpoint
        fails 1 "prune: $article $word to checkpoint [0-9]+ was interrupted; " pawl prune checkpoints --keep 0
        runs 0 pawl undo --plan
        says "^abandon the $word to checkpoint [0-9]+ \\([^)]*\\)$" out
        runs 0 pawl rollback --finish --plan
        says "^$plan" out
        cp -r .pawl "$kept/half"
        runs 0 pawl undo
        says "^the $word to checkpoint [0-9]+ was given up: the files are as they were before it" out
        same "$(cat f)" "$(cat "$kept/f")"
        remove_log && mv "$kept/half" .pawl
        runs 0 pawl rollback --finish
        says "^the workspace is as checkpoint [0-9]+ has it" out
        says "^\`pawl $([ $word = undo ] && echo redo || echo undo)\` takes this back$" out
}
step 'rollback 1' 'rollback to checkpoint 1 \([^)]*\)$'
same "$(cat f)" 1
step undo 'undo: back to checkpoint 3 \([^)]*\), as before the rollback to checkpoint 1$'
same "$(cat f)" 2
step redo 'redo: back to checkpoint 4 \([^)]*\), as before the undo that went to checkpoint 3$'
same "$(cat f)" 1
step undo 'undo: back to checkpoint 5 \([^)]*\), as before the redo that went to checkpoint 4$'
same "$(cat f)" 2
step redo 'redo: back to checkpoint 6 \([^)]*\), as before the undo that went to checkpoint 5$'
same "$(cat f)" 1
same "$(pawl rollbacks --json | jq -c 'map([.undo, .redo])')" \
        '[[false,false],[true,false],[true,true],[true,false],[true,true]]'
