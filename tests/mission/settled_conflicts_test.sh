# A conflict is open as long as it holds its step back.
. "$SOURCE_DIR/tests/cli/shared.sh"

cat >m.yaml <<'E'
mission: m
glossary: {team_domain: team.yaml}
steps:
  - id: a
    critical: true
    inputs: {description: Pack the order with care.}
    run: [echo, packed]
E
echo 'terms: [{surface: order, definition: goods}, {surface: order, definition: a command},
        {surface: crate, definition: a box}, {surface: crate, definition: a wreck}]' >team.yaml

it "a conflict that another run's answer settled is not open once the step has completed"
runs 3 pawl run m.yaml --run one
runs 3 pawl run m.yaml --run two
runs 0 pawl conflicts --json
same "$(jq -c 'map(.run_id)' out)" '["one","two"]'
runs 0 pawl resolve "$(jq -r '.[1].conflict_id' out)" --pick 1
runs 0 pawl resume one --json
same "$(jq -c '[.status, .conflicts]' out)" '["completed",[]]'
runs 0 pawl conflicts --json
same "$(jq -c . out)" '[]'
runs 0 pawl conflicts --all --json
same "$(jq length out)" 2

it "a conflict of inputs that have changed since holds nothing back"
sed -i 's/order/order in the crate/' m.yaml
runs 3 pawl run m.yaml --run three --strictness max --json
old=$(jq -c .conflicts out)
sed -i "s/in the crate/by pallet_jack/" m.yaml
runs 3 pawl resume three --accept-changed-inputs --json
same "$(jq '.conflicts | length' out)" 1
[ "$(jq -c .conflicts out)" != "$old" ]
says 'blocked by 1 unresolved conflict;' err
runs 0 eventlog replay --check
