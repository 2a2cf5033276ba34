# Needs PAWL_WITH_ARCHIVE.
# What an archive does not bring: rules, a place where the workspace stands, other steps and times.
. "$SOURCE_DIR/tests/cli/shared.sh"

# An archive whose checkpoint of a step says what is captured: nothing.
mkdir from
cat >from/mission.yaml <<'END'
mission: far
workspace:
  exclude: ["*"]
steps:
  - id: draft
    run: [sh, -c, "echo far >draft"]
END
(cd from && pawl run mission.yaml >/dev/null)
from=(pawl --db from/.pawl/events.db)
"${from[@]}" checkpoint --max-file 1 >/dev/null
"${from[@]}" checkpoints --json >there
runs 0 "${from[@]}" export -o x.tar.zst
zstd -dc x.tar.zst | tar xOf - events.jsonl >events
says '"exclude":\["\*"\]' events
says '"max_file":1[,}]' events

it "an archive's rules do not become those of a log that has none"
pawl=(pawl --db log/.pawl/events.db)
pawl init log >/dev/null
printf 'a\n' >log/a
printf 'bb\n' >log/b
runs 0 "${pawl[@]}" import x.tar.zst
runs 0 "${pawl[@]}" checkpoint --json
same "$(jq -c '[.files, .skipped, .base]' out)" '[2,0,null]'
eventlog --db log/.pawl/events.db export | jq -c 'select(.payload.imported) | .payload' >imported
lacks 'exclude|max_file' imported

it "nor of one that has: its own stay"
mkdir ruled
cat >ruled/mission.yaml <<'END'
mission: near
workspace:
  exclude: [secret]
steps:
  - id: only
    run: [sh, -c, "echo near >near"]
END
printf 's' >ruled/secret
(cd ruled && pawl run mission.yaml >/dev/null)
ruled=(pawl --db ruled/.pawl/events.db)
runs 0 "${ruled[@]}" import x.tar.zst
printf 'more' >ruled/more
runs 0 "${ruled[@]}" checkpoint --json
n=$(jq .n out)
runs 0 "${ruled[@]}" show "$n" --json
same "$(jq .files out)" 3 # the mission, near, more
rm ruled/secret
runs 0 "${ruled[@]}" diff 1 --json
lacks secret out

it "what came is not where the workspace stands, until it is rolled back to"
rm -r log
pawl init log >/dev/null
printf 'a\n' >log/a
runs 0 "${pawl[@]}" import x.tar.zst
fails 1 'checkpoint current: there is none' "${pawl[@]}" show current
runs 0 "${pawl[@]}" checkpoints --json
same "$(jq -c '[.[].current]' out)" "$(jq -c '[.[] | false]' there)"
runs 0 "${pawl[@]}" checkpoint
mine=$(($(jq length there) + 1))
runs 0 "${pawl[@]}" show current --json
same "$(jq .n out)" "$mine"
rm -r log/.pawl/workspace.index
runs 0 "${pawl[@]}" import x.tar.zst
runs 0 "${pawl[@]}" show current --json
same "$(jq .n out)" "$mine"
runs 0 "${pawl[@]}" rollback 1 --yes
runs 0 "${pawl[@]}" show current --json
same "$(jq -c '[.n, .imported, .root]' out)" '[1,true,null]'
[ ! -e log/a ]
runs 0 "${pawl[@]}" undo --yes
same "$(cat log/a)" a
runs 0 "${pawl[@]}" show "$mine" --json
same "$(jq -c '[.imported, .root]' out)" '[false,"."]'

it "steps and times are those that it had there, and after a second way as well"
of='[.[] | [.step_id, .created_at, .tree, .files]]'
runs 0 "${pawl[@]}" checkpoints --json
same "$(jq -c ".[:$((mine - 1))] | $of" out)" "$(jq -c "$of" there)"
# shellcheck disable=SC2046
runs 0 "${pawl[@]}" export $(seq $((mine - 1))) -o y.tar.zst
pawl init third >/dev/null
runs 0 pawl --db third/.pawl/events.db import y.tar.zst
runs 0 pawl --db third/.pawl/events.db checkpoints --json
same "$(jq -c "$of" out)" "$(jq -c "$of" there)"
runs 0 pawl --db third/.pawl/events.db import x.tar.zst
says ': 0 checkpoints new, ' out
for log in log ruled third; do
        runs 0 eventlog --db $log/.pawl/events.db verify
        runs 0 eventlog --db $log/.pawl/events.db replay --check
        runs 0 pawl --db $log/.pawl/events.db init --rebuild
        runs 0 pawl --db $log/.pawl/events.db prune checkpoints --keep 1 --dry-run
done

it "an archive without a log of its own to stand on is rolled back to at once"
pawl init fourth >/dev/null
runs 0 pawl --db fourth/.pawl/events.db import x.tar.zst
runs 0 pawl --db fourth/.pawl/events.db rollback 1 --yes
runs 0 pawl --db fourth/.pawl/events.db checkpoint
