# What is printed on a terminal fits it; what is printed elsewhere is whole, and an error there is one line.
. "$SOURCE_DIR/tests/cli/shared.sh"

# on COLUMNS COMMAND: what it shows on a terminal of that width is in the file screen.
on() {
        script -qec "stty cols $1; $2" /dev/null </dev/null 2>&1 | tr -d '\r' >screen || true
        [ -s screen ] || { echo "nothing was shown"; return 1; }
}

# fits COLUMNS: no line is wider, up to the first that is empty.
fits() {
        sed '/^$/q' screen >table
        lacks ".{$(($1 + 1))}" table
}

long=$(printf 'a-step-whose-name-is-long-%.0s' 1 2 3)end
cat >mission.yaml <<END
mission: $(printf 'mission-%.0s' 1 2 3 4 5 6)end
steps:
  - id: $long
    run: ["true"]
END
export LC_ALL=C.UTF-8
runs 0 pawl run mission.yaml
runs 0 pawl checkpoint "$(printf 'ünïcödé 語 %.0s' 1 2 3 4 5 6 7 8 9)"
run=$(pawl runs --json | jq -r '.runs[0].run_id')

it "tables cut free text with an ellipsis, and nothing else"
for cmd in "pawl runs" "pawl validate" "pawl du" "eventlog stats"; do
        on 60 "$cmd"
        fits 60
done
on 70 "pawl sessions"
fits 70
on 60 "pawl runs"
says "^${run:0:8} +mis[^ ]*… +20[-0-9 :]+ +completed +1/1 " screen
on 100 "pawl checkpoints"
fits 100
says ' a-step-.*…  *- ' screen
says ' ünïcödé 語 .*…  *manual ' screen

it "a text that fits is whole: the widest gives way first"
on 120 "pawl runs"
says ' mission-mission-mission-mission-mission-mission-end ' screen
says ' completed +1/1 ' screen

it "a table of many rows fits throughout"
{
        printf 'mission: many\nsteps:\n'
        for i in $(seq 80); do printf '  - {id: "s%s", run: ["true"]}\n' "$(printf '%0*d' "$i" "$i")"; done
} >many.yaml
runs 0 pawl run many.yaml
on 60 "eventlog list"
fits 60
same "$(wc -l <screen)" "$(eventlog list | wc -l)"
[ "$(wc -l <screen)" -gt 257 ] # more than are printed at once

it "elsewhere nothing is cut"
pawl runs | grep -q ' mission-mission-mission-mission-mission-mission-end '
pawl checkpoints | grep -q " $long "
lacks '…' <(pawl runs; pawl checkpoints; pawl sessions; eventlog list)

it "tables show as much of an id as names it; JSON has the whole one"
id=$(pawl checkpoints --json | jq -r '.[0].id')
short=$(pawl checkpoints | awk 'NR == 2 { print $2 }')
[ "${id#"$short"}" != "$id" ]
[ "${#short}" -lt "${#id}" ]
same "$(pawl validate | awk 'NR == 2 { print $2 }')" "$short"
same "$(pawl du | awk 'NR == 2 { print $2 }')" "$short"
same "$(pawl validate --json | jq -r '.[0].id') $(pawl du --json | jq -r '.checkpoints[0].id')" "$id $id"

it "help is wrapped at words, each text below its own beginning"
for cmd in "pawl help" "pawl help run" "pawl rollback --help" "eventlog --help"; do
        on 60 "$cmd"
        lacks '.{61}' screen
        # the words are those that are printed elsewhere
        same "$(tr -s ' \n' ' ' <screen)" "$($cmd | tr -s ' \n' ' ')"
done
on 60 "pawl help run"
says '^ {30}[a-z]' screen
[ "$(pawl help run | grep -c '^usage: .*--json')" -eq 1 ]

it "an error is wrapped on a terminal, and one line elsewhere; a command in it stays together"
fails 1 'run none: is not in this log; `pawl runs` lists them' pawl runs --id none
on 60 "pawl runs --id $(printf 'none-%.0s' 1 2 3 4 5)"
fits 60
same "$(wc -l <screen)" 2
says '^  [^ ]' screen
on 44 "pawl runs --id nowhere"
fits 44
says '^[^`]*`pawl runs`[^`]*$' screen
on 60 "pawl run --nothing-of-that-name"
fits 60
says '^  \[--' screen
