# Needs PAWL_WITH_ARCHIVE.
# Contents that are damaged in the log are replaced by whatever has them: an import, a new checkpoint, a rebuild.
. "$SOURCE_DIR/tests/cli/shared.sh"
mkdir sub
printf "%s\n" out err >.pawlignore
seq 300 >f
seq 2000 >sub/g
head -c 300000 /dev/urandom >sub/h
head -c 9000000 /dev/urandom >big # more than one part
runs 0 pawl init
runs 0 pawl checkpoint one
runs 0 pawl export 1 --output "$PWD/.pawl/one.tar.zst"

# damage: every content that is kept is another than its hash says.
damage() {
        python3 - <<'EOF'
import sqlite3
log = sqlite3.connect(".pawl/events.db")
for table in "packs", "contents":
    for row, data in log.execute(f"SELECT rowid, data FROM {table}").fetchall():
        changed = bytes((7 * byte + 1) % 256 if i % 3 == 0 else byte for i, byte in enumerate(data))
        log.execute(f"UPDATE {table} SET data = ? WHERE rowid = ?", (changed, row))
log.commit()
EOF
}

it "a checkpoint of files that did not change replaces what is damaged"
damage
runs 0 pawl checkpoint two
says '^pawl: checkpoint 1: was damaged; is whole again$' err
runs 0 pawl validate
same "$(pawl checkpoints --json | jq -c '[.[].valid]')" '[true,true]'

it "an import replaces it, and the checkpoint that has it is valid again"
damage
runs 5 pawl validate
same "$(pawl checkpoints --json | jq -c '.[0].valid')" false
runs 0 pawl import "$PWD/.pawl/one.tar.zst"
says ': 0 checkpoints new, 1 known, 7 damaged contents replaced, ' out
runs 0 pawl validate 1
same "$(pawl checkpoints --json | jq -c '.[0].valid')" true

it "validate names the rebuild that heals, and rebuild brings back directories as well"
damage
runs 5 pawl validate 1
says '^pawl: checkpoint 1: `pawl rebuild 1` heals it$' err
runs 0 pawl rebuild 1 --json
same "$(jq -c '[.from_workspace, .missing, .good, .valid]' out)" '[7,0,true,true]'
runs 0 pawl validate 1

it "validate names the import, where nothing else has what is damaged"
damage
runs 5 pawl validate 1
seq 400 >f
runs 5 pawl validate 1
says '^pawl: checkpoint 1: `pawl import ARCHIVE` heals it' err
lacks 'pawl validate' err
runs 0 pawl import "$PWD/.pawl/one.tar.zst"
runs 0 pawl validate 1
runs 0 pawl rollback 1 --yes
same "$(tail -n 1 f)" 300

it "so does an automatic checkpoint, once the damage is known"
damage
runs 5 pawl validate
echo new >new
printf 'mission: m\nsteps:\n  - {id: a, run: ["true"]}\n' >m.yaml
runs 0 pawl run m.yaml
runs 0 pawl validate current

it "and a library's, of a file that it reads again"
damage
touch f .pawlignore sub/* big new m.yaml
runs 0 pawl run m.yaml --fresh
runs 0 pawl rollback current --yes
seq 300 | cmp - f
