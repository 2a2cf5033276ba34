# The gate stops at a plural wherever it stops at the singular; irregular ones by `aliases`.
. "$SOURCE_DIR/tests/cli/shared.sh"
cat >team.yaml <<'YAML'
terms:
  - {surface: policy, definition: A rule.}
  - {surface: policy, definition: An insurance.}
  - {surface: person, definition: A human being., aliases: [people, folk, Persons]}
  - {surface: person, definition: Who signs.}
  - {surface: index, definition: A list.}
YAML
# mission TEXT
mission() {
        cat >mission.yaml <<YAML
mission: m
glossary: {team_domain: team.yaml}
steps:
  - id: s
    critical: true
    inputs:
      description: >-
        $1
    run: [echo, done]
YAML
}
# stops TERM TEXT
stops() {
        mission "$2"
        runs 3 pawl run mission.yaml --fresh --no-input
        same "$(pawl conflicts --json | jq -c "[.[] | select(.run_id == \"$(pawl runs --json | jq -r '.runs[0].run_id')\") | [.term, (.candidates | length)]]")" "[[\"$1\",2]]"
}

it "at a plural as at the singular"
stops policy "The policies hold."
stops policy 'The "policies" hold.'

it "at an alias as at the term itself"
stops person "Other people came."
stops person "Only folks came."
stops person "Persons came."

it "what was answered for the term holds for its alias"
pawl resolve "$(pawl conflicts --json | jq -r '.[0].conflict_id')" --pick 1 >/dev/null
conflict=$(pawl conflicts --json | jq -r '[.[] | select(.term == "person")][0].conflict_id // empty')
[ -z "$conflict" ] || pawl resolve "$conflict" --pick 1 >/dev/null
mission "Many people, one index, two indices."
runs 0 pawl run mission.yaml --fresh --no-input
same "$(pawl runs --id "$(pawl runs --json | jq -r '.runs[0].run_id')" --json | jq -c '[.steps[0].terms[].term]')" '["index","person"]'

it "an alias is no sense of its own where senses are listed"
same "$(pawl glossary list --json | jq -c '[.[] | select(.scope == "team_domain") | .surface] | sort')" '["index","person","person","policy","policy"]'
runs 0 eventlog replay --check

it "an alias must be a text"
cat >team.yaml <<'YAML'
terms:
  - {surface: person, definition: A human being., aliases: [7]}
YAML
fails 1 'team.yaml: line 2.*aliases' pawl run mission.yaml --fresh --no-input
