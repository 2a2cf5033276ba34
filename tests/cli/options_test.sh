# Options, arguments and help: what the tables of subcommands give every subcommand.
. "$SOURCE_DIR/tests/cli/shared.sh"

# cmds PROGRAM: the names of its subcommands, one a line.
cmds() {
        "$1" --help | grep '^  [a-z]' | sed -E 's/^  //; s/( (\[?[A-Z]+[^ ]*|bash))*  .*//; s/  .*//'
}

it "each program says its version, that of SQLite, and its help on stdout"
for program in pawl eventlog; do
        runs 0 $program --version
        same "$(cat out)" "$program 0.1.0 (SQLite $(pkg-config --modversion sqlite3))"
        runs 0 $program --help
        says "^usage: $program " out
        is_empty err
        runs 0 $program help
        says "^usage: $program " out
done

it "the commands are those of the contract, and none that come later"
same "$(cmds pawl | tr '\n' ,)" \
        "init,status,run,resume,plan,cancel,fork,compare,skip,submit,work,workers,check,conflicts,resolve,glossary list,glossary propose,glossary lint,glossary import,glossary edit,glossary deprecate,glossary ignore,glossary log,runs,output,logs,sessions,session start,session update,session checkpoint,session end,session resume,session pin,task done,hooks install,hooks uninstall,hooks status,hook,mcp,prune sessions,prune threads,handoff,checkpoint,checkpoints,show,diff,rollback,undo,redo,rollbacks,tool checkpoint,restore,restore list,pin,du,prune checkpoints,backup,copy,list-logs,validate,rebuild,export,import,import-events,serve,hash,terms,help,completion,"
same "$(cmds eventlog | tr '\n' ,)" "replay,list,tail,show,verify,head,stats,export,trace,note,prove,tiles,timestamp,help,completion,"

it "every command has --help, which exits 0 and prints on stdout alone"
for program in pawl eventlog; do
        cmds $program | while read -r cmd; do
                # shellcheck disable=SC2086
                runs 0 $program $cmd --help
                says "^usage: $program $cmd" out
                is_empty err
                cp out by_option
                # shellcheck disable=SC2086
                runs 0 $program help $cmd
                cmp out by_option
                # shellcheck disable=SC2086
                misused "unknown option --no-such-thing" $program $cmd --no-such-thing
        done
done

it "an option takes a value in one command as it does in all others"
for program in pawl eventlog; do
        cmds $program | while read -r cmd; do
                # shellcheck disable=SC2086
                $program $cmd --help | grep -oE '^  (-.,|   ) --[a-z-]+(\[=| )?[A-Z]*' |
                        sed -E 's/^ *(-.,)? *//; s/ [A-Z]+$/ VALUE/'
        done | sort -u | awk '{print $1}' | sed 's/\[=.*//' | uniq -d >twice
        is_empty twice
done

it "wrong usage exits 2 with the usage line on stderr"
misused "a command is missing" pawl
misused 'unknown command "frobnicate"' pawl frobnicate
misused 'unknown command "glossary"; say glossary list or glossary propose or .*; see' pawl glossary
misused 'unknown command "glossary qqqqqqqq"; say glossary list or' pawl glossary qqqqqqqq
misused 'unknown command "session"' pawl session
misused 'unknown command "frobnicate"' pawl help frobnicate
misused 'one argument too many: "extra"; see' pawl help run extra
misused "an argument is missing: MISSION" pawl run
misused 'one argument too many: "b"' pawl run a b
misused 'one argument too many: "a"' eventlog head a
misused "unknown option -x" pawl conflicts -x
misused "unknown option --no" pawl run m.yaml --no
misused "--json takes no value" pawl conflicts --json=yes
misused "--db needs a value: PATH" pawl conflicts --db
misused "--db: the name is empty" pawl conflicts --db=
misused "-n needs a value: N" eventlog list -n
misused 'there is no "hard"; give one of off\|medium\|max' pawl run m.yaml --strictness hard
misused "exactly one of --pick, --define, --answer, --dismiss, --pick-first, --answers and --answers-json" pawl resolve abcd
misused "exactly one of --pick, --define, --answer, --dismiss, --pick-first, --answers and --answers-json" pawl resolve abcd --pick 1 --define x
misused "--scope is needed" pawl glossary import seed.yaml
misused 'there is no "mission_local"' pawl glossary import seed.yaml --scope mission_local
misused 'there is no completion for "fish"' pawl completion fish

it "the nearest of all commands and options is named"
misused 'unknown command "rnu"; did you mean run\?; see' pawl rnu mission.yaml
misused 'unknown command "glossary lst"; did you mean glossary list\?; see' pawl glossary lst
misused 'unknown command "sesion end"; did you mean session end\?; see' pawl sesion end
misused 'unknown command "continue"; did you mean resume\?; see' pawl continue
misused 'unknown command "chekpoints"; did you mean checkpoints\?; see' pawl chekpoints
misused 'unknown command "verfy"; did you mean verify\?; see' eventlog verfy
misused 'unknown command "rnu"; did you mean run\?; see' pawl help rnu
misused 'unknown option --jsno; did you mean --json\?; see' pawl conflicts --jsno
misused 'unknown option --key-fiel; did you mean --key-file\?; see' pawl conflicts --key-fiel=x
misused 'unknown option --anchr; did you mean --anchor\?; see' eventlog verify --anchr x
misused '--scope: there is no "team"; did you mean team_domain\? give one of' pawl glossary import seed.yaml --scope team
misused '--strictness: there is no "maxx"; did you mean max\? give one of off|medium|max' pawl run m.yaml --strictness maxx

it "help of the first word of commands is that of each of them"
runs 0 pawl help prune
same "$(grep '^usage: ' out | cut -d' ' -f2-4 | tr '\n' ,)" "pawl prune sessions,pawl prune threads,pawl prune checkpoints,"
runs 0 pawl help session
same "$(grep -c '^usage: pawl session ' out)" 6
cp out by_word
runs 0 pawl session --help
cmp out by_word
runs 0 pawl help session end
same "$(grep -c '^usage: pawl session end' out)" 1

it "numbers are digits from 1 up to 2^63 - 1"
for number in 0 -1 1.5 x '' 9223372036854775808; do
        misused "not a number from 1 up" eventlog replay "--until=$number"
        misused "not a number from 1 up" eventlog show -- "$number"
done
for number in -1 1.5 x '' 9223372036854775808; do
        misused "not a number from 0 up" eventlog list "--since=$number"
        misused "not a number from 0 up" eventlog tail "--lines=$number"
done
misused "not a number of seconds" pawl resume --wait=soon
misused "not a number of seconds" pawl resume --wait=4000001
misused "names no seconds" pawl resume --wait=

it "without a log, every command that needs one says where it looked and what to do"
fails 1 "^pawl: no log here: .*; run \`pawl init\`, or name one with --db$" pawl conflicts
fails 1 "^eventlog: no log here: .*; run \`pawl init\`, or name one with --db$" eventlog head
fails 1 "^pawl: no log here" pawl resume
fails 1 "^pawl: no log here" pawl resolve abcd --pick 1
fails 1 "^eventlog: .*nowhere" eventlog --db nowhere/events.db verify
for url in mysql://u:secret@h/d file:///tmp/x Postgresql://u:secret@h/d; do
        fails 1 "^pawl: the log's URL: is not a PostgreSQL server's; write postgresql://" pawl init --db "$url"
        fails 1 "^eventlog: the log's URL: is not a PostgreSQL" eventlog --db "$url" head
done
[ -z "$(find . -name "*:")" ]
[ ! -e .pawl ]
[ ! -e nowhere ]

it "a log in a directory that is closed, as that of another user, is not passed over"
mkdir -p outer/inner
runs 0 pawl init outer
runs 0 pawl init outer/inner
chmod 0 outer/inner/.pawl
bounded=
[ "$(id -u)" -ne 0 ] || bounded="setpriv --bounding-set=-dac_override,-dac_read_search" # root may do all
for command in "pawl runs" "eventlog head" "pawl init" "pawl run mission.yaml"; do
        # shellcheck disable=SC2086
        (cd outer/inner && echo "{mission: m, steps: [{id: a, run: [cat]}]}" >mission.yaml && fails 1 "(pawl|eventlog): .*: (may not be looked into; give yourself permission|cannot open the log: Permission denied)" \
                $bounded $command)
done
# shellcheck disable=SC2086
(cd outer/inner && fails 1 "^pawl: .*/outer/inner/\.pawl(/.*)?: may not be looked into; .*--db$" $bounded "$BIN/pawl" runs)
chmod 700 outer/inner/.pawl

it "init makes the log, 0700 and 0600, and leaves one that is there"
runs 0 pawl init
same "$(stat -c %a .pawl .pawl/events.db | tr '\n' ' ')" "700 600 "
cp .pawl/events.db before
runs 0 pawl init
cmp before .pawl/events.db
runs 0 pawl init other
[ -s other/.pawl/events.db ]
misused "DIR and --db" pawl init other --db x.db
misused "log on a server with --db" pawl init postgresql://u:secret@h/d
misused "carries a log to a server" pawl backup postgresql://u:secret@h/d
[ ! -e postgresql: ]

it "the log is found from the working directory upwards, by PAWL_DB, and by --db, which wins"
mkdir -p a/b
(cd a/b && runs 0 eventlog head && same "$(cat out)" "0 $(printf '0%.0s' {1..64})")
printf 'terms: [{surface: refund, definition: Money that goes back.}]' >seed.yaml
runs 0 pawl glossary import seed.yaml --scope core
(cd a/b && runs 0 eventlog head && says '^1 ' out)
(cd other && runs 0 eventlog head && says '^0 ' out)
(cd other && PAWL_DB=../.pawl/events.db runs 0 eventlog head && says '^1 ' out)
(cd other && PAWL_DB=../.pawl/events.db runs 0 eventlog --db .pawl/events.db head && says '^0 ' out)
(cd other && PAWL_DB='' runs 0 eventlog head && says '^0 ' out)

it "options stand before or after the command and its arguments, joined or apart, and -- ends them"
db=.pawl/events.db
for words in "--db $db show 1" "show --db $db 1" "show 1 --db $db" "show 1 --db=$db" \
        "--db=$db show 1" "show --db $db -- 1" "-- show 1"; do
        # shellcheck disable=SC2086
        runs 0 eventlog $words
        same "$(jq .seq out)" 1
done
for words in "list -n 1 --json" "list -n1 --json" "-n 1 --json list" "--lines=1 list --json"; do
        # shellcheck disable=SC2086
        runs 0 eventlog $words
        same "$(jq .seq out)" 1
done
printf '1' >--canonical
runs 0 pawl hash --canonical -- --canonical
same "$(cat out)" 1
