# Needs PAWL_WITH_POSTGRES.
# Every command takes the URL of a log on a server where it takes a path, in any place, and says the same.
[ -e "$PAWL_TEST_SERVER" ] || { echo "there is no PostgreSQL to test with"; exit 77; }
. "$SOURCE_DIR/tests/cli/shared.sh"
server=$(cat "$PAWL_TEST_SERVER")
mine=$(basename "$PWD").$$
export PAWL_DB="$server#$mine"
log_on_server "$PAWL_DB"

# Made once, whoever comes first.
for _ in 1 2 3 4 5 6 7 8; do pawl init >>made & done
wait
same "$(grep -c ': created log' made)" 1
same "$(grep -c ': the log was there already' made)" 7
pawl init | grep -q 'there already'
[ "$(pawl list-logs --json | jq -r --arg n "$mine" '.[] | select(.name == $n) | .head.seq')" = 0 ]
pawl list-logs | grep -q "$mine"
if pawl status --db "$server#$mine-not" 2>why; then exit 1; fi
grep -q "there is no log \"$mine-not\" in this database; make it with .pawl init" why

write_mission
runs 3 pawl run mission.yaml --run r1 --no-input
conflict=$(pawl conflicts --json | jq -r '.[0].conflict_id')
runs 0 pawl resolve "$conflict" --pick 1
runs 0 pawl resume r1 --no-input
same "$(cat journal)" "research
specify
publish"
says '^ok' <(pawl runs | grep -c completed | sed 's,1,ok,')
pawl checkpoints --json | jq -e 'length >= 3' >all
rm journal
runs 0 pawl rollback 2 --yes
same "$(cat journal)" research
runs 0 pawl undo --yes
[ ! -e journal ]
runs 0 pawl validate
runs 0 eventlog verify
eventlog replay --check >state
eventlog tail -n 3 >last
says WorkspaceRolledBack last
pawl du --json | jq -e '.log > 0' >all
runs 0 pawl init --rebuild
eventlog replay --check >state2
cmp state state2

# What lies beside a log is in .pawl here.
[ -e .pawl/workspace.index ]
[ "$(cat .pawl/.gitignore)" = '*' ]
mkdir -p below/it
(cd below/it && pawl checkpoints --json | jq -e 'length > 3') >all

# Copied into a file and back, it is the same; a copy of something else is refused and left alone.
eventlog export >whole
pawl copy "$PAWL_DB" there.db | grep -q 'verified$'
eventlog export --db there.db | cmp - whole
pawl copy there.db "$server#$mine-back" --json | jq -e '.head.seq > 10' >all
eventlog export --db "$server#$mine-back" | cmp - whole
eventlog replay --db "$server#$mine-back" | cmp - <(eventlog replay)
eventlog replay --check --db "$server#$mine-back" >all
(mkdir elsewhere && cd elsewhere && pawl validate --dry-run --db "$server#$mine-back") >all
pawl copy there.db "$server#$mine-back" >again # nothing is left to do
pawl init --db other.db
pawl glossary import seeds/team.yaml --db other.db >all 2>&1 || true
pawl init --db empty.db >all
pawl copy there.db empty.db >all
if pawl copy other.db "$server#$mine-back" 2>why; then exit 1; fi
grep -qE 'it has events that the log does not have|it is another log' why
eventlog export --db "$server#$mine-back" | cmp - whole

# A backup is one new file, whole or not there.
pawl backup kept.db --json | jq -e '.events > 10 and .bytes > 1000' >all
eventlog export --db kept.db | cmp - whole
eventlog replay --db kept.db | cmp - <(eventlog replay)
eventlog replay --check --db kept.db >all
for taken in kept.db below nowhere/x.db; do
        if pawl backup "$taken" 2>why; then exit 1; fi
        grep -qE "^pawl: $taken: (is there already|is a directory|cannot make the copy)" why
done
(trap '' XFSZ; ulimit -f 8; if pawl backup full.db 2>why; then exit 1; fi)
[ -z "$(find . -name 'full.db*')" ]

# It is gone on with after the log has more.
pawl checkpoint -m more >all 2>&1 || pawl checkpoint >all
pawl copy "$PAWL_DB" there.db >all
eventlog export --db there.db | cmp - <(eventlog export)

# A keyed log stays keyed.
(umask 077; head -c 32 /dev/urandom >key)
pawl init --db keyed.db --key-file key >all
pawl checkpoint --root . --db keyed.db --key-file key >all
pawl copy keyed.db "$server#$mine-keyed" >all
eventlog verify --key-file key --db "$server#$mine-keyed" >all
if pawl checkpoint --db "$server#$mine-keyed" 2>why; then exit 1; fi
grep -q 'takes no event without its key' why

it "du tells what this log takes, not what the others of the database do"
pawl init --db "$server#$mine-small"
head -c 300000 /dev/urandom >random
runs 0 pawl checkpoint
rm random
[ "$(pawl du --json | jq .log)" -gt 300000 ]
[ "$(pawl du --json --db "$server#$mine-small" | jq .log)" -lt 1000 ]

it "what copy suggests is about the log that it names, and nothing is written"
fails 1 "there is no log; make one with .pawl init --db not.db.," pawl copy not.db "$server#$mine-new"
fails 1 "no log \"$mine-new\" .* make it with .pawl init --db '${server/\?/[?]}#$mine-new'" pawl copy "$server#$mine-new" not.db
[ ! -e not.db ]

it "a database without a log says how to make one"
command -v psql >/dev/null || exit 0
psql -q "$server" -c "CREATE DATABASE \"$mine\""
empty=${server/\/postgres\?//$mine?}
runs 0 pawl list-logs --db "$empty"
same "$(cat out)" "no logs; \`pawl init --db '$empty'\` makes one"
same "$(pawl list-logs --db "$empty" --json)" '[]'
