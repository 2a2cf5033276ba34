# Answers that are signed: made with `resolve --sign`, verified by ssh-keygen alone, required by a mission, and looked at
# again when the run goes on.
. "$SOURCE_DIR/tests/cli/shared.sh"
command -v ssh-keygen >/dev/null || { echo "ssh-keygen is not installed"; exit 77; }

# key NAME [TYPE]: make one.
key() {
        ssh-keygen -q -t "${2:-ed25519}" -N '' -C '' -f "$1"
}

# allow ACTOR KEY...: these may sign for these actors.
allow() {
        : >allowed
        while [ $# -gt 0 ]; do
                echo "$1 $(cat "$2.pub")" >>allowed
                shift 2
        done
}

# write_ask [MEMBERS]: a mission that asks, then publishes.
write_ask() {
        cat >mission.yaml <<YAML
mission: release
require_signed: allowed
steps:
  - id: approve
    inputs: {version: "1.0"}
    ask: {question: Publish?, options: [yes, no]${1:-}}
  - id: publish
    inputs: {said: {\$from: approve}}
    run: [sh, -c, "echo published >>journal"]
YAML
}

# write_term: one that stops at a word.
write_term() {
        cat >team.yaml <<'YAML'
terms:
  - surface: workspace
    definition: A folder in which one step does its work.
  - surface: workspace
    definition: The account that a customer's people share.
    confidence: 0.9
YAML
        cat >mission.yaml <<'YAML'
mission: refund
require_signed: allowed
glossary: {team_domain: team.yaml}
steps:
  - id: specify
    critical: true
    inputs: {description: Refunds land in the workspace.}
    run: [sh, -c, "echo specified >>journal"]
YAML
}

begin() {
        forget_log
        rm -f journal
        runs 3 pawl run mission.yaml --run "$1" --no-input
        id=$(pawl conflicts --json | jq -r '.[0].conflict_id')
}

# seq_of: of the last answer.
seq_of() {
        eventlog export | jq -r 'select(.type == "GlossaryClarificationResolved").seq' | tail -1
}

# verify ACTOR ALLOWED: the last answer's signature, by the two lines of the documentation.
for page in how-to/prove-who-answered reference/event-log; do
        sed -n '/^eventlog show 42 /,/^```/p' "$SOURCE_DIR/docs/$page.md" | grep -v '^```' >"recipe.${page##*/}"
        [ "$(wc -l <"recipe.${page##*/}")" = 2 ]
done
verify() {
        sed "s/show 42 /show $(seq_of) /; s/-f allowed_signers -I user:ana /-f $2 -I $1 /" recipe.prove-who-answered >recipe
        grep -q -e "-f $2 -I $1 " recipe
        bash -eo pipefail recipe
}

key ana
key eve
allow user:ana ana

it "both pages have the same two lines"
cmp recipe.prove-who-answered recipe.event-log

it "an answer is signed by the key that is named, of any kind, and ssh-keygen verifies it from the event alone"
for kind in ed25519 ecdsa rsa; do
        rm -f k k.pub
        key k $kind
        allow user:ana k
        write_ask
        begin "with-$kind"
        runs 0 pawl resolve "$id" --answer yes --actor user:ana --sign k
        runs 0 verify user:ana allowed
        says '^Good "pawl" signature for user:ana with ' out
        fails_verify=0
        verify user:eve allowed >/dev/null 2>&1 || fails_verify=1
        same "$fails_verify" 1
        same "$(jq -c '.payload.answer, .payload.input_hash == (.payload.input_hash | ascii_downcase)' event | tr '\n' ' ')" '"yes" true '
        runs 0 pawl resume "with-$kind" --no-input
        same "$(cat journal)" published
done

it "a public key will do whose private half is in ssh-agent"
allow user:ana ana
eval "$(ssh-agent -s)" >/dev/null
trap 'kill "$SSH_AGENT_PID" 2>/dev/null || true' EXIT
ssh-add -q ana
mkdir public
cp ana.pub public/ana.pub
begin agent
runs 0 pawl resolve "$id" --answer no --actor user:ana --sign public/ana.pub
runs 0 verify user:ana allowed
ssh-add -q -D
begin agent2
fails 1 'key public/ana.pub: does not sign \(' pawl resolve "$id" --answer no --actor user:ana --sign public/ana.pub
kill "$SSH_AGENT_PID"
unset SSH_AUTH_SOCK

it "a mission that requires it takes no other answer, which changes nothing"
begin required
before=$(eventlog head)
fails 1 "conflict $id: its run takes signed answers alone \(require_signed\); sign it: .pawl resolve $id --answer TEXT( --actor user:ana)? --sign KEY.$" pawl resolve "$id" --answer yes --actor user:ana
fails 1 "conflict $id: user:eve's signature is not good \(.*\), by allowed; sign with a key that the file gives user:eve" pawl resolve "$id" --answer yes --actor user:eve --sign eve
fails 1 "conflict $id: user:ana's signature is not good" pawl resolve "$id" --answer yes --actor user:ana --sign eve
fails 1 "conflict $id: user:eve's signature is not good" pawl resolve "$id" --answer yes --actor user:eve --sign ana
fails 1 'key none: cannot be read: No such file' pawl resolve "$id" --answer yes --actor user:ana --sign none
fails 1 'key -oProxyCommand=x: cannot be read' pawl resolve "$id" --answer yes --actor user:ana --sign=-oProxyCommand=x
fails 1 'key allowed: does not sign' pawl resolve "$id" --answer yes --actor user:ana --sign allowed
printf '{"conflict_id":"%s","answer":"yes"}\n' "$id" >answers
fails 1 "answers: line 1: conflict $id: its run takes signed answers alone" pawl resolve --answers answers --actor user:ana
same "$(eventlog head)" "$before"
runs 0 pawl resolve --answers answers --actor user:ana --sign ana
runs 0 verify user:ana allowed
runs 0 pawl resume required --no-input
same "$(cat journal)" published

it "an unknown file, and one that names nobody, are errors of the mission by their line"
sed -i 's/allowed/elsewhere/' mission.yaml
fails 1 'mission.yaml: line 2: require_signed: .*/elsewhere cannot be read: No such file or directory; name a file' pawl check mission.yaml
fails 1 'line 2: require_signed' pawl run mission.yaml --fresh --no-input
: >elsewhere
fails 1 'line 2: require_signed: .*/elsewhere names nobody; write a line' pawl check mission.yaml
for bad in 'user:ana ssh-ed25519 AAAA' "user:ana ssh-dss $(cut -d ' ' -f 2 ana.pub)" 'user:ana' "$(cut -d ' ' -f 1,2 ana.pub)"; do
        printf '# who may\n\n%s\n' "$bad" >elsewhere
        fails 1 'line 2: require_signed: .*/elsewhere: line 3: gives nobody a key; write ACTOR' pawl check mission.yaml
done
printf 'user:ana,user:eve namespaces="pawl, mail",valid-after="20200101" %s\r\n' "$(cat ana.pub)" >elsewhere
runs 0 pawl check mission.yaml
rm elsewhere && mkfifo elsewhere
fails 1 'line 2: require_signed: .*/elsewhere names nobody; write a line' pawl check mission.yaml
rm elsewhere
write_ask

# forge TYPE ACTOR FILTER: append what the filter makes of the last question of the run, as somebody may who can write
# the log.
cat >append.c <<'C'
#include <pawl/pawl.h>
#include <stdio.h>
#include <string.h>
int main(int argc, char **argv)
{
        pawl_log *log;
        pawl_error err = PAWL_ERROR_INIT;
        pawl_text text[8];
        for (int i = 2; i < argc && i < 8; i++)
                text[i] = (pawl_text){argv[i], strlen(argv[i])};
        if (pawl_log_open(&log, argv[1], NULL, &err))
                return puts(err.message), 1;
        pawl_event event = {.type = text[2], .mission_id = text[3], .run_id = text[4], .step_id = text[5],
                .actor = text[6], .payload = text[7]};
        const pawl_status status = pawl_log_append(NULL, log, &event, 1, 0);
        if (status)
                puts(pawl_log_errmsg(log));
        pawl_log_close(log);
        return status != PAWL_OK;
}
C
$CC -std=c11 append.c $("$SOURCE_DIR/tests/support/libpawl-flags") -o append
forge() {
        local asked
        asked=$(eventlog export | jq -c 'select(.type == "GlossaryClarificationRequested")' | tail -1)
        ./append "${PAWL_DB:-.pawl/events.db}" "$1" "$(jq -r .mission_id <<<"$asked")" "$(jq -r .run_id <<<"$asked")" \
                "$(jq -r .step_id <<<"$asked")" "$2" \
                "$(jq -c --arg actor "$2" --rawfile sig sig '.payload | {conflict_id, term_surface: .term, selected_sense: null,
                        answer: "yes", input_hash, actor: {actor_id: $actor, actor_type: "human", display_name: $actor},
                        resolution_mode: "async", provenance: {source: "answer", timestamp: "", actor_id: $actor}}
                        | '"$3" <<<"$asked")"
}

# sign KEY ACTOR FILTER [NAMESPACE]: the signature of what the filter makes of that question.
sign() {
        eventlog export | jq -c 'select(.type == "GlossaryClarificationRequested")' | tail -1 |
                jq -cjS --arg actor "$2" '{actor: $actor, answer: "yes", conflict_id: .payload.conflict_id,
                        input_hash: .payload.input_hash, question: .hash, replaces: null} | '"$3" |
                ssh-keygen -q -Y sign -f "$1" -n "${4:-pawl}"
}

# held PATTERN: the run goes on, and is blocked for this reason; nothing is generated.
held() {
        runs 3 pawl resume "$run" --no-input
        cp err why
        says "$1" why
        [ ! -e journal ]
        same "$(events StepCompleted)" 0
        same "$(pawl conflicts --json | jq -c '[.[] | .conflict_id]')" "[\"$id\"]"
        runs 0 eventlog replay --check
}

it "asking again unchanged appends no new request, so that an answer that is being signed stays good"
begin again
sign ana user:ana . >sig
for i in 1 2; do runs 3 pawl resume again --no-input; done
same "$(events GlossaryClarificationRequested)" 1
same "$(pawl conflicts --json | jq -c '[.[].conflict_id]')" "[\"$id\"]"
runs 0 forge GlossaryClarificationResolved user:ana '.signature = $sig'
runs 0 pawl resume again --no-input
same "$(cat journal)" published

it "what somebody else appended opens no gate, unless it is signed for this conflict, by this answer, by this actor"
run=forged
: >sig
begin $run
runs 0 forge GlossaryClarificationResolved user:ana .
same "$(pawl conflicts --json)" '[]'
held "^pawl: step approve: waits for an answer to \"Publish\?\", since conflict $id: the answer at seq [0-9]+ does not count: it is not signed; .pawl resolve $id --answer TEXT( --actor user:ana)? --sign KEY. gives one, then"
for wrong in 'eve user:ana .' 'ana user:ben .' 'ana user:ana .answer="no"' 'ana user:ana .conflict_id="0123456789abcdef"' \
        'ana user:ana .input_hash="0"' 'ana user:ana . file' 'ana user:ana .question="0"' 'ana user:ana .replaces=.question' \
        'ana user:ana del(.question)|del(.replaces)' 'ana user:ana .question=null'; do
        read -r who as filter namespace <<<"$wrong"
        sign "$who" "$as" "$filter" "$namespace" >sig
        runs 0 forge GlossaryClarificationResolved user:ana '.signature = $sig'
        held "does not count: user:ana's signature is not good \(.*\), by allowed; "
done
sign ana user:ana . >sig
runs 0 forge GlossaryClarificationResolved user:eve '.signature = $sig'
held "does not count: user:eve's signature is not good"
runs 1 forge GlossaryClarificationResolved user:ana '.signature = $sig | .term_surface = "Delete?"'
says 'rule answer-fits' out
runs 1 forge GlossaryClarificationResolved system:timeout '.resolution_mode = "timeout"'
says 'rule in-time' out
same "$(eventlog export | jq -c 'select(.type == "GlossaryClarificationRequested").payload.unverified | type' | sort -u | tr '\n' ' ')" '"null" "number" '

it "an answer that is good lets it go on, after all of that"
runs 0 pawl resolve "$id" --answer yes --actor user:ana --sign ana
runs 0 pawl resume $run --no-input
same "$(cat journal)" published
runs 0 eventlog replay --check

it "a signature that is good for one run is good for no other"
begin first
runs 0 pawl resolve "$id" --answer yes --actor user:ana --sign ana
eventlog show "$(seq_of)" --json | jq -r .payload.signature >sig
run=second
rm -f journal
runs 3 pawl run mission.yaml --run $run --fresh --no-input
id=$(pawl conflicts --json | jq -r '.[0].conflict_id')
runs 0 forge GlossaryClarificationResolved user:ana '.signature = $sig'
held "does not count: user:ana's signature is not good"

it "a key that is taken out of the file counts no more, for what it signed before, too"
run=revoked
begin $run
runs 0 pawl resolve "$id" --answer yes --actor user:ana --sign ana
allow user:eve eve
held "run $run: whose answers it takes \(require_signed\) has changed since it began: an answer counts only if it did then, too; a new run takes it as it is"
says "does not count: user:ana's signature is not good \(.*\), by allowed as it is now" why
fails 1 "by allowed as it is now; sign with a key" pawl resolve "$id" --answer yes --actor user:ana --sign ana

it "one that came into it since the run began counts in a new run, whatever somebody accepts"
fails 1 "user:eve's signature is not good \(.*\), by allowed as it was when the run began" pawl resolve "$id" --answer yes --actor user:eve --sign eve
sign eve user:eve . >sig
runs 0 forge GlossaryClarificationResolved user:eve '.signature = $sig'
held "by allowed as it was when the run began \(a new run takes it as it is now\)"
for option in --accept-changed-mission --rerun-changed; do
        runs 3 pawl resume $run $option --no-input
        fails 1 'by allowed as it was when the run began' pawl resolve "$id" --answer yes --actor user:eve --sign eve
done
same "$(events RunMissionChanged)" 0
allow user:ana ana user:eve eve
fails 1 'by allowed as it was when the run began' pawl resolve "$id" --answer yes --actor user:eve --sign eve
runs 0 pawl resolve "$id" --answer yes --actor user:ana --sign ana
runs 0 pawl resume $run --no-input
same "$(cat journal)" published
allow user:ana ana

it "a mission that does not require it any more still does for a run that began so, and one that begins to does at once"
run=dropped
begin $run
sed -i /require_signed/d mission.yaml
runs 0 forge GlossaryClarificationResolved user:ana .
held "it is not signed"
for option in --accept-changed-mission --rerun-changed; do
        runs 3 pawl resume $run $option --no-input
        fails 1 'takes signed answers alone' pawl resolve "$id" --answer yes --actor user:ana
done
sed -i 's/echo published/echo changed/' mission.yaml
runs 3 pawl resume $run --accept-changed-mission --no-input
same "$(events RunMissionChanged)" 1
fails 1 'takes signed answers alone' pawl resolve "$id" --answer yes --actor user:ana
runs 0 pawl resolve "$id" --answer yes --actor user:ana --sign ana
runs 0 pawl resume $run --no-input
same "$(cat journal)" changed
write_ask
sed -i /require_signed/d mission.yaml
run=added
begin $run
runs 0 pawl resolve "$id" --answer yes --actor user:ana
write_ask
held "it is not signed"
runs 0 pawl resolve "$id" --answer yes --actor user:ana --sign ana
runs 0 pawl resume $run --no-input
same "$(cat journal)" published

it "what the mission says of a time that is over is its own word, and nobody signs it; before that time it is not"
run=late
write_ask ', within: 1h, otherwise: yes'
begin $run
runs 1 forge GlossaryClarificationResolved system:timeout '.resolution_mode = "timeout"'
says 'rule in-time' out
write_ask ', within: 1s, otherwise: yes'
begin soon
until_it pawl resume soon --no-input
same "$(cat journal)" published
same "$(eventlog export | jq -r 'select(.type == "GlossaryClarificationResolved").actor')" system:timeout
write_ask ', within: 1s'
begin unanswered
has_failed() {
        pawl resume unanswered --no-input >/dev/null 2>&1 || [ $? = 1 ]
}
until_it has_failed
before=$(eventlog head)
fails 1 'step approve: asks people, and its run takes signed answers alone \(require_signed\); .pawl resume unanswered. asks again' pawl skip unanswered approve --actor user:ana
same "$(eventlog head)" "$before"
[ ! -e journal ]
write_ask

it "a term is answered by a sense, which is what is signed, whole; many in one commit"
write_term
begin picked
runs 0 pawl resolve "$id" --pick 2 --actor user:ana --sign ana
runs 0 verify user:ana allowed
same "$(jq -r .payload.selected_sense.definition event)" "The account that a customer's people share."
runs 0 pawl resolve "$id" --define 'A "room" — for work' --scope team_domain --replace --actor user:ana --sign ana
runs 0 verify user:ana allowed
runs 0 pawl resolve "$id" --dismiss --replace --actor user:ana --sign ana
runs 0 verify user:ana allowed
same "$(jq -r .payload.selected_sense.status event)" ignored
runs 0 pawl resume picked --no-input
same "$(cat journal)" specified
begin many
fails 1 "$id: its run takes signed answers alone" pawl resolve --run many --all --dismiss --actor user:ana
runs 0 pawl resolve --run many --all --pick-first --actor user:ana --sign ana
runs 0 verify user:ana allowed
runs 0 pawl resume many --no-input
same "$(cat journal)" specified

it "the sense of an answer that does not count is none, in no scope and in no other run"
run=sense
begin $run
runs 0 pawl resolve "$id" --define 'A place' --actor user:ana --sign ana
allow user:eve eve
held "step specify: generation is blocked by 1 unresolved conflict, since conflict $id: the answer at seq [0-9]+ does not count: user:ana's signature"
says "; answer with .pawl resolve $id --pick N --sign KEY., or --define TEXT" why
runs 3 pawl check mission.yaml
runs 3 pawl run mission.yaml --run other --fresh --no-input
[ ! -e journal ]
allow user:ana ana
runs 0 pawl check mission.yaml
runs 0 pawl resume $run --no-input
same "$(cat journal)" specified
sense='.selected_sense = {surface: .term_surface, scope: "team_domain", definition: "Any", confidence: 1} | .normal = "workspace" | del(.answer)'
run=forged-sense
begin $run
runs 0 forge GlossaryClarificationResolved user:ana "$sense"
held "it is not signed"
runs 0 forge GlossaryClarificationResolved user:ana "$sense | del(.normal)"
held "it is not signed"
runs 3 pawl run mission.yaml --run other --fresh --no-input
[ ! -e journal ]

it "what the glossary says is no answer, and counts"
run=ignored
begin $run
runs 0 pawl glossary ignore workspace --mission refund --actor user:ana
runs 0 pawl resume $run --no-input
same "$(cat journal)" specified

it "a command that was interrupted behind the gate is not started again by an answer that counts no more"
sed -i 's/echo specified/[ -e let ] || exit 1; echo specified/' mission.yaml
run=interrupted
begin $run
runs 0 pawl resolve "$id" --pick 1 --actor user:ana --sign ana
runs 1 pawl resume $run --no-input
allow user:eve eve
touch let
held "does not count: user:ana's signature"
allow user:ana ana
runs 0 pawl resolve "$id" --pick 1 --actor user:ana --sign ana
runs 0 pawl resume $run --no-input
same "$(cat journal)" specified

it "nobody is asked on a terminal, nor by who serves: the message says what to type"
allow user:ana ana
write_ask
forget_log
rm -f journal
dialog 3 'spawn pawl run mission.yaml --run terminal'
lacks 'yes/no|\[1\]' screen
says 'pawl resolve [0-9a-f]{16} --answer TEXT --sign KEY' screen
id=$(pawl conflicts --json | jq -r '.[0].conflict_id')
ask_mcp() {
        printf '%s\n' '{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"tester","version":"1"}}}' \
                '{"jsonrpc":"2.0","method":"notifications/initialized"}' \
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"resolve\",\"arguments\":$1}}" |
                pawl mcp 2>/dev/null | jq -c 'select(.id == 1)'
}
before=$(eventlog head)
same "$(ask_mcp "{\"conflict\":\"$id\",\"answer\":\"yes\"}" | jq -r '.result | [.isError, (.content[0].text | test("takes signed answers alone .*--sign KEY"))] | tostring')" '[true,true]'
same "$(ask_mcp "{\"conflict\":\"$id\",\"answer\":\"yes\",\"sign\":\"ana\"}" | jq -r '.result | [.isError, (.content[0].text | test("sign"))] | tostring')" '[true,true]'
same "$(eventlog head)" "$before"

it "a worker has the file as it was submitted"
forget_log
runs 0 pawl submit mission.yaml --run sent
allow user:eve eve
runs 0 pawl work --once --dir "$PWD.work"
id=$(pawl conflicts --json | jq -r '.[0].conflict_id')
fails 1 "$id: its run takes signed answers alone" pawl resolve "$id" --answer yes --actor user:ana
runs 0 pawl resolve "$id" --answer yes --actor user:ana --sign ana
runs 0 pawl work --once --dir "$PWD.work"
same "$(pawl runs --json | jq -r '.runs[0].status')" completed

it "without ssh-keygen nothing is signed, and no gate is opened; the message says what is missing"
allow user:ana ana
begin without
mkdir path
for tool in sh cat; do ln -s "$(command -v $tool)" "path/$tool"; done
pawl=$(command -v pawl)
fails 1 "ssh-keygen: there is no such program, which signs and verifies answers; install" env PATH="$PWD/path" "$pawl" resolve "$id" --answer yes --actor user:ana --sign ana
runs 0 pawl resolve "$id" --answer yes --actor user:ana --sign ana
before=$(events)
runs 1 env PATH="$PWD/path" "$pawl" resume without --no-input
says 'ssh-keygen: there is no such program' err
[ ! -e journal ]
same "$(events GlossaryClarificationRequested)" 1
runs 0 pawl resume without --no-input
same "$(cat journal)" published
