/* Events and blobs on their way to one transaction. */
#include "events/handle.h"
#include <stdlib.h>

static const size_t text_at[] = {offsetof(pawl_event, type), offsetof(pawl_event, mission_id),
        offsetof(pawl_event, run_id), offsetof(pawl_event, step_id),
        offsetof(pawl_event, session_id), offsetof(pawl_event, actor),
        offsetof(pawl_event, payload)};

static pawl_text text_in(const pawl_event *event, size_t i)
{
        return *(const pawl_text *)(const void *)((const char *)event + text_at[i]);
}

pawl_status pawl__batch_event(pawl__batch *batch, const pawl_event *event, pawl_error *err)
{
        pawl_event copy = *event;
        bool ok = true;

        if (pawl__grow(&batch->events, &batch->cap, batch->n + 1, sizeof *batch->events))
                return pawl__nomem(err);
        const pawl_event *last = batch->n ? &batch->events[batch->n - 1] : NULL;
        for (size_t i = 0; i < sizeof text_at / sizeof text_at[0]; i++) {
                pawl_text *text = (pawl_text *)(void *)((char *)&copy + text_at[i]);
                pawl_text before = last ? text_in(last, i) : (pawl_text){NULL, 0};
                /* most are those of the event before, and stand in the arena */
                if (before.data && text->data && pawl__text_eq(before, *text))
                        *text = before;
                else
                        *text = pawl__arena_text(&batch->arena, *text, &ok);
        }
        if (!ok)
                return pawl__nomem(err);
        batch->events[batch->n++] = copy;
        return PAWL_OK;
}

pawl_status pawl__batch_emit(pawl__batch *batch, pawl__event_type type, const pawl_event *like,
        pawl__json_writer *w, pawl_error *err)
{
        const pawl__event_def *def = pawl__event_def_of(type);
        pawl_event event = *like;

        if (!w->buf.len)
                pawl__json_open_object(w);
        if (w->depth)
                pawl__json_close_object(w);
        pawl_status status = pawl__json_end_writer(w) ? pawl__nomem(err) : PAWL_OK;
        event.type = pawl__text(def->name);
        event.v = def->v;
        event.payload = pawl__buf_text(&w->buf);
        if (!status)
                status = pawl__batch_event(batch, &event, err);
        pawl__json_writer_free(w);
        return status;
}

pawl_status pawl__batch_blob(
        pawl__batch *batch, const unsigned char hash[32], pawl_text content, pawl_error *err)
{
        struct pawl__batch_blob blob;
        bool ok = true;

        if (pawl__grow(&batch->blobs, &batch->cap_blobs, batch->n_blobs + 1, sizeof *batch->blobs))
                return pawl__nomem(err);
        memcpy(blob.hash, hash, 32);
        blob.content = pawl__arena_text(&batch->arena, content, &ok);
        if (!ok)
                return pawl__nomem(err);
        batch->blobs[batch->n_blobs++] = blob;
        return PAWL_OK;
}

pawl_status pawl__batch_release(pawl__batch *batch, pawl_text run_id, pawl_error *err)
{
        bool ok = true;
        pawl_text copy = pawl__arena_text(&batch->arena, run_id, &ok);

        if (!ok)
                return pawl__nomem(err);
        batch->releases = copy;
        return PAWL_OK;
}

pawl_status pawl__batch_prune(pawl__batch *batch, uint64_t seq, pawl_error *err)
{
        if (pawl__grow(
                    &batch->prunes, &batch->cap_prunes, batch->n_prunes + 1, sizeof *batch->prunes))
                return pawl__nomem(err);
        batch->prunes[batch->n_prunes++] = seq;
        return PAWL_OK;
}

pawl__batch_mark pawl__batch_marked(const pawl__batch *batch)
{
        return (pawl__batch_mark){batch->n, batch->n_blobs, batch->n_prunes, batch->releases};
}

/* What was cut off stays in the arena until the batch is cleared. */
void pawl__batch_cut(pawl__batch *batch, const pawl__batch_mark *to)
{
        batch->n = to->n;
        batch->n_blobs = to->n_blobs;
        batch->n_prunes = to->n_prunes;
        batch->releases = to->releases;
}

void pawl__batch_clear(pawl__batch *batch)
{
        pawl__arena_clear(&batch->arena);
        batch->releases = (pawl_text){NULL, 0};
        batch->after_fence = 0;
        batch->prepare = NULL;
        batch->prepare_user = NULL;
        batch->prepare_between = false;
        batch->into_empty = false;
        batch->assumes = 0;
        batch->overtaken = false;
        batch->n = 0;
        batch->n_blobs = 0;
        batch->n_prunes = 0;
}

void pawl__batch_free(pawl__batch *batch)
{
        pawl__arena_free(&batch->arena);
        free(batch->events);
        free(batch->blobs);
        free(batch->prunes);
        *batch = (pawl__batch)PAWL__BATCH_INIT;
}
