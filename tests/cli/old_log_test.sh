# Logs that older programs wrote: read, they say what they said and stay what they are; written to, they
# become logs of today that say the same.
. "$SOURCE_DIR/tests/cli/shared.sh"
stored=$SOURCE_DIR/tests/golden/logs
write_mission
# What a directory's mode forbids, root may do: then the programs run without that power.
held=()
[ "$(id -u)" -ne 0 ] || held=(setpriv --bounding-set=-dac_override,-dac_read_search --inh-caps=-all)

# put NAME: the stored log, in .pawl.
put() {
        chmod -R u+w .pawl 2>/dev/null || true
        remove_log
        mkdir .pawl
        cp "$stored/$1.db" .pawl/events.db
        [ ! -e "$stored/$1.db-wal" ] || cp "$stored/$1.db-wal" .pawl/events.db-wal
}

# without_later [FILE]: an export as it was when a pruned payload left no hash in it.
without_later() {
        sed 's/,"payload_hash":"[0-9a-f]*"//' "$@"
}

# says_what_it_said NAME: replay, export, head and verify are what the program of its time printed.
says_what_it_said() {
        runs 0 "${held[@]}" eventlog replay --json
        # what came with later versions stands at the end
        jq -c 'del(.workspace_checkpoints, .rollbacks)' out >members
        cmp members <(jq -c . "$stored/$1.replay.json")
        runs 0 "${held[@]}" eventlog export
        cmp <(without_later out) "$stored/$1.events.jsonl"
        runs 0 "${held[@]}" eventlog list --json
        cmp <(without_later out) "$stored/$1.events.jsonl"
        runs 0 "${held[@]}" eventlog head
        cmp out "$stored/$1.head"
        runs 0 "${held[@]}" eventlog verify --anchor "$stored/$1.head"
        same "$(head -n 1 out)" "ok: $(cut -d' ' -f1 "$stored/$1.head") events, head $(cat "$stored/$1.head")"
        runs 0 "${held[@]}" eventlog replay --check
}

version() {
        sqlite3 -readonly "file:.pawl/events.db?immutable=1" 'PRAGMA user_version'
}

for name in v1 v1-wal v2 v2-wal v3 v3-wal v3-keyed; do
        unset PAWL_KEY_FILE
        case $name in *-keyed)
                (umask 077; printf %s 0123456789abcdef0123456789abcdef >key.of.log)
                export PAWL_KEY_FILE=$PWD/key.of.log ;;
        esac
        it "$name is read and stays what it is"
        put $name
        ls -l --time-style=full-iso .pawl >before
        cat .pawl/* | sha256sum >>before
        says_what_it_said $name
        runs 0 pawl check mission.yaml # its term was answered in this log
        runs 0 eventlog stats
        runs 0 eventlog tail
        runs 0 eventlog show 3
        (ls -l --time-style=full-iso .pawl; cat .pawl/* | sha256sum) | diff before -
        same "$(version)" "${name:1:1}"

        it "$name is read in a directory that cannot be written"
        chmod 500 .pawl
        chmod 400 .pawl/*
        says_what_it_said $name
        runs 0 "${held[@]}" eventlog list
        chmod -R u+w .pawl
        (cat .pawl/* | sha256sum) | diff <(tail -n 1 before) -

        it "$name is brought up to date by the first program that writes, and says the same"
        runs 0 pawl conflicts --json
        same "$(jq -r '.[].run_id' out)" two
        conflict=$(jq -r '.[0].conflict_id' out)
        same "$(version)" 6
        says_what_it_said $name

        it "$name takes events then, and its folded tables are still what its events say"
        printf 'terms: [{surface: invoice, definition: What a customer owes.}]' >seed.yaml
        runs 0 pawl glossary import seed.yaml --scope core
        runs 0 pawl resolve "$conflict" --pick 1
        runs 0 pawl run mission.yaml --run five
        runs 0 eventlog verify --anchor "$stored/$name.head"
        runs 0 eventlog replay --check
        eventlog export | without_later | head -n "$(wc -l <"$stored/$name.events.jsonl")" | cmp - "$stored/$name.events.jsonl"

        [ -z "${PAWL_KEY_FILE:-}" ] || continue

        it "$name takes no key, before it was brought up to date or after"
        (umask 077; head -c 32 /dev/urandom >key)
        fails 1 "^pawl: .*a key was given, and this log was made without one" \
                pawl glossary import seed.yaml --scope core --key-file key
        put $name
        fails 1 "^pawl: .*a key was given, and this log was made without one" \
                pawl glossary import seed.yaml --scope core --key-file key
        runs 5 eventlog verify --key-file key
        says "^eventlog: seq 1: it has no MAC: the log has no key" err
done

unset PAWL_KEY_FILE
it "programs that open an old log at once bring it up to date once"
put v1-wal
for i in 1 2 3 4; do
        printf 'terms: [{surface: word%s, definition: One.}]' $i >seed$i.yaml
        pawl glossary import seed$i.yaml --scope core >out$i 2>&1 &
        pids[$i]=$!
done
for i in 1 2 3 4; do
        wait "${pids[$i]}" || { cat out$i; false; }
done
runs 0 eventlog verify --anchor "$stored/v1-wal.head"
runs 0 eventlog replay --check
same "$(eventlog export | jq -r 'select(.type == "GlossarySenseUpdated").payload.term_surface' | grep -c '^word')" 4

it "a log of a schema that is newer than the programs is refused by its number, and left alone"
put v1
sqlite3 .pawl/events.db 'PRAGMA user_version = 7'
sha256sum .pawl/events.db >before
fails 1 '^eventlog: .*the log has schema version 7, .*up to 6; use a newer pawl$' eventlog replay
fails 1 '^pawl: .*the log has schema version 7, .*up to 6; use a newer pawl$' pawl conflicts
sha256sum --quiet -c before
