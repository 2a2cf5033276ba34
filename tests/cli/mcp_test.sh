# pawl mcp: the commands as tools, the log as resources, questions to the person.
. "$SOURCE_DIR/tests/cli/shared.sh"
write_mission
runs 0 pawl init

# serve [OPTION...]: a server at the ends of a pipe each; say MESSAGE, and hear ID: the answer is in the file answer.
serve() {
        coproc SERVER { exec pawl mcp "$@" 2>server.err; }
        server=$SERVER_PID
        exec {answers}<&"${SERVER[0]}" # which the shell closes when the server has ended
}
say() {
        printf '%s\n' "$1" >&"${SERVER[1]}"
}
hear() {
        local line
        : >before
        while IFS= read -r -t 60 -u "$answers" line; do
                printf '%s\n' "$line" >answer
                [ "$(jq -c .id answer)" != "$1" ] || return 0
                printf '%s\n' "$line" >>before
        done
        echo "no answer to $1"
        return 1
}
ask() {
        say "$2"
        hear "$1"
}
stop() {
        local input=${SERVER[1]}
        exec {input}>&-
        wait "$server"
        exec {answers}<&-
}
call() { # ID TOOL ARGUMENTS
        ask "$1" "{\"jsonrpc\":\"2.0\",\"id\":$1,\"method\":\"tools/call\",\"params\":{\"name\":\"$2\",\"arguments\":$3}}"
}
hello='{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"elicitation":{}},"clientInfo":{"name":"tester","version":"1"}}}'
meta='"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"elicitation":{}}}'

it "the handshake settles a version, and the tools are the commands"
serve --tools all
ask 0 "$hello"
same "$(jq -c '.result | [.protocolVersion, .serverInfo.name, (.capabilities | keys)]' answer)" \
        '["2025-11-25","pawl",["prompts","resources","tools"]]'
say '{"jsonrpc":"2.0","method":"notifications/initialized"}'
ask 1 '{"jsonrpc":"2.0","id":1,"method":"tools/list"}'
same "$(jq -c '[.result.tools[].name] | [index("run","resume","session_start","eventlog_verify","serve")]' answer | tr -d '0-9')" '[,,,,null]'
same "$(jq -c '.result.tools | map(select(.name == ("show","rollback","checkpoint"))) | map([.name, .annotations.readOnlyHint, .annotations.destructiveHint])' answer)" \
        '[["checkpoint",false,false],["show",true,false],["rollback",false,true]]'
same "$(jq -c '.result.tools[] | select(.name == "resolve").inputSchema | [.required, .properties.pick.type, .additionalProperties]' answer)" \
        '[[],"integer",false]'

it "no tool's text, argument's text, prompt or failure names an option; a command in back quotes is a person's"
lacks '(^|[ (\x60"])--[a-z]' answer
call 2 rollback '{"checkpoint":"1"}'
same "$(jq -c .result.isError answer)" true
lacks '(^|[ (])--[a-z]' answer
call 3 resolve '{"conflict":"0000000000000000","pick":1,"define":"x"}'
same "$(jq -c .result.isError answer)" true
lacks '(^|[ (])--[a-z]' answer
call 4 resolve '{"conflict":"0000000000000000","pick":1}'
same "$(jq -r '.result.content[0].text' answer | grep -c 'conflicts all. lists')" 1
for prompt in handoff resolve; do
        ask 5 "{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"prompts/get\",\"params\":{\"name\":\"$prompt\"}}"
        lacks '(^|[ (])--[a-z]' answer
done

it "a last line without its end is a message, too"
printf '%s' '{"jsonrpc":"2.0","id":8,"method":"ping"}' | pawl mcp >out
same "$(jq -c '[.id, .result]' out)" '[8,{}]'
printf '{"jsonrpc":"2.0","id":8,"meth' | pawl mcp >out
same "$(jq -c .error.code out)" -32700

it "a tool answers with what the command prints, and a failure is the tool's"
call 2 checkpoint '{}'
same "$(jq -c '.result | [.isError, .structuredContent.n]' answer)" '[false,1]'
same "$(eventlog list --type WorkspaceCheckpointed --json | jq -r .actor)" agent:tester
call 3 checkpoints '{}'
same "$(jq -r '.result.content[0].text' answer | jq length)" 1
same "$(jq -c '.result.structuredContent.result | length' answer)" 1
for wrong in '["show",{"checkpoint":"7"},"checkpoint 7: there is none"]' '["show",{},"^arguments.checkpoint: is missing; "]' \
        '["show",{"checkpoint":{}},"^arguments.checkpoint: is no text or number; "]' \
        '["show",{"nope":1},"^arguments.nope: is not known; "]' '["rollback",{"checkpoint":"1","yes":"x"},"^arguments.yes: is no boolean; "]' \
        '["show",{"checkpoint":"a\u0000b"},"^arguments.checkpoint: holds a NUL; "]'; do
        call 4 "$(jq -r '.[0]' <<<"$wrong")" "$(jq -c '.[1]' <<<"$wrong")"
        same "$(jq -c .result.isError answer)" true
        jq -r '.result.content[0].text' answer >text
        says "$(jq -r '.[2]' <<<"$wrong")" text
done
call 5 show '{"CHECKPOINT":1}'
same "$(jq -c .result.structuredContent.n answer)" 1
echo more >>a
call 6 diff '{"a":"1","path":["a"]}'
same "$(jq -c '.result.isError' answer)" false
call 7 nothing '{}'
same "$(jq -c .error.code answer)" -32602

it "the log is there as resources, and prompts hold what it has"
ask 8 '{"jsonrpc":"2.0","id":8,"method":"resources/list"}'
for uri in $(jq -r '.result.resources[].uri' answer); do
        ask 9 "{\"jsonrpc\":\"2.0\",\"id\":9,\"method\":\"resources/read\",\"params\":{\"uri\":\"$uri\"}}"
        [ "$uri" = pawl://handoff ] || jq -e '.result.contents[0].text | fromjson' answer >/dev/null
done
ask 10 '{"jsonrpc":"2.0","id":10,"method":"resources/read","params":{"uri":"pawl://checkpoints/%31"}}'
same "$(jq -r '.result.contents[0].text | fromjson | .n' answer)" 1
for uri in pawl://nothing pawl://checkpoints/9 pawl://checkpoints/%0 pawl://checkpoints/%00 file:///etc/passwd; do
        ask 11 "{\"jsonrpc\":\"2.0\",\"id\":11,\"method\":\"resources/read\",\"params\":{\"uri\":\"$uri\"}}"
        same "$(jq -c .error.code answer)" -32002
done
for method in read subscribe; do
        for params in '{}' '{"uri":5}'; do
                ask 11 "{\"jsonrpc\":\"2.0\",\"id\":11,\"method\":\"resources/$method\",\"params\":$params}"
                same "$(jq -c '[.error.code, .error.message[:5]]' answer)" '[-32602,"uri: "]'
        done
done
ask 12 '{"jsonrpc":"2.0","id":12,"method":"prompts/get","params":{"name":"resolve"}}'
same "$(jq -r '.result.messages[0].role' answer)" user

it "a blocked run puts its conflict to the person, records the answer and goes on"
say '{"jsonrpc":"2.0","id":20,"method":"tools/call","params":{"name":"run","arguments":{"mission":"mission.yaml"},"_meta":{"progressToken":"p"}}}'
hear '"pawl-1"'
same "$(jq -r '.method, .params.requestedSchema.properties.sense.oneOf[0].const' answer)" "$(printf 'elicitation/create\n1')"
jq -r .params.message answer >text
says 'What does "workspace" mean in step' text
ask 20 '{"jsonrpc":"2.0","id":"pawl-1","result":{"action":"accept","content":{"sense":"2"}}}'
same "$(jq -c '.result | [.isError, .structuredContent.status]' answer)" '[false,"completed"]'
says '"method":"notifications/progress","params":\{"progressToken":"p"' before
same "$(eventlog list --type GlossaryClarificationResolved --json | jq -r .payload.actor.actor_type)" user

it "progress counts the steps of the run that was called, whatever else runs"
cat >waits.yaml <<'END'
mission: waits
steps:
  - id: wait
    run: [sh, -c, "touch begun; until [ -e go ]; do sleep 0.1; done"]
END
cat >others.yaml <<'END'
mission: others
steps:
  - {id: one, run: ["true"]}
  - {id: two, run: ["true"]}
END
say '{"jsonrpc":"2.0","id":22,"method":"tools/call","params":{"name":"run","arguments":{"mission":"waits.yaml"},"_meta":{"progressToken":"w"}}}'
until [ -e begun ]; do sleep 0.1; done
runs 0 pawl run others.yaml
touch go
hear 22
same "$(jq -c '.result.structuredContent.status' answer)" '"completed"'
same "$(jq -c 'select(.method == "notifications/progress").params.progress' before)" 1

it "progress is told of the first call, too, with a log or without one"
for log in there none; do
        mkdir "$log"
        printf 'mission: m\nsteps:\n- {id: one, run: ["true"]}\n- {id: two, run: ["true"]}\n' >"$log/m.yaml"
        [ "$log" = none ] || runs 0 pawl init "$log"
        {
                echo "$hello"
                echo '{"jsonrpc":"2.0","method":"notifications/initialized"}'
                echo '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"run","arguments":{"mission":"m.yaml"},"_meta":{"progressToken":"f"}}}'
                until grep -q '"id":1,' "$log/said" 2>/dev/null; do sleep 0.05; done
        } | (cd "$log" && pawl mcp --db .pawl/events.db) >"$log/said"
        same "$(jq -c 'select(.method == "notifications/progress").params.progress' "$log/said" | tail -n 1)" 2
done

it "a resource that is subscribed to is told of when it changes"
ask 21 '{"jsonrpc":"2.0","id":21,"method":"resources/subscribe","params":{"uri":"pawl://checkpoints"}}'
runs 0 pawl checkpoint
hear null
same "$(jq -r '.method, .params.uri' answer)" "$(printf 'notifications/resources/updated\npawl://checkpoints')"
stop

it "one who declines, and a client that cannot ask, get the run as it is: blocked, which is no error"
sed 's/refund-service/other/' mission.yaml >other.yaml
sed 's/refund-service/url/' mission.yaml >url.yaml
serve
ask 0 "$hello"
say '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"run","arguments":{"mission":"other.yaml","run":"declined"}}}'
hear '"pawl-1"'
ask 1 '{"jsonrpc":"2.0","id":"pawl-1","result":{"action":"decline"}}'
same "$(jq -c '.result | [.isError, .structuredContent.status]' answer)" '[false,"blocked"]'

it "a run whose id is as long as one may be is asked about, too"
sed 's/refund-service/long/' mission.yaml >long.yaml
long=$(printf 'x%.0s' {1..128})
say "{\"jsonrpc\":\"2.0\",\"id\":\"long\",\"method\":\"tools/call\",\"params\":{\"name\":\"run\",\"arguments\":{\"mission\":\"long.yaml\",\"run\":\"$long\"}}}"
hear '"pawl-2"'
ask '"long"' '{"jsonrpc":"2.0","id":"pawl-2","result":{"action":"accept","content":{"sense":"1"}}}'
same "$(jq -c '.result.structuredContent | [.status, .run_id]' answer)" "[\"completed\",\"$long\"]"

it "without a handshake each request says what the client can do, and answers come with a retry"
ask 2 "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"server/discover\",\"params\":{$meta}}"
same "$(jq -c '.result | [.resultType, .supportedVersions]' answer)" '["complete",["2026-07-28"]]'
ask 3 "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"tools/call\",\"params\":{$meta,\"name\":\"resume\",\"arguments\":{\"token\":\"declined\"}}}"
same "$(jq -c '.result | [.resultType, (.requestState | split(".")[0])]' answer)" '["input_required","declined"]'
state=$(jq -r .result.requestState answer)
conflict=$(jq -r '.result.inputRequests | keys[0]' answer)
ask 4 "{\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"tools/call\",\"params\":{$meta,\"name\":\"resume\",\"arguments\":{\"token\":\"declined\"},\"requestState\":\"$state\",\"inputResponses\":{\"$conflict\":{\"action\":\"accept\",\"content\":{\"definition\":\"Where a team works.\"}}}}}"
same "$(jq -c '.result | [.resultType, .isError, .structuredContent.status]' answer)" '["complete",false,"completed"]'
ask 5 '{"jsonrpc":"2.0","id":5,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"1999-01-01","io.modelcontextprotocol/clientCapabilities":{}}}}'
same "$(jq -c '[.error.code, .error.data.requested]' answer)" '[-32022,"1999-01-01"]'
ask 6 "{\"jsonrpc\":\"2.0\",\"id\":6,\"method\":\"ping\",\"params\":{$meta}}"
same "$(jq -c .error.code answer)" -32601
ask 7 '{"jsonrpc":"2.0","id":7,"method":"server/discover","params":{}}'
same "$(jq -c .error.code answer)" -32602

it "a client that takes URLs alone is not sent a form; one of 2025-06-18 gets names beside the values"
ask 8 "{\"jsonrpc\":\"2.0\",\"id\":8,\"method\":\"tools/call\",\"params\":{${meta/elicitation\":\{\}/elicitation\":{\"url\":{\}\}},\"name\":\"run\",\"arguments\":{\"mission\":\"url.yaml\",\"run\":\"url\"}}}"
same "$(jq -c '.result | [.resultType, .structuredContent.status]' answer)" '["complete","blocked"]'
ask 9 "{\"jsonrpc\":\"2.0\",\"id\":9,\"method\":\"tools/call\",\"params\":{${meta/elicitation\":\{\}/elicitation\":{\"url\":{\},\"form\":{\}\}},\"name\":\"resume\",\"arguments\":{\"token\":\"url\"}}}"
same "$(jq -c '.result | [.resultType, (.inputRequests[].params | .mode, .requestedSchema.properties.sense.oneOf[0].const)]' answer)" '["input_required","form","1"]'
conflict=$(jq -r '.result.inputRequests | keys[0]' answer)
stop
serve
ask 0 "${hello/elicitation\":\{\}/elicitation\":{\"url\":{\}\}}"
call 1 resume '{"token":"url"}'
same "$(jq -c '.result | [.isError, .structuredContent.status]' answer)" '[false,"blocked"]'
stop
serve
ask 0 "${hello/2025-11-25/2025-06-18}"
same "$(jq -r .result.protocolVersion answer)" 2025-06-18
say '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"resume","arguments":{"token":"url"},"_meta":{"progressToken":[1]}}}'
hear '"pawl-1"'
same "$(jq -c '.params.requestedSchema.properties.sense | [.type, .enum[0], (.enum | length) == (.enumNames | length), has("oneOf")]' answer)" '["string","1",true,false]'

it "a call that is cancelled while the person is asked takes its question back, and the answer to it is nobody's"
say '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}'
hear null
same "$(jq -c '[.method, .params.requestId]' answer)" '["notifications/cancelled","pawl-1"]'
say '{"jsonrpc":"2.0","id":"pawl-1","result":{"action":"accept","content":{"sense":"1"}}}'
say '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}'
say '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"unknown"}}'
say '{"jsonrpc":"2.0","method":"notifications/cancelled","params":[]}'
ask 2 '{"jsonrpc":"2.0","id":2,"method":"ping"}'
is_empty before
same "$(pawl conflicts --json | jq 'map(select(.run_id == "url")) | length')" 1
stop

it "of the answers that come with a retry those count that were asked for"
serve
retry() { # ID ANSWERS
        ask "$1" "{\"jsonrpc\":\"2.0\",\"id\":$1,\"method\":\"tools/call\",\"params\":{$meta,\"name\":\"resume\",\"arguments\":{\"token\":\"url\"},\"requestState\":\"$state\",\"inputResponses\":$2}}"
}
ask 0 "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"tools/call\",\"params\":{$meta,\"name\":\"resume\",\"arguments\":{\"token\":\"url\"}}}"
state=$(jq -r .result.requestState answer)
retry 1 '{"none":{"action":"accept","content":{"sense":"1"}}}'
same "$(jq -c '.result | [.resultType, (.inputRequests | keys)]' answer)" "[\"input_required\",[\"$conflict\"]]"
retry 2 "{\"none\":7,\"$conflict\":{\"action\":\"accept\",\"content\":{\"sense\":\"1\",\"more\":[]}}}"
same "$(jq -c '.result | [.resultType, .structuredContent.status]' answer)" '["complete","completed"]'
retry 3 "{\"$conflict\":{\"action\":\"accept\",\"content\":{\"sense\":\"1\"}}}"
same "$(jq -c '.result | [.resultType, .isError, .structuredContent.status]' answer)" '["complete",false,"completed"]'

it "one who listens is told of what it listens to, and that it has ended"
say "{\"jsonrpc\":\"2.0\",\"id\":\"l\",\"method\":\"subscriptions/listen\",\"params\":{$meta,\"notifications\":{\"toolsListChanged\":true,\"resourceSubscriptions\":[\"pawl://checkpoints\",\"pawl://none\"]}}}"
hear null
same "$(jq -c '[.method, .params._meta["io.modelcontextprotocol/subscriptionId"], .params.notifications]' answer)" \
        '["notifications/subscriptions/acknowledged","l",{"resourceSubscriptions":["pawl://checkpoints"]}]'
runs 0 pawl checkpoint
hear null
same "$(jq -c '[.method, .params._meta["io.modelcontextprotocol/subscriptionId"], .params.uri]' answer)" \
        '["notifications/resources/updated","l","pawl://checkpoints"]'
kill "$server"
hear '"l"'
same "$(jq -c '.result | [.resultType, ._meta["io.modelcontextprotocol/subscriptionId"]]' answer)" '["complete","l"]'
wait "$server" || true
serve

it "a list has one page, and a cursor is none of its"
ask 1 '{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":"x"}}'
same "$(jq -c .error.code answer)" -32602
ask 1 '{"jsonrpc":"2.0","id":1,"method":"resources/list","params":{}}'
same "$(jq -c '.result | has("nextCursor")' answer)" false

it "a call that is cancelled is ended and not answered"
cat >slow.yaml <<'END'
mission: slow
steps:
  - id: wait
    run: [sleep, "60"]
END
say '{"jsonrpc":"2.0","id":30,"method":"tools/call","params":{"name":"run","arguments":{"mission":"slow.yaml","run":"slow-run"}}}'
for _ in $(seq 600); do
        [ "$(pawl runs --id slow-run --json 2>/dev/null | jq -r '.steps[0].status' 2>/dev/null)" = running ] && break
        sleep 0.1
done
say '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":30}}'
ask 31 '{"jsonrpc":"2.0","id":31,"method":"ping"}'
is_empty before
for _ in $(seq 600); do
        [ "$(pawl runs --json | jq -r '.runs[] | select(.run_id == "slow-run").status')" = interrupted ] && break
        sleep 0.1
done
same "$(pawl runs --json | jq -r '.runs[] | select(.run_id == "slow-run").status')" interrupted

it "what is no message is answered, and the server lives"
for wrong in 'nope -32700' '[] -32600' '{"jsonrpc":"2.0","id":{}} -32600' '{"jsonrpc":"1.0","id":1,"method":"ping"} -32600' \
        '{"jsonrpc":"2.0","id":1} -32600' '{"jsonrpc":"2.0","id":1,"method":"nope"} -32601' '{"jsonrpc":"2.0","id":1,"method":"ping","params":[]} -32602'; do
        say "${wrong% *}"
        IFS= read -r -t 60 line <&"${SERVER[0]}"
        same "$(jq -c .error.code <<<"$line")" "${wrong##* }"
done
say '{"jsonrpc":"2.0","method":"nope"}'
say '{"jsonrpc":"2.0","id":"pawl-77","result":{}}'
say ''
ask 40 '{"jsonrpc":"2.0","id":40,"method":"ping"}'
is_empty before
{ printf '{"jsonrpc":"2.0","id":1,"method":"ping","x":"'; head -c 17000000 /dev/zero | tr '\0' x; printf '"}\n'; } >long
{ cat long; printf '{"jsonrpc":"2.0","id":2,"method":"ping"}\n'; } | pawl mcp >out
same "$(jq -c '[.id, .error.code]' out | tr '\n' ' ')" '[null,-32600] [2,null] '
{ printf '{"jsonrpc":"2.0","id":1,"method":"ping","x":"'; head -c 16000000 /dev/zero | tr '\0' x; printf '"}\n'; } | pawl mcp >out
same "$(jq -c '[.id, .error.code]' out)" '[1,null]'

it "a signal ends it, with what it runs"
say '{"jsonrpc":"2.0","id":50,"method":"tools/call","params":{"name":"run","arguments":{"mission":"slow.yaml","run":"slow-2","fresh":true}}}'
for _ in $(seq 600); do
        [ "$(pawl runs --id slow-2 --json 2>/dev/null | jq -r '.steps[0].status' 2>/dev/null)" = running ] && break
        sleep 0.1
done
kill -TERM "$server"
code=0
wait "$server" || code=$?
same "$code" 143
same "$(pawl runs --json | jq -r '.runs[] | select(.run_id == "slow-2").status')" interrupted
runs 0 eventlog replay --check

it "what a step asks people comes with its options, or as any text; the answer is the output"
cat >ask.yaml <<'END'
mission: release
steps:
  - id: approve
    ask: {question: "Publish 1.4?", options: [yes, no], to: ["user:ana", "user:ben"]}
  - id: why
    ask: {question: Why?}
END
export USER=ana
serve
ask 0 "$hello"
say '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"run","arguments":{"mission":"ask.yaml","run":"asked"}}}'
hear '"pawl-1"'
same "$(jq -c '[.params.message, .params.requestedSchema.properties]' answer)" \
        '["Publish 1.4? (step approve)",{"answer":{"type":"string","title":"The answer","enum":["yes","no"]}}]'
say '{"jsonrpc":"2.0","id":"pawl-1","result":{"action":"accept","content":{"answer":"yes"}}}'
hear '"pawl-2"'
same "$(jq -c '[.params.message, .params.requestedSchema.properties]' answer)" \
        '["Why? (step why)",{"answer":{"type":"string","title":"The answer"}}]'
ask 1 '{"jsonrpc":"2.0","id":"pawl-2","result":{"action":"accept","content":{"answer":"It is time."}}}'
same "$(jq -c '.result | [.isError, .structuredContent.status]' answer)" '[false,"completed"]'
same "$(eventlog list --run asked --type GlossaryClarificationResolved --json | jq -c '[.actor, .payload.answer]' | tr '\n' ' ')" \
        '["user:ana","yes"] ["user:ana","It is time."] '

it "an answer in place of the person's is refused to the agent, who is not asked; where anybody may, it may, too"
ask 2 "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/call\",\"params\":{$meta,\"name\":\"run\",\"arguments\":{\"mission\":\"ask.yaml\",\"run\":\"second\"}}}"
same "$(jq -c '[.result.resultType, (.result.inputRequests[] | .params.requestedSchema.properties.answer.enum)]' answer)" '["input_required",["yes","no"]]'
conflict=$(jq -r '.result.inputRequests | keys[0]' answer)
cp answer second
call 3 resolve "{\"conflict\":\"$conflict\",\"answer\":\"yes\"}"
same "$(jq -c .result.isError answer)" true
jq -r '.result.content[0].text' answer >text
says 'agent:tester is not asked; it is user:ana, user:ben who may answer' text
ask 4 "{\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"tools/call\",\"params\":{$meta,\"name\":\"resume\",\"arguments\":{\"token\":\"second\"},\"requestState\":\"$(jq -r .result.requestState second)\",\"inputResponses\":{\"$conflict\":{\"action\":\"accept\",\"content\":{\"answer\":\"no\"}}}}}"
same "$(jq -c .result.resultType answer)" '"input_required"'
conflict=$(jq -r '.result.inputRequests | keys[0]' answer)
call 5 resolve "{\"conflict\":\"$conflict\",\"answer\":\"because\"}"
same "$(jq -c .result.isError answer)" false
stop

it "a person who is not asked gets the run as it is"
export USER=eve
serve
ask 0 "$hello"
call 1 run '{"mission":"ask.yaml","run":"third"}'
same "$(jq -c '.result | [.isError, .structuredContent.status]' answer)" '[false,"blocked"]'
ask 2 "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/call\",\"params\":{$meta,\"name\":\"resume\",\"arguments\":{\"token\":\"third\"}}}"
same "$(jq -c '.result | [.resultType, .structuredContent.status]' answer)" '["complete","blocked"]'
stop

it "input that ends while tools are at work: their answers, then it ends; a question is nobody's to answer any more"
printf 'mission: slow\nsteps: [{id: a, run: [sleep, "0.5"]}]\n' >slow.yaml
printf 'mission: asks\nsteps: [{id: a, run: [sleep, "0.5"]}, {id: b, ask: {question: "What?"}}]\n' >asks.yaml
begin() { printf '{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":"run","arguments":{"mission":"%s.yaml","run":"%s"}}}\n' "$@"; }
{ begin 1 slow ends; printf '%s\n' "$hello"; begin 2 asks waits; } | timeout 60 pawl mcp >out
same "$(jq -c 'select(.id == 1) | .result | [.isError, .structuredContent.status]' out)" '[false,"completed"]'
same "$(pawl runs --id waits --json | jq -r .status)" blocked
