/* Opening a log on an engine, and closing it. */
#include "base/sources.h"
#include "events/group.h"
#include "events/handle.h"
#include "events/log.h"
#include <stdlib.h>
#include <unistd.h>

static pawl_status take_options(pawl_log *log, const pawl_log_options *options, pawl_error *err)
{
        static const pawl_log_options defaults = PAWL_LOG_OPTIONS_INIT;

        if (!options)
                options = &defaults;
        if (options->version != PAWL_LOG_OPTIONS_VERSION)
                return pawl__fail(err, PAWL_EINVAL,
                        "options: version %u is not known; start from PAWL_LOG_OPTIONS_INIT",
                        options->version);
        if (options->flags & ~(unsigned)(PAWL_LOG_CREATE | PAWL_LOG_READONLY))
                return pawl__fail(err, PAWL_EINVAL,
                        "options: flags 0x%x are not known; use PAWL_LOG_CREATE or "
                        "PAWL_LOG_READONLY",
                        options->flags);
        if (options->flags == (PAWL_LOG_CREATE | PAWL_LOG_READONLY))
                return pawl__fail(err, PAWL_EINVAL,
                        "options: a log cannot be made and only be read; use one of the flags");
        log->flags = options->flags;
        log->busy_ms = options->busy_ms;
        log->lease_ms = options->lease_ms;
        log->sources = pawl__sources_complete(&options->sources);
        return pawl__key_take(log, options->key, options->key_len, err);
}

static pawl_status find_place(pawl_log *log, pawl_error *err)
{
        pawl__buf place = PAWL__BUF_INIT;
        pawl_status status = pawl__log_place_find(&place, log->name, err);

        if (!status && !(log->place = pawl__buf_take(&place, NULL)))
                status = pawl__nomem(err);
        pawl__buf_free(&place);
        return status;
}

static pawl_status open_log(pawl_log *log, const char *name)
{
        pawl_error *err = &log->err;

        if (!name || !*name)
                return pawl__fail(err, PAWL_EINVAL, "log: the path is empty; name a file");
        log->name = strdup(name);
        if (!log->name)
                return pawl__nomem(err);
        pawl_status status = pawl__hasher_new(&log->hasher, err);
        if (!status)
                status = log->engine->open(log, err);
        if (!status && pawl__log_is_url(name))
                status = find_place(log, err);
        if (status || log->flags & PAWL_LOG_READONLY)
                return status;
        status = pawl__key_open(log, err);
        return status ? status : pawl__group_join(log, err);
}

pawl_status pawl__log_open_on(const pawl__engine *engine, pawl_log **out, const char *path,
        const pawl_log_options *options, const pawl__log_setup *setup, pawl_error *err)
{
        static const pawl__log_setup real = {.vfs = NULL};
        pawl_log *log = calloc(1, sizeof *log);

        if (!log)
                return pawl__nomem(err);
        log->setup = setup ? setup : &real;
        log->engine = engine;
        log->process = getpid();
        log->signal_fd = -1;
        pawl__blobs_forget(log);
        setup = log->setup;
        log->vfs = setup->vfs;
        log->event_v = setup->event_v;
        if (setup->identity)
                log->self = *setup->identity;
        else
                pawl__identity_system(&log->self);
        pawl_status status = take_options(log, options, &log->err);
        if (!status)
                status = open_log(log, path);
        if (status) {
                if (err)
                        *err = log->err;
                pawl_log_close(log);
                return status;
        }
        log->setup = NULL;
        *out = log;
        return PAWL_OK;
}

/* In a child of the process that opened it: what the two share stays as it is. A file's descriptor
 * and a server's connection are closed here without a word; the rest is the child's copy, which
 * nothing can free safely. */
static void abandon(pawl_log *log)
{
        for (size_t i = 0; i < log->n_leases; i++)
                if (log->leases[i].lock_fd >= 0)
                        close(log->leases[i].lock_fd);
        if (log->engine->abandon)
                log->engine->abandon(log);
}

void pawl_log_close(pawl_log *log)
{
        if (!log)
                return;
        if (log->process != getpid()) {
                abandon(log);
                return;
        }
        pawl_log_interrupt(log, false);
        pawl__lease_release(log);
        if (log->projecting)
                log->projector.close(log->projector.user);
        pawl__group_leave(log);
        log->engine->close(log);
        pawl__hasher_free(log->hasher);
        pawl__mac_free(log->key);
        pawl__mask_free(&log->own_mask);
        pawl__json_tree_free(&log->tree);
        pawl__buf_free(&log->payload);
        pawl__buf_free(&log->envelope);
        pawl__buf_free(&log->owner_host);
        free(log->leases);
        free(log->watched);
        free(log->verified.hashes);
        free(log->path);
        free(log->place);
        free(log->name);
        free(log);
}
