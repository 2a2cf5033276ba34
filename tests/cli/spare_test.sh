# What is written where a user says never takes the place of a file of the log, and leaves nothing that a checkpoint takes.
. "$SOURCE_DIR/tests/cli/shared.sh"
echo one >a
pawl init >/dev/null
runs 0 pawl session start --mission m
runs 0 pawl checkpoint
# the log's files go by their names, by another name and by a link to them, whether they are there or not
mkdir elsewhere
ln .pawl/events.db elsewhere/hard
ln -s ../.pawl/events.db elsewhere/soft
ln -s ../.pawl/events.db-wal elsewhere/wal
ln -s ../.pawl/config.yaml elsewhere/config
refused() { fails 1 'is a file of the log itself; name another file$' "$@"; }

it "no option that names a file to be written takes the log's place"
for file in .pawl/events.db .pawl/events.db-wal .pawl/events.db-journal .pawl/events.db-lock .pawl/serve.token \
        "$PWD/.pawl/config.yaml" ./.pawl/../.pawl/events.db-shm elsewhere/hard elsewhere/soft elsewhere/wal elsewhere/config; do
        refused pawl export 1 -o "$file"
        refused pawl handoff --write "$file"
        refused pawl backup "$file"
done
(cd .pawl && refused pawl export 1 -o events.db && rm out err)
runs 1 pawl task done t --mission m --write .pawl/events.db
says "is a file of the log itself" err
mkdir -p tiles/tile/entries/000.p
for n in 1 2 3 4 5 6; do ln -s ../../../../.pawl/events.db tiles/tile/entries/000.p/$n; done
refused eventlog tiles tiles
openssl genpkey -algorithm ed25519 -out key 2>/dev/null
chmod 600 key
eventlog note --key key >note
ln -s .pawl/events.db note.tsq
refused eventlog timestamp note
runs 0 eventlog verify
same "$(events)" 3
rm -f .pawl/events.db-lock
before=$(ls .pawl)
for file in events.db-lock events.db-wal events.db-saved-1 events.db-new-x serve.token config.yaml; do
        for name in .pawl/$file "$PWD/.pawl/../.pawl/$file"; do
                [ -e .pawl/$file ] || refused pawl init --db "$name"
                [ -e .pawl/$file ] || refused pawl checkpoint --db "$name"
                [ -e .pawl/$file ] || refused pawl copy .pawl/events.db "$name"
        done
done
same "$(ls .pawl)" "$before"
: >.pawl/events.db-lock
refused pawl init --db .pawl/events.db-lock
ln .pawl/events.db-lock elsewhere/lock
refused pawl copy .pawl/events.db elsewhere/lock
refused pawl copy .pawl/events.db .pawl/events.db
rm elsewhere/lock
runs 0 pawl init --db elsewhere/events.db-copy.db # of no log there
runs 0 pawl copy .pawl/events.db .pawl/copy.db
runs 0 pawl copy .pawl/events.db .pawl/copy.db
runs 0 eventlog verify
runs 0 pawl export 1 -o .pawl/other.tar.zst
runs 0 pawl handoff --write elsewhere/handoff.txt

it "an export that is killed leaves nothing"
head -c 30000000 /dev/urandom >large
runs 0 pawl checkpoint
mkdir out.d
for wait in 0.05 0.1 0.15 0.2; do
        pawl export -o out.d/x.tar.zst >/dev/null 2>&1 &
        sleep "$wait"
        kill -9 $! 2>/dev/null || true
        wait $! 2>/dev/null || true
        same "$(find out.d -mindepth 1 ! -name x.tar.zst)" ""
done
runs 0 pawl export -o out.d/x.tar.zst
runs 0 pawl export -o out.d/x.tar.zst # in its place
same "$(ls -A out.d)" x.tar.zst
same "$(stat -c %a out.d/x.tar.zst)" 600
