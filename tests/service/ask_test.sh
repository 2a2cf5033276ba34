# What steps ask people, by the service: answered over HTTP, and looked after while it serves.
. "$SOURCE_DIR/tests/cli/shared.sh"
cat >mission.yaml <<'END'
mission: release
steps:
  - id: approve
    ask: {question: Publish?, options: [yes, no], to: ["user:ana"]}
  - id: in-time
    ask: {question: Now?, options: [yes, no], within: 1s, otherwise: no}
  - id: publish
    inputs: {said: {$from: approve}, then: {$from: in-time}}
    run: [sh, -c, "cat >>journal"]
END
runs 3 pawl run mission.yaml --run one --no-input
id=$(pawl conflicts --json | jq -r '.[].conflict_id')
pawl serve --port 0 --json >served &
server=$!
trap 'kill "$server"' EXIT
until_it test -s served
# answer CODE BODY: the status is CODE; the answer is in the file out.
answer() {
        same "$(curl -s -o out -w '%{http_code}' -H "Authorization: Bearer $(cat "$(jq -r .token_file served)")" \
                -H 'Content-Type: application/json' -d "$2" "$(jq -r .url served)api/v1/conflicts/$id/answer")" "$1"
}
it "an answer counts as by the command; who is not asked gets 403"
answer 403 '{"answer": "yes", "actor": "user:eve"}'
says 'user:eve is not asked; it is user:ana who may answer' out
answer 400 '{"answer": "maybe", "actor": "user:ana"}'
answer 400 '{"answer": "yes", "pick": 1, "actor": "user:ana"}'
says 'several or none of \\"pick\\", \\"define\\", \\"dismiss\\", \\"answer\\"; give one of them' out
answer 200 '{"answer": "yes", "actor": "user:ana"}'
answer 409 '{"answer": "no", "actor": "user:ana"}'

it "what nobody answers in time is recorded within a second or so, though nobody asks the service anything"
runs 3 pawl resume one --no-input
for _ in $(seq 600); do
        [ "$(events GlossaryClarificationResolved)" != 2 ] || break
        sleep 0.1
done
same "$(eventlog export | jq -c 'select(.type == "GlossaryClarificationResolved") | [.payload.answer, .actor]' | tr '\n' ' ')" \
        '["yes","user:ana"] ["no","system:timeout"] '
runs 0 pawl resume one --no-input
same "$(cat journal)" '{"said":"yes","then":"no"}'
runs 0 eventlog replay --check
