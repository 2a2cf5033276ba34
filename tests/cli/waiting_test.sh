# A resume that waits goes on by itself when the answers are there, given by whomever.
. "$SOURCE_DIR/tests/cli/shared.sh"
cat >team.yaml <<'END'
terms:
  - { surface: workspace, definition: A folder in which one step does its work. }
  - { surface: workspace, definition: The account that a customer's people share. }
  - { surface: ledger, definition: A book of what was paid. }
  - { surface: ledger, definition: A log of events. }
END
cat >mission.yaml <<'END'
mission: refund-service
glossary: { team_domain: team.yaml }
steps:
  - id: specify
    critical: true
    inputs: { description: Refunds land in the workspace. }
    run: [sh, -c, "echo specify >>journal"]
  - id: book
    critical: true
    inputs: { description: Refunds are put into the ledger. }
    run: [sh, -c, "echo book >>journal"]
END

# open_conflict STEP: its id, once there is one.
open_conflict() {
        local id=
        for _ in $(seq 1200); do
                id=$(pawl conflicts --json | jq -r --arg step "$1" '.[] | select(.step_id == $step).conflict_id')
                [ -z "$id" ] || break
                sleep 0.05
        done
        [ -n "$id" ] && echo "$id"
}

it "with so many seconds it waits so long, and is blocked as before"
runs 3 pawl run mission.yaml --run one --no-input
runs 3 pawl resume one --wait=1
says 'pawl: run one: waits for answers \(`pawl conflicts` shows to what, `pawl resolve` gives one\)' err
says 'pawl: step specify: generation is blocked by 1 unresolved conflict' err

it "it writes nothing and holds nothing while it waits"
before=$(eventlog head)
pawl resume one --wait --json >waiter_out 2>waiter_err </dev/null &
waiter=$!
until_it test -s waiter_err
says "waits for answers" waiter_err
same "$(eventlog head)" "$before"

it "an answer lets it go on to the next question, for which it waits, too"
runs 0 pawl resolve "$(open_conflict specify)" --pick 1
next=$(open_conflict book)
same "$(cat journal)" specify
kill -0 "$waiter"

it "the last answer lets it complete, and it prints one object"
runs 0 pawl resolve "$next" --pick 2 --actor user:ana
wait "$waiter"
same "$(jq -rs '.[] | [.run_id, .status] | join(" ")' waiter_out)" "one completed"
same "$(tr '\n' ' ' <journal)" "specify book "
same "$(events RunStarted)" 1
runs 0 eventlog replay --check

it "a signal ends the waiting; the run is as it was"
sed s/refund-service/other/ mission.yaml >other.yaml
runs 3 pawl run other.yaml --run two --no-input
before=$(eventlog head)
rm waiter_err # the other's
pawl resume two --wait >waiter_out 2>waiter_err </dev/null &
waiter=$!
until_it test -s waiter_err
kill -TERM "$waiter"
code=0
wait "$waiter" || code=$?
same "$code" 143
! on_server || unnamed waiter_err
says 'run two: interrupted by SIGTERM; go on with `pawl resume two`' waiter_err
same "$(eventlog head)" "$before"
