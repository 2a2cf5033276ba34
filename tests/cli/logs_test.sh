# What the command of a step wrote: kept, shown while it runs and afterwards; and its output.
. "$SOURCE_DIR/tests/cli/shared.sh"

# step_event TYPE: the payloads of the events of a type, one a line.
step_event() {
        eventlog export | jq -c "select(.type == \"$1\") | .payload"
}

cat >mission.yaml <<'END'
mission: noisy
steps:
  - id: a
    run: [sh, -c, "echo one >&2; echo two >&2; echo 7"]
  - id: b
    run: [sh, -c, "echo first >&2; printf 'sorry\\033[31m\\000\\377\\n\\n' >&2; test -e ok && echo text"]
END

it "what a command writes to standard error reaches that of the run, as it is"
runs 1 pawl run mission.yaml --run r1
head -5 err >begin
printf 'one\ntwo\nfirst\nsorry\033[31m\000\377\n\n' | cmp - begin

it "and its last line stands in what is said of the failure"
says '^pawl: step b: exit code 1: sorry\\x1b\[31m\\x00\\xff; see `pawl logs r1 b`, go on with `pawl resume r1`' err

it "both attempts are in the log, one that completed and one that failed"
same "$(step_event StepCompleted | jq -c '[.attempt,.log_bytes,.last_line,(.log_hash|length)]')" '[1,8,"two",64]'
same "$(step_event StepFailed | jq -c '[.attempt,.log_bytes,.last_line,(.log_hash|length)]')" \
        '[1,20,"sorry\\x1b[31m\\x00\\xff",64]'
[ ! -e .pawl/events.db-logs ]

it "logs prints the bytes as they were"
runs 0 pawl logs r1 b
printf 'first\nsorry\033[31m\000\377\n\n' | cmp - out
is_empty err
same "$(pawl logs r1 a)" "one
two"

it "on a terminal it colours nothing"
dialog 0 'spawn pawl logs r1 b
see {sorry\\x1b\[31m\\x00\\xff}'

it "each start of the command is an attempt"
runs 1 pawl resume r1
touch ok
runs 0 pawl resume r1
same "$(pawl logs r1 b --json | jq -c '[.attempts[] | [.attempt, .status, .exit_code, .bytes, .kept]]')" \
        '[[1,"failed",1,20,20],[2,"failed",1,20,20],[3,"completed",0,20,20]]'
same "$(pawl logs r1 b --attempt 2 --json | jq -c '.attempts[].text')" '"first\nsorry\u001b[31m\u0000�\n\n"'
fails 1 'step b: has no attempt 4; its last is 3' pawl logs r1 b --attempt 4
fails 1 'step x: is not in run r1; ' pawl logs r1 x
fails 1 'run r9: is not in this log; ' pawl logs r9 b
misused 'not both' pawl logs r1 b -f --json
runs 0 pawl logs r1 b -f

it "output prints a string as its text, and JSON as JSON"
runs 0 pawl output r1 b
printf 'text\n' | cmp - out
same "$(pawl output r1 a)" 7
same "$(pawl output r1 b --json | jq -c '[.run_id,.step_id,.output]')" '["r1","b","text\n"]'
same "$(pawl output r1 b --json | jq -r .output_hash)" "$(step_event StepCompleted | tail -1 | jq -r .output_hash)"
fails 1 'step x: is not in run r1; ' pawl output r1 x

it "a run is known by the beginning of its id"
runs 0 pawl run mission.yaml --run a-long-id
same "$(pawl output a-lo a) $(pawl logs a-lo a --json | jq -r .run_id)" "7 a-long-id"

it "a step that has none says so"
cat >fails.yaml <<'END'
mission: fails
steps:
  - {id: one, run: [sh, -c, "exit 3"]}
  - {id: two, run: [sh, -c, "true"]}
END
runs 1 pawl run fails.yaml --run r2
fails 1 'step one: has no output in run r2, it is failed; `pawl logs r2 one`' pawl output r2 one
fails 1 'step two: has no output in run r2, it is pending; `pawl runs --id r2`' pawl output r2 two
runs 0 pawl logs r2 one
is_empty out
fails 1 'step two: nothing of what it wrote is kept in run r2; ' pawl logs r2 two
same "$(pawl logs r2 two --json | jq -c .attempts)" '[]'

it "one whose pawl was killed is unfinished, as elsewhere, and not at work"
cat >killed.yaml <<'END'
mission: killed
steps:
  - {id: one, run: [sh, -c, "touch at-one; sleep 60"]}
END
pawl run killed.yaml --run r2k >/dev/null 2>&1 &
pid=$!
await at-one
fails 1 'step one: has no output in run r2k, it is running; ' pawl output r2k one
kill -KILL "$pid"
wait "$pid" || :
fails 1 'step one: has no output in run r2k, it is unfinished; `pawl runs --id r2k`' pawl output r2k one
runs 0 pawl cancel r2k

it "the newest is kept, as much as max_log_bytes says, of the step, the mission or the project"
echo 'max_log_bytes: 10' >.pawl/config.yaml
cat >long.yaml <<'END'
mission: long
steps:
  - {id: project, run: [sh, -c, "seq 1000 1999 >&2"]}
  - {id: step, max_log_bytes: 5, run: [sh, -c, "seq 1000 1999 >&2"]}
  - {id: nothing, max_log_bytes: 0, run: [sh, -c, "seq 1000 1999 >&2"]}
END
runs 0 pawl run long.yaml --run r3
same "$(wc -l <err)" 3000
runs 0 pawl logs r3 project
same "$(cat out)" "1998
1999"
says '^pawl: the 4990 bytes before these are not kept \(max_log_bytes\)$' err
same "$(pawl logs r3 step --json | jq -c '.attempts[] | [.bytes, .kept, .text]')" '[5000,5,"1999\n"]'
same "$(pawl logs r3 nothing --json | jq -c '.attempts[] | [.bytes, .kept, .text]')" '[5000,0,""]'
sed 's/max_log_bytes: 5/max_log_bytes: -1/' long.yaml >wrong.yaml
fails 1 'long|wrong.yaml: line 4: steps\[1\].max_log_bytes: -1 is out of range; ' pawl run wrong.yaml
rm .pawl/config.yaml

it "while it runs, another process sees it, and follows it to its end"
cat >slow.yaml <<'END'
mission: slow
steps:
  - {id: go, run: [sh, -c, "seq 100000 >&2; echo ready >&2; until [ -e go ]; do sleep 0.05; done; echo end >&2"]}
END
pawl run slow.yaml --run r4 >/dev/null 2>slow.err &
await .pawl/events.db-logs/r4/go.1
until pawl logs r4 go 2>/dev/null | grep -q ready; do sleep 0.05; done
same "$(stat -c %a .pawl/events.db-logs .pawl/events.db-logs/r4 .pawl/events.db-logs/r4/go.1 | tr '\n' ' ')" "700 700 600 "
[ "$(stat -c %s .pawl/events.db-logs/r4/go.1)" -le 131093 ]
same "$(pawl logs r4 go --json | jq -c '.attempts[] | [.attempt, .status, .exit_code, .ended_at, .bytes]')" \
        '[1,"running",null,null,588901]'
pawl logs r4 go -f >followed 2>/dev/null &
follower=$!
sleep 0.3
touch go
wait "$follower"
same "$(tail -2 followed)" "ready
end"
wait
same "$(wc -c <slow.err)" 588905
[ ! -e .pawl/events.db-logs ]

it "an attempt that a signal cut off is kept, and is not the step's failure"
rm go
pawl run slow.yaml --run r5 >/dev/null 2>&1 &
pid=$!
until pawl logs r5 go 2>/dev/null | grep -q ready; do sleep 0.05; done
kill -TERM "$pid"
code=0
wait "$pid" || code=$?
same "$code" 143
same "$(step_event StepAttemptFailed | jq -c '[.attempt,.exit_code,.reason,.last_line]')" \
        '[1,143,"interrupted by SIGTERM","ready"]'
same "$(pawl logs r5 go --json | jq -c '.attempts[] | [.attempt, .status]')" '[1,"interrupted"]'
[ ! -e .pawl/events.db-logs ]

it "one whose pawl was killed is shown from what it left, and recorded when the step is started again"
pawl resume r5 >/dev/null 2>&1 &
pid=$!
until pawl logs r5 go --attempt 2 2>/dev/null | grep -q ready; do sleep 0.05; done
kill -KILL "$pid"
wait "$pid" || true
same "$(pawl logs r5 go --json | jq -c '.attempts[] | [.attempt, .status]')" '[1,"interrupted"]
[2,"interrupted"]'
same "$(pawl logs r5 go -f 2>/dev/null | tail -1)" ready
touch go
runs 0 pawl resume r5
same "$(step_event StepAttemptFailed | tail -1 | jq -c '[.attempt,.exit_code,.reason,.last_line,.log_bytes]')" \
        '[2,-1,"cut off: its pawl ended before it did","ready",588901]'
same "$(pawl logs r5 go --json | jq -c '.attempts[] | [.attempt, .status]')" '[1,"interrupted"]
[2,"interrupted"]
[3,"completed"]'
[ ! -e .pawl/events.db-logs ]

it "a process that a command left behind, with its standard error, does not hold up the run"
cat >left.yaml <<'END'
mission: left
steps:
  - {id: one, run: [sh, -c, "echo before >&2; sleep 60 >/dev/null & echo $! >left; echo done"]}
END
start=$(date +%s)
runs 0 pawl run left.yaml --run r6
[ $(($(date +%s) - start)) -lt 50 ]
kill "$(cat left)"
same "$(pawl logs r6 one)" before

it "an output that is held back has its log"
cat >team.yaml <<'END'
terms:
  - {surface: workspace, definition: A folder.}
  - {surface: workspace, definition: An account., confidence: 0.9}
END
cat >held.yaml <<'END'
mission: held
glossary: {team_domain: team.yaml}
strictness: max
steps:
  - {id: one, critical: true, run: [sh, -c, "echo why >&2; echo '{\"description\": \"the workspace is new\"}'"]}
END
runs 3 pawl run held.yaml --run r7 --no-input
same "$(pawl logs r7 one --json | jq -c '.attempts[] | [.status, .text]')" '["blocked","why\n"]'

it "what reads standard error of the run may go away, or be slow, and takes nothing from the log"
runs 0 bash -c 'pawl run slow.yaml --run r8 2>&1 >/dev/null | head -1 >/dev/null; exit "${PIPESTATUS[0]}"'
same "$(pawl logs r8 go 2>/dev/null | tail -1)" end
runs 0 bash -c 'pawl run slow.yaml --run r9 2>&1 >/dev/null | { sleep 3; cat; } >slowly; exit "${PIPESTATUS[0]}"'
same "$(wc -c <slowly) $(tail -1 slowly)" "588905 end"

it "-f goes on with the attempts that follow, and with an attempt that is named alone does not"
cat >again.yaml <<'END'
mission: again
workspace: {checkpoint: off}
steps:
  - id: go
    retry: {attempts: 3, delay: 100ms}
    run: [bash, -c, "echo try >>tries; n=$(wc -l <tries); echo begin $n >&2; touch at-$n; until [ -e go-$n ]; do sleep 0.02; done; echo end $n >&2; [ $n -eq 3 ]"]
END
pawl run again.yaml --run again >/dev/null 2>&1 </dev/null &
pid=$!
await at-1
pawl logs again go -f >followed &
follower=$!
pawl logs again go --attempt 1 -f >alone &
for n in 1 2 3; do
        until_it grep -qx "begin $n" followed
        touch "go-$n"
done
wait "$pid" "$follower"
same "$(tr '\n' ' ' <followed)" "begin 1 end 1 begin 2 end 2 begin 3 end 3 "
wait
same "$(tr '\n' ' ' <alone)" "begin 1 end 1 "

it "and the log verifies, and replays to what the tables hold"
runs 0 eventlog verify
runs 0 eventlog replay --check
