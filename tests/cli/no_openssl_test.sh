# OpenSSL is loaded at the first hash: what hashes nothing does without, and what hashes says what is missing.
. "$SOURCE_DIR/tests/cli/shared.sh"
shim=$BUILD_DIR/tests/no_openssl.so
export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}verify_asan_link_order=0
write_mission
runs 3 pawl run mission.yaml --run one --no-input
conflict=$(pawl conflicts --json | jq -r '.[0].conflict_id')
before=$(eventlog head)
without() {
        LD_PRELOAD=$shim "$@"
}

it "what looks into the log does not load it"
runs 0 without pawl conflicts
runs 0 without pawl sessions
runs 0 without pawl handoff
runs 0 without eventlog list
runs 0 without eventlog show 1
runs 0 without eventlog head
runs 0 without pawl --version

echo '{"a":1}' >document.json
it "what hashes is refused, with the library's name, and nothing is written"
fails 1 '^pawl: .*libcrypto\.so\.3: cannot be loaded .*install OpenSSL.s libcrypto' without pawl resolve "$conflict" --pick 1
fails 1 '^pawl: .*libcrypto\.so\.3: cannot be loaded' without pawl run mission.yaml --fresh
fails 1 '^pawl: .*libcrypto\.so\.3: cannot be loaded' without pawl hash document.json
fails 1 '^eventlog: .*libcrypto\.so\.3: cannot be loaded' without eventlog verify
same "$(eventlog head)" "$before"
runs 0 eventlog verify
runs 0 pawl resolve "$conflict" --pick 1
