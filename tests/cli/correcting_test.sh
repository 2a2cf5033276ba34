# Correcting the glossary: edit, deprecate, ignore, log.
. "$SOURCE_DIR/tests/cli/shared.sh"
write_mission
runs 3 pawl run mission.yaml --run one --no-input
conflict=$(pawl conflicts --json | jq -r '.[0].conflict_id')
in_force() { pawl glossary list --json | jq -r '.[] | select(.status == "active") | "\(.scope) \(.definition[0:8])"' | sort | tr '\n' ';'; }
at() { eventlog head; }

it "what is none, or several, is refused, and nothing is written"
before=$(at)
fails 1 'term "nothing": has no such sense in force' pawl glossary edit nothing --define x
fails 1 'term "workspace": has 2 senses; say which' pawl glossary deprecate workspace
fails 1 '3 is none of its senses; pick 1 to 2' pawl glossary deprecate workspace --pick 3
fails 1 'has no such sense' pawl glossary deprecate workspace --scope core
fails 1 'the definition is empty' pawl glossary edit workspace --pick 1 --define " "
fails 1 'term: is empty' pawl glossary ignore " "
for command in ignore log; do
        fails 1 'term: is not UTF-8' pawl glossary $command $'\xff'
        fails 1 'term: is empty' pawl glossary $command ''
done
misused 'define is needed' pawl glossary edit workspace
misused 'go together' pawl glossary edit workspace --define x --scope mission_local
misused 'go together' pawl glossary edit workspace --define x --scope core --mission m
same "$(at)" "$before"

it "a sense of a seed is deprecated, and stays so when the seed is read again; the term is not ambiguous any more"
runs 0 pawl glossary deprecate Workspaces --pick 2 --actor user:ana
says 'is deprecated' out
same "$(in_force)" "team_domain A folder;"
runs 0 pawl resume one
runs 0 pawl run mission.yaml --run two --no-input --fresh
printf '  - {surface: other, definition: Another term.}\n' >>team.yaml
runs 0 pawl run mission.yaml --run three --no-input --fresh
same "$(in_force)" "team_domain A folder;team_domain Another ;"

it "an edited sense means the new thing from then on; the same again changes nothing"
runs 0 pawl glossary edit workspace --define "Where refunds land." --actor user:ben
same "$(in_force)" "team_domain Another ;team_domain Where re;"
before=$(at)
runs 0 pawl glossary edit workspace --define "Where refunds land."
same "$(at)" "$before"
runs 0 pawl run mission.yaml --run four --no-input --fresh

it "a word is ignored in a scope, once; defined again there, it is no longer"
runs 0 pawl glossary ignore workspace --scope audience_domain
before=$(at)
runs 0 pawl glossary ignore Workspace --scope audience_domain
says 'already is ignored' out
same "$(at)" "$before"
runs 0 pawl glossary ignore desk
runs 0 pawl glossary edit desk --define "Where one works."
same "$(pawl glossary list --json | jq -r '.[] | select(.surface == "desk") | "\(.status) \(.definition)"' | sort | tr '\n' ';')" \
        "active Where one works.;deprecated ;"

it "a seed that is imported, and an answer that defines, end that a word is ignored there; another scope's stays"
ignored() { pawl glossary list --json | jq -r '.[] | select(.status == "ignored") | "\(.scope) \(.surface)"' | sort | tr '\n' ';'; }
runs 0 pawl glossary ignore mitten
runs 0 pawl glossary ignore mitten --scope core
printf 'terms:\n  - {surface: Mittens, definition: A glove., status: draft}\n' >mitten.yaml
runs 0 pawl glossary import mitten.yaml --scope team_domain
says '^1 new and 0 updated' out
same "$(ignored)" "audience_domain workspace;core mitten;team_domain mitten;"
sed -i 's/draft/active/' mitten.yaml
runs 0 pawl glossary import mitten.yaml --scope team_domain
same "$(ignored)" "audience_domain workspace;core mitten;"
before=$(at)
runs 0 pawl glossary import mitten.yaml --scope team_domain
same "$(at)" "$before"
printf 'terms:\n  - {surface: thimble, definition: No term of ours., status: ignored}\n' >thimble.yaml
cat >sew.yaml <<'END'
mission: sewing
strictness: max
steps:
  - id: sew
    inputs: { description: 'Put on a "thimble".' }
    run: [cat]
END
runs 3 pawl run sew.yaml --run sewing --no-input
runs 0 pawl glossary import thimble.yaml --scope team_domain
same "$(ignored)" "audience_domain workspace;core mitten;team_domain thimble;"
runs 0 pawl resolve "$(pawl conflicts --json | jq -r '.[] | select(.run_id == "sewing").conflict_id')" --define "It saves a finger."
same "$(ignored)" "audience_domain workspace;core mitten;"
same "$(pawl glossary list --json | jq -r '.[] | select(.surface == "thimble" and .scope == "team_domain") | "\(.status) \(.definition)"' | sort | tr '\n' ';')" \
        "active It saves a finger.;deprecated No term of ours.;"
runs 0 eventlog replay --check

it "a glossary of another tool loads as it is; what is for people is kept, and shown"
cat >other.yaml <<'END'
# Terms
terms:
  - surface: status commit
    definition: >
      A commit that records
      a state.
    confidence: 0.95
    status: active
    see_also:
      - {tactic: one, path: a/b.yaml}
    synonyms_to_avoid: [ceremony commit, ceremony]
    introduced_in_mission: naming-01
END
runs 0 pawl glossary import other.yaml --scope core
same "$(pawl glossary list --json | jq -c '.[] | select(.surface == "status commit") | [.see_also, .synonyms_to_avoid, .confidence]')" \
        '[[{"path":"a/b.yaml","tactic":"one"}],["ceremony commit","ceremony"],0.95]'
same "$(pawl glossary list --json | jq -c '[.[] | select(.surface == "Mittens").see_also] | unique')" '[null]'

it "an alias is no term of its own: neither in the list nor in a replay; who changes it changes its term"
printf 'terms:\n  - {surface: person, definition: Somebody., aliases: [people]}\n' >person.yaml
runs 0 pawl glossary import person.yaml --scope core
same "$(pawl glossary list --json | jq -r '[.[] | select(.surface == "person")] | length')" 1
same "$(eventlog replay --json | jq -c '[.glossary[] | select(.surface == "person") | [.surface, .alias, .definition]]')" \
        '[["person",null,"Somebody."],["person","people","Somebody."]]'
eventlog replay >out
says '^  core  person  alias people  active ' out
says '^  core  person  active ' out
runs 0 pawl glossary edit people --define "A human being."
same "$(pawl glossary list --json | jq -r '.[] | select(.surface == "person") | "\(.status) \(.definition)"' | sort | tr '\n' ';')" \
        "active A human being.;deprecated Somebody.;"

it "who changes a term changes its aliases with it: edited, ignored, retired"
meaning() { # WORD: what a step is told of it
        printf 'mission: m\nsteps: [{id: a, inputs: {description: "Some %s here."}, run: [sh, -c, "cat $PAWL_GLOSSARY_TEXT"]}]\n' "$1" >told.yaml
        pawl run told.yaml --fresh --no-input --json >told.json
        pawl output "$(jq -r .run_id told.json)" a | tr '\n' ';'
}
same "$(meaning people)" "- **person**: A human being.;"
runs 0 pawl glossary deprecate people
same "$(meaning people)$(meaning person)" ""
runs 0 pawl glossary import person.yaml --scope audience_domain
same "$(meaning people)" "- **person**: Somebody.;"
runs 0 pawl glossary ignore people --scope audience_domain --json
same "$(jq -c '[.senses[] | [.surface, .alias, .status]]' out)" '[["person",null,"ignored"],["person","people","ignored"]]'
same "$(meaning people)$(meaning person)" ""
same "$(pawl glossary list --json | jq -r '[.[] | select(.status == "ignored" and .surface == "person")] | length')" 1
runs 0 pawl glossary edit person --scope audience_domain --pick 1 --define "Whoever reads it."
same "$(meaning people)$(meaning person)" "- **person**: Whoever reads it.;- **person**: Whoever reads it.;"
runs 0 eventlog replay --check

it "--json says what changed, --dry-run what would, and changes nothing"
before=$(at)
runs 0 pawl glossary edit person --scope audience_domain --define "You." --dry-run
says '"person" means that \(a dry run: nothing was changed\)$' out
says '^step a of run .* completed with the former sense$' out
runs 0 pawl glossary edit person --scope audience_domain --define "You." --dry-run --json
same "$(jq -c '[.term, .change, .changed, .dry_run, .seq]' out)" '["person","edit",true,true,null]'
same "$(at)" "$before"
mv out looked
runs 0 pawl glossary edit person --scope audience_domain --define "You." --json
same "$(jq -S 'del(.seq, .dry_run)' out)" "$(jq -S 'del(.seq, .dry_run)' looked)"
same "$(jq .seq out) $(jq .dry_run out)" "$(at | cut -d' ' -f1) false"
same "$(jq -c '[.senses[] | [.scope, .surface, .alias, .definition, .status, .mission_id]]' out)" \
        '[["audience_domain","person",null,"Whoever reads it.","deprecated",null],["audience_domain","person",null,"You.","active",null],["audience_domain","person","people","Whoever reads it.","deprecated",null],["audience_domain","person","people","You.","active",null]]'
same "$(jq -c '[.former[] | [.alias, .definition, .status]]' out)" '[[null,"Whoever reads it.","active"],["people","Whoever reads it.","active"]]'
same "$(jq -c '[.steps[] | [.mission_id, .step_id, .rerun]] | unique' out)" '[["m","a",false]]'
jq -e '.steps | length == 2' out >/dev/null
before=$(at)
runs 0 pawl glossary edit person --scope audience_domain --define "You." --json
same "$(jq -c '[.changed, .seq, .senses, .former, .steps]' out)" '[false,null,[],[],[]]'
same "$(at)" "$before"
runs 0 pawl glossary deprecate person --scope audience_domain --json
same "$(jq -c '[.change, (.senses | map(.status) | unique), (.former | length)]' out)" '["deprecate",["deprecated"],2]'

it "an import says it, too: what is new, what it took away, who used that; the seed may be a text"
printf 'terms:\n  - {surface: person, definition: One of us., aliases: [people]}\n' >person.yaml
runs 0 pawl glossary import person.yaml --scope core --dry-run
says '^1 new and 0 updated in core; of aliases, 1 new and 0 updated \(a dry run: nothing was changed\)$' out
runs 0 pawl glossary import person.yaml --scope core --json
same "$(jq -c '[.scope, .added, .updated, .aliases_added, .aliases_updated, .changed, (.former | length)]' out)" '["core",1,0,1,0,true,0]'
meaning people >/dev/null
sed -i 's/One of us./&, status: deprecated/' person.yaml
runs 0 pawl glossary import person.yaml --scope core
says '^step a of run .* completed with the former sense$' out
runs 0 pawl glossary import --text 'terms: [{surface: cup, definition: "It holds tea."}]' --scope core --json
same "$(jq -c '[.added, [.senses[] | [.surface, .definition]]]' out)" '[1,[["cup","It holds tea."]]]'
fails 1 'the seed: line 1: terms\[0\].surface: is missing' pawl glossary import --text 'terms: [{definition: x}]' --scope core
misused 'name a file, or give --text' pawl glossary import --scope core
misused 'name a file, or give --text' pawl glossary import person.yaml --text x --scope core

it "a seed that is imported again says nothing new: what a person retired since stays so, for any seed that still has it"
printf 'terms:\n  - {surface: loom, definition: It weaves., aliases: [weaver]}\n' >loom.yaml
loom() { pawl glossary list --json | jq -r '.[] | select(.surface == "loom") | "\(.status) \(.definition)"' | sort | tr '\n' ';'; }
runs 0 pawl glossary import loom.yaml --scope core
runs 0 pawl glossary edit loom --define "A machine."
before=$(at)
runs 0 pawl glossary import loom.yaml --scope core
says '^0 new and 0 updated in core; 1 stays retired, until `pawl glossary edit` gives it a meaning again$' out
same "$(at)" "$before"
same "$(loom)" "active A machine.;deprecated It weaves.;"
printf '  - {surface: shuttle, definition: It runs.}\n' >>loom.yaml
runs 0 pawl glossary import loom.yaml --scope core --json
same "$(jq -c '[.added, .updated, .retired]' out)" '[1,0,1]'
same "$(loom)" "active A machine.;deprecated It weaves.;"
runs 0 pawl glossary ignore loom --scope core
before=$(at)
runs 0 pawl glossary import loom.yaml --scope core
same "$(at)" "$before"
runs 0 pawl glossary edit loom --pick 1 --define "It weaves."
same "$(loom)" "active It weaves.;deprecated ;deprecated A machine.;"

it "who names a sense by its since_seq is refused when it changed meanwhile, and of two at once one is"
runs 0 pawl glossary edit cup --define "Tea is in it." --since-seq "$(pawl glossary list --json | jq '.[] | select(.surface == "cup").since_seq')"
seq=$(pawl glossary list --json | jq '.[] | select(.surface == "cup" and .status == "active").since_seq')
for i in 1 2 3 4; do
        pawl glossary edit cup --define "Cup $i." --since-seq "$seq" >"out$i" 2>"err$i" &
done
wait
same "$(cat out? | wc -l)" 1
same "$(grep -c 'is not in force any more' err?)" "$(grep -L 'means that' out? | sed 's/out\(.\)/err\1:1/;' | cat - <(grep -l 'means that' out? | sed 's/out\(.\)/err\1:0/') | sort)"
same "$(pawl glossary list --json | jq '[.[] | select(.surface == "cup" and .status == "active")] | length')" 1
before=$(at)
fails 1 "what event $seq said of it is not in force any more; see" pawl glossary deprecate cup --since-seq "$seq"
same "$(at)" "$before"

it "all errors of a seed are said, each with its line, and nothing is written"
before=$(at)
printf 'terms:\n  - {surface: a}\n  - surface: b\n    definition: c\n    confidence: 7\n' >bad.yaml
runs 1 pawl glossary import bad.yaml --scope core
says '^pawl: bad.yaml: line 2: terms\[0\].definition: is missing; .' err
says '^pawl: bad.yaml: line 5: terms\[1\].confidence: 7 is out of range; .' err
same "$(wc -l <err)" 2
printf 'mission: m\nglossary: {core: bad.yaml}\nsteps: [{id: a, run: [cat]}]\n' >bad_mission.yaml
for command in check run; do
        runs 1 pawl $command bad_mission.yaml
        same "$(grep -c 'bad.yaml: line [25]: terms' err)" 2
done
same "$(at)" "$before"

it "glossary log says who changed what, and when"
runs 0 pawl glossary log workspace --json
same "$(jq -r '.[] | "\(.actor) \(.change) \(.status) \(.definition[0:8])"' out | grep -v "$(id -un)" | tr '\n' ';')" \
        "user:ana update deprecated The acco;user:ben update deprecated A folder;user:ben create active Where re;"
jq -e 'all(.[]; .seq > 0 and (.time | test("Z$")) and .scope and .source)' out >/dev/null
runs 0 pawl glossary log workspace
says '^ *SEQ +TIME +ACTOR +CHANGE' out
fails 1 'no glossary ever had it' pawl glossary log nowhere

it "glossary log says what a seed does not have any more"
forget_log
seed_of() { printf 'terms:\n'; for n in $(seq 60); do printf '  - {surface: filler %s, definition: Filler %s.}\n' "$n" "$n"; done; printf '  - {surface: ledger, definition: %s}\n' "$@"; }
changes() { pawl glossary log ledger --json | jq -r '.[] | "\(.change) \(.status) \(.definition)"' | tr '\n' ';'; }
printf 'mission: books\nglossary: {core: books.yaml}\nsteps: [{id: a, run: ["true"]}]\n' >books.yml
seed_of "The old book." "A list." >books.yaml
runs 0 pawl run books.yml
seed_of "The old book." >books.yaml # recorded as what differs
runs 0 pawl run books.yml --fresh
same "$(changes)" "create active The old book.;create active A list.;remove null A list.;"
seed_of "The new book." >books.yaml
runs 0 pawl run books.yml --fresh
printf 'terms:\n  - {surface: other, definition: Another thing.}\n' >books.yaml # recorded whole
runs 0 pawl run books.yml --fresh
same "$(changes)" "create active The old book.;create active A list.;remove null A list.;remove null The old book.;create active The new book.;remove null The new book.;"

it "a mission's own sense is changed, ignored and retired"
forget_log
write_mission
runs 3 pawl run mission.yaml --run one --no-input
runs 0 pawl resolve "$(pawl conflicts --json | jq -r '.[0].conflict_id')" --pick 1
runs 0 pawl glossary edit workspace --mission refund-service --define "Our own."
same "$(pawl glossary list --json | jq -r '.[] | select(.scope == "mission_local") | "\(.mission_id) \(.definition)"')" "refund-service Our own."
runs 0 pawl resume one
runs 0 pawl glossary ignore workspace --scope mission_local --mission refund-service
runs 0 pawl run mission.yaml --run two --no-input --fresh
same "$(pawl glossary list --json | jq -r '.[] | select(.scope == "mission_local") | .status')" ignored
runs 0 pawl glossary deprecate workspace --mission refund-service
runs 3 pawl run mission.yaml --run three --no-input --fresh
same "$(pawl glossary log workspace --json | jq -r '.[] | select(.mission_id == "refund-service" and .scope == "mission_local") | "\(.change) \(.status)"' | tr '\n' ';')" \
        "answer active;update active;create ignored;update deprecated;"
runs 0 eventlog replay --check

it "--replace puts an answer in the place of a wrong one, and retires what that defined"
forget_log
runs 3 pawl run mission.yaml --run one --no-input
conflict=$(pawl conflicts --json | jq -r '.[0].conflict_id')
misused 'is for one conflict' pawl resolve --run one --all --dismiss --replace
runs 0 pawl resolve "$conflict" --define "Wrong." --scope core
before=$(at)
fails 1 'was answered already' pawl resolve "$conflict" --pick 1
fails 1 '7 is no candidate' pawl resolve "$conflict" --pick 7 --replace
same "$(at)" "$before"
runs 0 pawl resolve "$conflict" --define "Right." --scope core --replace --actor user:ana
same "$(pawl glossary list --json | jq -r '.[] | select(.scope == "core") | "\(.definition) \(.status)"' | sort | tr '\n' ';')" \
        "Right. active;Wrong. deprecated;"
same "$(pawl glossary list --json | jq -r '.[] | select(.scope == "mission_local").definition')" "Right."
same "$(eventlog export | jq -r 'select(.type == "GlossaryClarificationResolved").payload.replaces')" "$(printf 'null\n%s' "${before%% *}")"
runs 0 pawl resolve "$conflict" --pick 1 --replace
same "$(pawl glossary list --json | jq -r '.[] | select(.scope == "mission_local").definition')" "$(pawl conflicts --id "$conflict" --json | jq -r '.candidates[0].definition')"
runs 0 eventlog replay --check

it "once a step has completed with it, it is refused, naming the step"
runs 0 pawl resume one
before=$(at)
fails 1 'step specify of run one has completed with the former answer[^;]*; .*pawl glossary edit TERM --define TEXT' pawl resolve "$conflict" --pick 2 --replace
same "$(at)" "$before"

it "so is one of another run of the mission that uses the term, and passed its gate since"
forget_log
runs 3 pawl run mission.yaml --run one --no-input
conflict=$(pawl conflicts --json | jq -r '.[0].conflict_id')
runs 0 pawl resolve "$conflict" --pick 1
runs 0 pawl run mission.yaml --run two --no-input --fresh
fails 1 'of run two has completed' pawl resolve "$conflict" --pick 2 --replace

it "who replaces an answer while a command is at work with it is told so"
forget_log
rm -f begun go
cp mission.yaml works.yaml
sed -i 's/echo specify >>journal;/touch begun; until [ -e go ]; do sleep 0.05; done;/' works.yaml
runs 3 pawl run works.yaml --run works --no-input
conflict=$(pawl conflicts --json | jq -r '.[0].conflict_id')
runs 0 pawl resolve "$conflict" --pick 1
pawl resume works >/dev/null 2>&1 &
await begun
runs 0 pawl resolve "$conflict" --pick 2 --replace
says '^pawl: step specify of run works: is at work, and was told the former answer; .' err
touch go
wait
fails 1 'step specify of run works has completed with the former answer' pawl resolve "$conflict" --pick 1 --replace

it "each run is replayed alone as in the whole log"
runs_replay_alone
