# Many conflicts, few answers: terms that are none, one answer to all of a run, a file of answers, one question at the prompt.
. "$SOURCE_DIR/tests/cli/shared.sh"

# A step at strictness max over 126 terms that no glossary knows; one of them is there three times.
words=$(for i in $(seq 126); do printf '"word%dof" ' "$i"; done)
cat >many.yaml <<END
mission: many
strictness: max
steps:
  - id: write
    inputs: {description: '$words"word77of" "word77of"'}
    run: [cat]
END
write_mission
count() { pawl conflicts --json | jq length; }

it "--dismiss says that a term is none: it is ignored in its scope, and in the mission, from then on"
runs 3 pawl run many.yaml --run one --no-input
same "$(count)" 126
first=$(pawl conflicts --json | jq -r '.[0].conflict_id')
term=$(pawl conflicts --json | jq -r '.[0].term')
runs 0 pawl resolve "$first" --dismiss --actor user:ana
says 'has 125 more' out
same "$(pawl glossary list --json | jq -c '.[] | [.scope, .surface, .status]' | tr '\n' ' ')" \
        "[\"team_domain\",\"$term\",\"ignored\"] [\"mission_local\",\"$term\",\"ignored\"] "
same "$(eventlog export | jq -c 'select(.type == "GlossaryClarificationResolved").payload.selected_sense.status')" '"ignored"'
runs 3 pawl run many.yaml --run two --no-input
same "$(pawl conflicts --json | jq -r '[.[] | select(.run_id == "two" and .term == "'"$term"'")] | length')" 0
same "$(pawl conflicts --json | jq -r '[.[] | select(.run_id == "two")] | length')" 125
same "$(eventlog export --run two | jq -r 'select(.type == "TermCandidateObserved").payload.term' | grep -cx "$term" || true)" 0

it "a conflict that is dismissed was answered: a second answer is refused"
head=$(eventlog head)
fails 1 "was answered already" pawl resolve "$first" --define "A word."
same "$(eventlog head)" "$head"

it "usage: what does not go together"
misused "name a conflict" pawl resolve --dismiss
misused "go together" pawl resolve "$first" --dismiss --run one
misused "go together" pawl resolve --all --dismiss
misused "name a conflict" pawl resolve "$first" --run one --all --dismiss
misused "takes --dismiss or --pick-first" pawl resolve --run one --all --define x
misused "is for --all" pawl resolve "$first" --pick-first
misused "name their conflicts" pawl resolve "$first" --answers f
misused "" pawl resolve "$first" --dismiss --pick 1
same "$(eventlog head)" "$head"

it "--run R --all --dismiss answers all of a run, and of no other, in one commit"
syncs() { # COMMAND...: how often it waits for the disk
        : >calls
        ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}verify_asan_link_order=0 LD_PRELOAD=$BUILD_DIR/tests/kill_at_write.so \
                CALL_LIST=$PWD/calls "$@" >out 2>err </dev/null
        ! on_server || unnamed out err
        on_server || grep -cE '^(fdatasync|fsync) events.db' calls
}
one=$(syncs pawl resolve "$(pawl conflicts --json | jq -r 'map(select(.run_id == "two")) | .[0].conflict_id')" --dismiss)
same "$(syncs pawl resolve --run one --all --dismiss)" "$one"
says '^125 conflicts answered; continue with `pawl resume one`$' out
same "$(pawl conflicts --json | jq -r '[.[].run_id] | unique | .[]')" two
runs 0 pawl resume one
fails 1 "run one: has no open conflict" pawl resolve --run one --all --dismiss
fails 1 "^pawl: run nowhere: is not in this log; " pawl resolve --run nowhere --all --dismiss
fails 1 "run one: has no open conflict" pawl resolve --run one --all --pick-first
runs 0 eventlog replay --check

it "what is ignored by the team is asked by no other mission; the run that was asked goes on, too"
runs 0 pawl resume two
sed 's/mission: many/mission: other/' many.yaml >other.yaml
runs 0 pawl run other.yaml --run three
same "$(eventlog export --run three | grep -c TermCandidateObserved || true)" 0

it "--pick-first takes the first candidate of each that has one, and leaves the others"
forget_log
runs 3 pawl run mission.yaml --run one --no-input
runs 3 pawl run many.yaml --run two --no-input
head=$(eventlog head)
fails 1 "run two: no open conflict has a candidate" pawl resolve --run two --all --pick-first
same "$(eventlog head)" "$head"
runs 0 pawl resolve --run one --all --pick-first --json
same "$(jq -c '[.answered, .run_id, .open, (.conflicts | length)]' out)" '[1,"one",0,1]'
same "$(pawl glossary list --json | jq -r '.[] | select(.scope == "mission_local").definition' | cut -c1-8)" "A folder"

it "--answers takes what conflicts --json gives, with an answer beside, in one commit"
pawl conflicts --json >all.json
jq -c '.[] | if .term == "word1of" then . + {define: "The first.", scope: "core"} elif .term == "word2of" then . else . + {dismiss: true} end' \
        all.json >answers.jsonl
same "$(syncs pawl resolve --answers answers.jsonl)" "$one"
says '^125 conflicts answered; 1 more wait' out
same "$(pawl conflicts --json | jq -r '.[].term')" word2of
same "$(pawl glossary list --json | jq -r '.[] | select(.scope == "core").definition')" "The first."
runs 0 pawl resolve --answers /dev/null
says '^0 conflicts answered; 1 more wait' out
pawl conflicts --json | jq -c 'map(. + {dismiss: true})' >rest.json
runs 0 pawl resolve --answers rest.json
runs 0 pawl resolve --answers /dev/null
says '^0 conflicts answered; none waits$' out
runs 0 pawl resume two

it "an answer that is none refuses the file, by its line, and nothing is written"
forget_log
runs 3 pawl run many.yaml --run two --no-input
pawl conflicts --json | jq -c '.[] + {dismiss: true}' >good.jsonl
head=$(eventlog head)
refused() { # PATTERN LINE
        { head -n 2 good.jsonl; echo; echo "$2"; tail -n +3 good.jsonl; } >bad.jsonl
        fails 1 "^pawl: bad.jsonl: line 4: .*$1" pawl resolve --answers bad.jsonl
        same "$(eventlog head)" "$head"
}
id=$(jq -rs '.[5].conflict_id' good.jsonl)
refused "conflict 0123456789abcdef: there is none" '{"conflict_id":"0123456789abcdef","dismiss":true}'
refused "conflict_id: is missing" '{"dismiss":true}'
refused "no candidate" '{"conflict_id":"'"$id"'","pick":1}'
refused "pick: is no candidate's n" '{"conflict_id":"'"$id"'","pick":0}'
refused "pick: is no number" '{"conflict_id":"'"$id"'","pick":"1"}'
refused "dismis: is not known" '{"conflict_id":"'"$id"'","dismis":true}'
refused "answered in two ways" '{"conflict_id":"'"$id"'","dismiss":true,"define":"x"}'
refused "scope .moon.: is not known" '{"conflict_id":"'"$id"'","dismiss":true,"scope":"moon"}'
refused "is no object" '7'
head -n 3 good.jsonl | sed '2s/.*/{"conflict_id"/' >bad.jsonl
fails 1 '^pawl: bad.jsonl: line 2, column 15: ' pawl resolve --answers bad.jsonl
lacks 'line 1' err
{ cat good.jsonl; head -n 1 good.jsonl; } >bad.jsonl
fails 1 "^pawl: bad.jsonl: line 127: .*answered twice" pawl resolve --answers bad.jsonl
fails 1 "nowhere.jsonl" pawl resolve --answers nowhere.jsonl
same "$(eventlog head)" "$head"
same "$(count)" 126

it "all answers that are wrong are named, each once by its place, ten at most; and nothing is written"
{
        echo '{"conflict_id":"0123456789abcdef","dismiss":true}'
        head -n 1 good.jsonl
        echo '{"conflict_id":"'"$id"'","pick":7}'
        echo '{"conflict_id" "x"}'
        head -n 1 good.jsonl
        echo '{"dismiss":true}'
} >bad.jsonl
runs 1 pawl resolve --answers bad.jsonl
is_empty out
same "$(sed -E 's/^(pawl: bad.jsonl: line [0-9]+)(, column [0-9]+)?: .*; .*/\1\2/' err)" "pawl: bad.jsonl: line 1
pawl: bad.jsonl: line 3
pawl: bad.jsonl: line 4, column 16
pawl: bad.jsonl: line 5
pawl: bad.jsonl: line 6"
same "$(eventlog head)" "$head"
jq -s . good.jsonl | jq '[.[] | .pick = 9 | del(.dismiss)]' >bad.json
runs 1 pawl resolve --answers bad.json
same "$(wc -l <err)" 11
says '^pawl: bad.json: answer 1: conflict .* has no candidate to pick; ' err
says '^pawl: bad.json: answer 10: ' err
says '^pawl: bad.json: 116 more errors; fix those that are named first$' err
jq '.[:2] | .[1] += {dismis: 1}' bad.json | sed '$d' >bad2.json
fails 1 '^pawl: bad2.json: line [0-9]+, column [0-9]+: ' pawl resolve --answers bad2.json
jq . good.jsonl >bad.jsonl
fails 1 '^pawl: bad.jsonl: line 1: an object that goes on in the next line; ' pawl resolve --answers bad.jsonl
same "$(eventlog head)" "$head"
same "$(count)" 126

it "at the prompt they are one question, most frequent first, on one screen; n dismisses them all in one commit"
forget_log
dialog 0 'set stty_init "rows 40 cols 80"
spawn pawl run many.yaml --run one
see {126 terms are in no glossary, the most frequent first:}
see {1 word77of  2 }
see {later \[d\]: }
send "n\r"'
[ "$(tr -d '\r' <screen | wc -l)" -le 36 ]
[ "$(tr -d '\r' <screen | wc -L)" -le 80 ]
same "$(pawl glossary list --json | jq '[.[] | select(.scope == "team_domain" and .status == "ignored")] | length')" 126
same "$(eventlog export | jq -r 'select(.type == "GlossaryClarificationResolved").payload.resolution_mode' | sort -u)" interactive

it "what others answered while they were shown stays; it is said of how many"
forget_log
dialog 0 'set stty_init "rows 40 cols 80"
spawn pawl run many.yaml --run one
see {later \[d\]: }
exec pawl resolve --run one --all --dismiss --actor user:ben
send "n\r"
see {and 125 more were answered meanwhile by user:ben}'
same "$(eventlog export | jq -r 'select(.type == "GlossaryClarificationResolved").actor' | sort | uniq -c | sed 's/^ *//')" "126 user:ben"

it "some of them are dismissed by number, one is defined, and agreed to as it is shown with its scope"
forget_log
dialog 3 'spawn pawl run many.yaml --run one
see {later \[d\]: }
send "n 2 4-6\r"
see {122 terms are in no glossary}
see {later \[d\]: }
send "n 0\r"
see {not one of}
see {later \[d\]: }
send "c 1 The seventy-seventh.\r"
see {team_domain  "word77of": The seventy-seventh.}
see {\[y/N\]: }
send "n\r"
see {122 terms are}
see {later \[d\]: }
send "c 1\r"
see {definition: }
send "The 77th.\r"
see {\[y/N\]: }
send "y\r"
see {121 terms are}
see {later \[d\]: }
send "d\r"
see {121 deferred}'
same "$(count)" 121
same "$(pawl glossary list --json | jq -r '.[] | select(.scope == "team_domain" and .status == "active").definition')" "The 77th."
same "$(pawl glossary list --json | jq '[.[] | select(.scope == "team_domain" and .status == "ignored")] | length')" 4

it "n at a single question is no term, too"
forget_log
dialog 0 'spawn pawl run mission.yaml --run one
see {n if it is no term, or d to decide later \[d\]: }
send "n\r"'
same "$(pawl glossary list --json | jq -r '.[] | select(.status == "ignored").scope' | sort | tr '\n' ' ')" "mission_local team_domain "
runs 0 eventlog replay --check
