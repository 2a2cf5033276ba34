# Each command that the handoff and status suggest is accepted in the state that it is suggested in.
. "$SOURCE_DIR/tests/cli/shared.sh"
printf '%s\n' /out /err /said /go /began >.pawlignore
begin_log

# suggested [SESSION]: what the handoff suggests, the same as its JSON and, of a run, as status
suggested() {
        pawl handoff "$@" >said
        local go_on
        go_on=$(pawl handoff "$@" --json | jq -r '.go_on // ""')
        [ -z "$go_on" ] || same "$(tail -1 said)" "$go_on"
        echo "$go_on"
}
# accepted COMMAND [CODE]: it does something else than refuse
accepted() {
        local code=0
        [ -n "$1" ]
        (eval "$1") >out 2>err </dev/null || code=$?
        same "$code" "${2:-0}"
}
mission() {
        printf 'mission: %s\nsteps:\n  - {id: one, run: [touch, one]}\n  - {id: two, %s}\n' "$1" "$2" >"$1.yaml"
}

it "of a run that failed"
mission fails 'run: [test, -e, go]'
runs 1 pawl run fails.yaml --run fails --no-input
same "$(pawl status --json | jq -r '.runs[0].next')" "$(suggested)"
touch go
accepted "$(suggested)"
same "$(suggested)" ""
says '^Nothing is left to do: it is completed\.$' said

it "of a run that is blocked: an answer, then the run"
mission asks 'ask: {question: "Go on?", options: [yes, no]}'
runs 3 pawl run asks.yaml --run asks --no-input
suggested >next
says '^When the issues above are answered:$' said
accepted "$(sed -n 's/^ *\(pawl resolve .*--pick 1\).*/\1/p' said | head -1)"
accepted "$(cat next)"
mission free 'ask: {question: "What?"}'
runs 3 pawl run free.yaml --run free --no-input
suggested >next
accepted "$(sed -n 's/^ *\(pawl resolve .*\)$/\1/p' said | head -1)"
accepted "$(cat next)"

it "of a run that is at work, and of one whose process died"
mission slow 'run: [sh, -c, "touch began; exec sleep 100"]'
pawl run slow.yaml --run slow --no-input >/dev/null 2>&1 &
pid=$!
await began
suggested >next
says '^It is at work; this waits for it, and resumes it where it stops:$' said
mission slow 'run: ["true"]'
(accepted "$(cat next) --accept-changed-mission") &
waits=$!
sleep 0.3
kill -KILL $pid
wait $pid 2>/dev/null || true
wait $waits
runs 0 pawl run slow.yaml --run again --no-input

it "of a run that was cancelled none"
rm go
runs 1 pawl run fails.yaml --run ended --no-input --fresh
runs 0 pawl cancel ended
same "$(suggested)" ""
says '^Nothing is left to do: it is cancelled\.$' said

it "of a session without steps, active, completed, interrupted, and beside an active one"
runs 0 pawl session start --mission agent
one=$(cat out)
suggested >next
lacks '^Progress:' said
says '^It is active; this takes it over:$' said
accepted "$(cat next)"
two=$(cat out)
[ "$one" != "$two" ]
suggested "$one" >next
says '^Another session of its mission is active; this takes that over:$' said
accepted "$(cat next)"
for status in completed interrupted error; do
        runs 0 pawl session end --status $status
        accepted "$(suggested)"
        runs 0 pawl session end --status $status
        accepted "$(pawl sessions | sed -n 's/^Resume the latest: //p')"
done
runs 0 pawl session end
runs 0 pawl session start --mission other --step s
left=$(cat out)
runs 0 pawl session end --status interrupted
runs 0 pawl session start --mission other
says "\`pawl session resume --take-over $left\`" err
accepted "$(sed -n 's/.*`\(pawl session resume [^`]*\)`.*/\1/p' err)"
runs 0 pawl session end

it "of a session that told steps, all done: none"
runs 0 pawl session start --mission done --step s
runs 0 pawl session end --done s
same "$(suggested)" ""
says '^Nothing is left to do: it is completed\.$' said

it "an answer is signed and given by those who are asked, as suggested everywhere"
ssh-keygen -q -t ed25519 -N '' -f key
echo "user:ana namespaces=\"pawl\" $(cat key.pub)" >allowed
# commands FILE: those that answer, with what stands for a person's own words put in
commands() {
        grep -oE "pawl resolve( --db [^ ]+)? [0-9a-f]+ [^\`]*" "$1" | sed 's/ *# .*//; s/TEXT/yes/; s/KEY/key/; s/--pick N/--pick 1/; s/,$//'
}
# each KIND WORDS PLACE...: each place suggests an answer that has these words; it is accepted, and the run completes
each() {
        local place command id word
        for place in status json handoff blocked "${@:3}"; do
                runs 3 pawl run "$1.yaml" --run "$1-$place" --no-input --fresh
                id=$(pawl conflicts --json | jq -r --arg run "$1-$place" '.[] | select(.run_id == $run).conflict_id' | head -1)
                case $place in
                blocked) cp err said ;;
                status) pawl status >said ;;
                json) pawl status --json | jq -r --arg run "$1-$place" '.runs[] | select(.run_id == $run).next' >said ;;
                handoff) pawl handoff >said ;;
                refused) pawl resolve "$id" --answer yes >said 2>&1 || true ;;
                esac
                command=$(commands said | grep " $id\| ${id:0:8}" | head -1)
                for word in $2; do
                        [[ $command == *" $word"* ]] || { echo "$place: $command: has no $word"; return 1; }
                done
                accepted "$command"
                runs 0 pawl resume "$1-$place"
        done
}
printf 'mission: signs\nrequire_signed: allowed\nsteps:\n  - {id: one, ask: {question: "Go on?", to: ["user:ana"]}}\n' >signs.yaml
each signs "--sign --actor" refused
printf 'mission: to\nsteps:\n  - {id: one, ask: {question: "Go on?", options: ["yes", "no"], to: ["user:ana", "user:ben"]}}\n' >to.yaml
each to "--actor"

! on_server || exit 0 # a path is named from here on

it "in another directory with --db"
mkdir away
db=$PWD/.pawl/events.db
cd away
runs 0 pawl session start --mission away --db "$db"
pawl handoff --db "$db" >said
says "^pawl session resume --take-over session-[^ ]* --db $db$" <(tail -1 said | tr -d "'")
accepted "$(tail -1 said)"
runs 3 pawl run ../asks.yaml --run third --no-input --fresh --db "$db"
pawl handoff --mission asks --db "$db" >said
accepted "$(sed -n 's/^ *\(pawl resolve .*--pick 1\).*/\1/p' said | head -1)"
accepted "$(tail -1 said)"
cd ..

runs 0 eventlog verify
