# A rollback grants nobody a right that a file's access control list did not.
. "$SOURCE_DIR/tests/cli/shared.sh"

cat >acl.py <<'E2'
"""acl.py FILE [access|default] TAG[ID]:RIGHTS ...: set a list; without entries print it, or "none"."""
import os, struct, sys
TAGS = {"u": 1, "U": 2, "g": 4, "G": 8, "m": 16, "o": 32}  # U and G are of a name
path, name, entries = sys.argv[1], "system.posix_acl_" + sys.argv[2], sys.argv[3:]
if entries:
    data = struct.pack("<I", 2)
    for entry in entries:
        who, rights = entry.split(":")
        data += struct.pack("<HHI", TAGS[who[0]], int(rights), int(who[1:] or 0xFFFFFFFF))
    os.setxattr(path, name, data)
else:
    print("list" if name in os.listxattr(path) else "none")
E2
acl() {
        python3 ../acl.py "$@"
}
# of PATH: its mode, and whether it has a list
rights() {
        for path; do
                echo "$(stat -c %a "$path") $(acl "$path" access)"
        done | tr '\n' ' '
}
mkdir w
cd w
own_log
touch a
acl a access u:6 U65534:6 g:4 m:6 o:0 2>../err || { echo "skipped: no access control lists here"; exit 77; }
same "$(rights a)" "660 list "

it "the group of a file gets what its own entry gave it, not the mask"
echo one >a
echo one >gone
acl gone access u:6 U65534:6 g:4 m:6 o:0
mkdir d
echo one >d/x
acl d access u:7 U65534:7 g:5 m:7 o:0
runs 0 pawl checkpoint one
echo two >a
rm -r gone d
runs 0 pawl rollback 1 --yes
same "$(rights a gone d)" "640 none 640 none 750 none "

it "a name that had fewer rights than the group or the others: they get no more"
echo one >user
chmod 664 user
acl user access u:6 U65534:0 g:6 m:6 o:4
echo one >group
acl group access u:6 g:6 G65534:4 m:6 o:6
echo one >masked
acl masked access u:6 U65534:6 g:6 m:4 o:6
runs 0 pawl checkpoint named
n=$(pawl checkpoints --json | jq '.[-1].n')
echo two | tee user group masked >/dev/null
runs 0 pawl rollback "$n" --yes
same "$(rights user group masked)" "600 none 664 none 644 none "

it "a file that had no list gets none, neither the replaced one's nor the directory's"
mkdir in
for name in replaced moded gone; do
        echo one >in/$name
        chmod 660 in/$name
done
mkdir -m 750 in/sub
runs 0 pawl checkpoint plain
n=$(pawl checkpoints --json | jq '.[-1].n')
acl in default u:7 U65534:7 g:7 m:7 o:5
echo two >in/replaced
acl in/replaced access u:6 U65534:6 g:6 m:6 o:4
acl in/moded access u:6 U65534:6 g:4 m:6 o:0
rm in/gone
rmdir in/sub
runs 0 pawl rollback "$n" --yes
same "$(rights in/replaced in/moded in/gone in/sub)" "660 none 660 none 660 none 750 none "
same "$(acl in default)" list

it "a directory that is only written in keeps its list"
mkdir closed
echo one >closed/x
acl closed access u:5 U65534:5 g:5 m:5 o:0
runs 0 pawl checkpoint closed
n=$(pawl checkpoints --json | jq '.[-1].n')
chmod u+w closed
echo two >closed/x
chmod u-w closed
runs 0 pawl rollback "$n" --yes
same "$(cat closed/x) $(rights closed)" "one 550 list "

it "a file with a list is not read again, and differs from nothing"
acl a access u:6 U65534:6 g:4 m:6 o:0
runs 0 pawl checkpoint list
sleep 0.1
runs 0 pawl checkpoint again --json
same "$(jq .captured out)" 0
runs 0 pawl diff "$(jq .n out)" --json
same "$(jq '.files | length' out)" 0
runs 0 eventlog verify
