# Conflicts and their answers: prefixes, refusals, glossary list and import.
. "$SOURCE_DIR/tests/cli/shared.sh"
write_mission
runs 3 pawl run mission.yaml --run one --no-input
conflict=$(pawl conflicts --json | jq -r '.[0].conflict_id')
before=$(eventlog head)

it "an answer that is none is refused: exit 1, one line, nothing written"
fails 1 "^pawl: .*3" pawl resolve "$conflict" --pick 3
fails 1 "^pawl: " pawl resolve "$conflict" --define ""
fails 1 "^pawl: " pawl resolve "$conflict" --define "   "
fails 1 "^pawl: " pawl resolve "$conflict" --define "$(printf 'not UTF-8: \377')"
fails 1 "^pawl: " pawl resolve 0123456789abcdef --pick 1
fails 1 "^pawl: " pawl resolve "${conflict:0:3}" --pick 1
fails 1 "^pawl: " pawl resolve "" --pick 1
fails 1 "^pawl: " pawl resolve "../../etc" --pick 1
fails 1 "^pawl: actor" pawl resolve "$conflict" --pick 1 --actor "$(printf 'a\033[31m')"
same "$(eventlog head)" "$before"
same "$(pawl conflicts --json | jq length)" 1

same "$(pawl conflicts --json | jq -c '.[0].resolved_seq')" null

it "four digits of an id are enough where they name one conflict"
runs 0 pawl resolve "${conflict:0:4}" --pick 1
same "$(pawl conflicts --json | jq length)" 0
same "$(eventlog export | jq -r 'select(.type == "GlossaryClarificationResolved").payload.actor.actor_id')" \
        "user:${USER:-$(id -un)}"
same "$(pawl conflicts --all --json | jq -r --slurpfile log <(eventlog export) \
        '.[0].resolved_seq as $at | $log[] | select(.seq == $at).type')" GlossaryClarificationResolved

it "one is shown by its id, answered or not"
same "$(pawl conflicts --id "$conflict" --json)" "$(pawl conflicts --all --json | jq -c '.[0]')"
runs 0 pawl conflicts --id "${conflict:0:4}"
says "^${conflict:0:8}  .*resolved$" out
fails 1 'conflict 0123456789abcdef: there is none' pawl conflicts --id 0123456789abcdef
fails 1 'too short' pawl conflicts --id "${conflict:0:3}"
misused '--id names one' pawl conflicts --id "$conflict" --all

it "the picked sense is the mission's own from then on"
runs 0 pawl glossary list --json
same "$(jq -c '.[] | select(.scope == "mission_local") | [.surface, .status, .mission_id]' out)" \
        '["workspace","active","refund-service"]'
same "$(jq -c '.[0] | keys_unsorted | .[0:6]' out)" \
        '["scope","surface","definition","confidence","status","since_seq"]'

it "glossary list --at shows it as it was"
runs 0 pawl glossary list --json --at "${before%% *}"
jq -e 'length == 2 and all(.[]; .scope == "team_domain")' out >/dev/null
runs 0 pawl glossary list --json --at 1
same "$(cat out)" '[]'
runs 0 pawl glossary list --at 1
same "$(cat out)" "no senses are in force"

it "glossary list prints a table for people"
runs 0 pawl glossary list
says '^SCOPE +SURFACE +DEFINITION +CONFIDENCE +STATUS +SINCE SEQ' out
says '^team_domain +workspace +The account .* 0\.9 active' out

it "glossary import puts senses into a scope once"
printf 'terms:\n  - {surface: refund, definition: Money that goes back.}\n  - {surface: ledger, definition: A book., confidence: 0.5, status: draft}\n' >seed.yaml
runs 0 pawl glossary import seed.yaml --scope spec_kitty_core --actor user:ben
same "$(cat out)" "2 new and 0 updated in core"
same "$(eventlog export | jq -r 'select(.type == "GlossarySenseUpdated" and .actor == "user:ben").payload.provenance.source' | sort -u)" import
head=$(eventlog head)
runs 0 pawl glossary import seed.yaml --scope core
same "$(cat out)" "0 new and 0 updated in core"
same "$(eventlog head)" "$head"
sed -i 's/draft/active/' seed.yaml
runs 0 pawl glossary import --scope core seed.yaml
same "$(cat out)" "0 new and 1 updated in core"

it "aliases are counted apart from the senses that they are of"
printf 'terms:\n  - {surface: person, definition: Somebody., aliases: [people, folk]}\n' >people.yaml
runs 0 pawl glossary import people.yaml --scope audience_domain
same "$(cat out)" "1 new and 0 updated in audience_domain; of aliases, 2 new and 0 updated"
sed -i 's/folk/folks, kin/' people.yaml
runs 0 pawl glossary import people.yaml --scope audience_domain
same "$(cat out)" "0 new and 0 updated in audience_domain; of aliases, 1 new and 0 updated"

it "a seed that is malformed or missing is refused: file, line and field, nothing written"
head=$(eventlog head)
printf 'terms:\n  - {surface: refund}\n' >bad.yaml
fails 1 "^pawl: .*bad.yaml: line 2: .*definition" pawl glossary import bad.yaml --scope core
fails 1 "^pawl: .*nowhere.yaml" pawl glossary import nowhere.yaml --scope core
same "$(eventlog head)" "$head"

it "terms finds the surfaces of the log's glossary, with their sources"
pawl terms >out <<<'Refunds reach the "cost centre" ledger of ACME by snake_case.'
jq -se 'map({(.surface): .}) | add | .refund.source == "glossary_match" and .refund.original == "Refunds" and
        .refund.confidence == 1 and .ledger.source == "glossary_match" and
        .["cost centre"].source == "quoted_phrase" and .acme.source == "acronym" and
        .snake_case.confidence == 0.8' out >/dev/null
same "$(jq -sc '.[0] | keys_unsorted' out)" '["surface","source","confidence","original"]'

it "terms takes a step's metadata, and needs no log"
mkdir bare
cd bare
printf '{"glossary_watch_terms": ["Escrow"], "glossary_exclude_terms": ["acme"]}' >meta.json
printf 'ACME holds it.' >text
runs 0 pawl terms text --metadata meta.json
same "$(jq -c '[.surface, .source]' out)" '["escrow","metadata_hint"]'
printf '{"glossary_watch_terms": "Escrow"}' >meta.json
fails 1 "^pawl: meta.json: .*glossary_watch_terms" pawl terms --metadata meta.json text
printf '{' >meta.json
fails 1 "^pawl: meta.json: line 1" pawl terms --metadata meta.json text
printf 'good \377 bad' >text
fails 1 "^pawl: text: byte 6: .*UTF-8" pawl terms text

it "terms of an empty text are none"
: >text
runs 0 pawl terms text
is_empty out
cd ..

it "puts a picked sense into the scope that is named, too, and not again where it is"
printf 'terms:\n- {surface: gusset, definition: "One.", confidence: 0.9}\n- {surface: gusset, definition: "Two.", confidence: 0.7}\n' >gusset.yaml
printf 'mission: g\nglossary: {team_domain: gusset.yaml}\nsteps:\n- {id: a, critical: true, inputs: {description: "The gusset is here."}, run: [cat]}\n' >g.yaml
runs 3 pawl run g.yaml --run g --no-input
conflict=$(pawl conflicts --json | jq -r '.[] | select(.run_id == "g").conflict_id')
runs 0 pawl resolve "$conflict" --pick 1 --scope audience_domain
added='select(.type == "GlossarySenseUpdated" and .payload.provenance.source == "user_clarification" and .payload.normal == "gusset")'
same "$(eventlog export | jq -c "$added | [.payload.scope, .payload.new_sense.definition]" | wc -l)" 1
same "$(eventlog export | jq -r "$added | .payload.scope")" audience_domain
same "$(eventlog list --type GlossaryClarificationResolved --run g --json | jq -r '.payload.selected_sense.scope')" audience_domain
says 'audience_domain' <(pawl glossary list)
runs 0 pawl resolve "$conflict" --pick 1 --scope team_domain --replace
same "$(eventlog export | jq -c "$added | [.payload.scope, .payload.new_sense.status]" | tr '\n' ' ')" '["audience_domain","active"] ["audience_domain","deprecated"] '
runs 0 eventlog verify
runs 0 eventlog replay --check
