/*
 * Taking the checkpoints of a batch. Of each call: the workspace is read; then, in one transaction,
 * the checkpoint gets its number and id, the document its name and its file (whole, on disk, but
 * under another name), and both events go in; then the file gets its name.
 *
 * So there is no event without a document, and no file that says a checkpoint which is not there.
 * Where the process dies before the last step, the log has it all, and the next batch gives the
 * file its name.
 */
#include "workspace/checkpoint.h"
#include "base/error.h"
#include "base/json_write.h"
#include "events/mask.h"
#include "events/types.h"
#include "toolcalls/batch.h"
#include "toolcalls/directory.h"
#include "workspace/log_record.h"
#include <stdio.h>
#include <unistd.h>

/* How far a name may lie ahead of its checkpoint's time, as names that were taken were passed over,
 * and how many checkpoints that lie that near are looked at. */
enum { NEAR_MS = 10000, NEAR_MOST = 10000 };

/* A batch at work. */
typedef struct working {
        const pawl_toolcalls *batch;
        const pawl_toolcalls_options *options;
        pawl_log *log;
        pawl__workspace ws;
        pawl__doc_directory directory; /* fd -1: none */
} working;

/* One call at work. */
typedef struct one {
        working *w;
        pawl__call *call;
        pawl__taking taking;
        pawl__doc_file file;
        char id[PAWL__TOOLCALL_PART_MAX], tool[PAWL__TOOLCALL_PART_MAX]; /* as in its name */
} one;

/* ---- The name -------------------------------------------------------------------------------- */

/* Has a call of the log this name? Only those near its time can. */
static pawl_status is_recorded(bool *taken, const one *o, int64_t wall_ms, pawl_error *err)
{
        pawl__arena arena = PAWL__ARENA_INIT;
        int64_t n = (int64_t)o->taking.n - 1;
        pawl_status status = PAWL_OK;

        *taken = false;
        for (int i = 0; i < NEAR_MOST && n > 0 && !status && !*taken; i++, n--) {
                pawl__row row = {.v[PAWL__WCP_N].integer = n};
                pawl__log_record other;
                pawl__arena_clear(&arena);
                status = pawl__state_get(o->w->ws.state, PAWL__WORKSPACE, &row, &arena, err);
                if (!status && !row.v[PAWL__WCP_ROOT].text.data)
                        continue; /* imported, or a worker's */
                if (status || row.v[PAWL__WCP_CREATED_US].integer / 1000 < wall_ms - NEAR_MS)
                        break;
                status = pawl__log_record_behind(&other, o->w->log, &row, &arena, err);
                *taken = !status && pawl__text_is(other.name, o->call->name);
                if (status == PAWL_DONE)
                        status = PAWL_OK;
        }
        pawl__arena_free(&arena);
        return status;
}

/* The name of this millisecond, or of the next one that is free in the log and in the directory. */
static pawl_status take_name(one *o, pawl_error *err)
{
        int64_t wall_ms = pawl__wall_us(o->w->log) / 1000;
        const int64_t last_ms = wall_ms + NEAR_MS;
        bool taken = true;
        pawl_status status = PAWL_OK;

        for (; taken && !status; wall_ms++) {
                if (wall_ms >= last_ms)
                        return pawl__fail(err, PAWL_EEXISTS,
                                "%s: is taken, and so are the names of the seconds before it; clear "
                                "the directory",
                                o->call->name);
                pawl__toolcall_name(o->call->name, wall_ms, o->id, o->tool);
                status = is_recorded(&taken, o, wall_ms, err);
                if (status || taken || o->w->directory.fd < 0)
                        continue;
                status = pawl__doc_reserve(&o->file, &o->w->directory, o->call->name, err);
                taken = status == PAWL_EEXISTS;
                if (taken)
                        status = PAWL_OK;
        }
        return status;
}

/* ---- Inside the transaction ------------------------------------------------------------------ */

static pawl_status add_event(one *o, pawl__batch *batch, const char *document, pawl_error *err)
{
        const pawl_toolcall_outcome *outcome = &o->call->outcome;
        const pawl__value *v = o->taking.row.v;
        pawl_text message_id = pawl__json_get_text(&o->w->batch->tree, 0, "messageId");
        pawl__json_writer w = PAWL__JSON_WRITER_INIT;
        const pawl_event like = {.time_us = v[PAWL__WCP_CREATED_US].integer,
                .mission_id = v[PAWL__WCP_MISSION].text,
                .run_id = v[PAWL__WCP_RUN].text,
                .step_id = v[PAWL__WCP_STEP].text,
                .session_id = v[PAWL__WCP_SESSION].text,
                .actor = o->w->ws.actor};

        pawl__json_open_object(&w);
        pawl__json_member_text(&w, "call_id", outcome->call_id);
        pawl__json_member_text(&w, "tool", outcome->tool);
        pawl__json_member_string(&w, "name", o->call->name);
        pawl__json_member_string(&w, "document", document);
        pawl__json_member_integer(&w, "checkpoint", (int64_t)o->taking.n);
        pawl__json_member_text(&w, "checkpoint_id", v[PAWL__WCP_ID].text);
        if (message_id.data)
                pawl__json_member_text(&w, "message_id", message_id);
        return pawl__batch_emit(batch, PAWL__TOOL_CALL_CHECKPOINTED, &like, &w, err);
}

static pawl_status keep(one *o, pawl__batch *batch, pawl_text document, pawl_error *err)
{
        unsigned char hash[32];
        char hex[65];

        if (document.len > PAWL_TOOLCALL_MAX)
                return pawl__fail(err, PAWL_ETOOBIG,
                        "document: would have %zu bytes; at most %zu are kept, shorten its history",
                        document.len, PAWL_TOOLCALL_MAX);
        pawl_status status =
                pawl__sha256(pawl__log_hasher(o->w->log), hash, document.data, document.len, err);
        if (status)
                return status;
        pawl__hex(hex, hash, 32);
        status = take_name(o, err);
        if (!status && o->file.fd >= 0)
                status = pawl__doc_write(&o->file, &o->w->directory, document, err);
        if (!status)
                status = pawl__batch_blob(batch, hash, document, err);
        return status ? status : add_event(o, batch, hex, err);
}

/* The checkpoint has its number and its id: now the call can be told with them. */
static pawl_status then(uint64_t n, pawl__batch *batch, void *user, pawl_error *err)
{
        one *o = user;
        pawl__buf document = PAWL__BUF_INIT;

        (void)n;
        pawl__doc_drop(&o->file, &o->w->directory); /* of a try that failed */
        pawl__toolcall_compose(&document, &o->w->batch->tree, 0, o->call->node, "calls",
                o->taking.row.v[PAWL__WCP_ID].text);
        pawl_status status = pawl__buf_check(&document, err);
        if (!status)
                status = keep(o, batch, pawl__buf_text(&document), err);
        pawl__buf_free(&document);
        return status;
}

/* ---- One call -------------------------------------------------------------------------------- */

static void tell_failure(pawl__call *call, pawl_status status)
{
        call->outcome.status = status;
        call->outcome.error = call->error.message;
}

/* Is the current checkpoint a call's of this turn, whose name leads back to it? Where that cannot
 * be read, the call gets one of its own. */
static bool is_named(working *w, pawl_error *err)
{
        bool goes_on;

        return !pawl__log_record_goes_on(
                       &goes_on, w->log, &w->ws.current, w->options->session_id, err) &&
               goes_on;
}

static void take(working *w, pawl__call *call)
{
        const pawl_toolcalls_options *options = w->options;
        pawl_workspace_checkpoint_request request = PAWL_CHECKPOINT_REQUEST_INIT;
        char description[2 * PAWL__TOOLCALL_PART_MAX + 16];
        one o = {.w = w,
                .call = call,
                .taking = {.ws = &w->ws, .request = &request, .then = then, .then_user = &o},
                .file = {.fd = -1}};

        pawl__toolcall_part(o.id, call->outcome.call_id);
        pawl__toolcall_part(o.tool, call->outcome.tool);
        snprintf(description, sizeof description, "before %s (%s)", o.tool, o.id);
        request.description = description;
        request.automatic = true;
        request.only_if_changed = options->only_if_changed;
        request.mission_id = options->mission_id;
        request.run_id = options->run_id;
        request.step_id = options->step_id;
        request.session_id = options->session_id;
        pawl_status status = pawl__checkpoint_take(&o.taking, 0, &call->error);
        if (status == PAWL_DONE && !is_named(w, &call->error)) {
                request.only_if_changed = false;
                pawl__taking_free(&o.taking);
                status = pawl__checkpoint_take(&o.taking, 0, &call->error);
        }
        if (status == PAWL_DONE) {
                call->outcome.n = (uint64_t)w->ws.current.v[PAWL__WCP_N].integer;
                status = PAWL_OK;
        } else if (status) {
                pawl__doc_drop(&o.file, &w->directory);
                tell_failure(call, status);
        } else {
                call->outcome.checkpoint = call->name;
                call->outcome.n = o.taking.n;
                call->outcome.over_budget = o.taking.scan->over_budget;
        }
        if (!status && o.file.fd >= 0) {
                status = pawl__doc_publish(&o.file, &w->directory, &call->error);
                if (status)
                        tell_failure(call, status);
        }
        pawl__taking_free(&o.taking);
}

/* ---- The batch ------------------------------------------------------------------------------- */

static pawl_status read_left(pawl__buf *out, int fd)
{
        ssize_t n = 1;

        while (n > 0) {
                if (pawl__buf_reserve(out, 65536))
                        return PAWL_ENOMEM;
                n = pread(fd, out->data + out->len, 65536, (off_t)out->len);
                out->len += n > 0 ? (size_t)n : 0;
        }
        return n < 0 ? PAWL_EIO : PAWL_OK;
}

/* A process died after the commit: the file is as the log says, and gets its name. Whatever else
 * lies there is of another log, or of a call that has no checkpoint, and stays as it is. */
static pawl_status end_left(
        pawl__doc_file *file, const pawl__doc_directory *directory, void *user, pawl_error *err)
{
        working *w = user;
        pawl__arena arena = PAWL__ARENA_INIT;
        pawl__buf text = PAWL__BUF_INIT;
        pawl__log_record call;
        unsigned char hash[32];
        pawl_error ignored = PAWL_ERROR_INIT;
        pawl_status status =
                pawl__log_record_find(&call, w->log, pawl__text(file->name), &arena, &ignored);

        if (!status)
                status = read_left(&text, file->fd);
        if (!status)
                status =
                        pawl__sha256(pawl__log_hasher(w->log), hash, text.data, text.len, &ignored);
        if (!status && memcmp(hash, call.document, 32) == 0)
                (void)!pawl__doc_publish(file, directory, &ignored);
        pawl__buf_free(&text);
        pawl__arena_free(&arena);
        return status == PAWL_ENOMEM ? pawl__nomem(err) : PAWL_OK;
}

static pawl_status begin(working *w, pawl_log *log, pawl_error *err)
{
        pawl_status status = pawl__workspace_open(&w->ws, log, w->options->workspace, err);

        if (status)
                return status;
        if (w->options->files)
                status = pawl__doc_directory_open(&w->directory, w->options->files, true, err);
        if (!status && w->options->files)
                status = pawl__workspace_leave_out(&w->ws, w->options->files, err);
        if (!status && w->options->files)
                status = pawl__doc_left(&w->directory, end_left, w, err);
        if (status) {
                pawl__doc_directory_close(&w->directory);
                pawl__workspace_close(&w->ws);
        }
        return status;
}

static void take_all(pawl_toolcalls *batch, pawl_log *log, const pawl_toolcalls_options *options)
{
        working w = {.batch = batch, .options = options, .log = log, .directory = {.fd = -1}};
        pawl_error err = PAWL_ERROR_INIT;
        pawl_status status = begin(&w, log, &err);

        for (size_t i = 0; i < batch->n; i++) {
                pawl__call *call = &batch->calls[i];
                if (!call->outcome.edits)
                        continue;
                if (status) {
                        call->error = err;
                        tell_failure(call, status);
                } else {
                        take(&w, call);
                }
        }
        if (status)
                return;
        pawl__doc_directory_close(&w.directory);
        pawl__workspace_close(&w.ws);
}

static bool any_edits(const pawl_toolcalls *batch)
{
        for (size_t i = 0; i < batch->n; i++)
                if (batch->calls[i].outcome.edits)
                        return true;
        return false;
}

pawl_status pawl_toolcalls_checkpoint(pawl_toolcalls **out, pawl_log *log, const char *json,
        size_t len, const pawl_toolcalls_options *options, pawl_error *err)
{
        if (log || !options || !options->off)
                TRY(pawl__log_usable(log, err));

        static const pawl_toolcalls_options defaults = PAWL_TOOLCALLS_OPTIONS_INIT;
        pawl_toolcalls *batch = NULL;

        if (!options)
                options = &defaults;
        if (options->version != PAWL_TOOLCALLS_OPTIONS_VERSION)
                return pawl__fail(err, PAWL_EINVAL,
                        "tool call options: version %u is not known; start from "
                        "PAWL_TOOLCALLS_OPTIONS_INIT",
                        options->version);
        TRY(pawl__calls_read(&batch, json, len, log ? pawl__log_mask(log) : NULL, options, err));
        if (!options->off && any_edits(batch))
                take_all(batch, log, options);
        *out = batch;
        return PAWL_OK;
}
