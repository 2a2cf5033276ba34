# The programs where there is no room: under a limit on the size of files, and on a file system that
# is full. Each says so and how to mend it, leaves a sound log, runs no command that the log does not
# know of, and with room does what it was asked.
source "$SOURCE_DIR/tests/cli/shared.sh"

room=limit
refused=0 tries=0

# tight KIB: from now on there is so much room for more; stories start from a copy of the folder $1.
tight() {
        local from=$1 kib=$2
        rm -f journal tokens
        case $room in
        limit)
                remove_log
                [ ! -e "$from" ] || cp -r "$from" .pawl
                limit=$kib
                ;;
        full)
                mkdir -p .pawl
                mount -t tmpfs -o "mode=700,size=64m" tmpfs .pawl
                [ ! -e "$from" ] || cp "$from"/* .pawl/
                mount -o "remount,size=$(($(du -sk .pawl | cut -f1) + kib))k" .pawl
                ;;
        esac
}
roomy() {
        case $room in
        limit) limit=unlimited ;;
        full) mount -o remount,size=64m .pawl ;;
        esac
}
over() {
        [ $room = limit ] || umount .pawl
}

# attempt CODE COMMAND...: ends with that code, or fails for want of room and says how to mend that.
attempt() {
        local wanted=$1 code=0
        shift
        (ulimit -f "$limit" && exec "$@") >out 2>err </dev/null || code=$?
        tries=$((tries + 1))
        [ "$code" -ne "$wanted" ] || return 0
        refused=$((refused + 1))
        [ "$code" -eq 1 ] || { echo "exit code $code: $*"; return 1; }
        # that there is no handoff is said beside it
        [ "$(grep -Evc 'cannot write the handoff|changed since checkpoint' err)" -eq 1 ] || { echo "stderr is not one line"; return 1; }
        says 'free some space' err
}

sound() {
        [ ! -e .pawl/events.db ] || {
                runs 0 eventlog verify
                runs 0 eventlog replay --check
        }
        [ ! -e tokens ] || [ "$(sort -u tokens | wc -l)" -eq 1 ]
}

# story FROM CODE COMMAND...: tried with that much room, then with enough.
story() {
        local from=$1 code=$2
        shift 2
        it "$room $kib KiB: $*"
        tight "$from" "$kib"
        attempt "$code" "$@"
        [ "$from" = answered ] || [ ! -e tokens ] # the gate is closed
        [ ! -e .pawl/events.db ] || attempt 0 eventlog head # where SQLite has no room for its -shm, not even that
        roomy
        sound
        case "$from $1" in
        "made pawl")
                # What began without room goes on; what did not, begins.
                if [ "$(eventlog export | wc -l)" -gt 0 ]; then
                        runs 3 pawl resume r
                else
                        runs 3 "$@"
                fi
                ;;
        *) "$@" >out 2>err || grep -q 'is answered\|was answered' err ;;
        esac
        sound
        [ "$from" != answered ] || [ "$(tail -n 1 journal)" = publish ]
        over
}

stories() {
        for kib in "$@"; do
                story nothing 0 pawl init
                story made 3 pawl run mission.yaml --run r
                story blocked 0 pawl resolve "$conflict" --define "Where a step works."
                story answered 0 pawl resume r
        done
        echo "full disk: $room: $tries commands, $refused refused for want of room"
        [ "$refused" -gt 4 ]
}

every() { # every CI FULL END
        if [ "${PAWL_TEST_FULL:-}" = 1 ]; then seq 1 "$2" "$3"; else seq 1 "$1" "$3"; fi
}

write_mission
limit=unlimited
pawl init
cp -r .pawl made
runs 3 pawl run mission.yaml --run r
cp -r .pawl blocked
conflict=$(pawl conflicts --json | jq -r '.[0].conflict_id')
pawl resolve "$conflict" --define "Where a step works." >out
cp -r .pawl answered
remove_log

stories $(every 24 1 260)

# A file system of its own, where the kernel lets this user have one.
if unshare -rm true 2>/dev/null; then
        export room conflict limit
        unshare -rm bash -eu <<END
$(declare -f tight roomy over attempt sound story stories it runs says lacks is_empty)
set -E
trap 'echo "failed: \$sentence"; sed "s/^/err: /" err | head -20' ERR
room=full limit=unlimited refused=0 tries=0
stories $(every 24 4 260 | tr '\n' ' ')
END
else
        echo "full disk: no file system of its own for this user: only limits were tried"
fi
