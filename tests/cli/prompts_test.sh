# On a terminal: the questions, the answers and their defaults, colours, and a signal at a question.
. "$SOURCE_DIR/tests/cli/shared.sh"
write_mission
sed -i 's/account that a/account \\e[31mthat a/; s/definition: The \(.*\)/definition: "The \1"/' team.yaml

it "a question shows term, context and numbered candidates; a number answers it and the run goes on"
dialog 0 'spawn pawl run mission.yaml --run one
see {"workspace" is ambiguous \(high\)}
see {in: Refunds land in the workspace}
see {1  team_domain  1  A folder}
see {2  team_domain  0.9  The account \\x1b\[31mthat}
see {later \[d\]: }
send "2\r"'
same "$(eventlog export | jq -r 'select(.type == "GlossaryClarificationResolved").payload.resolution_mode')" interactive
same "$(tr '\n' ' ' <journal)" "research specify publish "
says '1/3. research: .*running' screen

it "c and a definition answers too, on one line or on the next"
forget_log
dialog 0 'spawn pawl run mission.yaml --run one
see {later}
send "c Where refunds land.\r"
see {team_domain  "workspace": Where refunds land.}
see {\[y/N\]: }
send "y\r"'
same "$(pawl glossary list --json | jq -r '.[] | select(.definition == "Where refunds land.").scope' | sort -u | tr '\n' ' ')" \
        "mission_local team_domain "
forget_log
dialog 0 'spawn pawl run mission.yaml --run one
see {later}
send "c\r"
see {definition: }
send "Somewhere else.\r"
see {\[y/N\]: }
send "\r"
see {later}
send "c Elsewhere.\r"
see {\[y/N\]: }
send "yes\r"'
same "$(pawl glossary list --json | jq -r '.[] | select(.definition == "Elsewhere.").scope' | sort -u | tr '\n' ' ')" \
        "mission_local team_domain "
same "$(pawl glossary list --json | jq '[.[] | select(.definition == "Somewhere else.")] | length')" 0

it "d, an empty line, the end of input and three bad answers defer: exit 3"
for answer in 'send "d\r"' 'send "\r"' 'send "\004"' \
        'send "9\r"; see {not one of}; see {later}; send "x\r"; see {not one of}; see {later}; send "0\r"'; do
        forget_log
        dialog 3 "spawn pawl run mission.yaml --run one
see {later}
$answer
see {deferred}"
        says '^deferred' screen
        same "$(pawl conflicts --json | jq length)" 1
done

it "who is answered for by another session meanwhile is told so: the first answer counts"
forget_log
cat >others.sh <<'END'
pawl resolve "$(pawl conflicts --json | jq -r '.[0].conflict_id')" --pick 2 --actor user:ben
END
dialog 0 'spawn pawl run mission.yaml --run one
see {later}
exec sh others.sh
send "1\r"
see {"workspace" was answered meanwhile by user:ben; the first answer counts}'
same "$(eventlog export | jq -r 'select(.type == "GlossaryClarificationResolved").actor')" user:ben
runs 0 eventlog replay --check

it "with --no-input nothing is asked, terminal or not"
forget_log
dialog 3 'spawn pawl run mission.yaml --run one --no-input'
lacks later screen

it "resume asks again, and the question was in the log before"
dialog 0 'spawn pawl resume one
see {later}
send "1\r"'

it "a signal at a question interrupts the run: exit 130, and it can be resumed"
forget_log
dialog 130 'spawn pawl run mission.yaml --run one
see {later}
send "\003"'
says '^run one: blocked' screen
same "$(eventlog export | jq -r 'select(.type == "SessionEnded").payload.status')" interrupted
runs 3 pawl resume one

it "changed inputs are shown, with both hashes, and the default is no"
runs 0 pawl resolve "$(pawl conflicts --json | jq -r '.[0].conflict_id')" --pick 1
sed -i 's/land in the/stay in the/' mission.yaml
dialog 4 'spawn pawl resume one
see {inputs.description: "Refunds land in the workspace." → "Refunds stay}
see {checkpoint [0-9a-f]{16}, now [0-9a-f]{16}}
see {\[y/N\]: }
send "\r"'
dialog 4 'spawn pawl resume one
see {\[y/N\]: }
send "maybe\r"'
dialog 0 'spawn pawl resume one
see {\[y/N\]: }
send "YES\r"'

it "with --json the questions go to stderr, and stdout has the object alone"
forget_log
dialog 0 'spawn sh -c "pawl run mission.yaml --run one --json >object"
see {later}
send "1\r"'
same "$(jq -r .status object)" completed

it "colours are for a terminal that has them, and not under NO_COLOR"
forget_log
printf 'mission: m\nsteps: [{id: a, run: ["true"]}]\n' >plain.yaml
dialog 0 'spawn pawl run plain.yaml'
grep -q "$(printf '\033')\[32mcompleted" screen
for variable in NO_COLOR=1 TERM=dumb; do
        dialog 0 "spawn env $variable pawl run plain.yaml"
        lacks "$(printf '\033')" screen
done

it "tables are cut to fit a terminal"
dialog 0 'set stty_init "cols 80"
spawn eventlog list'
[ "$(tr -d '\r' <screen | wc -L)" -le 80 ]

it "what a step asks people is asked too: the option's word or its number, or any text where there are none"
remove_log
rm -rf journal
cat >mission.yaml <<'END'
mission: release
steps:
  - id: approve
    ask: {question: "Publish \e[31m1.4?", options: [no, 3, yes]}
  - id: why
    ask: {question: Why?}
  - id: publish
    inputs: {said: {$from: approve}, why: {$from: why}}
    run: [sh, -c, "cat >>journal; echo >>journal"]
END
dialog 0 'spawn pawl run mission.yaml --run one
see {Publish \\x1b\[31m1.4\?}
see {2  3}
see {3  yes}
see {decide later: }
send "maybe\r"
see {not one of}
see {decide later: }
send "3\r"
see {Why\?}
see {the answer, or an empty line}
send "  It is time.  \r"'
same "$(cat journal)" '{"said":"3","why":"It is time."}'
same "$(eventlog export | jq -c 'select(.type == "GlossaryClarificationResolved").payload | [.answer, .resolution_mode]' | tr '\n' ' ')" \
        '["3","interactive"] ["It is time.","interactive"] '
runs 0 eventlog replay --check

it "it is asked when what the others came to was shown"
cat >others.yaml <<'END'
mission: others
parallel: 2
workspace: {checkpoint: off}
steps:
  - {id: other, needs: [], run: [sleep, "0.3"]}
  - {id: approve, needs: [], ask: {question: "Publish?"}}
END
dialog 0 'spawn pawl run others.yaml --run beside
see {other: [^\n]*completed}
see {Publish\?}
see {decide later}
send "yes\r"'

it "an empty line decides later; another run asks again"
dialog 3 'spawn pawl run mission.yaml --run two
see {decide later: }
send "\r"
see {deferred}'
dialog 0 'spawn pawl resume two
see {decide later: }
send "1\r"
see {Why\?}
send "no\r"'
same "$(tail -1 journal)" '{"said":"no","why":"no"}'

it "who is not asked is not prompted"
sed -i 's/question: Why?/&, to: ["user:ana"]/' mission.yaml
dialog 3 'spawn pawl run mission.yaml --run three
see {decide later: }
send "yes\r"
see {waits for an answer to "Why\?"}'
dialog 0 'spawn pawl resume three --actor user:ana
see {Why\?}
send "so\r"'
