# A seed of mission_local binds as the seeds of other scopes do.
. "$SOURCE_DIR/tests/cli/shared.sh"

cat >m.yaml <<'E'
mission: m
glossary: {mission_local: local.yaml}
steps:
  - id: a
    critical: true
    inputs: {description: Pack the order for the ghost.}
    metadata: {glossary_watch_terms: [order, ghost]}
    run: [echo, packed]
E
seed() {
        echo "terms: [$1]" >local.yaml
}

it "what a version of the seed drops does not hold in the runs that start with it"
seed '{surface: order, definition: goods}, {surface: ghost, definition: a guest}'
runs 0 pawl run m.yaml --run first --no-input
seed '{surface: order, definition: goods}, {surface: order, definition: a command}'
runs 3 pawl check m.yaml
runs 3 pawl run m.yaml --run second --no-input

it "several senses of one surface make it ambiguous in this scope too"
runs 0 pawl conflicts --json
same "$(jq -c '[.[] | [.term, .conflict_type, (.candidates | map(.definition))]]' out)" \
        '[["ghost","unresolved_critical",[]],["order","ambiguous",["goods","a command"]]]'
ghost=$(jq -r '.[0].conflict_id' out) order=$(jq -r '.[1].conflict_id' out)

it "a check in another mission sees the senses of a seed that the log knows from this one"
sed 's/^mission: m$/mission: other/' m.yaml >other.yaml
runs 3 pawl check other.yaml --json
same "$(jq -c '[.[0].findings[] | [.term, .conflict_type]]' out)" \
        '[["ghost","unresolved_critical"],["order","ambiguous"]]'

it "an answer stands before whatever a later seed says of the term"
runs 0 pawl resolve "$ghost" --define "a shade"
runs 0 pawl resolve "$order" --pick 2
runs 0 pawl resume second
seed '{surface: order, definition: rank}, {surface: order, definition: row}'
runs 0 pawl run m.yaml --run third --no-input
runs 0 eventlog replay --check
