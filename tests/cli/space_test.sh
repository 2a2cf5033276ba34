# What checkpoints of the workspace take up, and pruning them.
. "$SOURCE_DIR/tests/cli/shared.sh"

# append: checkpoints 1, 2 and 3 into a log, of an empty root directory each but of three kinds: the first two
# have one tree. Written by the library, as it is the log alone that matters here.
cat >append.c <<'END'
#include <pawl/pawl.h>
#include <stdio.h>
int main(void)
{
        static const char *const trees[] = {EMPTY, EMPTY, OTHER};
        pawl_log *log;
        pawl_error err = PAWL_ERROR_INIT;
        if (pawl_log_open(&log, ".pawl/events.db", NULL, &err))
                return puts(err.message), 1;
        for (int i = 0; i < 3; i++) {
                char payload[400];
                int len = snprintf(payload, sizeof payload,
                        "{\"n\":%d,\"id\":\"cp-0%d-a\",\"trigger\":\"auto\",\"root\":\".\",\"tree\":\"%s\","
                        "\"files\":%d,\"bytes\":70,\"skipped\":0}", i + 1, i + 1, trees[2 - i], i);
                pawl_event event = {.type = {"WorkspaceCheckpointed", 21},
                        .payload = {payload, (size_t)len}};
                if (pawl_log_append(NULL, log, &event, 1, 0))
                        return puts(pawl_log_errmsg(log)), 1;
        }
        pawl_log_close(log);
        return 0;
}
END
# Directories as the log has them: the encoding's hash, its length, and a zstd frame of one raw block.
empty=$(printf 'tree\1' | sha256sum | cut -d' ' -f1)
other=$(printf 'tree\1x\0\0\1a\1' | sha256sum | cut -d' ' -f1)
contents="INSERT INTO contents VALUES
        (x'$empty', 0, 5, x'28b52ffd20052900007472656501'),
        (x'$other', 0, 11, x'28b52ffd200b5900007472656501780000016101'),
        (randomblob(32), 0, 3000000, randomblob(3000000))"
$CC -std=c11 -DEMPTY="\"$empty\"" -DOTHER="\"$other\"" append.c \
        $("$SOURCE_DIR/tests/support/libpawl-flags") -o append
make_log() {
        remove_log
        pawl init >/dev/null
        ./append
        pawl conflicts >/dev/null # the tables catch up
        sqlite3 .pawl/events.db "$contents"
}

it "a log without checkpoints takes up what it does"
pawl init >/dev/null
runs 0 pawl du
says '^0 checkpoints, 0 contents of 0 B, 0 B as stored$' out
says '^the log takes [0-9.]+ kB, 0 B of it free$' out
runs 0 pawl prune checkpoints --keep 0
says '^0 of 0 checkpoints deleted, with 0 contents of 0 B$' out

it "du tells each checkpoint, what is its own, and what nobody names"
make_log
runs 0 pawl du
says '^ *N +ID +FILES +SIZE +OWN +STATE$' out
says '^ *1 +cp-01 +0 +70 B +20 B +-$' out
says '^ *2 +cp-02 +1 +70 B +0 B +-$' out
says '^3 checkpoints, 3 contents of 3.00 MB, 3.00 MB as stored$' out
says '^1 content that no checkpoint names, 3.00 MB as stored: the next prune deletes it$' out
runs 0 pawl du --json
jq -e '.kept == 3 and .pruned == 0 and .contents == 3 and .stored == 3000034 and .unnamed == 1 and
        (.checkpoints | map(.own)) == [20, 0, 0] and .log > 3000000 and
        (.checkpoints[0] | keys_unsorted) == ["n","id","files","bytes","own","damaged"]' out >/dev/null

it "how many to keep, or since when, is to be said; not both"
misused '(keep|older-than)' pawl prune checkpoints
misused '(keep|older-than)' pawl prune checkpoints --keep 1 --older-than 3d
misused 'older-than' pawl prune checkpoints --older-than soon

it "a dry run says what would go and writes nothing"
before=$(eventlog head)
runs 0 pawl prune checkpoints --keep 1 --dry-run
says '^ *1 +cp-01-a +goes$' out
says '^ *3 +cp-03-a +stays: current$' out
says '^2 of 3 checkpoints would be deleted, with 2 contents of 3.00 MB$' out
runs 0 pawl prune checkpoints --older-than 1h --dry-run --shrink
says '^ *1 +cp-01-a +stays: not older$' out
says '^0 of 3 checkpoints would be deleted' out
lacks 'smaller' out
same "$(eventlog head)" "$before"

it "what goes leaves a receipt, and the log verifies"
runs 0 pawl prune checkpoints --keep 1 --actor user:bo --json
jq -e '(.checkpoints | map(.goes)) == [false, true, true] and .checkpoints[0].why == "current" and
        .contents == 2 and .bytes == 3000020 and .freed == 0' out >/dev/null
same "$(eventlog export | tail -n 1 | jq -c '[.type, .actor, .payload]')" \
        '["Pruned","user:bo",{"bytes":3000020,"contents":2,"kind":"checkpoints","pruned":[1,2]}]'
runs 0 eventlog verify
runs 0 eventlog replay --check
runs 0 pawl du
says '^1 checkpoint, 1 content of 5 B, 14 B as stored$' out
says '^2 more were pruned$' out
says '^the log takes 3\.[0-9]+ MB, [23]\.[0-9]+ MB of it free$' out

it "the space goes back to the file system when it is asked to"
runs 0 pawl prune checkpoints --keep 1 --shrink
says '^0 of 1 checkpoints deleted, with 0 contents of 0 B$' out
says '^the log is [23]\.[0-9]+ MB smaller$' out
[ "$(stat -c %s .pawl/events.db)" -lt 1000000 ]
runs 0 eventlog verify
runs 0 eventlog replay --check

it "a checkpoint that stays and cannot be read keeps everything"
make_log
sqlite3 .pawl/events.db "DELETE FROM contents WHERE hash = x'$empty'"
fails 5 'checkpoint 3: stays, but what it holds is not known: content' pawl prune checkpoints --keep 1
runs 0 pawl du
says '^ *3 +cp-03 .* damaged$' out
same "$(sqlite3 .pawl/events.db 'SELECT (SELECT count(*) FROM contents) + (SELECT count(*) FROM packed)')" 2

it "what a person took stays unless that is asked for, and what was pruned cannot be pinned or gone back to"
remove_log
pawl init >/dev/null
for i in 1 2 3 4; do
        echo $i >work.txt
        runs 0 pawl checkpoint "number $i"
done
runs 0 pawl prune checkpoints --keep 1
says '^ *1 .*stays: taken by hand$' out
says '^0 of 4 checkpoints deleted' out
runs 0 pawl rollback 2 --yes
runs 0 pawl pin 1
runs 0 pawl prune checkpoints --keep 0 --include-manual --json
same "$(jq -c '[.checkpoints[] | [.n, .why]]' out)" \
        '[[5,"undo or redo needs it"],[4,null],[3,null],[2,"current"],[1,"pinned"]]'
before=$(eventlog head)
fails 1 'checkpoint 3: was pruned, so that there is nothing left to keep; pin one that is kept' pawl pin 3
fails 1 'checkpoint 3: was pruned; choose one that is kept' pawl rollback 3 --yes
same "$(eventlog head)" "$before"
runs 0 pawl undo --yes
same "$(cat work.txt)" 4

it "on a terminal it shows what would go, and asks"
runs 0 pawl checkpoint last
dialog 1 'spawn pawl prune checkpoints --keep 0 --include-manual
see "is deleted for good"
see "delete . of ."
send "no\r"
see "nothing was changed"'
same "$(pawl checkpoints --json | jq '[.[] | select(.pruned)] | length')" 2
dialog 0 'spawn pawl prune checkpoints --keep 0 --include-manual
see "delete . of ."
send "y\r"
see "checkpoints deleted"'
[ "$(pawl checkpoints --json | jq '[.[] | select(.pruned)] | length')" -gt 2 ]
