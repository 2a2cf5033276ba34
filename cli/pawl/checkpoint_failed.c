/* What the log says of checkpoints of the workspace that could not be taken. */
#include "base/error.h"
#include "base/json_tree.h"
#include "cli/pawl/workspace.h"
#include "command/find.h"
#include <inttypes.h>
#include <pawl/events.h>

/* So far back it is looked for: a line is not worth reading a long log. */
enum { EVENTS = 4096 };

static pawl_status read_failures(
        pawl__buf *reason, uint64_t *n, uint64_t *seq, pawl_log *log, uint64_t since)
{
        pawl_cursor *cursor = NULL;
        pawl_event event;
        pawl_status status = pawl_cursor_open(&cursor, log, since);

        while (!status && !(status = pawl_cursor_next(cursor, &event))) {
                if (!pawl__text_is(event.type, "WorkspaceCheckpointFailed"))
                        continue;
                ++*n;
                *seq = event.seq;
                pawl__buf_clear(reason);
                if (pawl__buf_add(reason, event.payload.data, event.payload.len))
                        status = PAWL_ENOMEM;
        }
        pawl_cursor_close(cursor);
        return status == PAWL_DONE ? PAWL_OK : status;
}

void cli_say_failed_checkpoints(const cli_call *cli, pawl_log *log, uint64_t since)
{
        pawl__buf payload = PAWL__BUF_INIT;
        pawl__json_tree tree = PAWL__JSON_TREE_INIT;
        unsigned char hash[32];
        uint64_t head = 0, n = 0, seq = 0;

        if (pawl_log_head(&head, hash, log))
                return;
        if (head > EVENTS && since < head - EVENTS)
                since = head - EVENTS;
        if (!read_failures(&payload, &n, &seq, log, since) && n > 0 &&
                !pawl__json_tree_read(&tree, payload.data, payload.len, NULL)) {
                const pawl_text reason = pawl__json_get_text(&tree, 0, "reason");
                cli_noticef(cli,
                        "%" PRIu64 " could not be taken since, the last at seq %" PRIu64 ": %.*s",
                        n, seq, (int)reason.len, reason.data ? reason.data : "");
        }
        pawl__json_tree_free(&tree);
        pawl__buf_free(&payload);
}
