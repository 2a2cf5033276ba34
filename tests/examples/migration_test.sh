# examples/migration, as its page tells it: found out before anything is lost, taken back, mended, gone on.
. "$SOURCE_DIR/tests/cli/shared.sh"
cp -r "$SOURCE_DIR/examples/migration/." .

it "verify finds the account that has one name, before anything is taken away"
runs 1 pawl run mission.yaml
says 'step verify: exit code 1: 5: Hypatia became \(\) \(Hypatia\)' err
same "$(sqlite3 accounts.db 'SELECT name FROM accounts WHERE id = 5')" Hypatia
run=$(pawl runs --json | jq -r '.runs[0].run_id')

it "a rollback takes the database back to before the columns were filled"
runs 0 pawl rollback 3 --yes
same "$(sqlite3 accounts.db 'SELECT count(*) FROM accounts WHERE family IS NOT NULL')" 0

it "mended, the same run goes on: what was right is not done again"
sqlite3 accounts.db "UPDATE accounts SET name = 'Hypatia of Alexandria' WHERE id = 5"
runs 0 pawl resume
same "$(eventlog export | jq -r 'select(.type == "StepCompleted") | .step_id' | sort | uniq -c | awk '{print $2 $1}' | tr '\n' ' ')" \
        "contract1 expand1 fill2 load1 verify1 "
same "$(sqlite3 accounts.db "SELECT group_concat(given || '|' || family, ' ') FROM accounts WHERE id IN (4, 5, 7)")" \
        "Annie Jump|Cannon Hypatia of|Alexandria Emmy|Noether"
same "$(pawl output "$run" contract)" '{"columns":["id","given","family"]}'

it "a database that others have locked is waited for"
rm -rf second
cp -r "$SOURCE_DIR/examples/migration" second
cd second
sed -i 's/5,Hypatia/5,Hypatia of Alexandria/' accounts.csv
cat >steps/expand.new <<'END'
#!/bin/sh
set -eu
./steps/expand.old
# somebody else's long transaction, which ends when the step was tried once
(exec >/dev/null 2>&1; { printf '%s\n' '.timeout 60000' 'BEGIN EXCLUSIVE;'; while [ ! -e tried ]; do sleep 0.05; done; echo 'COMMIT;'; } | sqlite3 accounts.db) &
while sqlite3 accounts.db 'BEGIN IMMEDIATE; ROLLBACK;' 2>/dev/null; do sleep 0.05; done
END
mv steps/expand steps/expand.old
mv steps/expand.new steps/expand
sed 's/if grep -qi locked/touch tried; if grep -qi locked/' steps/fill >steps/fill.new
mv steps/fill.new steps/fill
chmod +x steps/*
runs 0 pawl run mission.yaml
[ "$(eventlog export | jq -c 'select(.type == "StepAttemptFailed") | .payload.exit_code' | sort -u)" = 75 ]
runs 0 eventlog replay --check
