/* Reading checkpoints: the steps that fit, the events that they name, and the values of these. */
#include "base/error.h"
#include "base/map.h"
#include "threads/threads.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* What a caller gets, and what it lies in. */
typedef struct own_list {
        pawl_thread_checkpoints shown;
        pawl__arena arena;
} own_list;

typedef struct reading {
        pawl_threads *threads;
        const pawl_thread_filter *filter;
        pawl__json_tree wanted; /* filter->metadata, canonical */
        pawl__buf wanted_text;
        own_list *list;
        pawl__arena *arena;            /* the list's */
        pawl_thread_checkpoint *items; /* as many as there are rows */
        pawl__map seen;                /* contents by hash, texts by event and channel */
        pawl_text *contents;           /* and what they are */
        size_t n_contents, cap_contents;
        pawl__buf buf;
        pawl__arena scratch;       /* of one event */
        pawl_thread_write *writes; /* of the current checkpoint */
        size_t n_writes, cap_writes;
        pawl_error *err;
} reading;

void pawl_thread_checkpoints_free(pawl_thread_checkpoints *shown)
{
        own_list *list = (own_list *)shown;

        if (!list)
                return;
        pawl__arena_free(&list->arena);
        free(list);
}

/* ---- Values ---------------------------------------------------------------------------------- */

/* Copied, and remembered: each is read once, however many checkpoints have it. */
static pawl_status keep(pawl_text *out, reading *r, pawl_text key, pawl_text content)
{
        *out = pawl__arena_copy(r->arena, content);
        if (pawl__arena_check(r->arena, r->err) ||
                pawl__grow(
                        &r->contents, &r->cap_contents, r->n_contents + 1, sizeof *r->contents) ||
                pawl__map_put_copy(&r->seen, r->arena, key, (uint32_t)r->n_contents))
                return pawl__nomem(r->err);
        r->contents[r->n_contents++] = *out;
        return PAWL_OK;
}

static pawl_status read_content(pawl_text *out, reading *r, const pawl__thread_value *value)
{
        const pawl_text hash = pawl__thread_hash_key(value->hash);

        pawl__buf_clear(&r->buf);
        TRY(pawl__contents_read(r->threads->contents, value->hash, (uint64_t)value->size,
                pawl__content_to_buf, &r->buf, r->err));
        pawl__thread_cache_put(r->threads, hash, pawl__buf_text(&r->buf));
        return keep(out, r, hash, pawl__buf_text(&r->buf));
}

/* The texts of an event that others name: most of them name several. */
static pawl_status read_texts(pawl_text *out, reading *r, const pawl__thread_value *value)
{
        const uint64_t seq = value->seq;
        pawl__thread_value *values = NULL;
        size_t n = 0;
        pawl_status status = pawl__thread_event_stored(r->threads, seq, &r->scratch, r->err);

        if (!status)
                status = pawl__thread_values_read(
                        &values, &n, seq, &r->threads->tree, "channels", &r->scratch, r->err);
        for (size_t i = 0; i < n && !status; i++) {
                const pawl_text key = pawl__thread_value_key(&r->buf, seq, values[i].channel);
                pawl_text text;
                if (!key.data)
                        return pawl__nomem(r->err);
                if (!values[i].text.data || pawl__map_get(&r->seen, key) != PAWL__MAP_NONE)
                        continue;
                pawl__thread_cache_put(r->threads, key, values[i].text);
                status = keep(&text, r, key, values[i].text);
                if (pawl__text_eq(values[i].channel, value->channel))
                        *out = text;
        }
        if (status == PAWL_DONE || (!status && !out->data))
                return pawl__fail(r->err, PAWL_EDAMAGED,
                        "seq %" PRIu64 ": has no value of channel %.*s, which a later checkpoint "
                        "names; bring the whole log back from a copy",
                        seq, PAWL__FMT(value->channel));
        return status;
}

static pawl_status give_elsewhere(pawl_text *out, reading *r, const pawl__thread_value *value)
{
        const pawl_text key = value->seq
                                      ? pawl__thread_value_key(&r->buf, value->seq, value->channel)
                                      : pawl__thread_hash_key(value->hash);
        const uint32_t at = key.data ? pawl__map_get(&r->seen, key) : PAWL__MAP_NONE;

        *out = at == PAWL__MAP_NONE ? (pawl_text){NULL, 0} : r->contents[at];
        if (out->data || !key.data)
                return out->data ? PAWL_OK : pawl__nomem(r->err);
        const pawl_text cached = pawl__thread_cached(r->threads, key);
        if (cached.data)
                return keep(out, r, key, cached);
        return value->seq ? read_texts(out, r, value) : read_content(out, r, value);
}

/* Of a value that lies in the list's arena. */
static pawl_status give_value(
        pawl_text *type, pawl_text *data, reading *r, const pawl__thread_value *value)
{
        *type = value->type;
        *data = value->text;
        return value->text.data ? PAWL_OK : give_elsewhere(data, r, value);
}

/* ---- Writes ---------------------------------------------------------------------------------- */

/* Where a write goes; NULL: what is there stays. */
static pawl_status place_write(pawl_thread_write **out, reading *r, pawl_text task, int64_t index)
{
        *out = NULL;
        for (size_t i = 0; r->writes && i < r->n_writes; i++)
                if (r->writes[i].index == index && pawl__text_eq(r->writes[i].task_id, task)) {
                        *out = index < 0 ? &r->writes[i] : NULL;
                        return PAWL_OK;
                }
        if (pawl__grow(&r->writes, &r->cap_writes, r->n_writes + 1, sizeof *r->writes))
                return pawl__nomem(r->err);
        *out = &r->writes[r->n_writes++];
        return PAWL_OK;
}

static pawl_status add_writes(uint64_t seq, void *user, pawl_error *err)
{
        reading *r = user;
        pawl__json_tree *tree = &r->threads->tree;
        pawl__thread_value *values = NULL;
        size_t n = 0;

        pawl__arena_clear(&r->scratch);
        pawl_status status = pawl__thread_event(r->threads, seq, &r->scratch, err);
        if (status || pawl__json_get(tree, 0, "writes") == PAWL__NO_NODE)
                return status == PAWL_DONE ? PAWL_OK : status;
        status = pawl__thread_values_read(&values, &n, seq, tree, "writes", r->arena, err);
        const pawl_text task = pawl__arena_copy(r->arena, pawl__json_get_text(tree, 0, "task_id"));
        const pawl_text path =
                pawl__arena_copy(r->arena, pawl__json_get_text(tree, 0, "task_path"));
        if (!status)
                status = pawl__arena_check(r->arena, err);
        for (size_t i = 0; i < n && !status; i++) {
                pawl_thread_write *write;
                status = place_write(&write, r, task, values[i].index);
                if (status || !write)
                        continue;
                *write = (pawl_thread_write){.task_id = task,
                        .task_path = path,
                        .channel = values[i].channel,
                        .index = values[i].index};
                status = give_value(&write->type, &write->data, r, &values[i]);
        }
        return status;
}

static int cmp_writes(const void *a, const void *b)
{
        const pawl_thread_write *x = a, *y = b;
        int order = pawl__text_cmp(x->task_path.data ? x->task_path : pawl__text(""),
                y->task_path.data ? y->task_path : pawl__text(""));

        if (!order)
                order = pawl__text_cmp(x->task_id, y->task_id);
        return order ? order : (x->index > y->index) - (x->index < y->index);
}

static pawl_status give_writes(pawl_thread_checkpoint *item, reading *r, const pawl__row *row)
{
        pawl__row others = *row;
        pawl_thread_write *writes;

        others.v[PAWL__STEP_CHECKPOINT_SEQ].integer = 0;
        r->n_writes = 0;
        pawl_status status = pawl__thread_seqs(&others, add_writes, r, r->err);
        if (status || !r->n_writes)
                return status;
        writes = pawl__arena_array(r->arena, r->n_writes, sizeof *writes);
        if (!writes)
                return pawl__nomem(r->err);
        qsort(r->writes, r->n_writes, sizeof *r->writes, cmp_writes);
        memcpy(writes, r->writes, r->n_writes * sizeof *writes);
        item->writes = writes;
        item->n_writes = r->n_writes;
        return PAWL_OK;
}

/* ---- Checkpoints ----------------------------------------------------------------------------- */

static bool same_node(const pawl__json_node *a, const pawl__json_node *b)
{
        return a->type == b->type && pawl__text_eq(a->value, b->value);
}

/* Has the metadata each member of the filter? What is no JSON object has none. */
static pawl_status fits(bool *yes, reading *r, pawl_text metadata)
{
        pawl__json_tree tree = PAWL__JSON_TREE_INIT;
        char *canonical = NULL;
        size_t len;
        pawl_status status = PAWL_OK;

        *yes = true;
        if (!r->filter->metadata)
                return PAWL_OK;
        status = pawl_json_canonical(&canonical, &len, metadata.data, metadata.len, NULL);
        if (!status)
                status = pawl__json_tree_read(&tree, canonical, len, NULL);
        if (status && status != PAWL_ENOMEM)
                *yes = pawl__json_at(&r->wanted, 0)->count == 0;
        for (pawl__node n = status ? PAWL__NO_NODE : pawl__json_first(&r->wanted, 0);
                n != PAWL__NO_NODE && *yes; n = pawl__json_after(&r->wanted, 0, n)) {
                const pawl__json_node *wanted = pawl__json_at(&r->wanted, n);
                const pawl__node there = pawl__json_get_n(&tree, 0, wanted->name);
                *yes = there != PAWL__NO_NODE && same_node(pawl__json_at(&tree, there), wanted);
        }
        pawl__json_tree_free(&tree);
        pawl_free(canonical);
        return status == PAWL_ENOMEM ? pawl__nomem(r->err) : PAWL_OK;
}

static pawl_text or_empty(pawl_text text)
{
        return text.data ? text : pawl__text("");
}

/* The texts of a checkpoint but its values. PAWL_DONE: it does not fit, or is gone. */
static pawl_status give_texts(
        pawl_thread_checkpoint *item, reading *r, const pawl__row *row, uint64_t seq)
{
        const pawl__json_tree *tree = &r->threads->tree;
        const pawl_text thread = pawl__json_get_text(tree, 0, "thread_id"),
                        ns = pawl__json_get_text(tree, 0, "checkpoint_ns");
        bool yes;
        pawl_status status = fits(&yes, r, pawl__json_get_text(tree, 0, "metadata"));

        if (status || !yes)
                return status ? status : PAWL_DONE;
        *item = (pawl_thread_checkpoint){
                .thread_id = pawl__arena_copy(
                        r->arena, thread.data ? thread : row->v[PAWL__STEP_RUN].text),
                .checkpoint_ns = pawl__arena_copy(r->arena, or_empty(ns)),
                .checkpoint_id = pawl__arena_copy(r->arena, row->v[PAWL__STEP_TOKEN].text),
                .parent_id = pawl__arena_copy(r->arena, pawl__json_get_text(tree, 0, "parent_id")),
                .checkpoint =
                        pawl__arena_copy(r->arena, pawl__json_get_text(tree, 0, "checkpoint")),
                .metadata = pawl__arena_copy(r->arena, pawl__json_get_text(tree, 0, "metadata")),
                .seq = seq};
        return pawl__arena_check(r->arena, r->err);
}

static pawl_status give_checkpoint(pawl_thread_checkpoint *item, reading *r, const pawl__row *row)
{
        pawl__thread_value *values = NULL;
        pawl_thread_channel *channels;
        const uint64_t seq = (uint64_t)row->v[PAWL__STEP_CHECKPOINT_SEQ].integer;
        size_t n = 0;

        pawl__arena_clear(&r->scratch);
        pawl_status status = pawl__thread_event(r->threads, seq, &r->scratch, r->err);
        if (!status)
                status = give_texts(item, r, row, seq);
        if (!status)
                status = pawl__thread_values_read(
                        &values, &n, seq, &r->threads->tree, "channels", r->arena, r->err);
        if (status)
                return status;
        channels = pawl__arena_array(r->arena, n + 1, sizeof *channels);
        if (!channels)
                return pawl__nomem(r->err);
        for (size_t i = 0; i < n && !status; i++) {
                channels[i].name = values[i].channel;
                channels[i].version = values[i].version;
                status = give_value(&channels[i].type, &channels[i].data, r, &values[i]);
        }
        item->channels = channels;
        item->n_channels = n;
        return status ? status : give_writes(item, r, row);
}

/* ---- Which ones ------------------------------------------------------------------------------ */

/* The steps that may fit, into r->list's arena. */
static pawl_status find_rows(pawl__row **rows, size_t *n, reading *r)
{
        const pawl_thread_filter *f = r->filter;
        const pawl_text none = {NULL, 0};
        const char *bound = f->checkpoint_id ? f->checkpoint_id : f->before;
        pawl__thread_key key, after = {.prefix = 0};
        char from[PAWL__ID_MAX + 1], until[PAWL__ID_MAX + 2];
        pawl_status status = pawl__thread_key_of(&key, r->threads,
                f->thread_id ? pawl__text(f->thread_id) : none, pawl__text(f->checkpoint_ns),
                bound ? pawl__text(bound) : none, r->err);

        if (!status && f->after)
                status = pawl__thread_key_of(&after, r->threads, f->after->thread_id,
                        f->after->checkpoint_ns, f->after->checkpoint_id, r->err);
        if (status)
                return status;
        pawl__thread_range range = {.run_id = f->thread_id ? pawl__text(key.run) : none,
                .by_id = !f->thread_id || !f->checkpoint_ns,
                .limit = f->metadata || (f->checkpoint_id && !f->checkpoint_ns) ? 0 : f->limit};
        /* From the first step of the namespace, or of any, to behind its last. */
        snprintf(from, sizeof from, "%.*s", (int)key.prefix, key.step);
        snprintf(until, sizeof until, "%s", "\xf4\x8f\xbf\xbf");
        if (key.prefix) {
                memcpy(until, from, key.prefix + 1);
                until[key.prefix - 1] = '!';
        } else if (f->checkpoint_ns) {
                memcpy(from, ")", 2);
        }
        /* That one alone, or before it. */
        if (f->checkpoint_ns && bound) {
                snprintf(until, sizeof until, "%s%s", key.step, f->checkpoint_id ? " " : "");
                if (f->checkpoint_id)
                        memcpy(from, key.step, sizeof from);
        }
        range.from = pawl__text(from);
        range.until = pawl__text(until);
        range.id = range.run = range.step = pawl__text("");
        if (!range.by_id && f->after && pawl__text_cmp(pawl__text(after.step), range.until) < 0)
                range.until = pawl__text(after.step);
        char id[PAWL__ID_MAX + 2] = "\xf4\x8f\xbf\xbf";
        if (bound)
                snprintf(id, sizeof id, "%s%s", bound, f->checkpoint_id ? " " : "");
        range.id = pawl__text(id);
        if (f->after && pawl__text_cmp(f->after->checkpoint_id, range.id) < 0) {
                range.id = f->after->checkpoint_id;
                range.run = pawl__text(after.run);
                range.step = pawl__text(after.step);
        }
        return pawl__state_thread_steps(
                rows, n, r->threads->state, &range, &r->list->arena, r->err);
}

static pawl_status read_all(reading *r)
{
        const pawl_thread_filter *f = r->filter;
        pawl__row *rows = NULL;
        size_t n = 0;
        pawl_status status = find_rows(&rows, &n, r);

        if (status)
                return status;
        r->list->shown.items = r->items = pawl__arena_array(r->arena, n + 1, sizeof *r->items);
        if (!r->items)
                return pawl__nomem(r->err);
        for (size_t i = 0; i < n && !status; i++) {
                if (f->checkpoint_id &&
                        !pawl__text_is(rows[i].v[PAWL__STEP_TOKEN].text, f->checkpoint_id))
                        break;
                if (f->limit && r->list->shown.n == f->limit)
                        break;
                status = give_checkpoint(&r->items[r->list->shown.n], r, &rows[i]);
                r->list->shown.n += !status;
                if (status == PAWL_DONE)
                        status = PAWL_OK;
        }
        return status;
}

static pawl_status check_filter(reading *r)
{
        const pawl_thread_filter *f = r->filter;
        char *canonical;
        size_t len;

        if (f->version != PAWL_THREAD_FILTER_VERSION)
                return pawl__fail(r->err, PAWL_EINVAL,
                        "threads: the filter is not of a version that this library knows; start "
                        "from PAWL_THREAD_FILTER_INIT");
        if (!f->metadata)
                return PAWL_OK;
        pawl_status status =
                pawl_json_canonical(&canonical, &len, f->metadata, strlen(f->metadata), r->err);
        if (status)
                return status;
        if (pawl__buf_add(&r->wanted_text, canonical, len))
                status = pawl__nomem(r->err);
        pawl_free(canonical);
        if (!status)
                status = pawl__json_tree_read(
                        &r->wanted, r->wanted_text.data, r->wanted_text.len, r->err);
        if (!status && pawl__json_at(&r->wanted, 0)->type != PAWL__JSON_OBJECT)
                status = pawl__fail(r->err, PAWL_EINVAL,
                        "threads: the metadata to filter by is no JSON object; write one");
        return status;
}

pawl_status pawl_thread_list(pawl_thread_checkpoints **out, pawl_threads *threads,
        const pawl_thread_filter *filter, pawl_error *err)
{
        if (!threads)
                return pawl__log_usable(NULL, err);
        TRY(pawl__log_usable(threads->log, err));

        reading r = {.threads = threads, .filter = filter, .err = err};
        pawl_status status;

        r.list = calloc(1, sizeof *r.list);
        if (!r.list)
                return pawl__nomem(err);
        r.arena = &r.list->arena;
        status = check_filter(&r);
        if (!status)
                status = read_all(&r);
        if (status)
                pawl_thread_checkpoints_free(&r.list->shown);
        else
                *out = &r.list->shown;
        pawl__json_tree_free(&r.wanted);
        pawl__buf_free(&r.wanted_text);
        pawl__buf_free(&r.buf);
        pawl__map_free(&r.seen);
        pawl__arena_free(&r.scratch);
        free(r.contents);
        free(r.writes);
        return status;
}
