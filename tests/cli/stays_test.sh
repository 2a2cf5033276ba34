# The log stays, whatever a step does to its directory: it is put back, or saved beside what stands there, and no exit 0
# is without a log.
. "$SOURCE_DIR/tests/cli/shared.sh"
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b \
        GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b

# at COMMAND...: in the directory of the log.
at() {
        (cd ground && "$@")
}

# mission COMMAND [COMMAND [COMMAND]]: a fresh repository, a log with one completed run, and a mission of three steps:
# what the second one does, and the first and the third before they end.
mission() {
        rm -rf ground moved other older journal
        mkdir ground
        printf 'mission: before\nsteps: [{id: a, run: [echo, a]}]\n' >ground/before.yaml
        cat >ground/mission.yaml <<'END'
mission: tidy
steps:
  - {id: one, run: [sh, ./one]}
  - {id: two, run: [sh, ./two]}
  - {id: three, run: [sh, ./three]}
END
        printf '%s\necho one; echo one >>../journal\n' "${2:-}" >ground/one
        printf '%s\n' "$1" >ground/two
        printf '%s\necho three; echo three >>../journal\n' "${3:-}" >ground/three
        at git init -q .
        at git add -A
        at git commit -qm first
        runs 0 at pawl run before.yaml --run before
        cp -r ground/.pawl older
}

# whole N: the log verifies, its tables are what it says, and it has N runs that are completed.
whole() {
        runs 0 at eventlog verify
        runs 0 at eventlog replay --check
        same "$(at eventlog replay --json | jq -r '[.runs[] | select(.status == "completed")] | length')" "$1"
        same "$(cat ground/.pawl/.gitignore)" '*'
        same "$(find . -name '*.db-backup-*' -o -name '*-saved-*')" ""
}

# put_back COMMAND...: the run goes on and ends well, says once that the log was put back, and nothing is lost.
put_back() {
        mission "$@"
        runs 0 at pawl run mission.yaml --run tidy
        same "$(grep -c 'events.db: was removed while it was open, and was put back whole; .' err)" 1
        same "$(xargs <journal)" "one three"
        same "$(at stat -c %a .pawl .pawl/events.db .pawl/.gitignore | xargs)" "700 600 600"
        whole 2
        runs 0 at pawl run before.yaml --run after
}

# kept COMMAND...: the run goes on and ends well, without a word.
kept() {
        mission "$@"
        runs 0 at pawl run mission.yaml --run tidy
        is_empty err
        same "$(xargs <journal)" "one three"
        whole 2
}

# saved COMMAND: something else stands there: exit 5, no step goes on, and the log is whole beside it.
saved() {
        local name
        mission "$@"
        runs 5 at pawl run mission.yaml --run tidy
        says 'events.db: is not the log that was opened any more: something else was put there; what was recorded is saved in [^ ]*-saved-[0-9]+-[0-9a-f]{8}: put that in its place' err
        same "$(wc -l <err)" 1
        same "$(xargs <journal)" one
        name=$(grep -oE '/[^ ]*-saved-[0-9]+-[0-9a-f]{8}' err)
        same "$(stat -c %a "$name")" 600
        runs 0 eventlog verify --db "$name"
        runs 0 eventlog replay --check --db "$name"
        same "$(eventlog list --db "$name" --json --run tidy | jq -r 'select(.type == "StepCompleted").step_id' | xargs)" "one two"
        same "$(find . -name '*.db-backup-*')" ""
        runs 0 at pawl resume tidy --db "$name"
        same "$(xargs <journal)" "one three"
}

it "git clean and git stash leave it alone, as does a commit of all there is"
kept 'git clean -fdq'
kept 'git stash -uq'
kept 'git add -A && git commit -qm all --allow-empty && git reset -q --hard'
same "$(at git ls-files .pawl)" ""

it "it is put back where it was removed"
put_back 'git clean -fdxq'
put_back 'git stash -aq'
put_back 'rm -rf .pawl'
put_back 'rm -rf .pawl/events.db*'
put_back 'rm .pawl/events.db'
put_back 'mv .pawl ../moved'

it "it is put back where it was removed in every step, and by the last"
put_back 'rm -rf .pawl' 'rm -rf .pawl' 'rm -rf .pawl'

it "no event is lost where only a part of it was removed"
put_back 'rm .pawl/events.db-wal .pawl/events.db-shm'
put_back 'rm .pawl/events.db-wal'
put_back 'rm .pawl/events.db-shm'

it "a copy of it that was taken away and brought back is gone on with"
kept 'git stash -aq && git stash pop -q'
put_back 'git stash -aq' '' 'git stash pop -q 2>/dev/null || true'

it "what was put back holds for who comes meanwhile"
put_back 'rm -rf .pawl' '' 'pawl session list >/dev/null 2>&1; eventlog verify >/dev/null'

it "a log that was merely touched is not taken for another"
kept 'touch .pawl/events.db'

it "what was written over in its place is found, and saved as far as it can be read"
overwritten() {
        mission "$1"
        runs 5 at pawl run mission.yaml --run tidy
        same "$(xargs <journal)" one
        says 'events.db: is not the log that was opened any more: .* is saved in [^ ]*-saved-[0-9]+-[0-9a-f]{8}: ' err
}
overwritten 'cp ../older/events.db .pawl/events.db; rm -r .pawl/events.db-*'
overwritten 'echo text >.pawl/events.db'
overwritten 'sqlite3 ../other "CREATE TABLE t(a)"; cat ../other >.pawl/events.db'

it "a log that was put back to what it was is found, times kept or not"
gone_back() {
        local before
        mission "$1"
        runs 5 at pawl run mission.yaml --run tidy
        same "$(wc -l <err)" 1
        same "$(xargs <journal)" one
        says "events.db: is not the log that was opened any more: event [0-9]+, which was recorded, is gone from it; put back a copy that has it" err
        before=$(at eventlog head)
        same "$before" "$(eventlog head --db older/events.db)"
        runs 0 at eventlog verify
}
gone_back 'cp -a ../older/. .pawl/'
gone_back 'for f in events.db events.db-wal events.db-shm; do cat ../older/$f >.pawl/$f; touch -r ../older/$f .pawl/$f; done'

it "what another log replaced is saved"
saved 'rm -rf .pawl; cp -r ../older .pawl'
saved 'rm -rf .pawl; pawl init >/dev/null'
saved 'rm -rf .pawl/events.db*; echo text >.pawl/events.db'
saved 'rm -rf .pawl/events.db-*; cp ../older/events.db .pawl/fresh; mv .pawl/fresh .pawl/events.db'
saved 'rm .pawl/events.db-wal .pawl/events.db-shm; pawl checkpoint >/dev/null'
saved 'rm -rf .pawl; echo text >.pawl'
saved 'mkdir ../other; mv .pawl ../moved; ln -s ../other .pawl'
same "$(ls -A other)" ""

# short COMMAND...: in a fresh log, stopped at the last sync of its last commit; in the file first.err what it says.
# $meanwhile is done while it is stopped. Its exit code is $ended.
short() {
        local shim=$BUILD_DIR/tests/kill_at_write.so at tries
        rm -rf ground
        mkdir ground
        at pawl session start --mission m >/dev/null
        cp -r ground/.pawl older
        (cd ground && LD_PRELOAD=$shim CALL_LIST=$PWD/../calls "$@" >/dev/null)
        at=$(grep -n '^fdatasync events.db-wal' calls | tail -2 | head -1 | cut -d: -f1) # the last is closing's
        rm -rf ground/.pawl calls
        cp -r older ground/.pawl
        rm -rf older
        cd ground
        LD_PRELOAD=$shim STOP_AT=$at "$@" >../first.out 2>../first.err &
        first=$!
        for tries in $(seq 400); do
                ! grep -q '^State:.T' "/proc/$first/status" || break
                sleep 0.05
        done
        "${meanwhile[@]}"
        kill -CONT "$first"
        ended=0
        wait "$first" || ended=$?
        cd ..
}

it "so does a command that is short: it puts the log back before it ends well, or does not end well"
export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}verify_asan_link_order=0
rm -rf older other
meanwhile=(rm -rf .pawl)
for command in "checkpoint text" "session update --summary new"; do
        # shellcheck disable=SC2086
        short pawl $command
        same "$ended $(grep -c 'was put back whole' first.err)" "0 1"
        runs 0 at eventlog verify
done
same "$(at eventlog head | cut -d' ' -f1)" 2
mkdir other
(cd other && pawl init >/dev/null)
meanwhile=(sh -c 'rm -rf .pawl; cp -r ../other/.pawl .pawl')
short pawl checkpoint text
same "$ended $(wc -l <first.err)" "5 1"
says '^pawl: .*events.db: is not the log that was opened any more: .* is saved in ' first.err
same "$(at eventlog head)" "$(cd other && eventlog head)"
same "$(cd ground && eventlog stats --json --db .pawl/events.db-saved-* | jq .events)" 2

it "nor does it end well where its log was emptied, or written over in its place"
for text in "" text; do
        meanwhile=(sh -c "printf '$text' >.pawl/events.db")
        short pawl checkpoint text
        same "$ended $(wc -l <first.err)" "5 1"
        says '^pawl: .*events.db: is not the log that was opened any more: .* is saved in ' first.err
done

# away CALL COMMAND...: in the directory ground, which has all that it needs; stopped at each of its calls CALL, its log
# is removed meanwhile. It puts it back, says so once, and goes on.
away() {
        local call=$1 at tries code shim=$BUILD_DIR/tests/kill_at_write.so
        shift
        rm -rf fresh calls
        cp -r ground fresh
        (cd ground && LD_PRELOAD=$shim CALL_LIST=$PWD/../calls "$@" >/dev/null)
        for at in $(grep -nE "$call" calls | cut -d: -f1); do
                rm -rf ground
                cp -r fresh ground
                cd ground
                LD_PRELOAD=$shim STOP_AT=$at "$@" >../out 2>../err </dev/null &
                first=$!
                for tries in $(seq 400); do
                        ! grep -q '^State:.T' "/proc/$first/status" || break
                        sleep 0.05
                done
                rm -rf .pawl
                kill -CONT "$first"
                code=0
                wait "$first" || code=$?
                cd ..
                same "$code $(grep -c 'was put back whole' err) $(wc -l <err)" "0 1 1"
                whole "$wanted"
        done
}

it "it is put back where it was removed just before files beside it are made"
mission true
wanted=2
away '(open|mkdir) (terms-1.json|events.db-logs|tidy)' pawl run mission.yaml --run tidy

it "it is put back while a rollback plans, and while it puts the files back"
mission true
wanted=1
(cd ground && pawl checkpoint one >/dev/null && echo two >>one && echo two >>two && pawl checkpoint two >/dev/null)
away '^(fdatasync .pawl$|pwrite workspace.index|openat .pawl-tmp)' pawl rollback 2 --yes
same "$(tail -1 ground/two)" true
