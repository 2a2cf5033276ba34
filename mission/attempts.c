#include "mission/attempts.h"
#include "base/error.h"
#include "base/file.h"
#include "base/json_tree.h"
#include "base/printable.h"
#include "base/system.h"
#include "events/types.h"
#include "state/run_range.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- The log's events ------------------------------------------------------------------------ */

/* Attempts at the steps of a run: counted, or those of one step listed. */
typedef struct scan {
        pawl_text run_id, step_id;
        pawl__map *counts; /* NULL: they are listed */
        pawl__attempts *list;
        pawl__arena *arena;
        pawl__json_tree tree;
} scan;

static pawl_status find_run(pawl__row *run, pawl__state **state, pawl_log *log, pawl_text run_id,
        pawl__arena *arena, pawl_error *err)
{
        pawl_status status = pawl__state_of(state, log, err);

        *run = (pawl__row){.v[PAWL__RUN_ID].text = run_id};
        if (!status)
                status = pawl__state_get(*state, PAWL__RUNS, run, arena, err);
        if (status == PAWL_ENOTFOUND)
                return pawl__fail(err, status,
                        "run %.*s: is not in this log; `pawl runs` lists them", PAWL__FMT(run_id));
        return status;
}

pawl_status pawl__step_find(pawl__row *run, pawl__row *step, pawl_log *log, pawl_text run_id,
        pawl_text step_id, pawl__arena *arena, pawl_error *err)
{
        pawl__state *state;
        pawl_status status = find_run(run, &state, log, run_id, arena, err);

        if (status)
                return status;
        *step = (pawl__row){.v[PAWL__STEP_RUN].text = run_id};
        step->v[PAWL__STEP_ID].text = step_id;
        status = pawl__state_get(state, PAWL__STEPS, step, arena, err);
        if (status == PAWL_ENOTFOUND)
                return pawl__fail(err, status,
                        "step %.*s: is not in run %.*s; `pawl runs --id %.*s` lists its steps",
                        PAWL__FMT(step_id), PAWL__FMT(run_id), PAWL__FMT(run_id));
        return status;
}

static int64_t integer_of(const scan *s, const char *name, int64_t otherwise)
{
        pawl__node node = pawl__json_get(&s->tree, 0, name);
        int64_t value;

        return node != PAWL__NO_NODE && pawl__json_int(pawl__json_at(&s->tree, node), &value)
                       ? value
                       : otherwise;
}

static pawl_status count(scan *s, pawl_text step_id, pawl_error *err)
{
        int64_t number = integer_of(s, "attempt", 0);
        uint32_t most = pawl__map_get(s->counts, step_id);
        bool ok = true;

        if (number < 1 || number >= PAWL__MAP_NONE ||
                (most != PAWL__MAP_NONE && number <= (int64_t)most))
                return PAWL_OK;
        pawl_text id = pawl__arena_text(s->arena, step_id, &ok);
        return !ok || pawl__map_put(s->counts, id, (uint32_t)number) ? pawl__nomem(err) : PAWL_OK;
}

static pawl_status add(pawl__attempts *out, const pawl__attempt_view *one, pawl_error *err)
{
        if (pawl__grow(&out->list, &out->cap, out->n + 1, sizeof *out->list))
                return pawl__nomem(err);
        out->list[out->n++] = *one;
        return PAWL_OK;
}

static pawl_text copied(scan *s, const char *name)
{
        return pawl__arena_copy(s->arena, pawl__json_get_text(&s->tree, 0, name));
}

static pawl_status list(scan *s, const pawl_event *event, const char *status, pawl_error *err)
{
        const bool again = pawl__json_get(&s->tree, 0, "retry_at") != PAWL__NO_NODE;

        if (again)
                status = "failed"; /* and not cut off */
        const pawl__attempt_view one = {.number = (uint64_t)integer_of(s, "attempt", 0),
                .seq = event->seq,
                .time_us = event->time_us,
                .status = pawl__text(status),
                .reason = copied(s, "reason"),
                .exit_code = integer_of(s, "exit_code", -1),
                .bytes = (uint64_t)integer_of(s, "log_bytes", 0),
                .hash = copied(s, "log_hash"),
                .last_line = copied(s, "last_line"),
                .again = again};
        const pawl_status failed = pawl__arena_check(s->arena, err);
        return failed ? failed : add(s->list, &one, err);
}

/* What an event says of the attempt that it ended; NULL: it ends none. */
static const char *status_of(pawl__event_type type)
{
        switch (type) {
        case PAWL__STEP_COMPLETED:
                return "completed";
        case PAWL__STEP_FAILED:
                return "failed";
        case PAWL__STEP_ATTEMPT_FAILED:
                return "interrupted";
        case PAWL__GENERATION_BLOCKED:
                return "blocked";
        default:
                return NULL;
        }
}

static pawl_status take(const pawl_event *event, pawl__event_type type, void *user, pawl_error *err)
{
        scan *s = user;
        const char *is = status_of(type);

        if (!is || !event->step_id.data || !event->payload.data ||
                (!s->counts && !pawl__text_eq(event->step_id, s->step_id)))
                return PAWL_OK;
        pawl_status status =
                pawl__json_tree_read(&s->tree, event->payload.data, event->payload.len, err);
        if (status || pawl__json_get(&s->tree, 0, "attempt") == PAWL__NO_NODE)
                return status;
        return s->counts ? count(s, event->step_id, err) : list(s, event, is, err);
}

static pawl_status scan_run(scan *s, pawl_log *log, const pawl__row *run, pawl_error *err)
{
        pawl_status status =
                pawl__run_each(log, s->run_id, (uint64_t)run->v[PAWL__RUN_STARTED_SEQ].integer,
                        (uint64_t)run->v[PAWL__RUN_UPDATED_SEQ].integer, take, s, err);

        pawl__json_tree_free(&s->tree);
        return status;
}

pawl_status pawl__attempts_count(
        pawl__map *out, pawl_log *log, pawl_text run_id, pawl__arena *arena, pawl_error *err)
{
        scan s = {.run_id = run_id, .counts = out, .arena = arena};
        pawl__state *state;
        pawl__row run;
        pawl_status status = find_run(&run, &state, log, run_id, arena, err);

        return status ? status : scan_run(&s, log, &run, err);
}

/* Those that are not in the log: the one at work, and what a pawl that was killed left behind. */
static pawl_status add_unrecorded(
        pawl__attempts *out, pawl_log *log, pawl_text run_id, pawl_text step_id, pawl_error *err)
{
        uint64_t number = 1;
        pawl__buf path = PAWL__BUF_INIT;
        pawl_owner owner;
        bool held = false;
        struct stat st;
        pawl_status status;

        for (size_t i = 0; i < out->n; i++)
                if (out->list[i].number >= number)
                        number = out->list[i].number + 1;
        size_t recorded = out->n;
        for (;; number++) {
                const pawl__attempt_view one = {
                        .number = number, .status = pawl__text("interrupted"), .exit_code = -1};
                size_t dir;
                pawl__buf_clear(&path);
                status = pawl__log_file_path(&path, &dir, log, run_id, step_id, number);
                if (status) {
                        pawl__nomem(err);
                        break;
                }
                if (lstat(path.data, &st) != 0 || !S_ISREG(st.st_mode))
                        break;
                status = add(out, &one, err);
                if (status)
                        break;
        }
        pawl__buf_free(&path);
        if (status || out->n == recorded)
                return status;
        status = pawl__log_holder(&held, &owner, log, run_id);
        if (status)
                return pawl__log_failed(log, status, err);
        if (held)
                out->list[out->n - 1].status = pawl__text("running");
        return PAWL_OK;
}

pawl_status pawl__attempts_read(pawl__attempts *out, pawl_log *log, pawl_text run_id,
        pawl_text step_id, pawl__arena *arena, pawl_error *err)
{
        pawl__attempts found = {NULL, 0, 0};
        scan s = {.run_id = run_id, .step_id = step_id, .list = &found, .arena = arena};
        pawl__row run, step;
        pawl_status status = pawl__step_find(&run, &step, log, run_id, step_id, arena, err);

        if (!status)
                status = scan_run(&s, log, &run, err);
        if (!status)
                status = add_unrecorded(&found, log, run_id, step_id, err);
        if (status)
                free(found.list);
        else
                *out = found;
        return status;
}

pawl_status pawl__attempt_log(pawl__buf *out, uint64_t *before, pawl_log *log, pawl_text run_id,
        pawl_text step_id, const pawl__attempt_view *attempt, pawl_error *err)
{
        pawl__buf path = PAWL__BUF_INIT;
        unsigned char hash[32];
        size_t len = out->len, dir;
        uint64_t gone = 0;
        pawl_status status = PAWL_OK;

        if (!attempt->seq) {
                if (pawl__log_file_path(&path, &dir, log, run_id, step_id, attempt->number))
                        status = pawl__nomem(err);
                else
                        status = pawl__log_file_read(out, &gone, path.data, err);
                pawl__buf_free(&path);
        } else if (attempt->hash.data && pawl__unhex32(hash, attempt->hash)) {
                status = pawl__log_blob(out, log, hash);
                if (status)
                        return pawl__log_failed(log, status, err);
                gone = attempt->bytes - (out->len - len);
        } else {
                gone = attempt->bytes;
        }
        if (!status && before)
                *before = gone;
        return status;
}

/* ---- The file -------------------------------------------------------------------------------- */

pawl_status pawl__log_file_path(pawl__buf *path, size_t *dir, const pawl_log *log, pawl_text run_id,
        pawl_text step_id, uint64_t attempt)
{
        if (pawl__buf_addf(path, "%s-logs/%.*s", pawl__log_place(log), PAWL__FMT(run_id)))
                return PAWL_ENOMEM;
        *dir = path->len;
        return pawl__buf_addf(path, "/%.*s.%" PRIu64, PAWL__FMT(step_id), attempt);
}

pawl_status pawl__terms_file_path(pawl__buf *path, size_t *dir, const pawl_log *log,
        pawl_text run_id, unsigned number, const char *kind)
{
        pawl_status status = pawl__log_file_path(path, dir, log, run_id, pawl__text(""), 0);

        if (status)
                return status;
        path->len = *dir;
        return pawl__buf_addf(path, "/terms-%u.%s", number, kind);
}

int pawl__log_file_directories(char *path, size_t dir)
{
        char *slash = memrchr(path, '/', dir);
        int error = ENOENT;

        for (int tries = 0; tries < 3 && error == ENOENT;
                tries++) { /* others remove it when empty */
                error = 0;
                for (int i = 0; i < 2 && !error; i++) {
                        char *end = i == 0 ? slash : path + dir;
                        *end = '\0';
                        if (mkdir(path, 0700) != 0 && errno != EEXIST)
                                error = errno;
                        *end = '/';
                }
        }
        return error;
}

void pawl__log_file_tidy(char *path)
{
        for (int i = 0; i < 2; i++) {
                *strrchr(path, '/') = '\0';
                rmdir(path);
        }
}

void pawl__log_files_remove(pawl__buf *paths)
{
        for (size_t at = 0, next; at < paths->len; at = next) {
                char *path = paths->data + at;
                next = at + strlen(path) + 1;
                unlink(path);
                pawl__log_file_tidy(path);
        }
        pawl__buf_clear(paths);
}

/* Its head is written at once with the file: without one there is nothing yet. */
static pawl_status split(pawl__buf *out, uint64_t *before, pawl__buf *file)
{
        uint64_t n = 0;

        for (size_t i = 0; i + 1 < PAWL__LOG_FILE_HEAD && i < file->len; i++)
                n = n * 10 + (uint64_t)(file->data[i] - '0') % 10;
        *before = file->len < PAWL__LOG_FILE_HEAD ? 0 : n;
        return file->len <= PAWL__LOG_FILE_HEAD
                       ? PAWL_OK
                       : pawl__buf_add(out, file->data + PAWL__LOG_FILE_HEAD,
                                 file->len - PAWL__LOG_FILE_HEAD);
}

pawl_status pawl__log_file_read(pawl__buf *out, uint64_t *before, const char *path, pawl_error *err)
{
        pawl__buf file = PAWL__BUF_INIT;
        int fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);

        if (fd < 0 && errno == ENOENT)
                return pawl__fail(err, PAWL_ENOTFOUND,
                        "%s: is not there any more; the attempt has ended, ask again", path);
        int error = fd < 0 ? errno : pawl__read_all(&file, fd, SIZE_MAX / 2);
        if (fd >= 0)
                close(fd);
        if (!error && split(out, before, &file))
                error = ENOMEM;
        pawl__buf_free(&file);
        return error ? pawl__fail_errno(err, error, path, "read what a command wrote") : PAWL_OK;
}

/* ---- The last line --------------------------------------------------------------------------- */

void pawl__last_line(char *out, size_t size, pawl_text text)
{
        char escape[PAWL__ESCAPE_MAX] = "";
        size_t at = 0, skip = 0;

        while (text.len && strchr(" \t\r\n", text.data[text.len - 1]) && text.data[text.len - 1])
                text.len--;
        for (size_t i = text.len; i-- > 0;)
                if (text.data[i] == '\n' || text.data[i] == '\r') {
                        text = pawl__text_n(text.data + i + 1, text.len - i - 1);
                        break;
                }
        while (text.len) {
                size_t n = pawl__printable_span(text, escape, &skip);
                size_t fits = pawl__utf8_cut(text.data, n, size - 1 - at);
                memcpy(out + at, text.data, fits);
                at += fits;
                if (fits < n || n == text.len || at + strlen(escape) >= size)
                        break;
                memcpy(out + at, escape, strlen(escape));
                at += strlen(escape);
                text = pawl__text_n(text.data + n + skip, text.len - n - skip);
        }
        out[at] = '\0';
}
