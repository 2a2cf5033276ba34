# The example program embeds the library: it is held, answered from another process, and goes on.
. "$SOURCE_DIR/tests/cli/shared.sh"
export PAWL_DB=log/events.db

it "the example compiles against the public headers and the library alone"
for example in embed answer; do
        $CC -std=c11 -Wall -Wextra -pedantic -Werror "$SOURCE_DIR/examples/embed/$example.c" \
                $("$SOURCE_DIR/tests/support/libpawl-flags") -o $example
done

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

it "another program lists the conflict, and cannot pick what is not there"
runs 0 ./answer "$PAWL_DB"
says "^$conflict \"workspace\" in step specify$" out
runs 1 ./answer "$PAWL_DB" 3
says "^answer: conflict $conflict: has no candidate to pick; define" err
runs 0 pawl conflicts
says "^${conflict:0:8}  " out

it "another program answers an ambiguous one"
mkdir other
cat > other/core.yaml <<'END'
terms:
  - {surface: workspace, definition: Where a step works.}
  - {surface: workspace, definition: The account that people share.}
END
cat > other/mission.yaml <<'END'
mission: other
strictness: max
glossary: {core: core.yaml}
steps:
  - {id: one, inputs: {description: the workspace}, run: ["true"]}
END
runs 3 pawl run --no-input other/mission.yaml --db other/events.db
runs 0 ./answer other/events.db
says '^  2 The account that people share\.$' out
runs 0 ./answer other/events.db 2
runs 0 pawl resume --no-input --db other/events.db
runs 0 ./answer other/events.db
is_empty out

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

it "status tells a program that ended from one that died, and names the layer that holds a step"
cat > ends.c <<'END'
#include <pawl/pawl.h>
#include <string.h>
#include <unistd.h>
static pawl_status hold(const pawl_layer *layer, pawl_context *ctx)
{
        (void)layer;
        return pawl_context_fail(ctx, PAWL_BLOCKED, "the budget is used up");
}
int main(int argc, char **argv)
{
        const pawl_layer layer = {"budget", hold, NULL};
        pawl_log_options options = PAWL_LOG_OPTIONS_INIT;
        pawl_error err = PAWL_ERROR_INIT;
        pawl_pipeline *pipeline;
        pawl_context *ctx;
        pawl_log *log;
        options.flags = PAWL_LOG_CREATE;
        if (argc < 2 || pawl_log_open(&log, "ends.d/events.db", &options, &err) || pawl_pipeline_new(&pipeline, log, NULL, &err) ||
                pawl_context_new(&ctx, "m", argv[1], "s", &err) ||
                (!strcmp(argv[1], "held") && pawl_pipeline_add_after(pipeline, "resume", &layer)))
                return 9;
        pawl_status status = pawl_pipeline_run(pipeline, ctx);
        if (!strcmp(argv[1], "died"))
                _exit(status);
        pawl_context_free(ctx);
        pawl_pipeline_free(pipeline);
        pawl_log_close(log);
        return status;
}
END
$CC -std=c11 ends.c $("$SOURCE_DIR/tests/support/libpawl-flags") -o ends
mkdir ends.d
runs 0 ./ends left
runs 0 ./ends died
runs 2 ./ends held
why() { pawl status --json --db ends.d/events.db | jq -r ".runs[] | select(.run_id == \"$1\") | .why"; }
same "$(why left)" "its program ended, and left it open"
same "$(why died)" "process died"
same "$(why held)" "held by layer budget: the budget is used up"

it "a token that nobody gave out is refused"
fails 1 '^embed: ' ./embed "$PAWL_DB" 00000000-0000-4000-8000-000000000000
same "$(events)" "$before"

it "the log verifies, and replays to what its tables say"
runs 0 eventlog verify
runs 0 eventlog replay --check
