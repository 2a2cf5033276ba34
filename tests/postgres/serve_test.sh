# Needs PAWL_WITH_POSTGRES.
# Needs PAWL_WITH_SERVICE.
# A service whose server is away says so at once, each time, and goes on when it is back.
[ -e "$PAWL_TEST_SERVER" ] || { echo "there is no PostgreSQL to test with"; exit 77; }
command -v curl >/dev/null || { echo "curl is not installed"; exit 77; }
. "$SOURCE_DIR/tests/cli/shared.sh"
own=$PWD/server.url
support=$SOURCE_DIR/tests/support/postgres
service=
master() { head -n 1 "$(cat "$own.folder")/data/postmaster.pid"; }
server() { [ ! -e "$(cat "$own.folder")/data/postmaster.pid" ] || kill "-$1" "$(master)" $(pgrep -P "$(master)") 2>/dev/null || true; } # STOP or CONT
trap 'kill -9 "$service" 2>/dev/null || true; server CONT 2>/dev/null; "$support" stop "$own"' EXIT
"$support" start "$own"
PAWL_DB="$(cat "$own")#served"
export PAWL_DB
runs 0 pawl init
pawl serve --listen 127.0.0.1:0 --json --threads 4 >ready 2>warned &
service=$!
until_it test -s ready
url=$(jq -r .url ready)
url=${url%/}
token=$(cat "$(jq -r .token_file ready)")

# asks STATUS PATH: the answer is in the file answer, its head in head; soon.
asks() {
        local code
        code=$(curl -s -m 60 -o answer -D head -w '%{http_code}' -H "Authorization: Bearer $token" "$url$2")
        [ "$code" = "$1" ] || { echo "$2: $code, not $1"; cat head answer; return 1; }
}
health() { # STATUS: it comes to that
        for _ in $(seq 900); do
                asks "$1" /healthz >/dev/null 2>&1 && return 0
                sleep 0.1
        done
        asks "$1" /healthz
}
refused() { # PATTERN: eight, one after the other, in less than one of them would wait
        local began
        began=$(date +%s%N)
        for _ in 1 2 3 4 5 6 7 8; do
                asks 503 /api/v1/runs
                says '^Retry-After: [1-9]' <(tr -d '\r' <head)
                jq -e '.error.status == "PAWL_EIO"' answer >/dev/null
                says "$1" answer
        done
        [ $((($(date +%s%N) - began) / 1000000)) -lt 20000 ]
}

it "asks before"
health 200
asks 200 /api/v1/runs

it "a server that refuses"
"$support" kill "$own"
began=$SECONDS
asks 503 /api/v1/runs
[ $((SECONDS - began)) -lt 20 ]
health 503
says 'cannot|terminat' answer
sleep 1.2
refused 'cannot connect'
"$support" again "$own"
health 200
asks 200 /api/v1/runs

it "a server that says nothing"
server STOP
health 503
says "the log's server: has not answered for [0-9]+ s; look at whether it runs" answer
refused "has not answered"
server CONT
health 200
asks 200 /api/v1/runs
kill "$service"
code=0
wait "$service" || code=$?
same "$code" 0
