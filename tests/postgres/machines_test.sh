# Needs PAWL_WITH_POSTGRES.
# Two machines with workers and a third with the server, as the kernel makes them: each with a network, a host name and
# process numbers of its own, the workers' with a boot id of their own, too. Links are cut and come back: dead both ways,
# or so that what is sent arrives and its answer does not; the server is killed and started again. Whatever
# happens, the chain is whole, no run has two owners, each step has one effect under one token, and all runs end.
[ -e "$PAWL_TEST_SERVER" ] || { echo "there is no PostgreSQL to test with"; exit 77; }
. "$SOURCE_DIR/tests/cli/shared.sh"
support=$SOURCE_DIR/tests/support/postgres
machine=(unshare --net --uts --mount --pid --fork --kill-child --mount-proc)
"${machine[@]}" sh -c 'ip link add name va type veth peer name vb && ip route add blackhole 10.77.9.9' 2>why ||
        { echo "skipped: no networks can be made here: $(head -n 1 why)"; exit 77; }
runs=6 steps=20 rounds=1 cut=3 crashes=2
[ "${PAWL_TEST_FULL:-}" != 1 ] || { steps=60 rounds=20 cut=5 crashes=4; }

# The machine of the server; what it listens to on a socket is seen by this test, whatever happens to links.
unshare --net sleep 7200 &
network=$!
within() { nsenter --net="/proc/$network/ns/net" "$@"; }
machines=()
inner() { for p in "${machines[@]}"; do pgrep -P "$p" || true; done; }
ended() {
        touch over
        # shellcheck disable=SC2046 # several
        kill -KILL $(inner) 2>/dev/null || true
        "$support" stop "$PWD/server.url"
        kill "$network"
}
trap ended EXIT
# apart PID: wait until it has a network of its own.
apart() {
        while [ "$(readlink "/proc/$1/ns/net")" = "$(readlink /proc/self/ns/net)" ]; do sleep 0.05; done
}
apart "$network"
within "$support" start "$PWD/server.url" "listen_addresses = '*'"
export PAWL_DB="$(cat server.url)#machines"
runs 0 pawl init

# What a step does outside has one effect a token, whoever comes first.
mkdir effects origin
cat >effect <<END
#!/bin/sh
echo "\$PAWL_RUN_ID \$PAWL_STEP_ID \$PAWL_RETRY_TOKEN \$(hostname)" >>"$PWD/begun"
sleep 0.3
mkdir "$PWD/effects/\$PAWL_RETRY_TOKEN" 2>/dev/null && echo "\$PAWL_RUN_ID \$PAWL_STEP_ID" >>"$PWD/done"
echo "\$PAWL_RETRY_TOKEN"
END
chmod +x effect
{
        echo 'mission: moved'
        echo 'steps:'
        for i in $(seq "$steps"); do echo "  - {id: s$i, run: [$PWD/effect]}"; done
} >origin/mission.yaml

# A worker that is started again when it ends, as a service is.
cat >enter <<'END'
#!/bin/bash
mount --bind "boot_id.$1" /proc/sys/kernel/random/boot_id
hostname "$1"
ip link set lo up
until ip link set "eth-$1" up 2>/dev/null; do sleep 0.05; done
ip addr add "$2/24" dev "eth-$1"
export HOME=$PWD/$1 PAWL_DB=$3
cd "$1"
trap 'kill "$!"' TERM
while [ ! -e ../over ]; do
        pawl work --slots 4 --lease 2 --dir "$PWD/work" >>out 2>>err &
        worker=$!
        until wait "$worker"; code=$?; ! kill -0 "$worker" 2>/dev/null; do :; done
        echo "$code" >>codes
done
END
chmod +x enter
# start NAME N: its address is 10.77.N.2, and the server's 10.77.N.1.
start() {
        mkdir "$1"
        cat /proc/sys/kernel/random/uuid >"boot_id.$1"
        "${machine[@]}" ./enter "$1" "10.77.$2.2" "postgresql://tester@10.77.$2.1/postgres?connect_timeout=5#machines" &
        machines+=($!)
        until pgrep -P "${machines[-1]}" >child; do sleep 0.05; done
        apart "$(cat child)"
        within ip link add name "to-$1" type veth peer name "eth-$1" netns "$(cat child)"
        within ip addr add "10.77.$2.1/24" dev "to-$1"
        within ip link set "to-$1" up
}
start a 1
start b 2

# completed N: wait until so many runs are, as long as there are more and more of them.
completed() {
        local left=150 before=x now
        while [ "$left" -gt 0 ]; do
                now=$(events RunCompleted)
                [ "$now" -lt "$1" ] || return 0
                left=$((left - 1))
                [ "$now" = "$before" ] || left=150
                before=$now
                sleep 0.5
        done
        pawl runs
        tail -n 5 a/err b/err
        echo "not all runs were completed"
        return 1
}
for round in $(seq "$rounds"); do
        it "round $round"
        for _ in $(seq "$runs"); do
                (cd origin && pawl submit mission.yaml --json) | jq -r .run_id >>submitted
        done
        sleep 1
        for name in a b; do
                within ip link set "to-$name" down
                sleep "$cut"
                within ip link set "to-$name" up
                sleep 1
        done
        within ip route add blackhole 10.77.1.2/32 # answers to a
        sleep "$cut"
        within ip route del blackhole 10.77.1.2/32
        for _ in $(seq "$crashes"); do
                within "$support" kill "$PWD/server.url"
                sleep 0.5
                within "$support" again "$PWD/server.url"
                sleep 1.5
        done
        completed "$((runs * round))"
done
it "all runs end"
touch over
# shellcheck disable=SC2046 # several
kill -TERM $(inner)
wait "${machines[@]}"

runs 0 eventlog verify
runs 0 eventlog replay --check
eventlog export >all
same "$(jq -r .seq all | awk '$1 != NR' | head -1)" ''
it "each step was completed once"
for run in $(cat submitted); do for i in $(seq "$steps"); do echo "$run s$i"; done; done | sort >wanted
same "$(jq -r 'select(.type == "StepCompleted") | .run_id + " " + .step_id' all | sort)" "$(cat wanted)"
it "each step had one token, and one effect"
same "$(sort "done")" "$(cat wanted)"
same "$(awk '{ print $1, $2, $3 }' begun | sort -u | awk '{ print $1, $2 }')" "$(cat wanted)"
it "a run had one owner at a time, in the order of their fences"
jq -r 'select(.run_id != null and .session_id != null) | [.run_id, .session_id, .type, .payload.fence // ""] | @tsv' all |
        awk -F '\t' '$3 == "RunClaimed" { if ($4 != ++fence[$1]) print "fence", $0; owner[$1] = $2; next }
                $2 != owner[$1] && $3 != "SessionEnded" { print "not the owner", $0 }' >others
is_empty others
it "both had a part in it"
same "$(awk '{ print $4 }' begun | sort -u | tr '\n' ' ')" 'a b '
echo "$(wc -l <begun) commands for $(wc -l <wanted) steps; $(jq -r 'select(.type == "RunClaimed") | .run_id' all | wc -l) claims of $(wc -l <submitted) runs; the workers ended with $(sort a/codes b/codes | uniq -c | tr -s ' \n' ' ')"
