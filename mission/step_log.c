/*
 * What a step's command writes to standard error, while it runs: the newest of it is kept in memory
 * for the log, and beside it in a file (mission/attempts.h) for who looks on. That a file cannot be
 * written is told once and stops nothing: what is recorded does not depend on it.
 */
#include "base/error.h"
#include "base/file.h"
#include "mission/attempts.h"
#include "mission/runner.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct pawl__step_logs {
        pawl__map recorded; /* of each step, the last attempt that is in the log or in the batch */
        bool counted;
        pawl__arena arena;
        pawl__buf done; /* paths of files that may go, each with its NUL */
};

/* Of the attempt that a step is at. */
struct pawl__step_log {
        pawl__buf kept;           /* the last max bytes and at most as many before them */
        pawl__mask_stream masked; /* of a mission with secrets */
        uint64_t total;           /* bytes of this attempt */
        size_t max;               /* of them that are kept */
        pawl__buf path;           /* of the file; its directory is the first dir bytes */
        size_t dir;
        int fd;       /* of the file; -1: none yet */
        bool shown;   /* the command runs long enough for a file to be worth its cost */
        bool without; /* it could not be written */
};

typedef struct pawl__step_logs step_logs;
typedef struct pawl__step_log step_log;

void pawl__step_logs_free(step_logs *logs)
{
        if (!logs)
                return;
        pawl__map_free(&logs->recorded);
        pawl__buf_free(&logs->done);
        pawl__arena_free(&logs->arena);
        free(logs);
}

void pawl__step_log_free(step_log *log)
{
        if (!log)
                return;
        if (log->fd >= 0)
                close(log->fd);
        pawl__buf_free(&log->kept);
        pawl__mask_stream_free(&log->masked);
        pawl__buf_free(&log->path);
        free(log);
}

static pawl_text kept(const step_log *log)
{
        size_t n = log->kept.len < log->max ? log->kept.len : log->max;

        return pawl__text_n(n ? log->kept.data + log->kept.len - n : "", n);
}

/* ---- The file -------------------------------------------------------------------------------- */

/* A file anew with what is kept, under a name of its own first: who reads sees one or the other. */
static int write_anew(step_log *log)
{
        char head[PAWL__LOG_FILE_HEAD + 1];
        pawl__buf beside = PAWL__BUF_INIT;

        if (pawl__buf_addf(&beside, "%s~", log->path.data))
                return ENOMEM;
        int error = pawl__log_file_directories(log->path.data, log->dir);
        unlink(beside.data);
        int fd = error ? -1 : open(beside.data, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        if (!error && fd < 0)
                error = errno;
        snprintf(head, sizeof head, "%020" PRIu64 "\n", log->total - log->kept.len);
        if (!error)
                error = pawl__write_all(fd, head, PAWL__LOG_FILE_HEAD);
        if (!error)
                error = pawl__write_all(fd, log->kept.data, log->kept.len);
        if (!error && rename(beside.data, log->path.data) != 0)
                error = errno;
        if (error && fd >= 0) {
                close(fd);
                unlink(beside.data);
        } else if (!error) {
                if (log->fd >= 0)
                        close(log->fd);
                log->fd = fd;
        }
        pawl__buf_free(&beside);
        return error;
}

static void show(pawl__step_run *p, const char *data, size_t len, bool anew)
{
        step_log *log = p->log;
        char line[400];

        if (log->without || !log->shown)
                return;
        int error = log->fd < 0 || anew ? write_anew(log) : pawl__write_all(log->fd, data, len);
        if (!error)
                return;
        log->without = true;
        snprintf(line, sizeof line,
                "%.250s: cannot be written: %s; `pawl logs` shows this step's once it has ended",
                log->path.data, strerrordesc_np(error));
        pawl__runner_notice(p->r, line);
}

/* ---- An attempt ------------------------------------------------------------------------------ */

static pawl_status make_logs(pawl__runner *r)
{
        if (!r->logs) {
                r->logs = calloc(1, sizeof *r->logs);
                if (!r->logs)
                        return pawl__nomem(&r->error);
        }
        step_logs *logs = r->logs;
        if (!r->own_mission || logs->counted) /* a run that begins here has none */
                return PAWL_OK;
        pawl_status status =
                pawl__attempts_count(&logs->recorded, r->log, r->run_id, &logs->arena, &r->error);
        logs->counted = !status;
        return status;
}

/* The blob, and what the event says of it. */
pawl_status pawl__attempt_keep(pawl__attempt *attempt, pawl__batch *batch, pawl_log *log,
        pawl_text text, uint64_t total, pawl_error *err)
{
        unsigned char hash[32];
        pawl_status status;

        attempt->log_bytes = total;
        *attempt->log_hash = '\0';
        pawl__last_line(attempt->last_line, sizeof attempt->last_line, text);
        if (!text.len)
                return PAWL_OK;
        status = pawl__sha256(pawl__log_hasher(log), hash, text.data, text.len, err);
        if (!status)
                status = pawl__batch_blob(batch, hash, text, err);
        if (!status)
                pawl__hex(attempt->log_hash, hash, sizeof hash);
        return status;
}

static pawl_status keep(pawl__attempt *attempt, pawl__runner *r, pawl_text text, uint64_t total)
{
        return pawl__attempt_keep(
                attempt, pawl__pipeline_batch(r->pipeline), r->log, text, total, &r->error);
}

/* The file goes when what it holds is in the log. */
static pawl_status let_go(pawl__step_run *p)
{
        const pawl__buf *path = &p->log->path;

        return pawl__buf_add(&p->r->logs->done, path->data, path->len + 1)
                       ? pawl__nomem(&p->r->error)
                       : PAWL_OK;
}

pawl_status pawl__attempt_cut_off(pawl__batch *batch, const pawl_event *like,
        const pawl__attempt *attempt, int code, const char *why, pawl_error *err)
{
        pawl__json_writer w = PAWL__JSON_WRITER_INIT;

        pawl__json_open_object(&w);
        pawl__json_member_integer(&w, "exit_code", code);
        pawl__json_member_string(&w, "reason", why);
        pawl__attempt_members(&w, attempt);
        return pawl__batch_emit(batch, PAWL__STEP_ATTEMPT_FAILED, like, &w, err);
}

pawl_status pawl__step_run_cut_off(
        const pawl__step_run *p, const pawl__attempt *attempt, int exit_code, const char *why)
{
        pawl__runner *r = p->r;
        pawl_event like = pawl__runner_envelope(r);

        like.step_id = p->step->id;
        return pawl__attempt_cut_off(
                pawl__pipeline_batch(r->pipeline), &like, attempt, exit_code, why, &r->error);
}

/* An attempt whose pawl was killed is known by the file that it left. PAWL_DONE: there is none. */
static pawl_status take_up(pawl__step_run *p, uint64_t number)
{
        pawl__runner *r = p->r;
        const step_log *log = p->log;
        pawl__attempt left = {.number = number};
        pawl_error why = PAWL_ERROR_INIT;
        pawl__buf text = PAWL__BUF_INIT;
        uint64_t before = 0;
        pawl_status status = pawl__log_file_read(&text, &before, log->path.data, &why);

        if (!status) {
                size_t n = text.len < log->max ? text.len : log->max;
                pawl_text newest = pawl__text_n(n ? text.data + text.len - n : "", n);
                status = keep(&left, r, newest, before + text.len);
                if (!status)
                        status = pawl__step_run_cut_off(
                                p, &left, -1, "cut off: its pawl ended before it did");
                if (!status)
                        status = let_go(p);
        } else if (status == PAWL_ENOMEM) {
                status = pawl__nomem(&r->error);
        } else {
                status = PAWL_DONE;
        }
        pawl__buf_free(&text);
        return status;
}

pawl_status pawl__step_log_begin(pawl__step_run *p)
{
        pawl__runner *r = p->r;
        pawl_status status = make_logs(r);

        if (!status && !p->log) {
                p->log = calloc(1, sizeof *p->log);
                if (!p->log)
                        status = pawl__nomem(&r->error);
        }
        if (status)
                return status;
        step_log *log = p->log;
        uint32_t before = pawl__map_get(&r->logs->recorded, p->step->id);
        uint64_t number = before == PAWL__MAP_NONE ? 0 : before;
        if (!pawl__pipeline_batch(r->pipeline)->n)
                pawl__step_log_recorded(r);
        log->fd = -1;
        log->max = p->step->settings.log_max == PAWL__LOG_MAX_UNSET ? r->log_max
                                                                    : p->step->settings.log_max;
        do {
                pawl__buf_clear(&log->path);
                if (pawl__log_file_path(
                            &log->path, &log->dir, r->log, r->run_id, p->step->id, ++number))
                        return pawl__nomem(&r->error);
                status = take_up(p, number);
        } while (!status);
        if (status != PAWL_DONE)
                return status;
        if (pawl__map_put(&r->logs->recorded, p->step->id, (uint32_t)number))
                return pawl__nomem(&r->error);
        log->total = 0;
        log->shown = false;
        log->without = log->max == 0;
        pawl__buf_clear(&log->kept);
        pawl__mask_stream_free(&log->masked);
        p->ctx->attempt = (pawl__attempt){.number = number};
        return PAWL_OK;
}

static pawl_status take(pawl__step_run *p, const char *data, size_t len)
{
        step_log *log = p->log;
        const size_t most = 2 * log->max;
        bool trim = log->kept.len + len > most && log->max;

        log->total += len;
        if (log->max && pawl__buf_add(&log->kept, data, len))
                return pawl__nomem(&p->r->error);
        if (trim) {
                pawl_text newest = kept(log);
                memmove(log->kept.data, newest.data, newest.len);
                log->kept.len = newest.len;
        }
        show(p, data, len, trim);
        return PAWL_OK;
}

pawl_status pawl__step_log_take(pawl_text *shown, const char *data, size_t len, void *user)
{
        pawl__step_run *p = user;

        if (pawl__mask_stream_next(
                    shown, &p->log->masked, &p->r->secrets.mask, pawl__text_n(data, len)))
                return pawl__nomem(&p->r->error);
        return shown->len ? take(p, shown->data, shown->len) : PAWL_OK;
}

void pawl__step_log_show(pawl__step_run *p)
{
        if (p->log->shown)
                return;
        p->log->shown = true;
        if (p->log->kept.len)
                show(p, NULL, 0, true);
}

pawl_status pawl__step_log_end(pawl__step_run *p)
{
        step_log *log = p->log;
        pawl_text rest;
        pawl_status status = pawl__step_log_take(&rest, "", 0, p);

        if (log->fd >= 0) {
                close(log->fd);
                log->fd = -1;
                if (let_go(p))
                        return PAWL_ENOMEM;
        }
        return status ? status : keep(&p->ctx->attempt, p->r, kept(log), log->total);
}

void pawl__step_log_recorded(pawl__runner *r)
{
        if (r->logs)
                pawl__log_files_remove(&r->logs->done);
}
