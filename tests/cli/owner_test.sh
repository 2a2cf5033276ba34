# Needs PAWL_WITH_SERVICE.
# A log that was found, and not named, is used only if it is the user's own.
. "$SOURCE_DIR/tests/cli/shared.sh"
unset SUDO_UID
PATH=$PATH:/usr/sbin:/sbin

cat >mission.yaml <<'END'
mission: small
steps:
  - id: only
    run: [sh, -c, "echo ran >>journal"]
END
pawl init >/dev/null
pawl run mission.yaml >/dev/null
digest() {
        (cd "${1:-.}" && find .pawl -exec stat -c '%n %F %s %Y %a %u' {} + | sort && cat .pawl/events.db) | sha256sum
}

it "what others may write is not used by anybody: the directory, the log, what is beside it, the rules"
touch .pawl/config.yaml
mkdir below
for name in . events.db events.db-wal events.db-shm config.yaml; do
        for mode in g+w o+w; do
                chmod "$mode" ".pawl/$name"
                before=$(digest)
                where=.pawl/$name
                [ "$name" != . ] || where=.pawl
                cd below
                mode=$(stat -c %04a "../.pawl/$name")
                fails 1 "/${where//./\\.}: others may write it \(mode $mode\), .* with --db$" eventlog list
                fails 1 "/${where//./\\.}: others may write it \(mode $mode\), " pawl run ../mission.yaml
                cd ..
                same "$(digest)" "$before"
                runs 0 eventlog list --db .pawl/events.db
                PAWL_DB=.pawl/events.db runs 0 eventlog list
                chmod go-w ".pawl/$name"
        done
done
same "$(wc -l <journal)" 1
runs 0 pawl runs

it "nor is a directory that others may write made the log's"
mv .pawl kept
mkdir -p open/.pawl
chmod 777 open/.pawl
chmod +t open/.pawl
cd open
for command in "run ../mission.yaml" init "serve --port 0" "checkpoint --root ."; do
        # shellcheck disable=SC2086
        fails 1 "^pawl: \.?.*\.pawl: others may write it \(mode 1777\), " pawl $command
done
cd ..
fails 1 "^pawl: open/\.pawl: others may write it \(mode 1777\), " pawl init open
fails 1 "/open/\.pawl: others may write it \(mode 1777\), " pawl serve --port 0 --workspace open
[ -z "$(ls -A open/.pawl)" ]
rm -r open kept

if [ "$(id -u)" -ne 0 ] || ! setpriv --reuid 4321 true 2>/dev/null || ! setpriv --reuid 1234 test -x "$BIN/pawl"; then
        echo "skipped: what belongs to somebody else (needs root, and programs that all may run)"
        exit 0
fi

# as UID COMMAND...: as that user, who is no root, in no group of anybody's.
as() {
        local uid=$1
        shift
        setpriv --reuid "$uid" --regid "$uid" --clear-groups "$@"
}
chmod 755 .
mkdir -m 1777 shared
cd shared
cp ../mission.yaml .
as 4321 pawl init >/dev/null
fails 1 "/shared/\.pawl: belongs to uid 4321, and not to you, .* --db$" as 1234 pawl runs # which is 0700
chmod -R a+rX .pawl
as 4321 sh -c 'echo "strictness: off" >.pawl/config.yaml'
mkdir -m 777 below
cd below
before=$(digest ..)

it "a log that somebody else put above is refused by every command of both programs, and left as it is"
whose="/shared/\.pawl: belongs to uid 4321, and not to you, .* name it on purpose with --db$"
for command in "run ../mission.yaml" resume conflicts runs sessions "session start --mission m" session\ end \
        "task done t --mission m" "hooks install" "prune sessions --keep 1" handoff checkpoint checkpoints "show 1" "diff 1" \
        "rollback 1 --yes" undo "pin 1" du "prune checkpoints --keep 1" "prune threads --keep 1" "backup copy" validate "rebuild 1" "export -o x" \
        "check ../mission.yaml" "terms ../mission.yaml" "glossary list" "serve --port 0" "init --rebuild" "restore list" \
        "restore x" "resolve abcd --pick 1"; do
        # shellcheck disable=SC2086
        fails 1 "$whose" as 1234 pawl $command
done
for command in replay list tail "show 1" verify head stats export; do
        # shellcheck disable=SC2086
        fails 1 "$whose" as 1234 eventlog $command
done
fails 1 "$whose" pawl run ../mission.yaml # root trusts no stranger, either
fails 1 "$whose" eventlog list
[ ! -e ../journal ]
[ ! -e journal ]
same "$(digest ..)" "$before"

it "one that is named is taken as it is"
runs 0 as 1234 eventlog list --db ../.pawl/events.db
PAWL_DB=../.pawl/events.db runs 0 as 1234 eventlog list
runs 0 eventlog list --db ../.pawl/events.db

it "its owner uses it, and root for the user who called sudo"
runs 0 as 4321 pawl runs
SUDO_UID=4321 runs 0 pawl runs
for uid in 1234 '' 04x21 -1 4294967295 18446744073709555937; do
        SUDO_UID=$uid fails 1 "$whose" pawl runs
done
SUDO_UID=4321 fails 1 "$whose" as 1234 pawl runs # who is no root gets nothing by a variable

it "a log of one's own beneath it is found first"
runs 0 as 1234 pawl init
runs 0 as 1234 pawl run ../mission.yaml
runs 0 as 1234 pawl runs
rm -r .pawl
cd ..

it "a directory, a link or a file that waits for the log is somebody else's"
rm -r .pawl
as 4321 mkdir -m 777 .pawl
whose="\.pawl: belongs to uid 4321, and not to you, "
for command in "run mission.yaml" init "serve --port 0" checkpoint; do
        # shellcheck disable=SC2086
        fails 1 "$whose" as 1234 pawl $command
done
[ -z "$(ls -A .pawl)" ]
rmdir .pawl
mkdir -m 700 own
chown 1234:1234 own
as 4321 ln -s own .pawl
fails 1 "$whose" as 1234 pawl run mission.yaml
as 1234 pawl init --db own/events.db >/dev/null
fails 1 "$whose" as 1234 pawl runs
[ ! -e own/config.yaml ]
rm .pawl
as 1234 ln -s own .pawl
runs 0 as 1234 pawl runs
for name in events.db events.db-wal config.yaml; do
        rm -f own/config.yaml
        [ "$name" != config.yaml ] || : >own/config.yaml
        chown 4321 "own/$name"
        fails 1 "/\.pawl/$name: belongs to uid 4321, and not to you, " as 1234 pawl runs
        chown 1234 "own/$name"
done
rm own/config.yaml
as 4321 sh -c 'echo "strictness: off" >/dev/null; touch theirs.yaml'
as 1234 ln -s "$PWD/theirs.yaml" own/config.yaml
fails 1 "/\.pawl/config\.yaml: belongs to uid 4321, and not to you, " as 1234 pawl run mission.yaml
rm own/config.yaml
mkdir -m 700 elsewhere
chown 1234 elsewhere
mv own/events.db* elsewhere
as 1234 ln -s ../elsewhere/events.db own/events.db
runs 0 as 1234 pawl runs
touch elsewhere/config.yaml
chmod 666 elsewhere/config.yaml
fails 1 "/elsewhere/config\.yaml: " as 1234 pawl runs
rm -r .pawl own elsewhere

it "where the kernel has no number for an owner, only who may write it owns it"
if ! as 1234 unshare --user true 2>err; then
        echo "skipped: $(cat err)"
        exit 0
fi
as 4321 pawl init >/dev/null
chmod -R a+rX .pawl
fails 1 "\.pawl: belongs to .*65534.*, and not to you, " as 1234 unshare --user pawl runs
fails 1 "\.pawl: belongs to .*65534.*, and not to you, " as 1234 unshare --user --map-root-user pawl runs
runs 0 as 4321 unshare --user pawl runs
runs 0 as 4321 unshare --user --map-root-user pawl runs

it "of a rollback that a directory of somebody else hinders the rest is done, and undo takes that back"
export HOME=$PWD # git's own lists are read there
mkdir -m 777 stopped
cd stopped
as 4321 pawl init
mkdir -m 777 theirs
as 4321 sh -c 'echo 1 >mine; echo 1 >theirs/file; chmod 666 mine theirs/file'
runs 0 as 4321 pawl checkpoint first
chmod 755 theirs
echo 2 >theirs/file
echo 2 >mine
runs 1 as 4321 pawl rollback 1 --yes
says 'leave   theirs/file: Permission denied' out
says '^pawl: checkpoint 1: 2 paths are not as it has them, .*pawl rollback --finish' err
same "$(cat mine theirs/file)" "$(printf '1\n2')"
runs 0 as 4321 pawl undo --yes
same "$(cat mine theirs/file)" "$(printf '2\n2')"
same "$(stat -c '%a %u' theirs)" "755 0"
runs 0 as 4321 pawl checkpoint second
cd ..
rm -r stopped
