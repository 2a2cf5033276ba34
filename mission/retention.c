/* What the end of a run or a session does about old checkpoints. */
#include "workspace/retention.h"
#include "mission/mission.h"
#include <inttypes.h>
#include <stdio.h>

static void tell_pruned(
        const pawl__retained *done, void (*tell)(const char *line, void *user), void *user)
{
        char line[200];
        int len = snprintf(line, sizeof line,
                "pruned %" PRIu64 " old checkpoint%s of %" PRIu64
                " kB, as retention in .pawl/config.yaml says",
                done->checkpoints, done->checkpoints == 1 ? "" : "s", done->bytes / 1000);

        if (done->freed)
                snprintf(line + len, sizeof line - (size_t)len,
                        "; the log is %" PRIu64 " kB smaller", done->freed / 1000);
        tell(line, user);
}

void pawl__retention_at_end(pawl_log *log, const pawl__retention *limits, const char *actor,
        void (*tell)(const char *line, void *user), void *user)
{
        pawl__retained done = {0, 0, 0};
        pawl_error err = PAWL_ERROR_INIT;
        uint64_t stored = 0;
        bool warns = false;
        char line[200];

        if (pawl__retention_apply(&done, log, limits, false, actor, &err) ||
                pawl__retention_warns(&warns, &stored, log, limits, &err))
                tell(err.message, user);
        if (done.checkpoints)
                tell_pruned(&done, tell, user);
        if (!warns)
                return;
        snprintf(line, sizeof line,
                "checkpoints take up %.1f GiB; write `retention: {days: 30, count: 500, bytes: 2G}` "
                "into .pawl/config.yaml, or run `pawl prune checkpoints`",
                (double)stored / (double)(1 << 30));
        tell(line, user);
}
