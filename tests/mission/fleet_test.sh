# Runs that are submitted, and workers that carry them out: what a worker needs is in the log, a run moves from
# one to another, and each of its steps is done once a token.
. "$SOURCE_DIR/tests/cli/shared.sh"

effects=$PWD/effects # what every step of every run did: RUN STEP TOKEN
here=$PWD
export effects here
>"$effects"

# write_mission FILE ID COMMAND...: of two steps; the first says where it is, the second runs COMMAND.
write_two() {
        cat >"$1" <<END2
mission: $2
steps:
  - { id: first, run: [./steps/first] }
  - { id: second, inputs: { from: { \$from: first } }, run: [sh, -c, "$3"] }
END2
}
mkdir -p steps
cat >steps/first <<'END2'
#!/bin/sh
echo "$PAWL_RUN_ID $PAWL_STEP_ID $PAWL_RETRY_TOKEN" >>"$effects"
echo "$PAWL_RUN_ID" >>made
pwd
END2
chmod +x steps/first
printf '/effects*\n/out\n/err\n/w[0-9]*\n/go*\n/pid*\n/foreign\n' >.gitignore
second='echo \"$PAWL_RUN_ID $PAWL_STEP_ID $PAWL_RETRY_TOKEN\" >>\"$effects\"; cat made'
write_two m.yaml short "$second"

# status_of RUN, queued: how many are.
status_of() {
        pawl runs --id "$1" --json | jq -r .status
}
with_status() {
        pawl runs --status "$1" --limit 5000 --json | jq '.runs | length'
}
# each_once N: N effects, none of a run's step twice.
each_once() {
        same "$(wc -l <"$effects")" "$1"
        same "$(cut -d' ' -f1,2 "$effects" | sort | uniq -d | wc -l)" 0
}
checked() {
        runs 0 eventlog verify
        runs 0 eventlog replay --check
}

it "puts a run in line, with what a worker needs, and runs nothing"
runs 0 pawl submit m.yaml --run one --json
same "$(jq -c . out)" '{"run_id":"one","mission_id":"short","status":"queued"}'
is_empty "$effects"
same "$(status_of one)" queued
same "$(events RunSubmitted)" 1
same "$(eventlog replay --json | jq -r '.runs[0].status')" queued
runs 0 pawl status
says '^queued +short, run one: 0/2 steps' out
says 'waits for a worker' out
says 'pawl work' out
checked

it "refuses what cannot come with it, and writes nothing"
before=$(events)
fails 1 'run one: exists already' pawl submit m.yaml --run one
mkdir -p kept
cp m.yaml kept/ignored.yaml
echo /kept/ignored.yaml >>.gitignore
fails 1 'the file kept/ignored.yaml is no part of what .* captures' pawl submit kept/ignored.yaml
printf 'mission: x\nsteps: [{ id: a, run: [../steps/none] }]\n' >kept/x.yaml
fails 1 'the command steps/none is no part of' pawl submit kept/x.yaml
printf 'mission: x\nsteps: [{ id: a, run: [../../none] }]\n' >kept/x.yaml
fails 1 'the command ../../none leads out of the workspace' pawl submit kept/x.yaml
outside=$(mktemp -d)
cp m.yaml "$outside"
fails 1 'lies outside the workspace' pawl submit "$outside/m.yaml" --db .pawl/events.db
rm -r "$outside" kept
same "$(events)" "$before"

it "is for workers: a resume that names none does not take it"
runs 1 pawl resume
says 'nothing to resume' err
write_two m2.yaml short "exit 1"
runs 1 pawl run m2.yaml --run mine --no-input # beside which the run in line is no unfinished one
rm m2.yaml
fails 1 'was not submitted, and goes on where it is' pawl resume mine --dir w0
>"$effects"
rm made

it "carries out what is in line in a directory of its own, and ends"
rm m.yaml steps/first # what the worker needs is in the log
runs 0 pawl work --once --dir w1
says "run one: completed in $here/w1/1 after" out
each_once 2
same "$(status_of one)" completed
same "$(pawl output one first)" "$here/w1/1"
same "$(pawl output one second)" one
[ ! -e made ]
checked
git_like=$(pawl checkpoints --json | jq -r '[.[] | select(.run_id == "one")] | map(.step_id) | join(",")')
same "$git_like" first,second
same "$(pawl checkpoints --json | jq '[.[] | select(.current)] | length')" 1
same "$(pawl checkpoints --json | jq '.[-1].imported')" false

it "a step names the newest checkpoint of this workspace, or a worker's where there is none"
same "$(pawl show @first --json | jq -r .run_id)" mine
same "$(pawl show @second --json | jq -r .run_id)" one

it "brings a run's files here by a rollback, which leaves the run as it is"
last=$(pawl checkpoints --run one --json | jq '.[-1].n')
runs 0 pawl rollback "$last" --yes
same "$(cat made)" one
same "$(status_of one)" completed
runs 0 pawl undo --yes
[ ! -e made ]
runs 0 pawl rollback 1 --yes
checked

it "changes only what differs for the next run in the same place, and leaves nothing of the former"
kept=$(stat -c '%i %Y' w1/1/steps/first)
mkdir -p w1/1/left/deep && echo x >w1/1/left/deep/file && mkdir w1/1/.git && echo x >w1/1/.git/config
echo changed >w1/1/m.yaml
runs 0 pawl submit m.yaml --run two
runs 0 pawl work --once --dir w1
same "$(pawl output two second)" two
same "$(stat -c '%i %Y' w1/1/steps/first)" "$kept"
[ ! -e w1/1/left ]
[ ! -e w1/1/.git ]
cmp m.yaml w1/1/m.yaml

it "keeps from being pruned what a run in line needs"
for i in 1 2 3; do
        echo "$i" >changed
        runs 0 pawl submit m.yaml --run "pruned-$i"
done
rm changed
runs 0 pawl checkpoint after --json
runs 0 pawl prune checkpoints --keep 0 --include-manual --yes --json
same "$(jq '[.checkpoints[]? | select(.why == "a submitted run is unfinished")] | length' out)" 3
runs 0 pawl work --once --dir w1
same "$(with_status completed)" 5
each_once 10

it "captures what the checkpoint before had, though a rule of the worker leaves it out"
mkdir -p repository
(
        cd repository
        git init -q
        printf '/.pawl\n*.log\n/w*\n/out\n/err\n' >.gitignore
        echo tracked >deep.log && git add -f deep.log .gitignore
        cat >m.yaml <<'END2'
mission: rules
steps: [{ id: a, run: [sh, -c, "echo x >other.log; echo y >kept"] }, { id: b, run: [cat, deep.log] }]
END2
        own_log
        runs 0 pawl submit m.yaml --run rules
        runs 0 pawl work --once --dir w1
        same "$(pawl output rules b)" tracked
        runs 0 pawl rollback "$(pawl checkpoints --run rules --json | jq '.[-1].n')" --yes
        same "$(cat deep.log kept)" "tracked
y"
        [ ! -e other.log ]
)
rm -rf repository

it "leaves a run whose step failed to a person, who goes on with it by the command that is shown"
cat >fails.yaml <<'END2'
mission: fails
steps: [{ id: only, run: [sh, -c, "echo tried >>tries; [ -e $here/go ] && wc -l <tries"] }]
END2
runs 0 pawl submit fails.yaml --run unlucky
runs 0 pawl work --once --dir w1
same "$(status_of unlucky)" failed
runs 0 pawl status
says 'pawl resume unlucky' out
touch go
runs 0 pawl resume unlucky
same "$(status_of unlucky)" completed
same "$(pawl output unlucky only)" 2
rm fails.yaml go

it "ends when nothing is in line, though an agent is at work on something else"
runs 0 pawl session start --mission paper
timeout 120 pawl work --once --dir w1
runs 0 pawl session end

it "touches no directory that holds what no worker put there"
mkdir -p w2/1
echo mine >w2/1/file
runs 0 pawl submit m.yaml --run three
runs 1 pawl work --once --dir w2
says 'holds files that no worker put there; name an empty one' err
same "$(cat w2/1/file)" mine
same "$(ls -A w2/1)" file
same "$(status_of three)" interrupted
: >"$effects"
runs 0 pawl work --once --dir w1
same "$(status_of three)" completed
each_once 2

it "a run whose process is killed is in line again, also for a worker that ends when nothing is"
write_two shot.yaml shot 'touch $here/go.shot; test -e $here/go.on || exec sleep 600'
runs 0 pawl submit shot.yaml --run shot
pawl work --once --dir w1 >w1.out 2>w1.err &
worker=$!
await go.shot
kill -9 "$(pawl workers --json | jq '.[] | select(.run_id == "shot").pid')"
touch go.on
wait "$worker"
same "$(status_of shot)" completed
same "$(grep -c '^run shot: started in ' w1.out)" 2
rm -f go.shot go.on
: >"$effects"

it "a run that is cancelled is done, and no failure of the worker"
write_two ended.yaml ended 'touch $here/go.ended; exec sleep 600'
runs 0 pawl submit ended.yaml --run ended
pawl work --once --dir w1 >w1.out 2>w1.err &
worker=$!
await go.ended
runs 0 pawl cancel ended
wait "$worker"
same "$(status_of ended)" cancelled
rm -f go.ended
: >"$effects"

it "two workers share a hundred runs and a directory, and do each step once"
: >"$effects"
for i in $(seq 100); do
        pawl submit m.yaml --run "many-$i" >/dev/null
done
same "$(with_status queued)" 100
same "$(events WorkspaceCheckpointed)" "$(pawl checkpoints --json | jq length)"
pawl work --once --slots 3 --dir w1 >w1.out 2>w1.err &
first=$!
pawl work --once --slots 3 --dir w1 >w2.out 2>w2.err &
second_worker=$!
wait "$first"
wait "$second_worker"
each_once 200
same "$(with_status queued)" 0
[ "$(grep -c completed w1.out)" -gt 5 ]
[ "$(grep -c completed w2.out)" -gt 5 ]
checked

it "lets no mission wait for another that has more in line"
: >"$effects"
write_two big.yaml big "$second"
write_two little.yaml little "$second"
for i in $(seq 12); do
        pawl submit big.yaml --run "big-$i" >/dev/null
done
for i in 1 2 3; do
        pawl submit little.yaml --run "little-$i" >/dev/null
done
runs 0 pawl work --once --dir w1 --json
jq -r 'select(.event == "ended") | .run_id' out | head -8 >order
same "$(grep -c little order)" 3
same "$(jq -r 'select(.event == "ended") | .status' out | sort -u)" completed

it "nor where each run takes so long that the line is read again behind it"
write_two long.yaml long "$second; sleep 0.7"
for i in 1 2 3; do
        runs 0 pawl submit long.yaml --run "long-$i"
done
write_two short.yaml short "$second; sleep 0.7"
runs 0 pawl submit short.yaml --run short-1
runs 0 pawl work --once --dir w1 --json
same "$(jq -r 'select(.event == "ended") | .run_id' out | head -2 | xargs)" "long-1 short-1"

it "goes on elsewhere with the run of a worker that was killed, under the same key"
: >"$effects"
write_two wait.yaml waits "$second; echo \$\$ >\$here/pid; test -e \$here/go || exec sleep 60"
runs 0 pawl submit wait.yaml --run killed
pawl work --dir w1 >w1.out 2>w1.err &
worker=$!
until_it test -s pid
pawl workers --json >workers
same "$(jq -r '.[0] | "\(.run_id) \(.mission_id) \(.step_id) \(.host)"' workers)" "killed waits second $(hostname)"
runs 0 pawl workers
says 'killed +waits +second' out
child=$(jq '.[0].pid' workers)
kill -KILL "$child" "$worker"
wait "$worker" 2>/dev/null || true
until_it gone "$child"
touch go
runs 0 pawl work --once --dir w3
same "$(status_of killed)" completed
same "$(pawl output killed second)" killed
same "$(grep -c ' second ' "$effects")" 2 # at least once: it was killed in the middle
same "$(sort -u "$effects" | wc -l)" 2    # each under one key
runs 0 pawl workers --json
same "$(jq -c . out)" '[]'
rm go pid

it "a worker that runs takes such a run at once"
: >"$effects"
runs 0 pawl submit wait.yaml --run taken
pawl work --dir w1 >w1.out 2>w1.err &
worker=$!
until_it test -s pid
pawl work --dir w3 >w3.out 2>w3.err &
other=$!
sleep 1
touch go
kill -KILL "$(pawl workers --json | jq '.[0].pid')" "$worker"
wait "$worker" 2>/dev/null || true
until_it grep -q 'taken: completed' w3.out

rm go pid

if unshare --uts --pid --fork true 2>/dev/null; then
        it "names the host of a worker elsewhere, and takes its run when it dies"
        kill -STOP "$other" # which would take the run first
        runs 0 pawl submit wait.yaml --run far
        unshare --uts --pid --fork --kill-child sh -c \
                'hostname elsewhere; exec pawl work --lease 2 --dir w5' >w5.out 2>w5.err &
        worker=$!
        until_it test -s pid
        same "$(pawl workers --json | jq -r '.[0].host')" elsewhere
        touch go
        kill -CONT "$other"
        kill -KILL "$worker"
        wait "$worker" 2>/dev/null || true
        until_it grep -q 'far: completed' w3.out
        same "$(pawl output far second)" far
fi

it "ends at TERM when it is idle, with 0"
kill -TERM "$other"
wait "$other"
rm -f go pid

it "gives back what it has at TERM, and another takes it at once"
: >"$effects"
runs 0 pawl submit wait.yaml --run drained
runs 0 pawl submit wait.yaml --run not-begun
pawl work --dir w1 >w1.out 2>w1.err &
worker=$!
until_it test -s pid
kill -TERM "$worker"
wait "$worker"
same "$(status_of drained)" interrupted
same "$(status_of not-begun)" queued
same "$(pawl workers --json | jq length)" 0
touch go
runs 0 pawl work --once --slots 2 --dir w3
same "$(status_of drained)" completed
same "$(status_of not-begun)" completed
same "$(sort -u "$effects" | wc -l)" 4
rm go pid

it "a second TERM kills what is left"
cat >stays.yaml <<'END2'
mission: stays
steps:
  - { id: only, run: [sh, -c, "trap '' TERM; echo $$ >$here/pid; while [ ! -e $here/go ]; do sleep 0.1; done"] }
END2
runs 0 pawl submit stays.yaml --run stubborn
pawl work --dir w1 >w1.out 2>w1.err &
worker=$!
until_it test -s pid
while kill -TERM "$worker" 2>/dev/null; do sleep 0.3; done # two that come at once are one
code=0
wait "$worker" || code=$?
same "$code" 143
until_it test ! -e "/proc/$(cat pid)"
until_it sh -c '[ "$(pawl runs --id stubborn --json | jq -r .status)" = interrupted ]'
checked

it "gives up the slot of a run that blocks, and takes it again soon after its answer"
touch go
runs 0 pawl work --once --dir w3
rm stays.yaml pid
mkdir ask && cd ask
write_mission
sed -i 's/journal/made/g' mission.yaml
runs 0 pawl submit mission.yaml --run asks
runs 0 pawl submit mission.yaml --run waits
pawl work --dir ../w4 >../w4.out 2>../w4.err &
worker=$!
blocked_both() { [ "$(pawl runs --status blocked --json | jq '.runs | length')" = 2 ]; }
until_it blocked_both
conflict=$(pawl conflicts --json | jq -r '[.[] | select(.run_id == "asks")][0].conflict_id')
runs 0 pawl resolve "$conflict" --pick 1
answered=$(date +%s%3N)
while [ "$(events RunClaimed)" -lt 3 ]; do
        [ $(($(date +%s%3N) - answered)) -lt 50000 ]
        sleep 0.02
done
took=$(eventlog export | jq -rs '(map(select(.type == "GlossaryClarificationResolved"))[-1].time[0:19] + "Z" | fromdate) as $a
        | (map(select(.type == "RunClaimed"))[2].time[0:19] + "Z" | fromdate) - $a')
[ "$took" -le 10 ] || { echo "taken again after $took s"; false; }
until_it sh -c '[ "$(pawl runs --id asks --json | jq -r .status)" = completed ]'
same "$(pawl runs --id waits --json | jq -r .status)" blocked
kill -TERM "$worker"
wait "$worker"

it "is done with --once when what is left waits for answers"
runs 0 pawl work --once --dir ../w4
is_empty out
same "$(pawl runs --id waits --json | jq -r .status)" blocked

it "no process of a worker has complained of memory"
cat "$here"/w*.err >errors
lacks Sanitizer errors
