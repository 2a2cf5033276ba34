/* The names of documents, finding one, and going back to its checkpoint. */
#include "base/error.h"
#include "toolcalls/directory.h"
#include "toolcalls/document.h"
#include "workspace/archive/import_commit.h"
#include "workspace/log_record.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- The list -------------------------------------------------------------------------------- */

/* What a caller gets, and what it lies in. */
typedef struct own_names {
        pawl_toolcall_names shown;
        pawl__arena arena;
        const char **names;
        size_t cap;
} own_names;

static pawl_status add_name(const char *name, void *user, pawl_error *err)
{
        own_names *names = user;
        bool ok = true;
        pawl_text copy = pawl__arena_text(&names->arena, pawl__text(name), &ok);

        if (!ok || pawl__grow(&names->names, &names->cap, names->shown.n + 1, sizeof *names->names))
                return pawl__nomem(err);
        names->names[names->shown.n++] = copy.data;
        names->shown.items = names->names;
        return PAWL_OK;
}

static pawl_status add_recorded(const pawl__log_record *call, void *user, pawl_error *err)
{
        /* written by somebody else, it may be a name that no restore takes */
        return pawl__toolcall_name_wrong(call->name) ? PAWL_OK
                                                     : add_name(call->name.data, user, err);
}

static int compare_names(const void *a, const void *b)
{
        const char *const *x = a, *const *y = b;

        return strcmp(*x, *y);
}

pawl_status pawl_toolcalls_list(
        pawl_toolcall_names **out, pawl_log *log, const char *files, pawl_error *err)
{
        if (log || !files)
                TRY(pawl__log_usable(log, err));

        own_names *names = calloc(1, sizeof *names);
        pawl__doc_directory directory = {.fd = -1};
        pawl_error why = PAWL_ERROR_INIT;
        pawl_status status;

        if (!names)
                return pawl__nomem(err);
        if (files) {
                status = pawl__doc_directory_open(&directory, files, false, &why);
                if (!status)
                        status = pawl__doc_names(&directory, add_name, names, &why);
                if (status == PAWL_ENOTFOUND && directory.fd < 0)
                        status = PAWL_OK;
                pawl__doc_directory_close(&directory);
        } else {
                status = pawl__log_record_each(log, add_recorded, names, &why);
        }
        if (status) {
                pawl_toolcall_names_free(&names->shown);
                if (err)
                        *err = why;
                return status;
        }
        if (names->shown.n)
                qsort(names->names, names->shown.n, sizeof *names->names, compare_names);
        *out = &names->shown;
        return PAWL_OK;
}

void pawl_toolcall_names_free(pawl_toolcall_names *shown)
{
        own_names *names = (own_names *)shown;

        if (!names)
                return;
        pawl__arena_free(&names->arena);
        free(names->names);
        free(names);
}

/* ---- The document ---------------------------------------------------------------------------- */

static pawl_status from_file(pawl__buf *out, const char *files, const char *name, pawl_error *err)
{
        pawl__doc_directory directory = {.fd = -1};
        pawl_status status = pawl__doc_directory_open(&directory, files, false, err);

        if (!status)
                status = pawl__doc_read(out, &directory, name, PAWL_TOOLCALL_MAX, err);
        pawl__doc_directory_close(&directory);
        return status;
}

static pawl_status from_log(pawl__buf *out, pawl_log *log, pawl_text name, pawl_error *err)
{
        pawl__arena arena = PAWL__ARENA_INIT;
        pawl__log_record call;
        pawl_status status = pawl__log_record_find(&call, log, name, &arena, err);

        pawl__arena_free(&arena);
        if (status == PAWL_ENOTFOUND)
                return pawl__fail(err, status,
                        "%.*s: the log has no tool call of that name; `pawl restore list` has them",
                        PAWL__FMT(name));
        if (status)
                return status;
        status = pawl__log_blob(out, log, call.document);
        return status ? pawl__log_failed(log, status, err) : PAWL_OK;
}

static pawl_status read_document(pawl_toolcall **out, pawl_log *log, pawl_text name,
        const char *copy, const char *files, pawl_error *err)
{
        pawl__buf text = PAWL__BUF_INIT;
        pawl_status status =
                files ? from_file(&text, files, copy, err) : from_log(&text, log, name, err);

        if (status) {
                pawl__buf_free(&text);
                return status;
        }
        status = pawl__toolcall_of(out, &text, err);
        return status ? pawl__fail_prefix(err, status, "%.*s", PAWL__FMT(name)) : PAWL_OK;
}

/* ---- Rollback -------------------------------------------------------------------------------- */

static bool is_commit(pawl_text hash)
{
        return hash.len == PAWL__COMMIT_ID - 1 && strspn(hash.data, "0123456789abcdef") >= hash.len;
}

/* Its whole id, and of this log: the start of one, or a number, may be another program's. Or the
 * commit of another program, whose files become a checkpoint. */
static pawl_status find_checkpoint(pawl_toolcall *call, pawl_log *log, const char *repository,
        const pawl_workspace_options *workspace, pawl_error *err)
{
        const pawl_text name = pawl__text(call->info.name);
        pawl_toolcall_info *info = &call->info;
        pawl__row rows[PAWL__CANDIDATES] = {{.v[0].integer = 0}};
        pawl__state *state;
        size_t n = 0;
        pawl_status status = pawl__state_of(&state, log, err);

        if (!status)
                status = pawl__state_by_prefix(
                        rows, &n, state, PAWL__WORKSPACE, info->commit_hash, &call->arena, err);
        if (status)
                return status;
        const bool known = n && pawl__text_eq(rows[0].v[PAWL__WCP_ID].text, info->commit_hash);
        if (!known && is_commit(info->commit_hash)) {
                const pawl_text copy = pawl__arena_copy(&call->arena, info->commit_hash);
                uint64_t number = 0;
                status = pawl__arena_check(&call->arena, err);
                if (!status)
                        status = pawl__workspace_import_commit(
                                &number, log, copy.data, repository, workspace, err);
                if (status)
                        return pawl__fail_prefix(err, status,
                                "%.*s: commitHash %.*s is no checkpoint of this log",
                                PAWL__FMT(name), PAWL__FMT(info->commit_hash));
                rows[0] = (pawl__row){.v[PAWL__WCP_N].integer = (int64_t)number};
                status = pawl__state_get(state, PAWL__WORKSPACE, &rows[0], &call->arena, err);
                if (status)
                        return status;
        } else if (!known) {
                return pawl__fail(err, PAWL_ENOTFOUND,
                        "%.*s: commitHash %.*s is no checkpoint of this log; open the log that it "
                        "was taken in",
                        PAWL__FMT(name), PAWL__FMT(info->commit_hash));
        }
        info->checkpoint = (uint64_t)rows[0].v[PAWL__WCP_N].integer;
        info->checkpoint_id = rows[0].v[PAWL__WCP_ID].text.data;
        return PAWL_OK;
}

static pawl_status go_back(pawl_toolcall *call, pawl_log *log,
        const pawl_workspace_options *workspace, pawl_error *err)
{
        pawl_rollback_options options = PAWL_ROLLBACK_OPTIONS_INIT;
        pawl__buf reason = PAWL__BUF_INIT;
        char n[24];
        pawl_status status;

        snprintf(n, sizeof n, "%" PRIu64, call->info.checkpoint);
        if (pawl__buf_addf(&reason, "take back %s", call->info.name))
                return pawl__nomem(err);
        options.reason = reason.data;
        options.call = &call->info.named;
        status = pawl_workspace_rollback(&call->plan, log, n, &options, workspace, err);
        pawl__buf_free(&reason);
        if (!status)
                call->info.safety = pawl_rollback_plan_look(call->plan).safety;
        return status;
}

/* Every name ends in .json, which may be left out. */
static void whole_name(pawl__buf *out, pawl_text name)
{
        static const char end[] = ".json";
        const size_t len = sizeof end - 1;

        pawl__buf_add_text(out, name);
        if (name.len <= len || memcmp(name.data + name.len - len, end, len) != 0)
                pawl__buf_adds(out, end);
}

pawl_status pawl_toolcalls_find(pawl_toolcall **out, pawl_log *log, pawl_text name,
        const char *files, const char *repository, const pawl_workspace_options *workspace,
        pawl_error *err)
{
        TRY(pawl__log_usable(log, err));

        pawl__buf buf = PAWL__BUF_INIT;
        pawl_toolcall *call = NULL;

        whole_name(&buf, name);
        const pawl_text whole = pawl__buf_text(&buf);
        const char *wrong = pawl__toolcall_name_wrong(whole);
        pawl_status status = pawl__buf_check(&buf, err);
        if (!status && wrong)
                status = pawl__fail(err, PAWL_EINVAL,
                        "name %.*s: %s; take one that `pawl restore list` prints", PAWL__FMT(name),
                        wrong);
        if (!status)
                status = read_document(&call, log, whole, whole.data, files, err);
        if (call) {
                call->info.name = pawl__arena_copy(&call->arena, whole).data;
                status = pawl__arena_check(&call->arena, err);
        }
        pawl__buf_free(&buf);
        if (!call)
                return status;
        if (!status && call->info.commit_hash.data)
                status = find_checkpoint(call, log, repository, workspace, err);
        if (status)
                pawl_toolcall_free(call);
        else
                *out = call;
        return status;
}

pawl_status pawl_toolcalls_restore(pawl_toolcall **out, pawl_log *log, pawl_text name,
        const char *files, const char *repository, const pawl_workspace_options *workspace,
        pawl_error *err)
{
        pawl_toolcall *call = NULL;
        pawl_status status =
                pawl_toolcalls_find(&call, log, name, files, repository, workspace, err);

        if (!call)
                return status;
        if (call->info.checkpoint)
                status = go_back(call, log, workspace, err);
        if (status)
                pawl_toolcall_free(call);
        else
                *out = call;
        return status;
}
