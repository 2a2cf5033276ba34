# Needs PAWL_WITH_CJSON. A program that holds its JSON in cJSON's trees is held, answered and goes on.
. "$SOURCE_DIR/tests/cli/shared.sh"
export PAWL_DB=log/events.db

it "the example compiles against the public headers and the two libraries"
$CC -std=c11 -Wall -Wextra -pedantic -Werror "$SOURCE_DIR/examples/embed/with_cjson.c" -I "$SOURCE_DIR/bindings/cjson" \
        -L "$BUILD_DIR" -lpawl-cjson $("$SOURCE_DIR/tests/support/libpawl-flags") $(pkg-config --cflags --libs libcjson) -o with_cjson

it "it is held, and shows its conflict as pawl does"
runs 3 ./with_cjson "$PAWL_DB"
token=$(sed -n 's/^token //p' out)
same "${#token}" 36
grep '^{' out | jq -S 'del(.severity)' >own
runs 0 pawl conflicts --json
jq -S '.[0] | del(.severity, .to, .answered_by, .seq, .undone)' out | diff own -

it "answered, it completes with its tree as the output"
runs 0 pawl resolve "$(jq -r .conflict_id own)" --define "Where refunds land."
runs 0 ./with_cjson "$PAWL_DB" "$token"
runs 0 pawl output refunds-1 specify
same "$(cat out)" '{"days":3}'
runs 0 eventlog replay --check
