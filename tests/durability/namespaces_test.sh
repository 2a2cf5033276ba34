# Two containers on one log, as the kernel makes them: processes with a pid namespace, a time namespace, a
# host name and a boot id of their own. A run that one has is the other's only when the one is dead, and then
# at once. Needs root, or the right to make namespaces; else it is skipped.
. "$SOURCE_DIR/tests/cli/shared.sh"
trap 'kill -KILL $(jobs -p) $(holder) 2>/dev/null || true' EXIT

cat /proc/sys/kernel/random/uuid >boot_id
cat >enter <<'END'
#!/bin/sh
mount --bind boot_id /proc/sys/kernel/random/boot_id
hostname elsewhere
exec "$@"
END
chmod +x enter

# elsewhere COMMAND...: in another container, whose clocks are ten days ahead.
elsewhere() {
        unshare --mount --uts --pid --fork --kill-child --mount-proc --time --boottime 864000 --monotonic 864000 ./enter "$@"
}
if ! elsewhere true 2>err; then
        echo "skipped: no namespaces can be made here: $(head -1 err)"
        exit 77
fi
[ "$(elsewhere cat /proc/sys/kernel/random/boot_id)" = "$(cat boot_id)" ]
[ "$(elsewhere cut -d. -f1 /proc/uptime)" -gt "$(($(cut -d. -f1 /proc/uptime) + 800000))" ]

cat >mission.yaml <<'END'
mission: slow
steps:
  - { id: one, run: [sh, -c, "echo $PAWL_RETRY_TOKEN >>keys; : >began; while [ ! -e go ]; do sleep 0.01; done"] }
END

# held COMMAND...: refused, by name of the holder's host, and nothing was begun or written.
held() {
        local head
        head=$(eventlog head)
        runs 6 "$@" pawl resume one
        says "^pawl: run one: is held by pid [0-9]+ on $holder_host;" err
        same "$(eventlog head)" "$head"
        same "$(wc -l <keys)" 1
}

# round HOLDER CONTENDER: each is empty or "elsewhere"; the holder is kept, stopped, let go on, and killed.
round() {
        local pawl
        remove_log
        rm -rf keys began go
        holder_host=$(${1:-} hostname)
        ${1:-} pawl run mission.yaml --run one >first.out 2>first.err </dev/null &
        await began
        pawl=$(holder | head -1)
        it "a run that is held ($1) is refused to another container ($2)"
        held ${2:-}
        it "so it is when its holder is stopped, for ten days by the other's clock"
        kill -STOP "$pawl"
        held ${2:-}
        held ${2:-}
        kill -CONT "$pawl"
        held ${2:-}
        it "when the holder is killed, the other has the run without waiting for a lease"
        kill -KILL "$pawl"
        touch go
        begun=$(date +%s)
        runs 0 ${2:-} pawl resume one --wait=25
        [ "$(($(date +%s) - begun))" -lt 25 ]
        same "$(wc -l <keys)" 2
        same "$(events StepCompleted)" 1
        wait || true
}

# holder: the pid, as it is here, of the pawl that runs in this folder.
holder() {
        local pid
        for pid in $(pgrep -x pawl); do
                [ "$(readlink "/proc/$pid/cwd")" != "$PWD" ] || echo "$pid"
        done
}

round elsewhere ""
round "" elsewhere
round elsewhere elsewhere
echo "three pairs of containers: a live or stopped holder kept its run, a dead one lost it at once"
