# The example program embeds the library: it is held, answered from another process, and goes on.
. "$SOURCE_DIR/tests/cli/shared.sh"
export PAWL_DB=log/events.db

it "the example compiles against the public headers and the library alone"
flags=
if nm "$BUILD_DIR/libpawl.so" | grep -q __asan_init; then flags=-fsanitize=address,undefined; fi
$CC -std=c11 -Wall -Wextra -pedantic -Werror $flags -I "$SOURCE_DIR/include" \
        "$SOURCE_DIR/examples/embed/embed.c" -L "$BUILD_DIR" -Wl,-rpath,"$BUILD_DIR" -lpawl -o embed

it "the first run is held, and tells its token and its conflict"
runs 3 ./embed "$PAWL_DB"
token=$(sed -n 's/^token //p' out)
conflict=$(sed -n 's/^conflict //p' out)
[ "${#token}" -eq 36 ]
[ "${#conflict}" -eq 16 ]
says '^(token|conflict) ' out
same "$(grep -c generating out || true)" 0
same "$(events StepCompleted)" 0

it "unanswered, it is held again"
runs 3 ./embed "$PAWL_DB" "$token"
same "$(sed -n 's/^conflict //p' out)" "$conflict"

it "answered by another process, it generates"
runs 0 pawl resolve "$conflict" --define "Where a customer's refunds land."
runs 0 ./embed "$PAWL_DB" "$token"
says '^generating under [0-9a-f-]{36}$' out
same "$(events StepCompleted)" 1
same "$(events RunCompleted)" 1

it "completed, it generates nothing a second time"
before=$(events)
runs 0 ./embed "$PAWL_DB" "$token"
is_empty out
same "$(events)" "$before"

it "a token that nobody gave out is refused"
fails 1 '^embed: ' ./embed "$PAWL_DB" 00000000-0000-4000-8000-000000000000
same "$(events)" "$before"

it "the log verifies, and replays to what its tables say"
runs 0 eventlog verify
runs 0 eventlog replay --check
