/* Do checkpoints still hold all that they name? */
#include "base/error.h"
#include "base/json_write.h"
#include "events/types.h"
#include "state/state.h"
#include "workspace/archive/manifest.h"
#include "workspace/git/git.h"
#include "workspace/store/contents.h"
#include "workspace/workspace.h"
#include <pawl/validate.h>
#include <stdio.h>
#include <stdlib.h>

/* What a caller gets, and what it lies in. */
typedef struct own_validation {
        pawl_validation shown;
        pawl__arena arena;
        pawl_validated *list;
} own_validation;

enum { GOOD = 1, MISSING, DAMAGED }; /* what became of a content */

struct validating {
        pawl_log *log;
        pawl__state *state;
        pawl__contents *contents;
        pawl__git *git;  /* NULL: there is none to ask */
        pawl__map known; /* contents that were read, by hash in the arena */
        own_validation *out;
        const char *actor;
        pawl__buf text;
        pawl_error *err;
};

/* Does a failure say that something is not there, or not what it was? Then it is a finding. */
static bool is_finding(pawl_status status)
{
        return status == PAWL_ENOTFOUND || status == PAWL_EDAMAGED || status == PAWL_ENEWER ||
               status == PAWL_ETOOBIG;
}

/* The first thing that is wrong is kept. */
static pawl_status find_fault(
        struct validating *v, pawl_validated *it, pawl_check *column, const char *what)
{
        *column = PAWL_CHECK_BAD;
        if (!it->what.data)
                it->what = pawl__arena_copy(&v->out->arena, pawl__text(what));
        return pawl__arena_check(&v->out->arena, v->err);
}

/* A lower call's failure: of the checkpoint, or of this call. */
static pawl_status weigh(
        struct validating *v, pawl_validated *it, pawl_status status, const pawl_error *why)
{
        if (is_finding(status))
                return find_fault(
                        v, it, status == PAWL_ENOTFOUND ? &it->files : &it->hash, why->message);
        if (status && v->err)
                *v->err = *why;
        return status;
}

/* ---- Contents -------------------------------------------------------------------------------- */

static pawl_status remember(struct validating *v, const unsigned char hash[32], uint32_t what)
{
        return pawl__map_put_copy(
                       &v->known, &v->out->arena, pawl__text_n((const char *)hash, 32), what)
                       ? pawl__nomem(v->err)
                       : PAWL_OK;
}

static pawl_status check_file(struct validating *v, pawl_validated *it, const pawl__object *file)
{
        const pawl_text key = pawl__text_n((const char *)file->hash, 32);
        const uint32_t known = pawl__map_get(&v->known, key);
        pawl_error why = PAWL_ERROR_INIT;
        char hex[65], what[120];
        pawl_status status;

        if (known == GOOD)
                return PAWL_OK;
        if (known == PAWL__MAP_NONE) {
                status = pawl__contents_read(
                        v->contents, file->hash, file->size, pawl__content_to_nothing, NULL, &why);
                if (status && !is_finding(status))
                        return weigh(v, it, status, &why);
                pawl_status kept = remember(v, file->hash,
                        !status                    ? GOOD
                        : status == PAWL_ENOTFOUND ? MISSING
                                                   : DAMAGED);
                return kept ? kept : weigh(v, it, status, &why);
        }
        pawl__hex(hex, file->hash, 32);
        snprintf(what, sizeof what, "content %.16s: it is %s; import an archive that has it", hex,
                known == MISSING ? "not in the log" : "damaged");
        return find_fault(v, it, known == MISSING ? &it->files : &it->hash, what);
}

static pawl_status check_files(
        struct validating *v, pawl_validated *it, const pawl__checkpoint_event *c)
{
        const pawl__directories directories = pawl__contents_directories(v->contents);
        pawl__object_set objects = PAWL__OBJECT_SET_INIT;
        pawl_error why = PAWL_ERROR_INIT;
        pawl__tree_sums sums = {0, 0, 0};
        pawl_status tree = pawl__object_set_tree(&objects, &sums, c->tree, &directories, &why);
        pawl_status status = weigh(v, it, tree, &why);

        for (size_t i = 0; i < objects.n && !status; i++) {
                if (!objects.list[i].directory)
                        status = check_file(v, it, &objects.list[i]);
        }
        if (!status && !tree && (sums.files != c->files || sums.bytes != c->bytes))
                status = find_fault(v, it, &it->hash,
                        "the tree has other files than the event counts; put back a copy of the "
                        "log");
        pawl__object_set_free(&objects);
        return status;
}

/* ---- The rest -------------------------------------------------------------------------------- */

static pawl_status check_document(
        struct validating *v, pawl_validated *it, bool there, const unsigned char hash[32])
{
        if (!there)
                return PAWL_OK;
        if (it->state == PAWL_CHECK_NONE)
                it->state = PAWL_CHECK_GOOD;
        pawl__buf_clear(&v->text);
        pawl_status status = pawl__log_blob(&v->text, v->log, hash);
        if (is_finding(status))
                return find_fault(v, it, &it->state, pawl__log_error(v->log)->message);
        return pawl__log_failed(v->log, status, v->err);
}

/* The state of a run's is what its events say: the run must be there. */
static pawl_status check_run(struct validating *v, pawl_validated *it, const pawl__row *row)
{
        pawl__row run = {.v[PAWL__RUN_ID] = row->v[PAWL__WCP_RUN]};

        if (!run.v[PAWL__RUN_ID].text.data)
                return PAWL_OK;
        pawl_status status = pawl__state_get(v->state, PAWL__RUNS, &run, &v->out->arena, v->err);
        if (!status && it->state == PAWL_CHECK_NONE)
                it->state = PAWL_CHECK_GOOD;
        return status == PAWL_ENOTFOUND ? PAWL_OK : status;
}

static pawl_status check_git(struct validating *v, pawl_validated *it, const pawl__row *row)
{
        const pawl_text head = row->v[PAWL__WCP_GIT_HEAD].text;
        bool has = false;

        if (!v->git || !head.data || head.len == 0)
                return PAWL_OK;
        pawl_status status = pawl__git_has(&has, v->git, head.data, v->err);
        it->git = has ? PAWL_CHECK_GOOD : PAWL_CHECK_BAD;
        return status;
}

static pawl_status check_event(
        struct validating *v, pawl_validated *it, const pawl__row *row, pawl__checkpoint_event *c)
{
        pawl_error why = PAWL_ERROR_INIT;
        pawl_event event;
        pawl_status status = pawl__log_event(
                &event, &v->out->arena, v->log, (uint64_t)row->v[PAWL__WCP_SEQ].integer);

        if (!status && event.payload.data)
                status = pawl__log_event_intact(v->log, &event);
        if (status && is_finding(status))
                return find_fault(v, it, &it->hash, pawl__log_error(v->log)->message);
        if (status)
                return pawl__log_failed(v->log, status, v->err);
        status = pawl__checkpoint_event_read(c, &event, &v->out->arena, &why);
        return weigh(v, it, status, &why);
}

static pawl_status check_one(struct validating *v, pawl_validated *it, const pawl__row *row)
{
        pawl__checkpoint_event c = {.n = 0};
        bool ok = true;

        *it = (pawl_validated){.n = (uint64_t)row->v[PAWL__WCP_N].integer,
                .id = pawl__arena_text(&v->out->arena, row->v[PAWL__WCP_ID].text, &ok),
                .files = PAWL_CHECK_GOOD,
                .hash = PAWL_CHECK_GOOD,
                .healed = pawl__checkpoint_damaged(row),
                .valid = row->v[PAWL__WCP_INVALID_SEQ].integer == 0 || pawl__row_given_up(row)};
        if (!ok)
                return pawl__nomem(v->err);
        pawl_status status = check_event(v, it, row, &c);
        if (!status && c.n)
                status = check_files(v, it, &c);
        if (!status)
                status = check_document(v, it, c.has_state, c.state);
        if (!status)
                status = check_document(v, it, c.has_history, c.history);
        if (!status && !c.has_state)
                status = check_run(v, it, row);
        if (!status)
                status = check_document(v, it, c.has_outputs, c.outputs);
        if (!status)
                status = check_git(v, it, row);
        it->good = it->files != PAWL_CHECK_BAD && it->hash != PAWL_CHECK_BAD &&
                   it->state != PAWL_CHECK_BAD;
        it->healed = it->healed && it->good;
        return status;
}

/* ---- Marking --------------------------------------------------------------------------------- */

static pawl_status add_heal(
        struct validating *v, pawl__batch *batch, const pawl_validated *it, const char *actor)
{
        const pawl_event event = {.actor = pawl__text(actor ? actor : "program")};
        pawl__json_writer w = PAWL__JSON_WRITER_INIT;

        pawl__json_open_object(&w);
        pawl__json_member_integer(&w, "n", (int64_t)it->n);
        pawl__json_member_bool(&w, "valid", true);
        return pawl__batch_emit(batch, PAWL__CHECKPOINT_UPDATED, &event, &w, v->err);
}

static pawl_status add_mark(
        struct validating *v, pawl__batch *batch, const pawl_validated *it, const char *actor)
{
        const pawl_event event = {.actor = pawl__text(actor ? actor : "program")};
        pawl__json_writer w = PAWL__JSON_WRITER_INIT;
        pawl__buf reason = PAWL__BUF_INIT;

        pawl__buf_addf(&reason, "damaged: %.*s", PAWL__FMT(it->what));
        pawl_status status = pawl__buf_check(&reason, v->err);
        pawl__json_open_object(&w);
        pawl__json_member_integer(&w, "n", (int64_t)it->n);
        pawl__json_member_text(&w, "reason", pawl__buf_text(&reason));
        if (!status)
                status = pawl__batch_emit(batch, PAWL__CHECKPOINT_INVALIDATED, &event, &w, v->err);
        pawl__json_writer_free(&w);
        pawl__buf_free(&reason);
        return status;
}

/* Once more, inside the transaction: what was pruned meanwhile is no damage, and what came back
 * neither. */
static pawl_status look_again(struct validating *v, pawl_validated *it)
{
        pawl__row row = {.v[PAWL__WCP_N].integer = (int64_t)it->n};
        pawl_status status =
                pawl__state_get(v->state, PAWL__WORKSPACE, &row, &v->out->arena, v->err);

        if (status)
                return status == PAWL_ENOTFOUND ? PAWL_OK : status;
        if (row.v[PAWL__WCP_PRUNED_SEQ].integer) {
                it->valid = it->healed = false;
                return PAWL_OK;
        }
        return check_one(v, it, &row);
}

/* Is the log to say otherwise of it? */
static bool to_mark(const pawl_validated *it)
{
        return it->healed || (it->valid && !it->good);
}

static pawl_status fill(pawl_log *log, pawl__batch *batch, void *user, pawl_error *err)
{
        struct validating *v = user;
        pawl_error *outer = v->err;
        pawl_status status = PAWL_OK;

        (void)log;
        v->err = err;
        pawl__map_free(&v->known);
        for (size_t i = 0; i < v->out->shown.n && !status; i++) {
                pawl_validated *it = &v->out->list[i];
                if (!to_mark(it))
                        continue;
                status = look_again(v, it);
                if (!status && it->valid && !it->good)
                        status = add_mark(v, batch, it, v->actor);
                else if (!status && it->healed)
                        status = add_heal(v, batch, it, v->actor);
        }
        v->err = outer;
        return status;
}

static pawl_status mark_all(struct validating *v)
{
        bool any = false;
        pawl_status status = PAWL_OK;

        for (size_t i = 0; i < v->out->shown.n && !any; i++)
                any = to_mark(&v->out->list[i]);
        if (any)
                status = pawl__contents_commit(v->contents, fill, v, v->err);
        for (size_t i = 0; i < v->out->shown.n && !status; i++)
                v->out->list[i].valid =
                        (v->out->list[i].valid || v->out->list[i].healed) && v->out->list[i].good;
        return status;
}

/* ---- All of it ------------------------------------------------------------------------------- */

static pawl_status check_all(struct validating *v, const char *which)
{
        pawl__row *rows = NULL, one;
        size_t n = 1;
        pawl_status status;

        if (which)
                status = pawl__workspace_find(&one, v->state, which, &v->out->arena, v->err);
        else
                status = pawl__state_workspace_all(&rows, &n, v->state, &v->out->arena, v->err);
        if (status)
                return status;
        v->out->list = pawl__arena_array(&v->out->arena, n + 1, sizeof *v->out->list);
        if (!v->out->list)
                return pawl__nomem(v->err);
        for (size_t i = 0; i < n && !status; i++) {
                const pawl__row *row = which ? &one : &rows[i];
                if (row->v[PAWL__WCP_PRUNED_SEQ].integer == 0)
                        status = check_one(v, &v->out->list[v->out->shown.n++], row);
        }
        return status;
}

/* All of it in one view, so that nothing is missed that a prune takes away meanwhile. */
static pawl_status validate(struct validating *v, const char *which, const char *root, bool mark)
{
        pawl_status status = pawl__state_of(&v->state, v->log, v->err);

        if (!status)
                status = pawl__contents_open(&v->contents, v->log, v->err);
        if (status)
                return status;
        /* without git, or a repository, its column does not apply */
        if (root && pawl__git_open(&v->git, root, NULL))
                v->git = NULL;
        do {
                v->out->shown.n = 0;
                status = pawl__log_view_begin(v->log, v->err);
                if (status)
                        return status;
                status = check_all(v, which);
                pawl__log_view_end(v->log);
        } while (pawl__log_view_again(v->log, status));
        return !status && mark ? mark_all(v) : status;
}

pawl_status pawl_workspace_validate(pawl_validation **out, pawl_log *log, const char *which,
        const char *root, bool mark, const char *actor, pawl_error *err)
{
        TRY(pawl__log_usable(log, err));

        struct validating v = {.log = log, .actor = actor, .err = err};

        v.out = calloc(1, sizeof *v.out);
        if (!v.out)
                return pawl__nomem(err);
        pawl_status status = validate(&v, which, root, mark);
        pawl__git_close(v.git);
        pawl__contents_close(v.contents);
        pawl__map_free(&v.known);
        pawl__buf_free(&v.text);
        if (status) {
                pawl_validation_free(&v.out->shown);
                return status;
        }
        v.out->shown.items = v.out->list;
        for (size_t i = 0; i < v.out->shown.n; i++)
                if (v.out->list[i].good && v.out->list[i].valid)
                        v.out->shown.last = &v.out->list[i];
        *out = &v.out->shown;
        return PAWL_OK;
}

void pawl_validation_free(pawl_validation *shown)
{
        own_validation *validation = (own_validation *)shown;

        if (!validation)
                return;
        pawl__arena_free(&validation->arena);
        free(validation);
}
