# Needs PAWL_WITH_POSTGRES.
# A password in a URL is shown by nothing: no message, no event, no process's words, no step's environment.
[ -e "$PAWL_TEST_SERVER" ] || { echo "there is no PostgreSQL to test with"; exit 77; }
server=$(cat "$PAWL_TEST_SERVER")
mine=$(basename "$PWD").$$
secret='s3cr%65t%2F%40x' # s3cret/@x
with=${server/tester@/tester:$secret@}
hidden() { ! grep -aE 's3cr|3cret' "$@"; }

pawl init --db "$with#$mine" >out 2>err
printf 'mission: m\nsteps:\n  - {id: one, run: [sh, -c, "env; tr \\"\\\\0\\" \\" \\" </proc/$PPID/cmdline"]}\n  - {id: two, run: [sh, -c, "exit 1"]}\n' >m.yaml
pawl run m.yaml --run r --db "$with#$mine" >>out 2>>err && exit 1
pawl status --db "$with#$mine" >>out 2>>err || true
eventlog export --db "$with#$mine" >>out
pawl output r one --db "$with#$mine" >>out
grep -q PAWL_DB= out
pawl copy "$with#$mine" "$with#$mine-2" >>out 2>>err
hidden out err

# Neither where the server, or libpq, refuses.
for url in "$(sed s,/postgres?,/not-there?, <<<"$with")" "$(sed s,tester:,nobody:, <<<"$with")" "postgresql://u:$secret@127.0.0.1:1/x" \
        "postgresql://u:$secret@127.0.0.1:99999/x" "postgresql://u:s3cret/x@h/db" "postgresql://u@h/db?password=$secret&nope=1"; do
        if pawl status --db "$url" >out 2>err; then exit 1; fi
        [ "$(wc -l <err)" = 1 ]
        grep -q '^pawl: .*; ' err
        hidden out err
done

# A log's name is one: percent-encoded, without control characters or slashes.
for name in 'a%0Ab' 'a%' 'a/b' '%ff' ' a'; do
        if pawl status --db "$server#$name" >out 2>err; then exit 1; fi
        grep -q "log's" err
done
pawl init --db "$server#$mine%20%c3%a9" >all
pawl list-logs --db "$server" | grep -q "$mine é"
