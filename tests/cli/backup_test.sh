# pawl backup: a copy in one file while others write, which is a whole log that can be resumed.
. "$SOURCE_DIR/tests/cli/shared.sh"
write_mission
runs 3 pawl run mission.yaml --run one

it "a copy is one private file, a whole log, and its head is printed as an anchor"
mkdir copies
runs 0 pawl backup copies/a.db
same "$(ls copies)" a.db
same "$(stat -c %a copies/a.db)" 600
n=$(events)
same "$(cat out)" "copies/a.db: $n events, head $(eventlog head), $(stat -c %s copies/a.db) bytes"
is_empty err
runs 0 eventlog verify --db copies/a.db
runs 0 eventlog replay --check --db copies/a.db
same "$(ls copies)" a.db
cmp <(eventlog export) <(eventlog export --db copies/a.db)

it "with --json it is one object"
runs 0 pawl backup copies/b.db --json
same "$(jq -c '[keys_unsorted, (.head | keys_unsorted)]' out)" '[["events","head","bytes"],["seq","hash"]]'
same "$(jq -r '"\(.head.seq) \(.head.hash)"' out)" "$(eventlog head)"
same "$(jq .events out)" "$n"

it "what has the name is not touched, nor is a directory or the log itself taken"
cp copies/a.db before
fails 1 "^pawl: copies/a.db: is there already; move it away or name another file$" pawl backup copies/a.db
cmp copies/a.db before
fails 1 "^pawl: copies: is a directory; add the name of a file$" pawl backup copies
fails 1 "^pawl: \.pawl/events\.db: is a file of the log itself; name another file$" pawl backup .pawl/events.db
fails 1 "^pawl: nowhere/c\.db: cannot make the copy: No such file or directory; check the path$" pawl backup nowhere/c.db
fails 1 "^pawl: no log here" env -C / pawl backup /tmp/never.db
misused "FILE" pawl backup
same "$(ls copies)" "$(printf 'a.db\nb.db')"

it "a limit of the file's size is a full disk, and leaves nothing"
fails 1 "^pawl: copies/c\.db: cannot write the copy: " bash -c 'ulimit -f 64; exec pawl backup copies/c.db'
same "$(ls copies)" "$(printf 'a.db\nb.db')"

it "the copy is gone on from where the log was, whatever has become of that"
conflict=$(pawl conflicts --json --db copies/a.db | jq -r '.[0].conflict_id')
runs 0 pawl resolve "$conflict" --pick 1 --db copies/a.db
runs 0 pawl resume one --db copies/a.db
says "^run one: completed, 3 of 3 steps completed$" out
runs 0 eventlog verify --db copies/a.db --anchor <(eventlog head)
same "$(events)" "$n"

it "put back in place of a log that is lost, it is the log"
rm -r .pawl
mkdir -m 700 .pawl
cp copies/b.db .pawl/events.db
same "$(pawl conflicts --json | jq length)" 1
runs 0 eventlog replay --check

it "a log in a directory that cannot be written is copied elsewhere"
mkdir frozen
cp copies/b.db frozen/events.db
chmod 555 frozen
runs 0 pawl backup copies/d.db --db frozen/events.db
chmod 755 frozen
same "$(ls frozen)" events.db

it "beside writers at work, each copy verifies, replays, and its head was a head of the log"
touch at_work
for writer in 1 2; do
        while [ -e at_work ]; do
                printf 'terms: [{surface: word %s %s, definition: Something.}]' $writer $RANDOM >seed-$writer.yaml
                pawl glossary import seed-$writer.yaml --scope core >/dev/null
        done &
done
for copy in $(seq 8); do
        pawl backup copies/at-$copy.db --json >made
        jq -r '"\(.head.seq) \(.head.hash)"' made >>anchors
        eventlog replay --check --db copies/at-$copy.db >/dev/null
        same "$(eventlog verify --db copies/at-$copy.db)" "ok: $(jq .events made) events, head $(tail -n 1 anchors)"
done
rm at_work
wait
runs 0 eventlog verify --anchor anchors
[ "$(sort -u anchors | wc -l)" -ge 4 ] || { echo "the writers were not at work"; false; }
[ -z "$(ls copies | grep -e -backup- || true)" ]
