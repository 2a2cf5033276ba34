# Keyed logs: made with a key, they take events with that key alone, and what was made without it is found.
. "$SOURCE_DIR/tests/cli/shared.sh"
write_mission
printf 'terms: [{surface: invoice, definition: What a customer owes.}]' >seed.yaml
(umask 077; head -c 32 /dev/urandom >key; head -c 32 /dev/urandom >other)

# content: what the log holds, whatever its files look like.
content() {
        sqlite3 "${1:-.pawl/events.db}" 'SELECT count(*), hex(max(hash)) FROM events; SELECT count(*), hex(max(mac)) FROM macs;
                SELECT hex(key_check) FROM chain_key; SELECT * FROM leases; SELECT count(*) FROM blobs'
}

it "init makes a keyed log, and so does the first run"
runs 0 pawl init --key-file key
same "$(sqlite3 .pawl/events.db 'SELECT count(*) FROM chain_key')" 1
remove_log
runs 3 pawl run mission.yaml --run one --key-file key
same "$(sqlite3 .pawl/events.db 'SELECT count(*) = (SELECT count(*) FROM events) FROM macs')" 1
same "$(cat journal)" research
n=$(events)

it "a mac is HMAC-SHA-256 of the event's hash"
hash=$(eventlog head | cut -d' ' -f2)
same "$(printf '%s' "$hash" | perl -pe 's/(..)/chr hex $1/ge' |
        openssl mac -digest SHA256 -macopt "hexkey:$(od -An -v -tx1 key | tr -d ' \n')" -in /dev/stdin HMAC)" \
        "$(sqlite3 .pawl/events.db "SELECT hex(mac) FROM macs WHERE seq = $n")"

it "export, list and show have the mac of an event, as a last member"
mac=$(sqlite3 .pawl/events.db "SELECT lower(hex(mac)) FROM macs WHERE seq = 2")
for command in "export" "list --json" "tail --json -n 100" "show 2"; do
        # shellcheck disable=SC2086
        same "$(eventlog $command | jq -r 'select(.seq == 2) | .mac, (keys_unsorted | .[-1])')" "$mac"$'\nmac'
done

it "every command that would append is refused without the key, and with another, and changes nothing"
conflict=$(pawl conflicts --json | jq -r '.[0].conflict_id')
content >before
for option in '' '--key-file other'; do
        says_why='the log is keyed, and takes no event without its key; open it with its key'
        [ -z "$option" ] || says_why="the key is not this log's; give the one that it was made with"
        for command in "run mission.yaml --fresh" "run mission.yaml --run two --json" "resume one" \
                "resolve $conflict --pick 1" "glossary import seed.yaml --scope core"; do
                # shellcheck disable=SC2086
                runs 1 pawl $command $option
                same "$(wc -l <err)" 1
                says "^pawl: .*$says_why" err
                content | diff before -
        done
done
same "$(cat journal)" research

it "reading needs no key, and looks at none"
for command in "replay --json" "replay --check" "list" "tail" "show 1" "head" "stats" "export"; do
        # shellcheck disable=SC2086
        runs 0 eventlog $command
        # shellcheck disable=SC2086
        runs 0 env PAWL_KEY_FILE=nowhere eventlog $command
done
runs 0 pawl conflicts
runs 0 pawl --key-file nowhere conflicts
runs 0 pawl glossary list
runs 0 pawl terms team.yaml
runs 3 pawl check mission.yaml
runs 0 pawl init
says "the log was there already" out

it "with the key it goes on, named by option or by variable, before the command or after it"
runs 0 pawl --key-file key resolve "$conflict" --pick 2
PAWL_KEY_FILE=key runs 0 pawl resume one
PAWL_KEY_FILE=other runs 0 pawl glossary import seed.yaml --scope core --key-file=key
same "$(tr '\n' ' ' <journal)" "research specify publish "

it "a command that is suggested names the key's file where it was named, for pawl alone"
(umask 077; cp key "my key")
mkdir named
(
        cd named
        cp ../team.yaml ../mission.yaml .
        runs 0 pawl init --key-file "../my key"
        runs 3 pawl run mission.yaml --key-file "../my key"
        says "\`pawl resume [^\`]* --key-file '../my key'\`" err
        eval "$(grep -o 'pawl resolve [^`]*' err | sed 's/--pick N/--pick 1/')" >answered
        fails 1 "\`eventlog show [0-9]+\` prints" pawl resolve --key-file "../my key" --pick 1 \
                "$(pawl conflicts --all --json | jq -r '.[0].conflict_id')"
        eval "$(grep -o 'pawl resume [^`]*' answered)"
)

it "verify says whether the MACs were checked"
runs 0 eventlog verify
says '^ok: ' out
says '^the log is keyed: its MACs were not checked; name the key.s file with --key-file' out
runs 0 eventlog verify --key-file key
says '^the log is keyed: each MAC was checked' out
same "$(wc -l <out)" 2
PAWL_KEY_FILE=key runs 0 eventlog verify
says 'each MAC was checked' out
fails 1 "^eventlog: .*the key is not this log's" eventlog verify --key-file other

it "a MAC that was changed or taken out is found, at its seq"
sqlite3 .pawl/events.db 'PRAGMA wal_checkpoint(TRUNCATE)' >/dev/null
cp .pawl/events.db good.db
guards=$(sqlite3 good.db "SELECT group_concat('DROP TRIGGER ' || name, ';') FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = 'events'")

# tampered SQL SEQ WHY: after this change, verify with the key fails at this seq.
tampered() {
        cp good.db bad.db
        sqlite3 bad.db "$guards; $1"
        runs 5 eventlog verify --db bad.db --key-file key
        is_empty out
        same "$(wc -l <err)" 1
        says "^eventlog: seq $2: .*$3" err
}
n=$(events)
tampered "UPDATE macs SET mac = zeroblob(32) WHERE seq = 5" 5 "its MAC does not fit"
tampered "DELETE FROM macs WHERE seq = 4" 4 "its MAC is missing"
tampered "DELETE FROM macs WHERE seq = $n" "$n" "its MAC is missing"
tampered "DELETE FROM events WHERE seq > $((n - 3))" $((n - 2)) "its tail was cut"
tampered "UPDATE events SET time = time + 1 WHERE seq = 3" 3 "its hash does not fit"

it "a log that was stripped of its key fails with the key, though its chain holds"
tampered "DELETE FROM chain_key; DELETE FROM macs" 1 "the log has no key"
tampered "DROP TABLE chain_key; DROP TABLE macs; PRAGMA user_version = 1" 1 "the log has no key"
runs 0 eventlog verify --db bad.db --chain
same "$(wc -l <out)" 1

it "a chain that was made again without the key holds, and its MACs do not"
rm -rf forged
mkdir forged
cd forged
cp ../team.yaml ../mission.yaml .
runs 0 pawl init
runs 3 pawl run mission.yaml --run one
cd ..
cp good.db bad.db
sqlite3 bad.db "$guards; ATTACH 'forged/.pawl/events.db' AS f; DELETE FROM events; DELETE FROM macs WHERE seq > (SELECT max(seq) FROM f.events);
        INSERT INTO events SELECT * FROM f.events"
runs 0 eventlog verify --db bad.db --chain
runs 5 eventlog verify --db bad.db --key-file key
says "^eventlog: seq 1: its MAC does not fit its hash" err

it "a log that was made without a key takes none"
cp forged/.pawl/events.db plain.db
content plain.db >before
for command in "run mission.yaml" "resume one" "glossary import seed.yaml --scope core" "init"; do
        # shellcheck disable=SC2086
        fails 1 "^pawl: .*plain.db: a key was given, and this log was made without one" pawl --db plain.db --key-file key $command
done
content plain.db | diff before -
same "$(sqlite3 plain.db 'SELECT count(*) FROM macs')" 0

it "a key file that is no key is refused, before anything is made"
remove_log
chmod 640 key
fails 1 '^pawl: key file key: others can get at it \(mode 0640\); run `chmod 600 key`' pawl init --key-file key
chmod 602 key
fails 1 '^pawl: key file key: others can get at it \(mode 0602\)' pawl run mission.yaml --key-file key
fails 1 '^eventlog: key file key: others can get at it' eventlog verify --db good.db --key-file key
chmod 400 key
runs 0 eventlog verify --db good.db --key-file key
(umask 077; : >empty; head -c 31 key >short; head -c 1025 /dev/zero >long; mkdir folder)
fails 1 '^pawl: key file empty: holds nothing; a key is 32 to 1024 bytes' pawl init --key-file empty
fails 1 '^pawl: key file short: holds too little' pawl init --key-file short
fails 1 '^pawl: key file long: holds too much' pawl init --key-file long
fails 1 '^pawl: key file folder: is a directory' pawl init --key-file folder
fails 1 '^pawl: key file nowhere: No such file' pawl init --key-file nowhere
misused '^pawl: init: --key-file: the name is empty' pawl init --key-file=
misused 'unknown option --key-file' eventlog head --key-file key
[ ! -e .pawl ]

it "a newline at its end is part of the key"
(umask 077; printf '%064d\n' 7 >line; printf '%064d' 7 >no_line)
runs 0 pawl init --key-file line
fails 1 "the key is not this log's" pawl glossary import seed.yaml --scope core --key-file no_line
runs 0 pawl glossary import seed.yaml --scope core --key-file line

it "a key of 1024 bytes, and one that comes through a pipe"
remove_log
(umask 077; head -c 1024 long >longest)
runs 0 pawl init --key-file longest
runs 0 eventlog verify --key-file <(cat longest)
says 'each MAC was checked' out

it "a step's command is not told the key by the option"
cat >env.yaml <<'END'
mission: env
steps:
  - {id: a, run: [sh, -c, "echo ${PAWL_KEY_FILE-none} >told"]}
END
runs 0 pawl run env.yaml --key-file longest
same "$(cat told)" none

it "a copy is made of what the key fits, and of nothing else"
runs 0 pawl init --db source.db --key-file key
runs 0 pawl glossary import seed.yaml --scope core --db source.db --key-file key
fails 1 "the key is not this log's" pawl copy source.db copied.db --key-file other
[ -z "$(eventlog export --db copied.db)" ]
runs 0 pawl copy source.db copied.db --key-file key
runs 0 eventlog verify --db copied.db --key-file key
sqlite3 source.db 'DROP TRIGGER IF EXISTS macs_stay; UPDATE macs SET mac = zeroblob(32)'
fails 5 'seq 1: ' pawl copy source.db another.db --key-file key
runs 0 pawl copy source.db unkeyed.db # the chain verifies; whose the MACs are was not asked
