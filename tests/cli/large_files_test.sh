# Files of more than 4 MiB: what a change costs, archives, copies, pruning, and what damage does.
. "$SOURCE_DIR/tests/cli/shared.sh"

# Bytes that do not pack, the same each time.
fill() {
        awk -v seed="$1" 'BEGIN { srand(seed); for (i = 0; i < 700000; i++) printf "%08d%04d\n", rand() * 1e8, rand() * 1e4 }'
}

stored() {
        pawl du --json | jq .stored
}

it "a line at the end or between costs a difference"
mkdir work
cd work
pawl init >/dev/null
printf '/out\n/err\n' >.pawlignore
fill 1 >big
cp big ../version-1
runs 0 pawl checkpoint
before=$(stored)
echo 'one line more' >>big
cp big ../version-2
runs 0 pawl checkpoint
sed -i '300000i one line between' big
cp big ../version-3
runs 0 pawl checkpoint
[ $(($(stored) - before)) -lt 20000 ] 

it "chunks are no contents of their own to those who count them"
same "$(pawl du --json | jq .contents)" 7

it "each version comes back, and all that is kept verifies"
runs 0 pawl rollback 1 --yes
runs 0 cmp big ../version-1
runs 0 pawl undo --yes
runs 0 cmp big ../version-3
runs 0 pawl validate
runs 0 eventlog verify

it "an archive has the whole content, which another log keeps in chunks"
runs 0 pawl export 2 -o ../two.pawl
mkdir ../other
(cd ../other && pawl init . >/dev/null && pawl import ../two.pawl >/dev/null && pawl validate >/dev/null &&
        pawl rollback 1 --yes >/dev/null && cmp big ../version-2)

it "a copy has it, too"
runs 0 pawl copy .pawl/events.db ../copy.db
runs 0 eventlog verify --db "$(realpath ../copy.db)"

it "a damaged chunk is found, named with its checkpoint, and replaced"
log_damaged
sqlite3 .pawl/events.db "UPDATE contents SET data = substr(data, 1, 100) WHERE hash = (SELECT substr(data, 5, 32) FROM contents WHERE size > 4194304 LIMIT 1)"
runs 5 eventlog verify
says 'checkpoint 1: content' err
runs 5 pawl validate
touch big
runs 0 pawl checkpoint
runs 0 pawl validate
runs 0 eventlog verify
