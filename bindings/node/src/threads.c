/*
 * Threads of graph runners: what is put and listed goes to and fro as strings and buffers.
 *
 * An item that is read is [thread, namespace, id, parent, checkpoint, metadata, [name, version,
 * type, data, ...], [task, channel, type, data, ...]], absent as null. Data of the type "json"
 * comes back as a string, of any other as a Buffer. With `plain` a checkpoint of which all data is
 * JSON without a member "lc" comes as two texts: {"ids":[thread, namespace, id, parent],
 * "names":[channel], "checkpoint","metadata","writes":[[task, channel, value]]}, and {channel:
 * value}. Where the item before it comes so too and has the same channels, "same":"0110" is in
 * place of the names, and the values that are those of the item before ("1") are left out.
 *
 * With `now` the call is done at once, on JavaScript's own thread: of a log in a file, what is read
 * is there before another thread would have begun. Without, it gives a promise.
 */
#include "threads.h"

void close_threads(void *pointer)
{
        node_threads *t = pointer;

        pawl_threads_close(t->threads);
        pawl_log_close(t->log);
        free(t);
}

/* arg: 0 path or URL, 1 mission */
void op_threads_open(task *t)
{
        pawl_log_options options = PAWL_LOG_OPTIONS_INIT;
        node_threads *made = calloc(1, sizeof *made);

        options.flags = PAWL_LOG_CREATE;
        t->status = made ? pawl_log_open(&made->log, t->arg[0], &options, &t->err) : PAWL_ENOMEM;
        if (!t->status)
                t->status = pawl_threads_open(&made->threads, made->log, t->arg[1], &t->err);
        if (!t->status)
                task_make(t, THREADS, made);
        else if (made && made->log)
                close_threads(made);
        else
                free(made);
}

/* arg: 0 thread, 1 actor */
void op_threads_delete(task *t)
{
        const node_threads *on = t->on->pointer;

        t->status = pawl_thread_delete(on->threads, t->arg[0], t->arg[1], &t->err);
}

/* ---- A call ---------------------------------------------------------------------------------- */

void *job_alloc(job *j, size_t size)
{
        block *b = calloc(1, sizeof *b + size + 1);

        if (!b)
                return NULL;
        b->next = j->memory;
        j->memory = b;
        return b->data;
}

static void free_job(napi_env env, job *j)
{
        if (j->keeps)
                napi_delete_reference(env, j->keeps);
        if (j->work)
                napi_delete_async_work(env, j->work);
        while (j->memory) {
                block *next = j->memory->next;
                free(j->memory);
                j->memory = next;
        }
        pawl_thread_checkpoints_free(j->list);
        free(j);
}

/* ---- From JavaScript ------------------------------------------------------------------------- */

/* A string, or a Uint8Array; what is neither is absent. */
static bool get_text(pawl_text *out, napi_env env, job *j, napi_value value)
{
        napi_valuetype type;
        napi_typedarray_type kind;
        size_t len;
        void *data;
        char *copy, small[256];
        bool typed;

        *out = (pawl_text){NULL, 0};
        if (napi_typeof(env, value, &type) != napi_ok)
                return false;
        if (type == napi_string) {
                if (napi_get_value_string_utf8(env, value, small, sizeof small, &len) != napi_ok)
                        return false;
                if (len < sizeof small - 4) { /* it is whole: a character more would have fitted */
                        if (!(copy = job_alloc(j, len)))
                                return false;
                        memcpy(copy, small, len);
                } else if (napi_get_value_string_utf8(env, value, NULL, 0, &len) != napi_ok ||
                           !(copy = job_alloc(j, len)) ||
                           napi_get_value_string_utf8(env, value, copy, len + 1, &len) != napi_ok) {
                        return false;
                }
                *out = (pawl_text){copy, len};
                return true;
        }
        if (type != napi_object || napi_is_typedarray(env, value, &typed) != napi_ok || !typed)
                return true;
        if (napi_get_typedarray_info(env, value, &kind, &len, &data, NULL, NULL) != napi_ok ||
                kind != napi_uint8_array || !(copy = job_alloc(j, len)))
                return false;
        if (len)
                memcpy(copy, data, len);
        *out = (pawl_text){copy, len};
        return true;
}

bool get_at(pawl_text *out, napi_env env, job *j, napi_value array, uint32_t at)
{
        napi_value value;

        return napi_get_element(env, array, at, &value) == napi_ok && get_text(out, env, j, value);
}

/* [thread, namespace, id, before, metadata, limit, after's thread, namespace, id] */
static bool get_filter(napi_env env, job *j, napi_value array)
{
        const pawl_thread_filter init = PAWL_THREAD_FILTER_INIT;
        pawl_text texts[5];
        napi_value limit;
        int64_t n = 0;

        for (uint32_t i = 0; i < 5; i++)
                if (!get_at(&texts[i], env, j, array, i))
                        return false;
        if (napi_get_element(env, array, 5, &limit) != napi_ok ||
                napi_get_value_int64(env, limit, &n) != napi_ok ||
                !get_at(&j->after.thread_id, env, j, array, 6) ||
                !get_at(&j->after.checkpoint_ns, env, j, array, 7) ||
                !get_at(&j->after.checkpoint_id, env, j, array, 8))
                return false;
        j->filter = init;
        j->filter.thread_id = texts[0].data;
        j->filter.checkpoint_ns = texts[1].data;
        j->filter.checkpoint_id = texts[2].data;
        j->filter.before = texts[3].data;
        j->filter.metadata = texts[4].data;
        j->filter.limit = n > 0 ? (size_t)n : 0;
        j->filter.after = j->after.checkpoint_id.data ? &j->after : NULL;
        return true;
}

/* ---- To JavaScript --------------------------------------------------------------------------- */

static bool set_text(napi_env env, napi_value array, uint32_t at, pawl_text text)
{
        napi_value value;

        return (text.data ? napi_create_string_utf8(env, text.data, text.len, &value)
                          : napi_get_null(env, &value)) == napi_ok &&
               napi_set_element(env, array, at, value) == napi_ok;
}

static bool set_data(napi_env env, napi_value array, uint32_t at, pawl_text type, pawl_text data)
{
        napi_value value;

        if (!set_text(env, array, at, type))
                return false;
        if (type.len == 4 && memcmp(type.data, "json", 4) == 0)
                return set_text(env, array, at + 1, data);
        return napi_create_buffer_copy(env, data.len, data.data, NULL, &value) == napi_ok &&
               napi_set_element(env, array, at + 1, value) == napi_ok;
}

static bool set_item(napi_env env, napi_value list, uint32_t at, const pawl_thread_checkpoint *c)
{
        napi_value item, channels, writes;

        if (napi_create_array_with_length(env, 8, &item) != napi_ok ||
                napi_create_array_with_length(env, 4 * c->n_channels, &channels) != napi_ok ||
                napi_create_array_with_length(env, 4 * c->n_writes, &writes) != napi_ok ||
                !set_text(env, item, 0, c->thread_id) ||
                !set_text(env, item, 1, c->checkpoint_ns) ||
                !set_text(env, item, 2, c->checkpoint_id) ||
                !set_text(env, item, 3, c->parent_id) || !set_text(env, item, 4, c->checkpoint) ||
                !set_text(env, item, 5, c->metadata))
                return false;
        for (uint32_t i = 0; i < c->n_channels; i++)
                if (!set_text(env, channels, 4 * i, c->channels[i].name) ||
                        !set_text(env, channels, 4 * i + 1, c->channels[i].version) ||
                        !set_data(
                                env, channels, 4 * i + 2, c->channels[i].type, c->channels[i].data))
                        return false;
        for (uint32_t i = 0; i < c->n_writes; i++)
                if (!set_text(env, writes, 4 * i, c->writes[i].task_id) ||
                        !set_text(env, writes, 4 * i + 1, c->writes[i].channel) ||
                        !set_data(env, writes, 4 * i + 2, c->writes[i].type, c->writes[i].data))
                        return false;
        return napi_set_element(env, item, 6, channels) == napi_ok &&
               napi_set_element(env, item, 7, writes) == napi_ok &&
               napi_set_element(env, list, at, item) == napi_ok;
}

/* Is there that member name? By its colon: there are fewer of these than of anything else in it. */
static bool has_member(pawl_text json, const char *quoted)
{
        const size_t len = strlen(quoted);
        const char *end = json.data + json.len;

        for (const char *at = json.data; at && (at = memchr(at, ':', (size_t)(end - at))); at++)
                if ((size_t)(at - json.data) >= len && memcmp(at - len, quoted, len) == 0)
                        return true;
        return false;
}

static bool is_plain(pawl_text type, pawl_text data)
{
        return type.len == 4 && memcmp(type.data, "json", 4) == 0 && !has_member(data, "\"lc\"");
}

static bool same_text(pawl_text a, pawl_text b)
{
        return a.len == b.len && (a.len == 0 || memcmp(a.data, b.data, a.len) == 0);
}

/* Have both the same channels? */
static bool same_channels(const pawl_thread_checkpoint *a, const pawl_thread_checkpoint *b)
{
        bool same = a->n_channels == b->n_channels;

        for (size_t i = 0; i < a->n_channels && same; i++)
                same = same_text(a->channels[i].name, b->channels[i].name);
        return same;
}

/* The value too: one that a list has in several checkpoints lies there once. */
static bool is_same(const pawl_thread_checkpoint *c, const pawl_thread_checkpoint *before, size_t i)
{
        const pawl_thread_channel *value = &c->channels[i];

        return before && value->data.data == before->channels[i].data.data &&
               value->data.len == before->channels[i].data.len &&
               same_text(value->type, before->channels[i].type);
}

static bool all_plain(const pawl_thread_checkpoint *c, const pawl_thread_checkpoint *before)
{
        bool plain = true;

        for (size_t i = 0; i < c->n_channels && plain; i++)
                plain = is_same(c, before, i) || is_plain(c->channels[i].type, c->channels[i].data);
        for (size_t i = 0; i < c->n_writes && plain; i++)
                plain = is_plain(c->writes[i].type, c->writes[i].data);
        return plain && !has_member(c->metadata, "\"lc\"") &&
               !has_member(c->metadata, "\"pawl_serde\"");
}

/* Which of its channels the one before has as they are: "0110"; else their names. */
static void write_channels(
        json_out *o, const pawl_thread_checkpoint *c, const pawl_thread_checkpoint *before)
{
        if (before) {
                json_open(o, "same", "\"");
                for (size_t i = 0; i < c->n_channels; i++)
                        json_put(o, is_same(c, before, i) ? "1" : "0", 1);
                json_close(o, "\"");
                return;
        }
        json_open(o, "names", "[");
        for (size_t i = 0; i < c->n_channels; i++)
                json_text(o, NULL, c->channels[i].name);
        json_close(o, "]");
}

static void write_head(
        json_out *o, const pawl_thread_checkpoint *c, const pawl_thread_checkpoint *before)
{
        o->len = 0;
        o->comma = false;
        json_open(o, NULL, "{");
        json_open(o, "ids", "[");
        json_text(o, NULL, c->thread_id);
        json_text(o, NULL, c->checkpoint_ns);
        json_text(o, NULL, c->checkpoint_id);
        json_text(o, NULL, c->parent_id);
        json_close(o, "]");
        write_channels(o, c, before);
        json_raw(o, "checkpoint", c->checkpoint);
        json_raw(o, "metadata", c->metadata);
        json_open(o, "writes", "[");
        for (size_t i = 0; i < c->n_writes; i++) {
                json_open(o, NULL, "[");
                json_text(o, NULL, c->writes[i].task_id);
                json_text(o, NULL, c->writes[i].channel);
                json_raw(o, NULL, c->writes[i].data);
                json_close(o, "]");
        }
        json_close(o, "]");
        json_close(o, "}");
}

static void write_values(
        json_out *o, const pawl_thread_checkpoint *c, const pawl_thread_checkpoint *before)
{
        o->len = 0;
        o->comma = false;
        json_open(o, NULL, "{");
        for (size_t i = 0; i < c->n_channels; i++) {
                if (is_same(c, before, i))
                        continue;
                json_text(o, NULL, c->channels[i].name);
                json_put(o, ":", 1);
                json_put(o, c->channels[i].data.data, c->channels[i].data.len);
        }
        json_close(o, "}");
}

static bool set_plain(napi_env env, napi_value list, uint32_t at, const pawl_thread_checkpoint *c,
        const pawl_thread_checkpoint *before, json_out *o)
{
        napi_value item;

        if (napi_create_array_with_length(env, 2, &item) != napi_ok)
                return false;
        write_head(o, c, before);
        if (o->failed || !set_text(env, item, 0, (pawl_text){o->data, o->len}))
                return false;
        write_values(o, c, before);
        return !o->failed && set_text(env, item, 1, (pawl_text){o->data, o->len}) &&
               napi_set_element(env, list, at, item) == napi_ok;
}

static napi_value give(napi_env env, const job *j)
{
        const pawl_thread_checkpoint *before = NULL; /* given in this form, with these channels */
        json_out o = {.failed = false};
        napi_value list;

        if (j->items)
                return napi_get_undefined(env, &list) == napi_ok ? list : NULL;
        if (napi_create_array_with_length(env, j->list->n, &list) != napi_ok)
                return NULL;
        for (uint32_t i = 0; i < j->list->n && list; i++) {
                napi_handle_scope scope;
                if (napi_open_handle_scope(env, &scope) != napi_ok) {
                        list = NULL;
                        break;
                }
                const pawl_thread_checkpoint *c = &j->list->items[i];
                if (before && !same_channels(c, before))
                        before = NULL;
                const bool plain = j->plain && all_plain(c, before);
                const bool set =
                        plain ? set_plain(env, list, i, c, before, &o) : set_item(env, list, i, c);
                before = plain ? c : NULL;
                napi_close_handle_scope(env, scope);
                if (!set)
                        list = NULL;
        }
        free(o.data);
        return list;
}

/* ---- Doing it -------------------------------------------------------------------------------- */

static void execute(napi_env env, void *data)
{
        job *j = data;

        (void)env;
        j->status = j->items ? pawl_thread_put(j->on->threads, j->items, j->n, &j->err)
                             : pawl_thread_list(&j->list, j->on->threads, &j->filter, &j->err);
}

/* The value; NULL: it failed, and j->err says how. */
static napi_value result(napi_env env, job *j)
{
        napi_value value = j->status ? NULL : give(env, j);

        if (!value && !j->status) {
                j->status = PAWL_ENOMEM;
                snprintf(j->err.message, sizeof j->err.message,
                        "threads: what they have is too large for a string");
        }
        return value;
}

static void complete(napi_env env, napi_status status, void *data)
{
        job *j = data;
        napi_value value = status == napi_ok ? result(env, j) : NULL, pending;

        if (value) {
                napi_resolve_deferred(env, j->deferred, value);
        } else {
                (void)napi_get_and_clear_last_exception(env, &pending);
                napi_reject_deferred(env, j->deferred, make_error(env, j->status, &j->err));
        }
        free_job(env, j);
}

static const char *take_handle(napi_env env, job *j, napi_value value)
{
        napi_valuetype type;
        void *data;

        if (napi_typeof(env, value, &type) != napi_ok || type != napi_external ||
                napi_get_value_external(env, value, &data) != napi_ok)
                return "is not a handle";
        if (((handle *)data)->kind != THREADS)
                return "is a handle of something else";
        j->on = ((handle *)data)->pointer;
        return j->on ? NULL : "is closed";
}

static napi_value start(napi_env env, job *j, napi_value of)
{
        napi_value promise, label;

        if (napi_create_reference(env, of, 1, &j->keeps) == napi_ok &&
                napi_create_string_utf8(env, "pawl", NAPI_AUTO_LENGTH, &label) == napi_ok &&
                napi_create_promise(env, &j->deferred, &promise) == napi_ok &&
                napi_create_async_work(env, NULL, label, execute, complete, j, &j->work) ==
                        napi_ok &&
                napi_queue_async_work(env, j->work) == napi_ok)
                return promise;
        free_job(env, j);
        napi_throw_error(env, "PAWL_ENOMEM", "out of memory");
        return NULL;
}

static napi_value run(
        napi_env env, napi_callback_info info, bool (*get)(napi_env env, job *j, napi_value array))
{
        napi_value argv[4], value, pending;
        size_t argc = 4;
        bool now = false, is_array = false;
        job *j = calloc(1, sizeof *j);
        const char *wrong = j ? NULL : "out of memory";

        if (!wrong && (napi_get_cb_info(env, info, &argc, argv, NULL, NULL) != napi_ok || argc < 3))
                wrong = "wants a handle, what to do, and whether now";
        if (!wrong)
                wrong = take_handle(env, j, argv[0]);
        if (!wrong &&
                (napi_is_array(env, argv[1], &is_array) != napi_ok || !is_array ||
                        napi_get_value_bool(env, argv[2], &now) != napi_ok ||
                        (argc > 3 && napi_get_value_bool(env, argv[3], &j->plain) != napi_ok) ||
                        !get(env, j, argv[1])))
                wrong = "threads: a text holds a NUL; leave it out";
        if (wrong) {
                if (j)
                        free_job(env, j);
                (void)napi_get_and_clear_last_exception(env, &pending);
                napi_throw_error(env, "PAWL_EINVAL", wrong);
                return NULL;
        }
        if (!now)
                return start(env, j, argv[0]);
        execute(env, j);
        value = result(env, j);
        if (!value) {
                (void)napi_get_and_clear_last_exception(env, &pending);
                napi_throw(env, make_error(env, j->status, &j->err));
        }
        free_job(env, j);
        return value;
}

napi_value threads_put(napi_env env, napi_callback_info info)
{
        return run(env, info, get_items);
}

napi_value threads_list(napi_env env, napi_callback_info info)
{
        return run(env, info, get_filter);
}
