/* Retention, applied: prune, shrink the log, warn. */
#include "workspace/retention.h"
#include "base/error.h"
#include "base/sources.h"
#include "events/log.h"
#include "workspace/prune_internal.h"
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

bool pawl__retention_set(const pawl__retention *limits)
{
        return limits->days || limits->count || limits->bytes;
}

/* ---- Applying -------------------------------------------------------------------------------- */

/* The log's files bound what checkpoints take up, and cost nothing to look at. */
static pawl_status is_larger(bool *larger, pawl_log *log, uint64_t bytes, pawl_error *err)
{
        uint64_t files = 0, free = 0;

        TRY(pawl__log_failed(log, pawl__log_space(&files, &free, log), err));
        *larger = files - free > bytes;
        return PAWL_OK;
}

static pawl_status prune_once(uint64_t *going, pawl__retained *out, pawl_log *log,
        const pawl__retention *limits, bool dry_run, const char *actor, pawl_error *err)
{
        pawl_workspace_prune_options options = PAWL_CHECKPOINT_PRUNE_INIT;
        pawl_workspace_prune_report *report = NULL;
        pruning p = {.options = &options,
                .retention = limits,
                .now_us = pawl__wall_us(log),
                .log = log,
                .err = err};

        options.dry_run = dry_run;
        options.actor = actor;
        TRY(pawl__prune(&report, &p));
        *going = report->going;
        out->checkpoints += report->going;
        out->bytes += report->bytes;
        pawl_workspace_prune_free(report);
        return PAWL_OK;
}

static pawl_status shrink(uint64_t *freed, pawl_log *log, uint64_t least, pawl_error *err)
{
        uint64_t files = 0, free = 0;

        TRY(pawl__log_failed(log, pawl__log_space(&files, &free, log), err));
        if (free < files / 4 || free < least)
                return PAWL_OK;
        return pawl__log_failed(log, pawl_log_shrink(freed, log), err);
}

pawl_status pawl__retention_apply(pawl__retained *out, pawl_log *log, const pawl__retention *limits,
        bool dry_run, const char *actor, pawl_error *err)
{
        enum { ROUNDS = 8 }; /* differences from what goes are made whole, which takes up more */
        pawl__retention now = *limits;
        pawl__retained done = {0, 0, 0};
        uint64_t going = 1;
        bool larger = false;

        for (int i = 0; i < ROUNDS && going; i++) {
                if (limits->bytes)
                        TRY(is_larger(&larger, log, limits->bytes, err));
                now.bytes = larger ? limits->bytes : 0;
                if (!pawl__retention_set(&now))
                        break;
                TRY(prune_once(&going, &done, log, &now, dry_run, actor, err));
                if (dry_run || !now.bytes)
                        break;
        }
        if (done.checkpoints && !dry_run)
                TRY(shrink(&done.freed, log, limits->shrink, err));
        *out = done;
        return PAWL_OK;
}

/* ---- Without a limit ------------------------------------------------------------------------- */

/* Once a day: a file beside the log, with a name that no checkpoint captures, says when it was
 * looked at last. */
static bool is_due(const char *path, int64_t now_us)
{
        struct stat st;

        return stat(path, &st) != 0 || now_us / 1000000 - (int64_t)st.st_mtime >= 86400 ||
               now_us / 1000000 < (int64_t)st.st_mtime;
}

static pawl_status look(bool *warns, uint64_t *stored, pawl_log *log, uint64_t warn,
        const char *path, pawl_error *err)
{
        pawl_usage *usage = NULL;

        TRY(pawl_workspace_usage(&usage, log, err));
        *stored = usage->total.stored;
        pawl_usage_free(usage);
        *warns = *stored >= warn;
        const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
        if (fd >= 0) {
                const struct timespec now = {.tv_sec = (time_t)(pawl__wall_us(log) / 1000000)};
                (void)futimens(fd, (const struct timespec[]){now, now});
                close(fd);
        }
        return PAWL_OK;
}

pawl_status pawl__retention_warns(bool *warns, uint64_t *stored, pawl_log *log,
        const pawl__retention *limits, pawl_error *err)
{
        const char *const place = pawl__log_place(log), *const slash = strrchr(place, '/');
        pawl__buf path = PAWL__BUF_INIT;
        pawl_status status = PAWL_OK;
        bool larger = false;

        *warns = false;
        if (pawl__retention_set(limits))
                return PAWL_OK;
        TRY(is_larger(&larger, log, limits->warn - 1, err));
        if (!larger)
                return PAWL_OK;
        pawl__buf_add(&path, place, slash ? (size_t)(slash - place) + 1 : 0);
        if (pawl__buf_adds(&path, "workspace.index-looked"))
                return pawl__nomem(err);
        if (is_due(path.data, pawl__wall_us(log)))
                status = look(warns, stored, log, limits->warn, path.data, err);
        pawl__buf_free(&path);
        return status;
}
