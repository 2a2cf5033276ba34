# A step's idempotency key: the same from its block to its completion, another after that or with other inputs.
. "$SOURCE_DIR/tests/cli/shared.sh"

printf '%s\n' out err tokens may >.pawlignore
cat >team.yaml <<'M'
terms:
  - {surface: workspace, definition: A folder in which one step does its work.}
  - {surface: workspace, definition: The account that a customer's people share.}
M
cat >mission.yaml <<'M'
mission: keys
glossary: {team_domain: team.yaml}
steps:
  - id: ask
    critical: true
    inputs: {description: Refunds land in the workspace.}
    retry: {attempts: 2, delay: 10ms}
    run: [sh, -c, "echo $PAWL_RETRY_TOKEN >>tokens; test -e may"]
M
# tokens: how many starts there were, and under how many tokens.
tokens() {
        echo "$(wc -l <tokens) $(sort -u tokens | wc -l)"
}
shown() {
        pawl runs --id r --json | jq -r '.steps[0].retry_token'
}

it "a step keeps its token while it is blocked, answered, fails, is tried and resumed again"
pawl init >/dev/null
runs 3 pawl run mission.yaml --run r --no-input
blocked=$(shown)
runs 0 pawl checkpoint blocked
n=$(pawl checkpoints --json | jq '.[-1].n')
runs 0 pawl resolve "$(pawl conflicts --json | jq -r '.[0].conflict_id')" --pick 1
runs 1 pawl resume r
same "$(tokens)" "2 1"
runs 0 pawl checkpoint failed
failed=$(pawl checkpoints --json | jq '.[-1].n')
touch may
runs 0 pawl resume r
same "$(tokens)" "3 1"
same "$(sort -u tokens)" "$blocked"

it "once it has completed, a rollback starts it under another"
runs 0 pawl rollback "$failed" --yes
same "$(shown)" "$blocked"
runs 0 pawl resume r
same "$(tokens)" "4 2"
again=$(tail -n 1 tokens)
same "$(shown)" "$again"
runs 0 pawl rollback "$n" --yes
runs 0 pawl resume r
same "$(tokens)" "5 3"
runs 0 eventlog replay --check
runs 0 eventlog verify

it "other inputs have another, and the token of before no more than one step"
runs 0 pawl rollback "$failed" --yes
rm may
sed -i 's/land in/go to/' mission.yaml
runs 4 pawl resume r
runs 1 pawl resume r --accept-changed-mission --accept-changed-inputs
last=$(tail -n 1 tokens)
touch may
runs 0 pawl resume r
same "$(tail -n 1 tokens)" "$last"
same "$(sort -u tokens | wc -l)" 4
runs 0 eventlog verify

it "a definition lets a step pass under its token, and what was asked blocks it no more"
rm may tokens
sed 's/: keys/: others/' mission.yaml >others.yaml
runs 3 pawl run others.yaml --run r2 --no-input
blocked=$(pawl conflicts --json | jq -r '.[0].retry_token')
runs 0 pawl glossary deprecate workspace --scope team_domain --pick 2
runs 1 pawl resume r2
same "$(sort -u tokens)" "$blocked"
same "$(pawl conflicts --json)" "[]"
runs 0 pawl status
says 'pawl resume r2' out
touch may
runs 0 pawl resume r2
same "$(tokens)" "3 1"
runs 0 eventlog replay --check
