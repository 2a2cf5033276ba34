# A run whose id is another run's token, or the beginning of one, is the run that this id names.
. "$SOURCE_DIR/tests/cli/shared.sh"
write_mission
cat >plain.yaml <<'END'
mission: plain
steps: [{id: a, run: [test, -e, go]}]
END

it "a run whose whole id is given is resumed, whatever token begins so"
runs 3 pawl run mission.yaml --run one --no-input
token=$(pawl runs --json | jq -r '.runs[] | select(.run_id == "one") | .retry_token')
[ "${#token}" -eq 36 ]
for id in "${token:0:4}" "${token:0:8}" "$token"; do
        rm -f go
        runs 1 pawl run plain.yaml --run "$id" --no-input --fresh
        touch go
        runs 0 pawl resume "$id" --no-input
        same "$(pawl runs --json | jq -r --arg id "$id" '.runs[] | select(.run_id == $id) | .status')" completed
done
same "$(pawl runs --json | jq -r '.runs[] | select(.run_id == "one") | .status')" blocked

it "the beginning of an id that is a run's and a token is that run"
runs 0 pawl resume "${token:0:12}" --no-input
lacks 'is more than one' err

it "a token that is no run's id is that of its checkpoint"
runs 3 pawl run mission.yaml --run two --no-input --fresh
token=$(pawl runs --json | jq -r '.runs[] | select(.run_id == "two") | .retry_token')
runs 3 pawl resume "$token" --no-input
runs 3 pawl resume "${token:0:12}" --no-input
