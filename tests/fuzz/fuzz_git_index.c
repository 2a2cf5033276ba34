/* git's index, read without git: any bytes are names in order, or are refused on one line. */
#include "fuzz/fuzzing.h"
#include "workspace/git/git_index.h"

static void check(pawl_text encoded, size_t oid_len)
{
        pawl__tracked tracked = {PAWL__BUF_INIT, NULL, 0, 0};
        pawl_error err = PAWL_ERROR_INIT;
        const pawl_status status =
                pawl__tracked_decode(&tracked, encoded, "index", "nowhere", oid_len, &err);

        if (status) {
                require(status == PAWL_EPARSE);
                require_message(&err, status);
                return;
        }
        for (size_t i = 0; i < tracked.n; i++) {
                const char *name = tracked.names.data + tracked.at[i];
                require(*name && tracked.at[i] + strlen(name) < tracked.names.len);
                require(i == 0 || strcmp(tracked.names.data + tracked.at[i - 1], name) <= 0);
                require(pawl__tracked_lookup(&tracked, pawl__text(name), false) == PAWL__TRACKED);
        }
        pawl__tracked_free(&tracked);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
        check(pawl__text_n((const char *)data, size), 20);
        check(pawl__text_n((const char *)data, size), 32);
        return 0;
}
