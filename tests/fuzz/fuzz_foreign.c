/*
 * Any bytes as the log of another tool. A line that is not taken is refused with a message. What is
 * taken becomes events that a log takes: of their form, canonical, and folded without a failure.
 */
#include "base/json_canon.h"
#include "fuzz/fuzzing.h"
#include "glossary/foreign_internal.h"
#include "support/test.h"

static void check_events(const pawl__foreign *f)
{
        pawl__applier applier = {.store = NULL};
        pawl__buf payload = PAWL__BUF_INIT;

        require(pawl__store_memory(&applier.store, NULL) == PAWL_OK);
        for (size_t i = 0; i < f->batch.n; i++) {
                pawl_event event = f->batch.events[i];
                pawl__buf_clear(&payload);
                require(pawl__json_canon(&payload, event.payload.data, event.payload.len, NULL) ==
                        PAWL_OK);
                event.seq = i + 1;
                event.payload = pawl__buf_text(&payload);
                require(pawl__apply(&applier, &event, NULL) == PAWL_OK);
        }
        pawl__buf_free(&payload);
        applier.store->free(applier.store);
        pawl__json_tree_free(&applier.tree);
        pawl__arena_free(&applier.arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
        const char *at = (const char *)data, *const end = at + size;
        pawl__foreign *f;
        size_t taken = 0;

        require(pawl__foreign_new(&f, pawl__text("user:ana"), NULL) == PAWL_OK);
        for (size_t line = 1; at < end; line++) {
                const char *stop = memchr(at, '\n', (size_t)(end - at));
                const pawl_text text = pawl__text_n(at, (size_t)((stop ? stop : end) - at));
                pawl_error err = PAWL_ERROR_INIT;
                const pawl_status status =
                        pawl__foreign_take(f, pawl__text("m.events.jsonl"), line, text, &err);
                if (status)
                        require(err.status == status && err.message[0] && strchr(err.message, ';'));
                taken += !status && !pawl__text_blank(text);
                at = stop ? stop + 1 : end;
        }
        require(pawl__foreign_lines(f) == taken);
        require(pawl__foreign_events(f) >= taken);
        check_events(f);
        pawl__foreign_free(f);
        return 0;
}
