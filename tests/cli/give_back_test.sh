# Needs PAWL_WITH_GIT.
# A file that root puts back is its owner's: that of the file it replaces, else that of its directory.
. "$SOURCE_DIR/tests/cli/shared.sh"
if [ "$(id -u)" != 0 ]; then
        echo "skipped: only root gives files away"
        exit 77
fi
unset SUDO_UID
owners() {
        stat -c %u:%g "$@" | tr '\n' ' '
}
touch outside
mkdir w
chown 1001:1002 w
cd w
own_log
mkdir d
echo one | tee replaced gone d/x file-then-link >d/gone
mkdir d/dir
ln -s ../outside link
ln -s ../outside gone-link
echo one >became-dir
chown -h 1001:1002 ./*
chown -R 1003:1004 d
runs 0 pawl checkpoint one

it "each is whose it was, or its directory's, and a link is not followed"
echo two >replaced
chown 1005:1006 replaced
echo two >d/x # in place: still 1003
rm gone d/gone gone-link link file-then-link became-dir
rmdir d/dir
ln -s elsewhere link
chown -h 1007:1008 link
ln -s ../outside file-then-link
chown -h 1009:1010 file-then-link
mkdir became-dir
chown 1011:1012 became-dir
runs 0 pawl checkpoint two # what is removed was recorded
runs 0 pawl rollback 1 --yes
same "$(owners replaced d/x gone d/gone d/dir)" "1005:1006 1003:1004 1001:1002 1003:1004 1003:1004 "
same "$(owners link gone-link file-then-link became-dir)" "1007:1008 1001:1002 1009:1010 1011:1012 "
same "$(readlink link) $(readlink gone-link) $(cat file-then-link became-dir | tr '\n' ' ')" "../outside ../outside one one "
same "$(owners ../outside)" "0:0 "

it "undo and a directory that is made with what is in it"
rm -r d
mkdir d
chown 1013:1014 d
rmdir d
runs 0 pawl checkpoint three
runs 0 pawl rollback 1 --yes
same "$(owners d d/x d/dir)" "1001:1002 1001:1002 1001:1002 "
runs 0 pawl undo --yes
[ ! -e d ]
runs 0 eventlog verify

it "git's index and branch stay the repository owner's"
mkdir -p ../g/home
chmod 755 ..
chown -R 1001:1002 ../g
cd ../g
git_() {
        setpriv --reuid=1001 --regid=1002 --clear-groups env HOME="$PWD/home" git -c user.name=n -c user.email=a@b "$@"
}
own_log
echo home >.pawlignore
git_ init -q -b main .
for i in 1 2; do
        echo $i >f
        git_ add f
        git_ commit -qm $i
        SUDO_UID=1001 SUDO_GID=1002 pawl checkpoint $i >/dev/null
done
SUDO_UID=1001 SUDO_GID=1002 runs 0 pawl rollback 1 --git --yes
same "$(git_ log --format=%s) $(cat f)" "1 1"
same "$(find .git ! -user 1001)" ""
