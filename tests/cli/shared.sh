# What the tests of the programs share. Sourced; the working directory is empty and goes when the test ends.
set -E
sentence="(nothing yet)"
trap 'echo "failed: $sentence (${BASH_SOURCE[0]##*/}:$LINENO)"; [ -s out ] && sed "s/^/out: /" out | head -20; [ -s err ] && sed "s/^/err: /" err | head -20' ERR

# it SENTENCE: what the next checks are about, said when one fails.
it() {
        sentence=$*
}

# Is the log of this directory on a server?
on_server() {
        [ -n "${PAWL_TEST_LOGS_ON_SERVER:-}" ]
}

# log_on_server URL: that log of the server of all tests is judged when this test ends.
log_on_server() {
        [ -z "${PAWL_TEST_LOGS:-}" ] || echo "$1" >>"$PAWL_TEST_LOGS/servers"
}

# another_on_server SUFFIX: another log there than till now.
another_on_server() {
        PAWL_DB+=$1
        log_on_server "$PAWL_DB"
}

# log_damaged [LOG]: that file, or this directory's log, is damaged on purpose: it is not judged when the test ends.
log_damaged() {
        [ -z "${PAWL_TEST_LOGS:-}" ] || realpath -ms "${1:-.pawl/events.db}" >>"$PAWL_TEST_LOGS/damaged"
}

# remove_log: remove this directory's .pawl. The log is judged when the test ends, unless it is damaged.
remove_log() {
        local log=$PWD/.pawl/events.db damaged=${PAWL_TEST_LOGS:-}/damaged
        if grep -qxsF "$log" "$damaged"; then # the next one is not
                grep -vxF "$log" "$damaged" >"$damaged-left" || true
                mv "$damaged-left" "$damaged"
        elif [ -n "${PAWL_TEST_LOGS:-}" ] && [ -d .pawl ]; then
                mv .pawl "$(mktemp -d -p "$PAWL_TEST_LOGS" forgotten-XXXXXX)"
        fi
        rm -rf .pawl
}

# From now on there is no log.
forget_log() {
        remove_log
        ! on_server || another_on_server x
}

# A log, where none is made by the way: on a server only `pawl init` makes one that is to be read, or that hooks find.
begin_log() {
        ! on_server || pawl init >/dev/null
}

# A log of this directory's own, where another one stands above.
own_log() {
        ! on_server || { another_on_server "-${PWD##*/}"; mkdir -p -m 700 .pawl; }
        pawl init >/dev/null
}

# unnamed [FILE...]: the files, or what comes in, as of a log that is found without --db, which suggestions name on a
# server.
unnamed() {
        sed ${1:+-i} "s| --db '${PAWL_DB:-}'||g" "$@"
}

# runs CODE COMMAND...: the exit code is CODE; stdout is in the file out, stderr in err.
runs() {
        local wanted=$1 code=0
        shift
        "$@" >out 2>err </dev/null || code=$?
        ! on_server || unnamed out err
        [ "$code" -eq "$wanted" ] || { echo "exit code $code, not $wanted: $*"; return 1; }
}

# says PATTERN FILE: a line of the file matches the extended regular expression.
says() {
        grep -qE -- "$1" "$2" || { echo "$2 does not say: $1"; return 1; }
}

# lacks PATTERN FILE: no line of the file matches.
lacks() {
        if grep -nE -- "$1" "$2"; then
                echo "$2 says: $1"
                return 1
        fi
}

is_empty() {
        [ ! -s "$1" ] || { echo "$1 is not empty"; return 1; }
}

# fails CODE PATTERN COMMAND...: one line on stderr that says where, what is wrong and how to mend it, and nothing on
# stdout.
fails() {
        local code=$1 pattern=$2
        shift 2
        runs "$code" "$@"
        is_empty out
        [ "$(wc -l <err)" -eq 1 ] || { echo "stderr is not one line"; return 1; }
        says '^[a-z]+: [^;]+: [^;]+; .' err
        says "$pattern" err
}

# misused PATTERN COMMAND...: exit 2, what is wrong and the usage line on stderr.
misused() {
        local pattern=$1
        shift
        runs 2 "$@"
        is_empty out
        says "$pattern" err
        [ "$(grep -c '^usage: ' err)" -eq 1 ] || { echo "no usage line on stderr"; return 1; }
}

# same A B: two texts.
same() {
        [ "$1" = "$2" ] || { printf 'not the same:\n%s\n%s\n' "$1" "$2"; return 1; }
}

# events [TYPE]: how many there are.
events() {
        eventlog export | jq -r .type | { grep -cE "^${1:-.*}$" || true; }
}

# A mission of three steps whose second one, which is critical, uses a word with two senses. Every command
# notes in the file journal that it ran.
write_mission() {
        cat >team.yaml <<'END'
terms:
  - surface: workspace
    definition: A folder in which one step does its work.
  - surface: workspace
    definition: The account that a customer's people share.
    confidence: 0.9
END
        cat >mission.yaml <<'END'
mission: refund-service
glossary:
  team_domain: team.yaml
steps:
  - id: research
    inputs: { topic: refunds }
    run: [sh, -c, "echo research >>journal; echo '{\"summary\": \"three days\"}'"]
  - id: specify
    critical: true
    inputs:
      description: Refunds land in the workspace.
      earlier: { $from: "research#/summary" }
    run: [sh, -c, "echo specify >>journal; echo $PAWL_RETRY_TOKEN >>tokens; cat"]
  - id: publish
    inputs: { text: { $from: specify } }
    run: [sh, -c, "echo publish >>journal; echo done"]
END
}

# can_be_killed: from now on a command can be, at a call that changes a file. The directory $kept goes when the test ends.
can_be_killed() {
        export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}verify_asan_link_order=0
        shim=$BUILD_DIR/tests/kill_at_write.so kept=$(mktemp -d)
        trap 'rm -rf "$kept"' EXIT
}

# first_call PATTERN COMMAND...: run it to its end; the number of its first such call that matches.
first_call() {
        local pattern=$1
        shift
        rm -f "$kept/calls"
        LD_PRELOAD=$shim CALL_LIST=$kept/calls "$@" >out 2>err </dev/null
        grep -n "^$pattern" "$kept/calls" | head -n 1 | cut -d: -f1
}

# killed_at N COMMAND...: it is killed before its Nth such call.
killed_at() {
        local at=$1
        shift
        (LD_PRELOAD=$shim KILL_AT=$at "$@" </dev/null || true) >out 2>err
}

# until_it COMMAND...: wait until it succeeds. The time is a failure's alone, for the slowest of machines.
until_it() {
        local tries
        for tries in $(seq 1200); do
                ! "$@" >/dev/null 2>&1 || return 0
                sleep 0.05
        done
        echo "never: $*"
        return 1
}
await() { until_it test -e "$1"; }

# gone PID: no such process, or one that nobody has waited for yet.
gone() {
        [ ! -e "/proc/$1" ] || grep -q '^State:.Z' "/proc/$1/status"
}

# catches_term PID: it has set up what TERM does.
catches_term() {
        local caught
        caught=$(sed -n 's/^SigCgt:[[:space:]]*//p' "/proc/$1/status")
        [ $((0x$caught & 0x4000)) != 0 ]
}

# dialog CODE SCRIPT: an expect script that has spawned something; its exit code is CODE. The screen is
# in the file screen.
dialog() {
        cat >script.exp <<END
log_user 0
log_file -a -noappend screen
set timeout 60
proc see {pattern} {
        expect {
                -re \$pattern {}
                timeout { puts stderr "not seen: \$pattern"; exit 99 }
                eof { puts stderr "ended before: \$pattern"; exit 98 }
        }
}
$2
expect eof
set ended [wait]
if {[llength \$ended] > 4 && [lindex \$ended 4] eq "CHILDKILLED"} { exit 97 }
exit [lindex \$ended 3]
END
        runs "$1" env TERM=xterm expect -f script.exp
        ! on_server || unnamed screen
}

# Each run by its own events alone is as all events of the log have it.
runs_replay_alone() {
        local head run
        head=$(eventlog head | cut -d' ' -f1)
        for run in $(eventlog replay --json | jq -r '.runs[].run_id'); do
                eventlog replay --run "$run" --json >alone
                eventlog replay --run "$run" --until "$head" --json | cmp - alone
        done
}
