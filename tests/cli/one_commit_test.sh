# A step costs one durable commit, with a checkpoint of the workspace as without.
. "$SOURCE_DIR/tests/cli/shared.sh"
export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}verify_asan_link_order=0
shim=$BUILD_DIR/tests/kill_at_write.so

mission() { # NAME STEPS SETTING
        echo "mission: $1"
        echo "$3"
        echo "steps:"
        for i in $(seq "$2"); do echo "  - {id: s$i, run: [sh, -c, 'echo $i >file']}"; done
}
syncs() { # MISSION: how many commits wait for the disk
        remove_log
        rm -rf calls file
        pawl init >/dev/null
        LD_PRELOAD=$shim CALL_LIST=$PWD/calls pawl run "$1" >out 2>err
        grep -cE '^(fdatasync|fsync) events.db-wal' calls
}

it "ten steps more are ten commits more"
mission few 5 "" >few.yaml
mission more 15 "" >more.yaml
few=$(syncs few.yaml)
more=$(syncs more.yaml)
[ $((more - few)) -le 11 ] || { echo "5 steps: $few, 15 steps: $more"; exit 1; }

it "each checkpoint stands between the end of its step and the beginning of the next"
same "$(eventlog export | jq -r 'select(.type | test("^(StepStarted|StepCompleted|WorkspaceCheckpointed)$")) |
        "\(.type) \(.step_id)"' | sed -n 5,9p | tr '\n' ' ')" \
        "StepStarted s2 StepCompleted s2 WorkspaceCheckpointed s2 StepStarted s3 StepCompleted s3 "
same "$(pawl checkpoints --json | jq length)" 16
says '^checkpoint 4 \(@s3\)$' out
runs 0 eventlog replay --check

it "its files are those of its step"
runs 0 pawl rollback 8 --yes
same "$(cat file)" 7
same "$(eventlog replay --json | jq -r '[.runs[0].steps[] | select(.status == "completed")] | length')" 7

it "steps that begin together do so by one commit"
{
        printf 'mission: wide\nparallel: 6\nworkspace: {checkpoint: off}\nsteps:\n  - {id: first, run: [sh, -c, "rm -f at-*"]}\n'
        for i in 1 2 3 4 5 6; do
                echo "  - {id: s$i, needs: [first], run: [sh, -c, 'touch at-$i; for o in 1 2 3 4 5 6; do until [ -e at-\$o ]; do sleep 0.02; done; done']}"
        done
} >wide.yaml
syncs wide.yaml >/dev/null
says '^run .*: completed, 7 of 7' out
starts=$(grep -nE '^(fork|sendmsg) a-command' calls | cut -d: -f1 | sed -n '2p;$p' | tr '\n' ,)
same "$(sed -n "${starts%,}p" calls | grep -cE '^(fdatasync|fsync) events.db-wal' || true)" 0
rm -f at-*
