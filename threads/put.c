/* Putting checkpoints and writes: values that are large become contents, in the same transaction.
 */
#include "base/digest.h"
#include "base/error.h"
#include "events/types.h"
#include "threads/threads.h"
#include <stdio.h>
#include <stdlib.h>

/* How many of the newest checkpoints are asked for a value that the parent does not have. */
enum { WALK = 256 };
/* A value of fewer bytes is kept whole: its difference takes less, and longer to make and to read.
 */
enum { DIFFERENCES_FROM = 16 << 10 };

typedef struct kept {
        unsigned char hash[32];
        pawl_text data;
        bool resembles; /* the channel's value before: */
        unsigned char like[32];
} kept;

typedef struct putting {
        pawl_threads *threads;
        pawl__batch batch;
        kept *kept; /* values that are to be contents */
        size_t n_kept, cap_kept;
        const pawl_thread_checkpoint *last; /* that was emitted */
        size_t n_until_last;                /* events up to its own */
        pawl__arena arena;
        pawl_error *err;
} putting;

/* ---- Values ---------------------------------------------------------------------------------- */

static pawl_status take_value(pawl__thread_value *out, putting *p, pawl_text type, pawl_text data)
{
        if (!type.data)
                return pawl__fail(p->err, PAWL_EINVAL,
                        "value of channel %.*s: has no type; name how "
                        "it is to be read",
                        PAWL__FMT(out->channel));
        out->type = type;
        out->text = (pawl_text){NULL, 0};
        out->size = (int64_t)data.len;
        if (data.len <= PAWL__THREAD_INLINE && pawl__utf8_valid(data.data, data.len)) {
                out->text = data.data ? data : pawl__text("");
                return PAWL_OK;
        }
        if (pawl__grow(&p->kept, &p->cap_kept, p->n_kept + 1, sizeof *p->kept))
                return pawl__nomem(p->err);
        TRY(pawl__sha256(
                pawl__log_hasher(p->threads->log), out->hash, data.data, data.len, p->err));
        p->kept[p->n_kept] = (kept){.data = data};
        memcpy(p->kept[p->n_kept++].hash, out->hash, 32);
        return PAWL_OK;
}

/* Of what is to be kept of this item, what it may be a difference from: the parent's values. */
static void note_likes(putting *p, size_t from, const pawl__thread_value *values, size_t n)
{
        const pawl__thread_manifest *m = &p->threads->manifest;

        for (size_t i = 0, k = from; i < n && k < p->n_kept; i++) {
                if (!pawl__thread_is_content(&values[i]) ||
                        memcmp(values[i].hash, p->kept[k].hash, 32) != 0)
                        continue;
                for (size_t at = 0; at < m->n; at++)
                        if (pawl__thread_is_content(&m->values[at]) &&
                                values[i].size >= DIFFERENCES_FROM &&
                                pawl__text_eq(m->values[at].channel, values[i].channel)) {
                                p->kept[k].resembles = true;
                                memcpy(p->kept[k].like, m->values[at].hash, 32);
                        }
                k++;
        }
}

static const pawl__thread_value *find_value(
        const pawl__thread_value *values, size_t n, pawl_text channel, pawl_text version)
{
        for (size_t i = 0; i < n; i++)
                if (pawl__text_eq(values[i].channel, channel) &&
                        pawl__text_eq(values[i].version, version))
                        return &values[i];
        return NULL;
}

/* What is no longer in hand is in that event, unless it is to be repeated. */
static void refer_to(pawl__thread_value *value, uint64_t seq)
{
        if (value->text.len > PAWL__THREAD_REPEATED) {
                value->text = (pawl_text){NULL, 0};
                value->seq = seq;
        }
}

static pawl_status read_manifest(
        pawl__thread_value **values, size_t *n, putting *p, uint64_t seq, pawl__arena *arena)
{
        pawl_status status = pawl__thread_event(p->threads, seq, arena, p->err);

        *n = 0;
        *values = NULL;
        if (!status)
                status = pawl__thread_values_read(
                        values, n, seq, &p->threads->tree, "channels", arena, p->err);
        for (size_t i = 0; i < *n && !status; i++)
                refer_to(&(*values)[i], seq);
        return status == PAWL_DONE ? PAWL_OK : status;
}

/* The parent's channels into threads->manifest, unless it has them. */
static pawl_status load_parent(putting *p, const char *run, const char *step)
{
        pawl__thread_manifest *m = &p->threads->manifest;
        char until[PAWL__ID_MAX + 2];
        pawl__row *rows;
        size_t n = 0;

        if (strcmp(m->run, run) == 0 && strcmp(m->step, step) == 0)
                return PAWL_OK;
        pawl__arena_clear(&m->arena);
        *m->run = '\0';
        m->n = 0;
        snprintf(until, sizeof until, "%s ", step);
        const pawl__thread_range range = {.run_id = pawl__text(run),
                .from = pawl__text(step),
                .until = pawl__text(until),
                .limit = 1};
        pawl_status status =
                pawl__state_thread_steps(&rows, &n, p->threads->state, &range, &p->arena, p->err);
        if (!status && n)
                status = read_manifest(&m->values, &m->n, p,
                        (uint64_t)rows[0].v[PAWL__STEP_CHECKPOINT_SEQ].integer, &m->arena);
        if (!status) {
                memcpy(m->run, run, strlen(run) + 1);
                memcpy(m->step, step, strlen(step) + 1);
        }
        return status;
}

/* What is missing from the newest checkpoints of the namespace: a copy of a checkpoint has channels
 * that its parent does not have. */
static pawl_status find_elsewhere(pawl__thread_value *values, size_t n, size_t missing, putting *p,
        const pawl__thread_key *key)
{
        char from[PAWL__ID_MAX + 1], until[PAWL__ID_MAX + 1];
        pawl__row *rows;
        size_t n_rows = 0;

        snprintf(from, sizeof from, "%.*s", (int)key->prefix, key->step);
        snprintf(until, sizeof until, "%.*s", (int)key->prefix, key->step);
        if (key->prefix)
                until[key->prefix - 1] = '!'; /* behind the blank */
        else
                memcpy(from, ")", 2);
        const pawl__thread_range range = {.run_id = pawl__text(key->run),
                .from = pawl__text(from),
                .until = key->prefix ? pawl__text(until) : pawl__text("\xf4\x8f\xbf\xbf"),
                .limit = WALK};
        pawl_status status = pawl__state_thread_steps(
                &rows, &n_rows, p->threads->state, &range, &p->arena, p->err);
        for (size_t i = 0; i < n_rows && missing && !status; i++) {
                pawl__thread_value *there;
                size_t n_there;
                status = read_manifest(&there, &n_there, p,
                        (uint64_t)rows[i].v[PAWL__STEP_CHECKPOINT_SEQ].integer, &p->arena);
                for (size_t k = 0; k < n && !status; k++) {
                        const pawl__thread_value *found =
                                values[k].type.data ? NULL
                                                    : find_value(there, n_there, values[k].channel,
                                                              values[k].version);
                        if (found) {
                                values[k] = *found;
                                missing--;
                        }
                }
        }
        return status;
}

/* ---- A checkpoint ---------------------------------------------------------------------------- */

static pawl_status check_text(pawl_text text, const char *what, pawl_error *err)
{
        if (!text.len || pawl__utf8_valid(text.data, text.len))
                return PAWL_OK;
        return pawl__fail(err, PAWL_EINVAL, "%s: is not valid UTF-8; write it in UTF-8", what);
}

/* Every channel's value: as it is given, or as it was. */
static pawl_status collect_values(pawl__thread_value *values, putting *p,
        const pawl_thread_checkpoint *item, const pawl__thread_key *key)
{
        const pawl__thread_manifest *m = &p->threads->manifest;
        const size_t kept_before = p->n_kept;
        pawl__thread_key parent;
        size_t missing = 0;
        pawl_status status = PAWL_OK;

        for (size_t i = 0; i < item->n_channels && !status; i++) {
                const pawl_thread_channel *channel = &item->channels[i];
                status = check_text(channel->name, "channel", p->err);
                if (!status)
                        status = check_text(channel->type, "type", p->err);
                if (!status)
                        status = check_text(channel->version, "channel's version", p->err);
                values[i] =
                        (pawl__thread_value){.channel = channel->name, .version = channel->version};
                if (!status && channel->type.data)
                        status = take_value(&values[i], p, channel->type, channel->data);
                missing += !channel->type.data;
        }
        if (status || (!missing && p->n_kept == kept_before))
                return status;
        if (item->parent_id.data) {
                status = pawl__thread_key_of(&parent, p->threads, item->thread_id,
                        item->checkpoint_ns, item->parent_id, p->err);
                if (!status)
                        status = load_parent(p, parent.run, parent.step);
                if (!status)
                        note_likes(p, kept_before, values, item->n_channels);
                for (size_t i = 0; i < item->n_channels && !status; i++) {
                        const pawl__thread_value *found =
                                values[i].type.data ? NULL
                                                    : find_value(m->values, m->n, values[i].channel,
                                                              values[i].version);
                        if (found) {
                                values[i] = *found;
                                missing--;
                        }
                }
        }
        return status || !missing ? status
                                  : find_elsewhere(values, item->n_channels, missing, p, key);
}

/* What was put is what the next one is likely to be built on. Longer texts are borrowed until it
 * is put. */
static pawl_status remember(
        putting *p, const pawl__thread_key *key, const pawl__thread_value *values, size_t n)
{
        pawl__thread_manifest *m = &p->threads->manifest;
        pawl__thread_manifest old = *m;

        m->arena = (pawl__arena)PAWL__ARENA_INIT;
        *m->run = '\0';
        m->n = 0;
        m->values = pawl__arena_array(&m->arena, n + 1, sizeof *m->values);
        for (size_t i = 0; i < n && m->values; i++) {
                if (!values[i].type.data)
                        continue;
                pawl__thread_value *value = &m->values[m->n++];
                *value = values[i];
                value->channel = pawl__arena_copy(&m->arena, value->channel);
                value->version = pawl__arena_copy(&m->arena, value->version);
                value->type = pawl__arena_copy(&m->arena, value->type);
                if (value->text.len <= PAWL__THREAD_REPEATED)
                        value->text = pawl__arena_copy(&m->arena, value->text);
        }
        pawl__arena_free(&old.arena);
        if (!m->values || pawl__arena_check(&m->arena, p->err)) {
                m->n = 0;
                return pawl__nomem(p->err);
        }
        memcpy(m->run, key->run, sizeof m->run);
        memcpy(m->step, key->step, sizeof m->step);
        return PAWL_OK;
}

static pawl_status emit_checkpoint(putting *p, const pawl_thread_checkpoint *item,
        const pawl__thread_key *key, const pawl_event *like)
{
        pawl__json_writer w = PAWL__JSON_WRITER_INIT;
        pawl__thread_value *values =
                pawl__arena_array(&p->arena, item->n_channels + 1, sizeof *values);
        pawl_status status = values ? PAWL_OK : pawl__nomem(p->err);

        if (!status)
                status = check_text(item->checkpoint, "checkpoint", p->err);
        if (!status)
                status = check_text(item->metadata, "metadata", p->err);
        if (!status)
                status = collect_values(values, p, item, key);
        if (status)
                return status;
        pawl__thread_write_checkpoint(&w, item, like->run_id, values, item->n_channels);
        status = pawl__batch_emit(&p->batch, PAWL__THREAD_CHECKPOINTED, like, &w, p->err);
        p->last = item;
        p->n_until_last = p->batch.n;
        return status ? status : remember(p, key, values, item->n_channels);
}

static pawl_status emit_writes(
        putting *p, const pawl_thread_checkpoint *item, const pawl_event *like)
{
        const pawl_thread_write *first = item->writes;
        pawl__json_writer w = PAWL__JSON_WRITER_INIT;
        pawl_status status = check_text(first->task_path, "task path", p->err);

        if (!status && (!first->task_id.data || !first->task_id.len))
                status = pawl__fail(p->err, PAWL_EINVAL, "writes: have no task id; give them one");
        if (!status)
                status = check_text(first->task_id, "task id", p->err);
        pawl__json_open_object(&w);
        pawl__thread_write_ns(&w, item);
        pawl__json_member_text(&w, "task_id", first->task_id);
        if (first->task_path.data)
                pawl__json_member_text(&w, "task_path", first->task_path);
        pawl__thread_write_thread(&w, item, like->run_id);
        pawl__json_name(&w, "writes");
        pawl__json_open_array(&w);
        for (size_t i = 0; i < item->n_writes && !status; i++) {
                pawl__thread_value value = {.channel = item->writes[i].channel.data
                                                               ? item->writes[i].channel
                                                               : pawl__text(""),
                        .index = item->writes[i].index};
                status = check_text(value.channel, "channel", p->err);
                if (!status)
                        status = take_value(&value, p, item->writes[i].type, item->writes[i].data);
                if (!status)
                        pawl__thread_write_value(&w, &value, true);
        }
        pawl__json_close_array(&w);
        if (status) {
                pawl__json_writer_free(&w);
                return status;
        }
        return pawl__batch_emit(&p->batch, PAWL__THREAD_WRITES_PUT, like, &w, p->err);
}

static pawl_status emit(putting *p, const pawl_thread_checkpoint *item)
{
        pawl__thread_key key;
        pawl_status status = pawl__thread_key_of(&key, p->threads,
                item->thread_id.data ? item->thread_id : pawl__text(""), item->checkpoint_ns,
                item->checkpoint_id.data ? item->checkpoint_id : pawl__text(""), p->err);
        const pawl_event like = {.mission_id = pawl__text(p->threads->mission),
                .run_id = pawl__text(key.run),
                .step_id = pawl__text(key.step),
                .actor = pawl__text("program")};

        if (!status && item->checkpoint.data)
                status = emit_checkpoint(p, item, &key, &like);
        if (!status && item->n_writes)
                status = emit_writes(p, item, &like);
        return status;
}

static pawl_status keep_values(pawl_log *log, pawl__batch *batch, void *user, pawl_error *err)
{
        putting *p = user;
        pawl__contents *contents = p->threads->contents;
        pawl_status status = PAWL_OK;

        (void)log, (void)batch;
        pawl__contents_reset(contents);
        for (size_t i = 0; i < p->n_kept && !status; i++) {
                const kept *one = &p->kept[i];
                status = pawl__contents_put_whole(
                        contents, one->hash, one->data, one->resembles ? one->like : NULL, err);
        }
        return status ? status : pawl__contents_flush(contents, err);
}

/* The last checkpoint is what is likely to be read next: its payload, in which what it gave is
 * named as what it did not, and these texts. What it remembers is in its event, @p seq, now. */
static void cache_last(putting *p, uint64_t seq)
{
        pawl__thread_manifest *m = &p->threads->manifest;
        pawl__json_writer w = PAWL__JSON_WRITER_INIT;
        pawl__buf key = PAWL__BUF_INIT;

        for (size_t i = 0; i < m->n; i++) {
                pawl__thread_value *value = &m->values[i];
                const pawl_text name = pawl__thread_value_key(&key, seq, value->channel);
                if (name.data && value->text.len > PAWL__THREAD_REPEATED)
                        pawl__thread_cache_put(p->threads, name, value->text);
                refer_to(value, seq);
        }
        pawl__thread_write_checkpoint(&w, p->last, pawl__text(m->run), m->values, m->n);
        pawl__json_close_object(&w);
        if (!pawl__json_end_writer(&w))
                pawl__thread_cache_put(
                        p->threads, pawl__thread_seq_key(&seq), pawl__buf_text(&w.buf));
        pawl__json_writer_free(&w);
        pawl__buf_free(&key);
}

/* The payloads of writes, which the batch does not keep. */
static pawl_status copy_writes(pawl_text **out, putting *p)
{
        pawl_text *payloads = pawl__arena_array(&p->arena, p->batch.n + 1, sizeof *payloads);

        for (size_t i = 0; i < p->batch.n && payloads; i++) {
                const pawl_event *event = &p->batch.events[i];
                payloads[i] = (pawl_text){NULL, 0};
                if (pawl__event_type_of(event->type) == PAWL__THREAD_WRITES_PUT)
                        payloads[i] = pawl__arena_copy(&p->arena, event->payload);
        }
        *out = payloads;
        return payloads ? pawl__arena_check(&p->arena, p->err) : pawl__nomem(p->err);
}

static void cache_what_was_put(putting *p, const pawl_text *writes, size_t n, uint64_t last_seq)
{
        for (size_t i = 0; i < p->n_kept; i++)
                pawl__thread_cache_put(
                        p->threads, pawl__thread_hash_key(p->kept[i].hash), p->kept[i].data);
        for (size_t i = 0; i < n; i++) {
                const uint64_t seq = last_seq - n + 1 + i;
                if (writes[i].data)
                        pawl__thread_cache_put(p->threads, pawl__thread_seq_key(&seq), writes[i]);
        }
        if (p->last)
                cache_last(p, last_seq - n + p->n_until_last);
}

pawl_status pawl_thread_put(
        pawl_threads *threads, const pawl_thread_checkpoint *items, size_t n, pawl_error *err)
{
        if (!threads)
                return pawl__log_usable(NULL, err);
        TRY(pawl__log_usable(threads->log, err));

        putting p = {.threads = threads, .batch = PAWL__BATCH_INIT, .err = err};
        pawl_text *writes = NULL;
        pawl_status status = PAWL_OK;
        uint64_t seq = 0;

        for (size_t i = 0; i < n && !status; i++)
                status = emit(&p, &items[i]);
        if (!status && p.n_kept) {
                p.batch.prepare = keep_values;
                p.batch.prepare_user = &p;
        }
        const size_t n_events = p.batch.n;
        if (!status)
                status = copy_writes(&writes, &p);
        if (!status && n_events)
                status = pawl__log_failed(
                        threads->log, pawl__log_commit(threads->log, &p.batch, 0, &seq), err);
        if (status) /* what it remembers was not put */
                *threads->manifest.run = '\0';
        else
                cache_what_was_put(&p, writes, n_events, seq);
        pawl__batch_free(&p.batch);
        pawl__arena_free(&p.arena);
        free(p.kept);
        return status;
}
