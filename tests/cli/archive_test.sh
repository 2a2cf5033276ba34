# Needs PAWL_WITH_ARCHIVE.
# pawl export and pawl import: checkpoints in a file, and out of one that an earlier version wrote.
. "$SOURCE_DIR/tests/cli/shared.sh"
pawl init >/dev/null
cp "$SOURCE_DIR/tests/golden/archives/version-1.tar.zst" old.tar.zst

it "an archive of version 1 is taken, and what came of it is printed"
runs 0 pawl import old.tar.zst
is_empty err
size=$(stat -c %s old.tar.zst)
same "$(head -n 1 out)" "old.tar.zst: 2 checkpoints new, 0 known, 8 contents, $size bytes"
same "$(sed -n 2p out)" "sha256 $(sha256sum old.tar.zst | cut -d' ' -f1)"
digest=$(sed -n 's/^digest //p' out)
same "$(zstd -dc old.tar.zst | tar xOf - manifest.json | jq -r .digest)" "$digest"
same "$(events WorkspaceCheckpointed)" 2
runs 0 eventlog verify
runs 0 eventlog replay --check

it "what is exported from there has the same digest, and is a plain tar of zstd"
runs 0 pawl export -o new.tar.zst --json
is_empty err
same "$(jq -r .digest out)" "$digest"
same "$(jq -r .sha256 out)" "$(sha256sum new.tar.zst | cut -d' ' -f1)"
same "$(jq -c keys_unsorted out)" '["checkpoints","contents","bytes","sha256","digest"]'
same "$(stat -c %a new.tar.zst)" 600
same "$(zstd -dc new.tar.zst | tar tf - | head -n 2 | tr '\n' ' ')" "manifest.json events.jsonl "
zstd -dc new.tar.zst | tar xf -
(cd contents && for name in *; do same "$(sha256sum <"$name" | cut -d' ' -f1)" "$name"; done)
cp new.tar.zst again.tar.zst
runs 0 pawl export --output new.tar.zst
cmp new.tar.zst again.tar.zst
runs 0 pawl export 2 -o one.tar.zst
says ': 1 checkpoint, ' out

it "nothing is added twice"
n=$(events)
runs 0 pawl import new.tar.zst --json
same "$(jq -c '[.checkpoints, .known]' out)" "[0,2]"
runs 0 pawl import old.tar.zst
says ': 0 checkpoints new, 2 known, ' out
same "$(events)" "$n"

it "what is no archive is refused in one line, and nothing is written"
head -c 700 old.tar.zst >cut.tar.zst
fails 1 '^pawl: cut\.tar\.zst: .*; it is no archive of `pawl export`, or was changed$' pawl import cut.tar.zst
fails 1 '^pawl: none\.tar\.zst: cannot read the archive: No such file or directory; check the path$' pawl import none.tar.zst
fails 1 '^pawl: checkpoint 9: there is none; `pawl checkpoints` lists them$' pawl export 9 -o x.tar.zst
it "two archives one behind the other are refused, and whatever else stands behind one"
behind='new\.tar\.zst: has something behind its Zstandard frame, as another archive; it is no archive of'
cp one.tar.zst new.tar.zst
cat again.tar.zst >>new.tar.zst
fails 1 "$behind" pawl import new.tar.zst
for tail in 'x' '\0' '\x50\x2a\x4d\x18\0\0\0\0' '\x28\xb5\x2f\xfd\x24\0\x01\0\0\x99\xe9\xd8\x51'; do
        cp one.tar.zst new.tar.zst # a byte, a frame that is skipped, an empty frame
        printf '%b' "$tail" >>new.tar.zst
        fails 1 "$behind" pawl import new.tar.zst
done
zstd -qdc one.tar.zst >one.tar
zstd -qdc again.tar.zst >again.tar
cat one.tar again.tar | zstd -qc >new.tar.zst
fails 1 'has "manifest\.json", which its manifest does not name; it is no archive of' pawl import new.tar.zst
(cat one.tar && echo garbage) | zstd -qc >new.tar.zst
fails 1 '; it is no archive of' pawl import new.tar.zst
fails 1 'one\.tar: is no Zstandard frame; it is no archive of' pawl import one.tar
head -c 700 again.tar.zst >new.tar.zst
fails 1 'new\.tar\.zst: ends within a Zstandard frame; it is no archive of' pawl import new.tar.zst
: >new.tar.zst
fails 1 'new\.tar\.zst: ends within a Zstandard frame; it is no archive of' pawl import new.tar.zst
(cat one.tar && head -c 10240 /dev/zero) | zstd -q -19 -c >new.tar.zst # as tar pads it
runs 0 pawl import new.tar.zst
same "$(events)" "$n"
[ ! -e x.tar.zst ]
[ -z "$(find . -name "*.tmp")" ]
