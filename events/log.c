/* Opening and closing a log, and its parts for the modules above. */
#include "events/log.h"
#include "base/sources.h"
#include "events/copy.h"
#include "events/group.h"
#include "events/handle.h"
#include <assert.h>
#include <stdlib.h>

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

const pawl__engine *pawl__engine_of(const char *name)
{
        return pawl__log_is_url(name) ? &pawl__postgres_engine : &pawl__sqlite_engine;
}

pawl_status pawl__log_open_as(pawl_log **out, const char *path, const pawl_log_options *options,
        const pawl__log_setup *setup, pawl_error *err)
{
        static const pawl__log_setup real = {.vfs = NULL};
        pawl_log *log = calloc(1, sizeof *log);

        if (!log)
                return pawl__nomem(err);
        log->setup = setup ? setup : &real;
        log->engine = pawl__engine_of(path);
        log->signal_fd = -1;
        setup = log->setup;
        log->vfs = setup->vfs;
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

pawl_status pawl_log_open(
        pawl_log **out, const char *path, const pawl_log_options *options, pawl_error *err)
{
        return pawl__log_open_as(out, path, options, NULL, err);
}

void pawl_log_close(pawl_log *log)
{
        if (!log)
                return;
        pawl_log_interrupt(log, false);
        pawl__lease_release(log);
        if (log->projecting)
                log->projector.close(log->projector.user);
        pawl__group_leave(log);
        log->engine->close(log);
        pawl__hasher_free(log->hasher);
        pawl__mac_free(log->key);
        pawl__json_tree_free(&log->tree);
        pawl__buf_free(&log->payload);
        pawl__buf_free(&log->envelope);
        pawl__buf_free(&log->owner_host);
        free(log->leases);
        free(log->watched);
        free(log->path);
        free(log->place);
        free(log->name);
        free(log);
}

const char *pawl_log_errmsg(const pawl_log *log)
{
        return log->err.message;
}

pawl_status pawl_log_head(uint64_t *seq, unsigned char hash[32], pawl_log *log)
{
        uint64_t last = 0;
        unsigned char last_hash[32];
        pawl_status status = pawl__view_refresh(log, &log->err);

        if (!status)
                status = pawl__head_read(&last, last_hash, log, &log->err);
        if (!status) {
                *seq = last;
                memcpy(hash, last_hash, 32);
        }
        return status;
}

void pawl__log_acknowledge(pawl_log *log)
{
        if (log->server)
                log->engine->follow(log);
}

pawl_status pawl__view_refresh(pawl_log *log, pawl_error *err)
{
        pawl_status status = pawl__log_interrupted(log, err);

        return status ? status : log->engine->refresh(log, err);
}

bool pawl__view_stale(const pawl_log *log)
{
        return log->engine->stale && log->engine->stale(log);
}

pawl_status pawl__log_view_begin(pawl_log *log, pawl_error *err)
{
        return pawl__log_readonly(log) ? PAWL_OK : log->engine->view_begin(log, err);
}

void pawl__log_view_end(pawl_log *log)
{
        if (!pawl__log_readonly(log))
                (void)log->engine->view_end(log);
}

pawl_status pawl__log_snapshot_begin(pawl_log *log, pawl_error *err)
{
        return log->engine->view_begin(log, err);
}

bool pawl__log_snapshot_end(pawl_log *log)
{
        return log->engine->view_end(log);
}

uint64_t pawl__log_assumed(pawl_log *log)
{
        return log->engine->assumed ? log->engine->assumed(log) : 0;
}

bool pawl__log_keeps_rows(const pawl_log *log)
{
        return log->engine->keeps_rows;
}

pawl_status pawl__log_derive_anew(pawl_log *log, pawl_error *err)
{
        return log->engine->derive_anew(log, err);
}

pawl_status pawl_log_backup(
        pawl_backup *result, pawl_log *log, const char *path, pawl_backup_fn go_on, void *user)
{
        pawl_backup made = {0};

        if (log->writing)
                return pawl__fail(&log->err, PAWL_ESTATE,
                        "%s: an append is under way on this log; let it end first", log->path);
        pawl_status status = pawl__view_refresh(log, &log->err);
        if (!status)
                status = (log->engine->backup ? log->engine->backup : pawl__log_backup_by_copy)(
                        &made, log, path, go_on, user);
        if (!status && result)
                *result = made;
        return status;
}

pawl_status pawl_log_shrink(uint64_t *freed, pawl_log *log)
{
        uint64_t bytes = 0;
        pawl_status status = pawl__tx_may_begin(log);

        if (!status && log->engine->shrink)
                status = log->engine->shrink(&bytes, log);
        if (!status && freed)
                *freed = bytes;
        return status;
}

pawl_status pawl__log_space(uint64_t *files, uint64_t *free, pawl_log *log)
{
        pawl_status status = pawl__view_refresh(log, &log->err);

        return status ? status : log->engine->space(files, free, log);
}

const char *pawl_log_warning(pawl_log *log)
{
        if (log->warning.status == PAWL_OK)
                return NULL;
        log->said = log->warning;
        log->warning = (pawl_error)PAWL_ERROR_INIT;
        return log->said.message;
}

bool pawl__log_saved(const pawl_log *log)
{
        return log->lost.status != PAWL_OK;
}

pawl_status pawl__log_keep(pawl_log *log)
{
        if (log->lost.status) {
                log->err = log->lost;
                return log->err.status;
        }
        if (log->flags & PAWL_LOG_READONLY || log->writing || !log->engine->keep)
                return PAWL_OK;
        return log->engine->keep(log);
}

const pawl_sources *pawl__log_sources(const pawl_log *log)
{
        return &log->sources;
}

pawl__hasher *pawl__log_hasher(pawl_log *log)
{
        return log->hasher;
}

pawl_error *pawl__log_error(pawl_log *log)
{
        return &log->err;
}

bool pawl__log_has_key(const pawl_log *log)
{
        return log->key != NULL;
}

bool pawl__log_readonly(const pawl_log *log)
{
        return log->flags & PAWL_LOG_READONLY;
}

bool pawl__log_is_away(const pawl_log *log)
{
        return log->engine->is_away && log->engine->is_away(log);
}

bool pawl__log_was_made(const pawl_log *log)
{
        return log->made;
}

int pawl__log_version(const pawl_log *log)
{
        return log->version;
}

void pawl__log_keep_few(pawl_log *log, bool few)
{
        if (log->engine->keep_few)
                log->engine->keep_few(log, few);
}

pawl_status pawl__log_failed(const pawl_log *log, pawl_status status, pawl_error *err)
{
        if (status && err && err != &log->err)
                *err = log->err;
        return status;
}

const char *pawl__log_place(const pawl_log *log)
{
        return log->place ? log->place : log->path;
}

const char *pawl__log_path(const pawl_log *log)
{
        return log->path;
}

unsigned pawl__log_lease_ms(const pawl_log *log)
{
        return log->lease_ms;
}

void pawl__log_set_projector(pawl_log *log, const pawl__projector *projector)
{
        assert(!log->projecting);
        log->projector = *projector;
        log->projecting = true;
}

void *pawl__log_projector(pawl_log *log)
{
        return log->projecting ? log->projector.user : NULL;
}
