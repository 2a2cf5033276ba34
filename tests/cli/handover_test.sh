# What a run hands over by itself: the document of `handoff:`, the context of a resume, retention.
. "$SOURCE_DIR/tests/cli/shared.sh"
write_mission
# note NAME: the command of a step that notes its context in the file NAME and in NAME.path.
for name in specify publish; do
        cat >$name <<'END'
#!/bin/sh
echo "$PAWL_RESUME_CONTEXT" >"$PAWL_STEP_ID.path"
[ -z "$PAWL_RESUME_CONTEXT" ] || cp "$PAWL_RESUME_CONTEXT" "$PAWL_STEP_ID.context"
echo done
END
        chmod +x $name
        awk -v name=$name '$1 == "-" { at = $3 == name } at && $1 == "run:" { print "    run: [./" name "]"; next } 1' mission.yaml >new
        mv new mission.yaml
done
sed -i '1a handoff: notes/progress.txt' mission.yaml

it "a document that cannot be written is told, and stops nothing"
runs 3 pawl run mission.yaml --run one --no-input
says '^pawl: .*notes/progress.txt: .*; ' err
[ ! -e notes ]

it "it is written when a command starts, and at the end: here at a block"
mkdir notes
runs 3 pawl run mission.yaml --run two --no-input
same "$(wc -l <err)" 1
says '1/3 \(33%\)' notes/progress.txt
says 'pawl resolve' notes/progress.txt
pawl handoff | unnamed >now # the document names no log
cmp now notes/progress.txt

it "the command that is resumed finds the document, as it is when it starts"
pawl resolve "$(pawl conflicts --json | jq -r '.[] | select(.run_id == "two").conflict_id')" --pick 1 >/dev/null
runs 0 pawl resume two
same "$(cat specify.path) $(cat publish.path)" "$PWD/notes/progress.txt $PWD/notes/progress.txt"
says '^IN PROGRESS' specify.context
lacks 'pawl resolve' specify.context
says '2/3 \(66%\)' publish.context
says '3/3 \(100%\)' notes/progress.txt

it "where the mission keeps none, the first command of a resume finds one beside the log, and later ones none"
sed -i '/^handoff:/d' mission.yaml
rm -f ./*.path ./*.context
runs 0 pawl resume one
same "$(cat specify.path)" "$PWD/.pawl/handoff-one.txt"
same "$(cat publish.path)" ""
same "$(stat -c %a .pawl/handoff-one.txt)" 600

it "a run that is a step of another is told of its own context alone"
printf 'mission: inner\nsteps: [{id: a, run: [sh, -c, "echo $PAWL_RESUME_CONTEXT >inner.path"]}]\n' >inner.yaml
PAWL_RESUME_CONTEXT=/of/another runs 0 pawl run inner.yaml
same "$(cat inner.path)" ""

it "retention prunes at each session's end, and says so"
echo 'retention: {sessions: 2}' >.pawl/config.yaml
cat >plain.yaml <<'END'
mission: plain
steps:
  - {id: a, run: [echo, a]}
END
runs 0 pawl run plain.yaml
says '^pawl: pruned [0-9]+ old sessions, as retention in .pawl/config.yaml says; the newest 2 stay$' err
same "$(pawl sessions --json | jq length)" 2
runs 0 eventlog verify
runs 0 eventlog replay --check
echo 'retention: {sessions: 0}' >.pawl/config.yaml
fails 1 'retention.sessions: 0 is no number of sessions from 1 up' pawl run plain.yaml

it "each run is replayed alone as in the whole log"
runs_replay_alone
