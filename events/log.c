/* The parts of a log for the modules above. */
#include "events/log.h"
#include "events/handle.h"
#include "events/mask.h"
#include <assert.h>

pawl_status pawl__log_usable(pawl_log *log, pawl_error *err)
{
        if (!err && log)
                err = &log->err;
        return pawl__handle_usable(log, log ? &log->process : NULL, "log", err);
}

const char *pawl_log_errmsg(const pawl_log *log)
{
        return log ? log->err.message : PAWL__NO_HANDLE;
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

bool pawl__log_view_saves(const pawl_log *log)
{
        return log->engine->view_saves;
}

bool pawl__log_view_again(pawl_log *log, pawl_status status)
{
        return pawl__tx_again(log, status);
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

bool pawl__log_assumes(const pawl_log *log)
{
        return log->engine->assumes && log->engine->assumes(log);
}

bool pawl__log_alone(pawl_log *log)
{
        return !log->engine->alone || log->engine->alone(log);
}

pawl_status pawl__log_derive_anew(pawl_log *log, pawl_error *err)
{
        return log->engine->derive_anew(log, err);
}

pawl_status pawl__log_space(uint64_t *files, uint64_t *free, pawl_log *log)
{
        pawl_status status = pawl__view_refresh(log, &log->err);

        return status ? status : log->engine->space(files, free, log);
}

const char *pawl_log_warning(pawl_log *log)
{
        if (!log || log->warning.status == PAWL_OK)
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

const pawl__mask *pawl__log_mask(const pawl_log *log)
{
        return log->mask;
}

const pawl__mask *pawl__log_set_mask(pawl_log *log, const pawl__mask *mask)
{
        const pawl__mask *before = log->mask;

        log->mask = mask;
        return before;
}

pawl__mask *pawl__log_own_mask(pawl_log *log)
{
        log->mask = &log->own_mask;
        return &log->own_mask;
}

const pawl_sources *pawl__log_sources(const pawl_log *log)
{
        return &log->sources;
}

int64_t pawl__wall_us(const pawl_log *log)
{
        return log->sources.wall_us(log->sources.user);
}

int64_t pawl__boot_ms(const pawl_log *log)
{
        return log->sources.boot_ms(log->sources.user);
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

const char *pawl__log_name(const pawl_log *log)
{
        return log->name;
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
