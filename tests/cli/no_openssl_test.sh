# OpenSSL is loaded for keys and for much that is to be hashed: all else does without it.
. "$SOURCE_DIR/tests/cli/shared.sh"
shim=$BUILD_DIR/tests/no_openssl.so
export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}verify_asan_link_order=0
write_mission
runs 3 pawl run mission.yaml --run one --no-input
conflict=$(pawl conflicts --json | jq -r '.[0].conflict_id')
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

it "what hashes does without it, too, however much that is"
runs 0 without pawl resolve "$conflict" --pick 1
runs 0 without pawl resume one --no-input
head -c 3000000 /dev/zero | tr '\0' x | sed 's/.*/"&"/' >document.json
same "$(without pawl hash document.json)" "$(pawl hash document.json)"
runs 0 without eventlog verify

it "a key, and a note that is signed, are refused with the library's name, and nothing is written"
before=$(eventlog head)
head -c 32 /dev/urandom >key
chmod 600 key
fails 1 '^pawl: .*libcrypto\.so\.3: cannot be loaded .*install OpenSSL.s libcrypto' without pawl init --db other.db --key-file key
openssl genpkey -algorithm ed25519 -out note.key 2>/dev/null
fails 1 '^eventlog: .*libcrypto\.so\.3: cannot be loaded' without eventlog note --key note.key
same "$(eventlog head)" "$before"
runs 0 eventlog verify
