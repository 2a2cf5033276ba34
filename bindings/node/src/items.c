/*
 * What is put into threads.
 *
 * An item that is put is [texts, bytes...]. The texts, with a NUL between them, are how many
 * channels and how many writes it has; thread, namespace, id, parent, checkpoint and metadata; of
 * each channel name, version, type and data; of each write task, path, channel, index, type and
 * data. Absent is "", and "\1" is data that is among the bytes. One string is one call, where
 * each of these would be three: of forty that is as long as the log needs for a small event.
 */
#include "threads.h"

/* The texts of an item, each up to a NUL, and the bytes among them. */
typedef struct fields {
        const char *at, *end; /* end: behind the last one's NUL */
        napi_value item;
        uint32_t n_bytes;
        bool failed;
} fields;

static pawl_text next(fields *f)
{
        const char *from = f->at;
        const char *nul = f->failed ? NULL : memchr(from, 0, (size_t)(f->end - from));

        f->failed = !nul;
        if (f->failed)
                return (pawl_text){NULL, 0};
        f->at = nul + 1;
        return (pawl_text){from, (size_t)(nul - from)};
}

static pawl_text next_or_absent(fields *f)
{
        const pawl_text text = next(f);

        return text.len ? text : (pawl_text){NULL, 0};
}

static long long next_number(fields *f)
{
        const pawl_text text = next(f);

        return text.len ? strtoll(text.data, NULL, 10) : 0;
}

/* What "\1" stands for is one of the bytes. */
static pawl_text next_data(fields *f, napi_env env, job *j)
{
        pawl_text text = next(f);

        if (text.len == 1 && *text.data == '\1' && !get_at(&text, env, j, f->item, ++f->n_bytes))
                f->failed = true;
        return text;
}

/* As many as the item may have: each has four fields or more. */
static size_t next_count(fields *f)
{
        const long long n = next_number(f);

        f->failed = f->failed || n < 0 || n > f->end - f->at;
        return f->failed ? 0 : (size_t)n;
}

static bool get_item(pawl_thread_checkpoint *item, fields *f, napi_env env, job *j)
{
        item->n_channels = next_count(f);
        item->n_writes = next_count(f);
        pawl_thread_channel *channels = job_alloc(j, item->n_channels * sizeof *channels);
        pawl_thread_write *writes = job_alloc(j, item->n_writes * sizeof *writes);

        if (!channels || !writes)
                return false;
        item->channels = channels;
        item->writes = writes;
        item->thread_id = next(f);
        item->checkpoint_ns = next(f);
        item->checkpoint_id = next(f);
        item->parent_id = next_or_absent(f);
        item->checkpoint = next_or_absent(f);
        item->metadata = next_or_absent(f);
        for (size_t i = 0; i < item->n_channels; i++) {
                channels[i].name = next(f);
                channels[i].version = next(f);
                channels[i].type = next_or_absent(f);
                channels[i].data = next_data(f, env, j);
        }
        for (size_t i = 0; i < item->n_writes; i++) {
                writes[i].task_id = next(f);
                writes[i].task_path = next_or_absent(f);
                writes[i].channel = next(f);
                writes[i].index = next_number(f);
                writes[i].type = next_or_absent(f);
                writes[i].data = next_data(f, env, j);
        }
        return !f->failed && f->at == f->end; /* no text had a NUL */
}

bool get_items(napi_env env, job *j, napi_value array)
{
        uint32_t n;

        if (napi_get_array_length(env, array, &n) != napi_ok ||
                !(j->items = job_alloc(j, (n + 1) * sizeof *j->items)))
                return false;
        j->n = n;
        for (uint32_t i = 0; i < n; i++) {
                fields f = {.failed = false};
                pawl_text all;
                if (napi_get_element(env, array, i, &f.item) != napi_ok ||
                        !get_at(&all, env, j, f.item, 0) || !all.data)
                        return false;
                f.at = all.data;
                f.end = all.data + all.len + 1;
                if (!get_item(&j->items[i], &f, env, j))
                        return false;
        }
        return true;
}
