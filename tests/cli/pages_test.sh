# Lists that grow with the log, page by page: -n and --before.
. "$SOURCE_DIR/tests/cli/shared.sh"

write_mission
for run in one two three; do
        runs 3 pawl run mission.yaml --run $run --no-input --fresh
        runs 0 pawl resolve "$(pawl conflicts --json | jq -r '.[0].conflict_id')" --pick 1 --scope mission_local
        runs 0 pawl resume $run --no-input
        sed -i 's/^mission: /mission: again-/' mission.yaml
done
runs 0 pawl rollback 1 --yes
runs 0 pawl undo --yes
runs 0 pawl redo --yes

# pages first|last PLACE COMMAND...: the pages of each length, joined, are the whole list; PLACE is what --before takes.
pages() {
        local newest=$1 places="(if type == \"object\" then .runs else . end)[].$2" whole page seen oldest
        shift 2
        mapfile -t whole < <("$@" --json | jq "$places")
        [ ${#whole[@]} -gt 2 ]
        for limit in 1 2 ${#whole[@]} 100; do
                seen=() oldest=
                while mapfile -t page < <("$@" --json -n "$limit" ${oldest:+--before "$oldest"} | jq "$places") && [ ${#page[@]} -gt 0 ]; do
                        [ ${#page[@]} -le "$limit" ]
                        if [ "$newest" = first ]; then seen+=("${page[@]}"); else seen=("${page[@]}" "${seen[@]}"); fi
                        oldest=$(printf '%s\n' "${page[@]}" | sort -n | head -1)
                done
                same "${seen[*]}" "${whole[*]}"
        done
}

it "the pages of a list are the list, whatever their length"
pages first started_seq pawl runs
pages first seq pawl sessions
pages first seq pawl sessions --status interrupted
pages last seq pawl conflicts --all
pages last n pawl checkpoints
pages last n pawl checkpoints --step research
pages last seq pawl rollbacks

it "a page is the same to people"
runs 0 pawl checkpoints -n 1 --before 3
same "$(sed 1d out | awk '{print $1}')" 2
runs 0 pawl rollbacks -n 1
same "$(sed 1d out | awk '{print $3}')" redo

it "one that is asked for by its id is on no page"
misused "--id names one" pawl conflicts --id 0123 -n 1
misused "--id names one" pawl conflicts --id 0123 --before 1
