# retention in .pawl/config.yaml: old automatic checkpoints go at the end of a run or a session, until all limits hold.
. "$SOURCE_DIR/tests/cli/shared.sh"
printf '%s\n' out err >.pawlignore
printf 'mission: m\nsteps:\n  - {id: a, run: [sh, -c, "head -c 100000 /dev/urandom >file"]}\n' >m.yaml
kept() { pawl checkpoints --json | jq -c '[.[] | select(.pruned | not) | .n]'; }
stored() { pawl du --json | jq .stored; }
limit() { printf 'retention: {%s}\n' "$1" >.pawl/config.yaml; }
runs 0 pawl init
for _ in 1 2 3 4 5 6; do
        runs 0 pawl run m.yaml --fresh
done
all=$(kept)
n=$(jq length <<<"$all")

it "without limits all stay, and nobody is warned of a small log"
lacks 'checkpoints take up' err
test "$n" -ge 6

it "du says what it would free, and prunes nothing"
limit 'count: 4'
runs 0 pawl du
says "^retention would delete $((n - 4)) checkpoints and free [1-9]" out
same "$(pawl du --json | jq -c '.retention.checkpoints')" $((n - 4))
same "$(kept)" "$all"

it "the newest so many automatic ones stay"
runs 0 pawl run m.yaml --fresh
says '^pawl: pruned [0-9]+ old checkpoints? of [0-9]+ kB, as retention in \.pawl/config\.yaml says' err
same "$(kept | jq length)" 4
runs 0 eventlog verify
runs 0 pawl validate

it "what a person took, and what is pinned, stays and does not count"
runs 0 pawl checkpoint mine
mine=$(kept | jq '.[-1]')
pinned=$(kept | jq '.[0]')
runs 0 pawl pin "$pinned"
limit 'count: 2'
runs 0 pawl run m.yaml --fresh
runs 0 pawl run m.yaml --fresh
runs 0 pawl run m.yaml --fresh
same "$(kept | jq -c --argjson mine "$mine" --argjson pinned "$pinned" '[index($mine), index($pinned)] | map(. != null)')" '[true,true]'
same "$(kept | jq length)" 3

it "bytes are those that the log has stored"
limit 'bytes: 250K'
runs 0 pawl run m.yaml --fresh
runs 0 pawl run m.yaml --fresh
test "$(stored)" -le 350000 # the pinned one, that of a person and the current one stay, whatever they take up
same "$(kept | jq -c --argjson mine "$mine" --argjson pinned "$pinned" '[index($mine), index($pinned)] | map(. != null)')" '[true,true]'

it "an undo is possible after a run has pruned"
limit 'count: 1'
echo before >file
runs 0 pawl rollback "$mine" --yes
cmp -s file <(echo before) && exit 1
runs 0 pawl undo --yes
same "$(cat file)" before
runs 0 pawl rollback "$mine" --yes
runs 0 pawl session start --mission other
runs 0 pawl session end
runs 0 pawl undo --yes
same "$(cat file)" before

it "an unfinished run keeps its own"
printf 'mission: f\nsteps:\n  - {id: a, run: ["true"]}\n  - {id: b, run: ["false"]}\n' >f.yaml
echo more >more
runs 1 pawl run f.yaml
failed=$(pawl checkpoints --json | jq -c '[.[] | select(.step_id == "a" and (.pruned | not)) | .n][-1]')
echo even more >more
runs 0 pawl run m.yaml --fresh
runs 0 pawl run m.yaml --fresh
same "$(kept | jq --argjson n "$failed" 'index($n) != null')" true

it "ill-formed settings are errors that name the line"
limit 'days: 0'
fails 1 'config\.yaml: line 1: retention\.days: 0 is not a number of days from 1 up; ' pawl run m.yaml --fresh
limit 'bytes: much'
fails 1 'config\.yaml: line 1: retention\.bytes: is not a size; ' pawl run m.yaml --fresh
limit 'weeks: 1'
fails 1 'config\.yaml: line 1: retention\.weeks: unknown key' pawl run m.yaml --fresh
fails 1 'config\.yaml: line 1: retention\.weeks: unknown key' pawl du
