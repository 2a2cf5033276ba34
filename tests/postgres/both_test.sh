# Needs PAWL_WITH_POSTGRES.
# Every command of both programs says the same, and exits alike, whether the log is in a file or on a server: a line of the
# table is run in a directory beside each, and what they print is compared, ids and times aside.
[ -e "$PAWL_TEST_SERVER" ] || { echo "there is no PostgreSQL to test with"; exit 77; }
. "$SOURCE_DIR/tests/cli/shared.sh"
table=$SOURCE_DIR/tests/postgres/both.table
here=$PWD
url="$(cat "$PAWL_TEST_SERVER")#$(basename "$PWD")"
write_mission
cat >plain.yaml <<'END'
mission: plain
steps:
  - id: one
    run: [echo, one]
END
cat >fails.yaml <<'END'
mission: fails
steps:
  - id: good
    run: [echo, good]
  - id: bad
    run: [sh, -c, "echo what is wrong >&2; exit 3"]
  - id: after
    run: [echo, after]
END
file=$PWD/file/.pawl/events.db


# masked LOG: what may differ, named alike.
masked() {
        sed -E -e "s|'?${1//\?/[?]}'?|LOG|g" -e "s|$here/(file\|server)|HERE|g" \
                -e 's/[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9:.-]+Z?/TIME/g' -e 's/session-[0-9]{8}-[0-9]{6}(-[0-9a-f]+)?/SESSION/g' \
                -e 's/[0-9]{8}-[0-9]{6}\b/TIME/g' -e 's/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{22}/ID/g' \
                -e 's/\b[0-9a-f]{32,64}\b/HASH/g' -e 's/\b[0-9a-f]{8,16}\b/SHORT/g' -e 's/\b[0-9.]+ ?(ms|s)\b/TIME/g' \
                -e 's/[0-9.]+ ([kM]?B|bytes)\b/SIZE/g' -e 's/"bytes":[0-9]+/"bytes":SIZE/g' -e 's/ +/ /g' \
                -e 's/there is no log.*/there is no log/'
}

# every_line WHERE LOG: run the table's lines there; what each says, and its exit code.
every_line() {
        local code n=0
        cd "$1"
        while IFS= read -r line; do
                n=$((n + 1)) code=0
                PAWL_DB=$2 bash -c "$line" >../"$1.out" 2>../"$1.err" </dev/null || code=$?
                { masked "$2" <../"$1.out"; echo "-- err"; masked "$2" <../"$1.err"; echo "-- exit $code"; } >"../$1.$n"
        done <../lines
}

grep -vE '^(#|$)' "$table" >lines
mkdir file server
log_on_server "$url"
(every_line file "$here/file/.pawl/events.db") &
(every_line server "$url")
wait
n=0 differing=0
while IFS= read -r line; do
        n=$((n + 1))
        cmp -s "file.$n" "server.$n" || { echo "not the same: $line"; diff "file.$n" "server.$n" || true; differing=1; } >&2
done <lines
if [ -n "${BOTH_SHOW:-}" ]; then n=0; while IFS= read -r line; do n=$((n + 1)); echo "== $line"; cat "file.$n"; done <lines; fi
[ "$differing" = 0 ]

it "has every command of both programs in the table"
for program in pawl eventlog; do
        $program --help | sed -nE 's/^  ([a-z-]+( [a-z-]+)?) .*/\1/p' | while read -r command; do
                grep -qE "(^|[ ;(])$program $command( |$)" lines || { echo "not in the table: $program $command"; exit 1; }
        done
done
