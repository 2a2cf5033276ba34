/* Reading another tool's events, line by line, and what it must know of the lines before. */
#include "glossary/foreign.h"
#include "base/error.h"
#include "base/ids.h"
#include "glossary/foreign_internal.h"
#include <stdlib.h>

enum { DEEPEST = 400 }; /* of a line: in an event it stands deeper */

pawl_status pawl__foreign_new(pawl__foreign **out, pawl_text actor, pawl_error *err)
{
        pawl__foreign *f = calloc(1, sizeof *f);

        if (!f)
                return pawl__nomem(err);
        f->actor = actor;
        pawl_status status = pawl__id_check(actor, "actor", err);
        if (!status)
                status = pawl__store_memory(&f->applier.store, err);
        if (!status)
                status = pawl__hasher_new(&f->hasher, err);
        if (status)
                pawl__foreign_free(f);
        else
                *out = f;
        return status;
}

void pawl__foreign_free(pawl__foreign *f)
{
        if (!f)
                return;
        if (f->applier.store)
                f->applier.store->free(f->applier.store);
        pawl__json_tree_free(&f->applier.tree);
        pawl__arena_free(&f->applier.arena);
        pawl__hasher_free(f->hasher);
        pawl__batch_free(&f->batch);
        pawl__map_free(&f->runs);
        pawl__map_free(&f->steps);
        pawl__map_free(&f->event_ids);
        pawl__map_free(&f->findings);
        free(f->items);
        free(f->found);
        pawl__buf_free(&f->key);
        pawl__json_tree_free(&f->tree);
        pawl__arena_free(&f->arena);
        free(f);
}

size_t pawl__foreign_lines(const pawl__foreign *f)
{
        return f->n_lines;
}

size_t pawl__foreign_events(const pawl__foreign *f)
{
        return f->batch.n;
}

pawl_status pawl__foreign_commit(pawl__foreign *f, pawl_log *log, pawl_error *err)
{
        f->batch.into_empty = true;
        return pawl__log_failed(log, pawl__log_commit(log, &f->batch, 0, NULL), err);
}

/* ---- Events ---------------------------------------------------------------------------------- */

/* What the log would refuse, before anything comes of it. */
static pawl_status check(
        pawl__foreign *f, pawl__event_type type, pawl__json_writer *w, pawl_error *err)
{
        const pawl__event_def *def = pawl__event_def_of(type);
        pawl__json_tree payload = PAWL__JSON_TREE_INIT;
        pawl_event event = f->like;

        pawl__json_close_object(w);
        pawl_status status = pawl__json_end_writer(w) ? pawl__nomem(err) : PAWL_OK;
        event.type = pawl__text(def->name);
        event.v = def->v;
        if (!status)
                status = pawl__json_tree_read(&payload, w->buf.data, w->buf.len, err);
        if (!status)
                status = pawl__event_check(&event, type, &payload, err);
        pawl__json_tree_free(&payload);
        return status;
}

/* The one that was emitted last, folded; one that is refused is none. */
static pawl_status fold(pawl__foreign *f, pawl_error *err)
{
        pawl_event event = f->batch.events[f->batch.n - 1];

        event.seq = f->batch.n;
        const pawl_status status = pawl__apply(&f->applier, &event, err);
        f->batch.n -= status != PAWL_OK;
        return status;
}

static pawl_status emit(
        pawl__foreign *f, pawl__event_type type, pawl__json_writer *w, pawl_error *err)
{
        const pawl_status status = pawl__batch_emit(&f->batch, type, &f->like, w, err);

        return status ? status : fold(f, err);
}

static void put_place(pawl__json_writer *w, const pawl__foreign *f)
{
        pawl__json_member_text(w, "file", f->file);
        pawl__json_member_integer(w, "line", (int64_t)f->line);
}

static pawl_status begin(pawl__foreign *f, pawl__event_type type, pawl_error *err)
{
        pawl__json_writer w = PAWL__JSON_WRITER_INIT;
        pawl_event whole = f->like;

        pawl__json_open_object(&w);
        if (type == PAWL__STEP_STARTED)
                pawl__json_member_string(&w, "input_hash", PAWL__FOREIGN_NO_HASH);
        pawl__json_name(&w, "origin");
        pawl__json_open_object(&w);
        put_place(&w, f);
        pawl__json_close_object(&w);
        if (type == PAWL__RUN_STARTED) {
                f->like.step_id = pawl__text(NULL);
                pawl__json_member_raw(&w, "scope_refs", pawl__text("[]"));
                pawl__json_member_raw(&w, "steps", pawl__text("[]"));
        }
        const pawl_status status = emit(f, type, &w, err);
        f->like.step_id = whole.step_id;
        return status;
}

/* A run and a step begin where they are named first. */
static pawl_status begin_all(pawl__foreign *f, bool of_step, pawl_error *err)
{
        pawl__row step = {.v[PAWL__STEP_RUN].text = f->like.run_id};
        pawl_status status = PAWL_OK;

        step.v[PAWL__STEP_ID].text = f->like.step_id;
        if (!f->like.run_id.data || !f->like.mission_id.data)
                return PAWL_OK;
        if (pawl__map_get(&f->runs, f->like.run_id) == PAWL__MAP_NONE) {
                if (pawl__map_put_copy(&f->runs, &f->arena, f->like.run_id, 1))
                        return pawl__nomem(err);
                status = begin(f, PAWL__RUN_STARTED, err);
        }
        if (status || !of_step)
                return status;
        status = f->applier.store->get(f->applier.store, PAWL__STEPS, &step, err);
        return status == PAWL_ENOTFOUND ? begin(f, PAWL__STEP_STARTED, err) : status;
}

/* ---- Where it comes from --------------------------------------------------------------------- */

static bool is_taken(const pawl__foreign_type *type, pawl_text name)
{
        static const char *const outer[] = {"event_id", "event_type", "mission_id", "run_id",
                "step_id", "timestamp", "payload"};

        for (const char *const *m = type->members; *m; m++)
                if (pawl__text_is(name, *m))
                        return true;
        return pawl__text_index(name, outer, sizeof outer / sizeof outer[0]) <
               sizeof outer / sizeof outer[0];
}

/* What has no place elsewhere: nothing of a line is lost. */
static void put_rest(pawl__json_writer *w, const pawl__foreign *f, const pawl__foreign_type *type)
{
        bool any = false;

        for (int inner = f->source != 0; inner >= 0; inner--) {
                const pawl__node object = inner ? f->source : 0;
                for (pawl__node m = pawl__json_first(&f->tree, object); m != PAWL__NO_NODE;
                        m = pawl__json_after(&f->tree, object, m)) {
                        const pawl_text name = pawl__json_at(&f->tree, m)->name;
                        if (is_taken(type, name) || (!inner && f->source &&
                                                            pawl__json_get_n(&f->tree, f->source,
                                                                    name) != PAWL__NO_NODE))
                                continue;
                        if (!any) {
                                pawl__json_name(w, "more");
                                pawl__json_open_object(w);
                        }
                        any = true;
                        pawl__json_name_text(w, name);
                        pawl__json_node_value(w, pawl__json_at(&f->tree, m));
                }
        }
        if (any)
                pawl__json_close_object(w);
}

static pawl_status put_origin(
        pawl__json_writer *w, pawl__foreign *f, const pawl__foreign_type *type, pawl_error *err)
{
        char hex[65];

        TRY(pawl__foreign_hash(hex, f, 0, NULL, true, err));
        pawl__json_name(w, "origin");
        pawl__json_open_object(w);
        pawl__json_member_text(w, "event_id", pawl__json_get_text(&f->tree, 0, "event_id"));
        put_place(w, f);
        put_rest(w, f, type);
        pawl__json_member_string(w, "sha256", hex);
        pawl__json_close_object(w);
        return PAWL_OK;
}

/* ---- A line ---------------------------------------------------------------------------------- */

static pawl_status convert(pawl__foreign *f, const pawl__foreign_type *type, pawl_error *err)
{
        pawl__json_writer w = PAWL__JSON_WRITER_INIT;

        pawl__json_open_object(&w);
        pawl_status status = type->convert(&w, f, err);
        if (!status)
                status = put_origin(&w, f, type, err);
        if (!status)
                status = check(f, type->type, &w, err);
        if (!status)
                status = begin_all(f, type->of_step, err);
        if (!status)
                return emit(f, type->type, &w, err);
        pawl__json_writer_free(&w);
        return status;
}

static pawl_status read(pawl__foreign *f, const pawl__foreign_type **type, pawl_error *err)
{
        const pawl_text name = pawl__json_get_text(&f->tree, 0, "event_type");
        const pawl__node payload = pawl__json_get(&f->tree, 0, "payload");

        if (pawl__json_at(&f->tree, 0)->type != PAWL__JSON_OBJECT)
                return pawl__fail(err, PAWL_EINVAL, "is no object; an event is one");
        if (f->tree.depth > DEEPEST)
                return pawl__fail(
                        err, PAWL_EINVAL, "is nested deeper than %d; make it flatter", DEEPEST);
        if (!name.data)
                return pawl__fail(err, PAWL_EINVAL,
                        "event_type: is missing, or is no text; name the event's type");
        *type = pawl__foreign_type_of(name);
        if (!*type)
                return pawl__fail(err, PAWL_EINVAL,
                        "event_type: %.*s is none that a Pawl log has; leave the line out",
                        PAWL__FMT(name));
        f->source = payload != PAWL__NO_NODE &&
                                    pawl__json_at(&f->tree, payload)->type == PAWL__JSON_OBJECT
                            ? payload
                            : 0;
        return PAWL_OK;
}

/* An event that two lines have is taken once. */
static pawl_status check_twice(const pawl__foreign *f, pawl_error *err)
{
        const pawl_text id = pawl__json_get_text(&f->tree, 0, "event_id");
        const uint32_t before = id.data ? pawl__map_get(&f->event_ids, id) : PAWL__MAP_NONE;

        return before == PAWL__MAP_NONE
                       ? PAWL_OK
                       : pawl__fail(err, PAWL_EEXISTS,
                                 "event_id: is that of line %u, which was taken; leave one out",
                                 (unsigned)before);
}

static pawl_status take(pawl__foreign *f, pawl_error *err)
{
        const pawl__foreign_type *type = NULL;
        pawl_status status = read(f, &type, err);

        if (!status)
                status = check_twice(f, err);
        if (!status)
                status = pawl__foreign_check_hashes(f, err);
        if (!status)
                status = pawl__foreign_envelope(f, type, err);
        if (!status && type)
                status = convert(f, type, err);
        if (status)
                return status;
        const pawl_text id = pawl__json_get_text(&f->tree, 0, "event_id");
        if (id.data && pawl__map_put_copy(
                               &f->event_ids, &f->arena, id, (uint32_t)(f->line % PAWL__MAP_NONE)))
                return pawl__nomem(err);
        f->n_lines++;
        return PAWL_OK;
}

pawl_status pawl__foreign_take(
        pawl__foreign *f, pawl_text file, size_t line, pawl_text text, pawl_error *err)
{
        pawl_error why = PAWL_ERROR_INIT;

        if (!pawl__text_eq(f->file, file)) {
                f->file = pawl__arena_copy(&f->arena, file);
                f->mission = pawl__foreign_mission_of(f->file);
                if (!f->file.data)
                        return pawl__nomem(err);
        }
        f->line = line;
        f->like = (pawl_event){.time_us = 0};
        if (pawl__text_blank(text))
                return PAWL_OK;
        const pawl_status status = pawl__json_tree_read(&f->tree, text.data, text.len, &why);
        if (!status)
                return take(f, err);
        /* the line that counts is the file's */
        return pawl__fail(err, status, "%s",
                why.message + (strncmp(why.message, "line 1, ", 8) == 0 ? 8 : 0));
}
