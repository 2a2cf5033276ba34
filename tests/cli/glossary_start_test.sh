# Starting a glossary: propose makes a seed draft from documents, lint says what is wrong with it.
. "$SOURCE_DIR/tests/cli/shared.sh"
mkdir -p docs/deep docs/.hidden docs/drafts
cat >docs/terms.md <<'ENDOFTEXT'
# Refunds

| term | meaning |
| --- | --- |
| ledger entry | a line of the ledger that is never changed |

- **Settlement**: the moment when a refund is paid out. It is final.
- **Grace period** — the days in which a customer may withdraw.
- **Note**: this is no term.

Chargeback
: a refund that the bank takes back

A dispute is a claim that a customer makes against a chargeback.
SLA stands for service level agreement.
This is a sentence about nothing. Nothing is a problem.

```
A fence is a thing that is not read.
```
ENDOFTEXT
cat >docs/deep/more.txt <<'ENDOFTEXT'
The refund clerk checks the payout queue. The payout queue is emptied at night. Nobody looks into the payout queue
by day. A settlement "with \backslash" and a settlement. The ledger, the ledger, the LEDGER.
ENDOFTEXT
echo 'A secret is a thing that nobody reads.' | tee docs/.hidden/a.md docs/drafts/b.md >docs/c.c
echo drafts/ >docs/.gitignore
surfaces() { jq -r '.[].surface' out; }
meaning() { jq -r --arg s "$1" '.[] | select(.surface == $s) | .definition' out; }

it "each form of a definition is found, and what is none is not"
runs 0 pawl glossary propose docs --json
same "$(meaning "ledger entry")" "a line of the ledger that is never changed"
same "$(meaning settlement)" "the moment when a refund is paid out. It is final."
same "$(meaning "Grace period")" "the days in which a customer may withdraw."
same "$(meaning chargeback)" "a refund that the bank takes back"
same "$(meaning dispute)" "a claim that a customer makes against a chargeback."
same "$(meaning SLA)" "service level agreement."
for none in Note note This fence secret Nothing; do
        surfaces | { ! grep -qixF "$none"; }
done
same "$(jq -r '.[] | select(.surface == "dispute") | .definitions[0] | "\(.form) \(.file):\(.line)"' out)" "is_a docs/terms.md:14"

it "what is written often is proposed without a definition, with where it is first"
same "$(jq -c '.[] | select(.surface == "payout queue") | [.source, .count, .documents, .definition, .file, .line]' out)" \
        '["compound",3,1,null,"docs/deep/more.txt",1]'
same "$(jq -c '.[] | select(.surface == "settlement") | [.count, .documents]' out)" '[3,2]'

it "what is defined comes before what is only frequent, and --limit takes the first"
same "$(surfaces | head -3 | tr '\n' ';')" "settlement;chargeback;ledger entry;"
runs 0 pawl glossary propose docs --json --limit 2
same "$(surfaces | wc -l)" 2

it "a plural counts as its singular, also where it is a name, and what it means is meant by it"
cat >calls.md <<'ENDOFTEXT'
A hookup is named here. The hookup is gone. My hookup, three hookups, `hookups[]` and "hookups".

**Hookups**: what ties two things together.

The `hookups` member.
ENDOFTEXT
runs 0 pawl glossary propose calls.md docs --json
same "$(jq -c '.[] | select(.surface | test("^hookups?$"; "i")) | [.surface, .count, .documents, .definition, .line]' out)" \
        '["hookup",8,1,"what ties two things together.",1]'

it "files that are no documents by their names are said, and read when they are named"
says 'pawl: 1 files in directories: are no documents by their names; name them' err
runs 0 pawl glossary propose docs/c.c --json
same "$(surfaces)" "secret"

it "without --json it is a seed of drafts that loads as it is, whatever the texts hold"
runs 0 pawl glossary propose docs
mv out draft.yaml
says '^    status: draft$' draft.yaml
says '"Not defined yet."' draft.yaml
runs 0 pawl glossary propose docs
cmp out draft.yaml
runs 0 pawl init
runs 0 pawl glossary import draft.yaml --scope team_domain
says '^[0-9]+ new and 0 updated in team_domain$' out
printf 'The "a\\b: #c\342\200\250d" and "- [x]: \302\205 {y}" \177\033[31m **"q": \047r**: is "quoted: text" with # \\ signs.\n' >odd.md
runs 0 env -C / pawl glossary propose "$PWD/odd.md"
mv out odd.yaml
env -C / pawl glossary lint "$PWD/odd.yaml" >/dev/null || [ $? -eq 1 ]

it "whatever is in a definition, the draft holds it, and each has a count and a line; it loads, and is a seed"
{
        printf '# Odd\n\n- **Quill**: "quoted": a thing: with colons # and a hash\n- **Anvil**: - begins with a dash\n'
        printf -- '- **Brace**: {a: b} & *c ! %%TAG @at | more\n- **Furnace**: ends with a backslash \\\n- **Bell \a tower**: rings at noon\n'
        printf -- '- **Kiln 😀**: a 😀 oven\342\200\250of clay\n- **null**: nothing at all\n- **Chronicle**: a record '
        printf 'of very many words, %.0s' $(seq 200)
        printf 'the end.\n\nA file of `cups` is a shelf.\n'
} >odd.md
runs 0 pawl glossary propose odd.md
mv out odd.yaml
for term in Quill Anvil Brace Furnace "Bell tower" "Kiln 😀" null Chronicle; do
        grep -qixF -- "  - surface: \"$term\"" odd.yaml || { echo "no $term"; false; }
done
lacks '# 0 times|first odd.md:0' odd.yaml
runs 0 pawl glossary import odd.yaml --scope core --dry-run --json
same "$(jq -r '.senses[] | select(.surface | test("^(quill|anvil|brace)$"; "i")).definition' out | sort)" \
        "$(printf -- '"quoted": a thing: with colons # and a hash\n- begins with a dash\n{a: b} & *c ! %%TAG @at | more\n' | sort)"
printf 'mission: m\nglossary: {core: odd.yaml}\nsteps: [{id: a, run: [cat]}]\n' >odd_mission.yaml
runs 0 pawl check odd_mission.yaml

it "what the glossary has is left out"
runs 0 pawl glossary propose docs --json
same "$(jq length out)" 0
runs 0 pawl glossary propose docs
says '^terms: \[\]$' out

it "standard input is a document, and no log is needed"
runs 0 sh -c 'echo "A kiln is an oven for clay." | env -C / pawl glossary propose --json -'
same "$(jq -r '.[] | "\(.surface): \(.definition)"' out)" "kiln: an oven for clay."

it "what is no text is left out, and said; with nothing left it fails"
printf 'a\0b' >binary.md
printf 'caf\351' >latin.md
runs 0 pawl glossary propose binary.md latin.md docs/c.c --json
says 'binary.md: is no text; left out' err
says 'latin.md: byte 4: invalid UTF-8; left out' err
runs 1 pawl glossary propose binary.md
says 'binary.md: holds no document; name text files' err
fails 1 'nowhere.md: No such file' pawl glossary propose docs nowhere.md
misused 'usage: pawl glossary propose' pawl glossary propose

it "a directory is followed by no symbolic link, and a loop ends"
ln -s ../docs docs/deep/loop
runs 0 timeout 20 pawl glossary propose docs --json
remove_log
rm -rf docs/deep/loop

it "lint finds near duplicates, undefined terms and circles in a seed, and exits 1"
cat >team.yaml <<'ENDOFTEXT'
terms:
  - {surface: gate, definition: What decides by the findings whether a step may go on.}
  - {surface: finding, definition: A conflict that the gate looks at.}
  - {surface: check-point, definition: A copy.}
  - {surface: checkpoint, definition: 'A copy that the "grace period" outlives.'}
  - {surface: indices, definition: Several of them.}
  - {surface: index, definition: A number., aliases: [idx]}
  - {surface: settlement, definition: The end.}
  - {surface: setlement, definition: The end.}
  - {surface: idx, definition: Another one.}
ENDOFTEXT
runs 1 pawl glossary lint team.yaml --json
is_empty err
same "$(jq -r '.[] | "\(.kind) \(.term): \(.others | join(", "))"' out)" "near_duplicate checkpoint: check-point
near_duplicate indices: index
near_duplicate setlement: settlement
near_duplicate setlement: settlement
near_duplicate idx: index
undefined_term grace period: checkpoint
circle gate: finding"
same "$(jq -r '.[0] | "\(.file) \(.scope)"' out)" "team.yaml null"
runs 1 pawl glossary lint team.yaml
says '^team.yaml: gate: is defined by "finding", which is defined by it again; .* \[circle\]$' out
says 'has a surface with it in common' out
says 'has the same definition' out

it "a seed with nothing to find exits 0; one that does not load says all its errors"
printf 'terms:\n  - {surface: ledger, definition: A book., aliases: [cash book]}\n' >good.yaml
runs 0 pawl glossary lint good.yaml
is_empty out
runs 0 pawl glossary lint good.yaml --json
same "$(cat out)" "[]"
printf 'terms:\n  - {surface: ledger}\n  - {definition: x}\n' >bad.yaml
runs 1 pawl glossary lint bad.yaml
is_empty out
says 'line 2' err
says 'line 3' err
fails 1 'no log' pawl glossary lint

it "in force: terms that no run's inputs used, when there was a run; seeds are held against them"
write_mission
cat >team.yaml <<'ENDOFTEXT'
terms:
  - {surface: workspace, definition: A folder.}
  - {surface: anvil, definition: A block of iron., aliases: [stithy]}
  - {surface: cupola, definition: A furnace., status: draft}
ENDOFTEXT
runs 0 pawl init
runs 0 pawl glossary import team.yaml --scope team_domain
runs 0 pawl glossary lint
runs 0 pawl run mission.yaml --run one --no-input
before=$(eventlog head)
runs 1 pawl glossary lint --json
same "$(jq -r '.[] | "\(.kind) \(.term) \(.scope) \(.file)"' out)" "unused anvil team_domain null"
same "$(eventlog head)" "$before"
printf 'terms:\n  - {surface: work-space, definition: Another folder.}\n' >more.yaml
runs 1 pawl glossary lint more.yaml --json
same "$(jq -r '.[] | "\(.kind) \(.term): \(.others[0]) \(.file)"' out)" "near_duplicate work-space: workspace more.yaml"

it "who speaks in a document, or wrote it, is not proposed; two nouns that stand together often are"
cat >minutes.md <<'END'
Author: Mirela Voss

**Mirela**: the gauge room is shut. Then the gauge room opens.
**Tudor**: the gauge room again?
**Mirela**: Tudor has the key of the gauge room. Tudor and Mirela Voss agree.
**Tudor**: so does Mirela Voss. Mirela Voss wrote it.
END
runs 0 pawl glossary propose minutes.md
lacks 'surface: "(Mirela|Tudor|Mirela Voss|Voss)"' out
says 'surface: "gauge room"' out
