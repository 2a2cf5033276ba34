# A resume whose inputs changed: refused without a yes, and what changed is shown.
. "$SOURCE_DIR/tests/cli/shared.sh"
write_mission
sed -i 's/description: Refunds land in the workspace./&\n      requirements: [fast, "A"]/' mission.yaml
runs 3 pawl run mission.yaml --run one
token=$(pawl conflicts --json | jq -r '.[0].retry_token')
runs 0 pawl resolve "$(pawl conflicts --json | jq -r '.[0].conflict_id')" --pick 1

it "without a terminal the answer is no: exit 4, the members and the hashes shown, nothing run"
sed -i 's/"A"\]/"B"]/' mission.yaml
runs 4 pawl resume "$token"
[ "$(wc -l <err)" -eq 2 ]
says '^pawl: [0-9]+ files changed since checkpoint [0-9]+ before the run was resumed; ' err
says '^pawl: step specify: .*inputs\.requirements\[1\]: "A" → "B".*[0-9a-f]{16}.*[0-9a-f]{16}.*--accept-changed-inputs' err
same "$(cat journal)" research
same "$(events StepResumeAborted)" 1

it "every member that changed is shown"
sed -i 's/\[fast, "B"\]/[slow, "B"]/' mission.yaml
runs 4 pawl resume "$token" --no-input --json
says '^  inputs\.requirements\[0\]: "fast" → "slow"$' err
says '^  inputs\.requirements\[1\]: "A" → "B"$' err
same "$(grep -c '^pawl: ' err)" 1
jq -e '.steps[1].status != "completed"' out >/dev/null
same "$(jq -c '.inputs_changed[]' out | tr '\n' ' ')" \
        '{"step_id":"specify","path":"inputs.requirements[0]","before":"fast","after":"slow"} {"step_id":"specify","path":"inputs.requirements[1]","before":"A","after":"B"} '
same "$(jq -c .mission_changed out)" '[{"step_id":"specify","change":"inputs"}]'
same "$(eventlog export | jq -c 'select(.type == "StepResumeAborted") | .payload | [.checkpoint_hash, .current_hash]' | tail -1)" \
        "$(jq -c '[.checkpoint_hash, .current_hash]' out)"
same "$(jq -r .checkpoint_hash out)" "$(pawl runs --id one --json | jq -r '.steps[1].input_hash')"

it "inputs that are put back are resumed"
cp mission.yaml changed.yaml
sed -i 's/\[slow, "B"\]/[fast, "A"]/' mission.yaml
runs 0 pawl resume "$token"
same "$(tr '\n' ' ' <journal)" "research specify publish "

it "changed inputs that are accepted start again at layer 1, answers kept"
forget_log
rm -rf journal
runs 3 pawl run mission.yaml --run two
token=$(pawl conflicts --json | jq -r '.[0].retry_token')
runs 0 pawl resolve "$(pawl conflicts --json | jq -r '.[0].conflict_id')" --pick 1
cp changed.yaml mission.yaml
runs 0 pawl resume "$token" --accept-changed-inputs
same "$(tr '\n' ' ' <journal)" "research specify publish "
same "$(eventlog export | jq -c 'select(.type == "StepResumed" and .payload.inputs_changed)' | wc -l)" 1

it "where inputs are not kept, only the hashes are shown"
forget_log
rm -rf journal
sed -i 's/^mission:.*/&\nstore_inputs: false/' mission.yaml
runs 3 pawl run mission.yaml --run three
token=$(pawl conflicts --json | jq -r '.[0].retry_token')
sed -i 's/slow/quick/' mission.yaml
runs 4 pawl resume "$token"
says '^pawl: step specify: .*[0-9a-f]{16}.*[0-9a-f]{16}' err
lacks quick err
runs 4 pawl resume "$token" --json
same "$(jq -c '[.inputs_changed, (.checkpoint_hash | length), (.current_hash | length)]' out)" '[[],64,64]'

it "a pointer that leads nowhere names its step once, and tells no hash of inputs that there are not"
forget_log
cat >nowhere.yaml <<'END'
mission: nowhere
steps:
  - {id: a, run: [echo, '{"x": 1}']}
  - {id: b, inputs: {y: {$from: "a#/z"}}, run: [cat]}
END
runs 1 pawl run nowhere.yaml --run four
says '^pawl: step b: inputs\.y: output of "a" has no /z; fix the pointer' err
same "$(eventlog export | jq -c 'select(.type == "StepFailed") | [.step_id, .payload.exit_code, .payload.input_hash]')" \
        '["b",-1,null]'

it "output in which a name appears twice is text, and a pointer into it says so"
forget_log
sed -i "s/'{\"x\": 1}'/'{\"z\": 1, \"z\": 2}'/" nowhere.yaml
runs 1 pawl run nowhere.yaml --run five
says '^pawl: step b: inputs\.y: output of "a" is kept as text, which has no /z: it is no JSON \(line 1, column 10: the name "z" appears twice in its object; keep one\); correct what "a" prints' err
same "$(pawl output five a)" '{"z": 1, "z": 2}'
runs 0 eventlog replay --check
