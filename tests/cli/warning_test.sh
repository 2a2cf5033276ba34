# What is no failure and must be known: another program keeps the write-ahead log from being emptied.
. "$SOURCE_DIR/tests/cli/shared.sh"
printf 'terms: [{surface: refund, definition: Money that goes back.}]' >seed.yaml
pawl init >/dev/null

it "who keeps it is named when the command ends, which succeeds"
coproc PIN { exec sqlite3 -batch .pawl/events.db; }
pin=$PIN_PID
echo "BEGIN; SELECT count(*) FROM events;" >&"${PIN[1]}"
read -r count <&"${PIN[0]}"
same "$count" 0
sqlite3 .pawl/events.db "INSERT INTO blobs VALUES (zeroblob(32), zeroblob(70000000))"
runs 0 pawl glossary import seed.yaml --scope core
[ "$(wc -l <err)" -eq 1 ]
says "^pawl: $PWD/.pawl/events.db: its write-ahead log has grown to 6[0-9] MiB, as process $pin \(sqlite3\) keeps an old state of the log open; end that transaction or that process$" err

it "a command that writes nothing says nothing"
runs 0 eventlog head
is_empty err
runs 0 pawl conflicts
is_empty err

it "nor does one after the other program has gone, and the write-ahead log is emptied"
echo ".quit" >&"${PIN[1]}"
wait "$pin"
printf 'terms: [{surface: order, definition: What a customer asks for.}]' >seed.yaml
runs 0 pawl glossary import seed.yaml --scope core
is_empty err
[ "$(stat -c %s .pawl/events.db-wal)" -eq 0 ]
same "$(events GlossarySenseUpdated)" 2
