# What is printed reaches a terminal harmless, and is out when a program says that it is done.
. "$SOURCE_DIR/tests/cli/shared.sh"

# harmless FILE...: no control character but the newline, no C1, no bidirectional control.
harmless() {
        if LC_ALL=C.UTF-8 grep -nP '[\x{00}-\x{09}\x{0b}-\x{1f}\x{7f}-\x{9f}\x{061c}\x{200e}\x{200f}\x{2028}-\x{202e}\x{2066}-\x{2069}]' "$@"; then
                echo "a raw control character is in $*"
                return 1
        fi
}

cat >team.yaml <<'END'
terms:
  - {surface: "workspace", definition: "red \e[31m and \u009b31m, \u202Ereversed\u202C, a bell \a"}
  - {surface: "workspace", definition: "two\nlines\tand a tab"}
END
cat >mission.yaml <<'END'
mission: "escapes"
glossary: {team_domain: team.yaml}
steps:
  - id: specify
    critical: true
    inputs: {description: "A \e]0;title\a workspace \u0085 \u2066here."}
    run: ["true"]
END

it "escapes in terms, definitions and contexts are never printed raw"
begin_log
for cmd in "pawl check mission.yaml" "pawl run mission.yaml --run one"; do
        # shellcheck disable=SC2086
        runs 3 $cmd
        harmless out err
done
for cmd in "pawl conflicts" "pawl glossary list" "eventlog list" "eventlog replay" "eventlog replay --events" \
        "eventlog stats" "eventlog show 3" "pawl conflicts --all"; do
        # shellcheck disable=SC2086
        runs 0 $cmd
        harmless out err
done
says 'red \\x1b\[31m and \\u009b31m, \\u202ereversed\\u202c, a bell \\x07' <(pawl conflicts)

it "show escapes them as JSON does, so that the value is what it was"
seq=$(eventlog export | jq 'select(.type == "GlossaryClarificationRequested").seq')
runs 0 eventlog show "$seq"
harmless out
same "$(jq -Sc . out)" "$(eventlog export | jq -Sc "select(.seq == $seq)")"

it "JSON is data: the characters are there, as a JSON reader finds them"
same "$(pawl conflicts --json | jq -r '.[0].candidates[1].definition')" "$(printf 'two\nlines\tand a tab')"

it "a patch is bytes for other programs, and harmless on a terminal"
printf 'a \033[31mred\tline\n\302\233 and \377\n' >f
n=$(pawl checkpoint --json | jq .n)
rm f
runs 0 pawl diff "$n" --patch
grep -qaF -- "$(printf -- '-a \033[31mred\tline')" out
python3 -c 'import pty, sys; pty.spawn(["pawl", "diff", sys.argv[1], "--patch"])' "$n" </dev/null | tr -d '\r' >shown
says '^-a \\x1b\[31mred	*line' shown
says '^-\\u009b and \\xff$' shown
harmless <(tr -d '\t' <shown)

it "an argument with escapes is shown harmless in the message"
bad=$(printf 'no\033[31m\302\233such\342\200\256\n\377')
fails 1 '^pawl: .*no\\x1b\[31m' pawl --db "$bad" conflicts
harmless err
for words in "run" "hash" "check" "resume" "resolve --pick 1" "glossary import --scope core" "terms" "run mission.yaml --run"; do
        # shellcheck disable=SC2086
        fails 1 '^pawl: ' pawl $words "$bad"
        harmless err
done
misused 'unknown command "no\\x1b' pawl "$bad"
harmless err
misused 'unknown option --no\\x1b' pawl run "--$bad"
harmless err

it "a step is said to be completed when that is in the log"
mkdir large
printf 'mission: l\nworkspace: {checkpoint: off}\nsteps: [{id: a, run: [sh, -c, "head -c 600000 /dev/zero | tr %s x"]}]\n' '\\\\0' >large/mission.yaml
code=0
(cd large && ulimit -f 400 && exec pawl run mission.yaml --run r --db .pawl/events.db >out) 2>err || code=$?
same "$code $(cat large/out)" "1 run r: interrupted, 0 of 1 steps completed"
(cd large && runs 0 pawl resume r --db .pawl/events.db && says '^\[1/1\] a: completed$' out)

it "a full disk on standard output is a failure"
for cmd in "pawl conflicts" "pawl conflicts --json" "pawl --help" "eventlog export" "eventlog head" "pawl hash mission.json" "eventlog tail -f"; do
        echo 1 >mission.json
        code=0
        # shellcheck disable=SC2086
        timeout 60 $cmd >/dev/full 2>err || code=$?
        same "$code" 1
        [ "$(wc -l <err)" -eq 1 ]
        says '^(pawl|eventlog): standard output: .*; ' err
done

it "a file that may not grow is a failure with one line, and the next run goes on from there"
for blocks in 4 40 70; do
        mkdir "small-$blocks"
        cp mission.yaml team.yaml "small-$blocks"
        code=0
        (cd "small-$blocks" && ulimit -f "$blocks" && exec pawl run mission.yaml --no-input) >/dev/null 2>err || code=$?
        same "$code" 1
        same "$(wc -l <err)" 1
        says '^pawl: .*; ' err
        (cd "small-$blocks" && runs 3 pawl run mission.yaml --no-input --fresh && runs 0 eventlog verify)
done

it "a command that names a log of such a name works as it is printed"
strange=$'strange/a\nb\t\'\\c'
mkdir -p "$strange"
printf 'mission: asks\nsteps: [{id: approve, ask: {question: "Go?"}}]\n' >ask.yaml
if ! on_server; then
        runs 3 pawl run ask.yaml --db "$strange/events.db" --no-input
        harmless err
        sed 's/^[^`]*`\([^`]*\)`.*/\1/; s/TEXT/yes/' err >typed
        runs 0 bash typed
        runs 0 pawl conflicts --db "$strange/events.db" --json
        same "$(cat out)" "[]"
fi

it "a closed standard output is a failure, and harms no log"
code=0
pawl conflicts >&- 2>err || code=$?
same "$code" 1
runs 0 eventlog verify

it "a reader that goes away ends a program quietly"
set +o pipefail
for i in 1 2 3; do pawl run mission.yaml --no-input --fresh >/dev/null 2>&1 || true; done
for i in $(seq 200); do eventlog export; done 2>err | head -1 >/dev/null
is_empty err

it "without a terminal there are no colours and no progress, whatever the environment says"
for terminal in xterm-256color dumb ''; do
        TERM=$terminal runs 3 pawl run mission.yaml --fresh
        harmless out err
        same "$(wc -l <err)" 1
done
