# Needs PAWL_WITH_ARCHIVE.
# What a rollback makes runs as nobody else: modes with the setuid and setgid bits.
. "$SOURCE_DIR/tests/cli/shared.sh"
unset SUDO_UID

mode() {
        stat -c %a "$@" | tr '\n' ' '
}
mkdir w
cd w
pawl init >/dev/null
gid=$(id -g)
make_files() {
        for name in gone same edited bare linked; do
                echo "$name" >"$name"
                chgrp "$gid" "$name"
                chmod 6755 "$name"
        done
        mkdir -p folder
        chmod 2750 folder
}
make_files
[ "$(mode edited)" = "6755 " ] || { echo "skipped: no setuid bits here"; exit 0; }
pawl checkpoint >/dev/null

it "a file that was there with the bits, of the same owner, has them still"
echo other >edited
echo other >linked
chmod 6755 edited linked # writing dropped them
chmod 6700 same
chmod 2700 folder
ln linked link
runs 0 pawl rollback 1 --yes
same "$(mode edited linked same folder)" "6755 6755 6755 2750 "
same "$(cat edited linked | tr '\n' ' ')" "edited linked "

it "one that was gone, or had them not, does not get them"
rm gone
chmod 755 bare
echo other >edited
chmod 755 edited
chmod 00750 folder
runs 0 pawl rollback 1 --plan --json
same "$(jq -c '[.items[] | select(.action != "leave").path]' out)" '["edited","gone"]'
runs 0 pawl rollback 1 --yes
same "$(mode gone bare edited folder)" "755 755 755 750 "
same "$(cat gone edited | tr '\n' ' ')" "gone edited "
runs 0 pawl checkpoint
runs 0 eventlog verify

it "an imported one never has them"
make_files
pawl checkpoint >/dev/null
pawl export 1 -o ../x.tar.zst >/dev/null
cd ..
mkdir v
cd v
own_log
make_files
echo other >edited
chmod 6755 edited
pawl checkpoint >/dev/null
runs 0 pawl import ../x.tar.zst
runs 0 pawl rollback 2 --yes
same "$(mode edited)" "755 "
same "$(mode gone same bare folder)" "6755 6755 6755 2750 " # which it has no need to touch
same "$(cat edited)" edited
rm gone
chmod 711 same
chmod 6711 bare
chmod 00750 folder
runs 0 pawl rollback 2 --yes
same "$(mode gone same edited bare folder)" "755 755 755 755 750 "
runs 0 pawl rollback 1 --yes # which has them, where nothing has them now
same "$(mode gone same edited bare folder)" "755 755 755 755 750 "
cd ..

if [ "$(id -u)" -ne 0 ]; then
        echo "skipped: files of somebody else (needs root)"
        exit 0
fi
it "a file of somebody else's does not become one that runs as root"
mkdir other
cd other
own_log
make_files
chown 4321:4321 ./*
chmod 6755 gone same edited bare linked
pawl checkpoint >/dev/null
echo other >edited
chmod 6755 edited
chmod 6711 same
chown 4321 edited
runs 0 pawl rollback 1 --yes
same "$(stat -c '%u %a' edited same | tr '\n' ' ')" "4321 755 4321 6755 "
echo other >edited
chown 0:4321 edited
chmod 6755 edited
runs 0 pawl rollback 1 --yes # whose owner and group it keeps
same "$(stat -c '%u %g %a' edited)" "0 4321 6755"
rm edited
runs 0 pawl rollback 1 --yes
same "$(stat -c '%u %a' edited)" "0 755"
