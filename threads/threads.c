#include "threads/threads.h"
#include "base/digest.h"
#include "base/error.h"
#include <stdio.h>
#include <stdlib.h>

/* The longest id of a checkpoint; with it, the longest namespace that is in a step's id. */
enum { ID_MAX = 40, NS_MAX = PAWL__ID_MAX - ID_MAX - 3 };

pawl_status pawl_threads_open(
        pawl_threads **out, pawl_log *log, const char *mission_id, pawl_error *err)
{
        TRY(pawl__log_usable(log, err));

        const pawl_text mission = pawl__text(mission_id ? mission_id : "langgraph");
        pawl_threads *threads;
        pawl_status status = pawl__id_check(mission, "mission id", err);

        if (status)
                return status;
        threads = calloc(1, sizeof *threads);
        if (!threads)
                return pawl__nomem(err);
        threads->log = log;
        memcpy(threads->mission, mission.data, mission.len);
        status = pawl__state_of(&threads->state, log, err);
        if (!status)
                status = pawl__contents_open(&threads->contents, log, err);
        if (status) {
                pawl_threads_close(threads);
                return status;
        }
        pawl__contents_quick(threads->contents);
        *out = threads;
        return PAWL_OK;
}

void pawl_threads_close(pawl_threads *threads)
{
        if (!threads)
                return;
        pawl__contents_close(threads->contents);
        pawl__json_tree_free(&threads->tree);
        pawl__arena_free(&threads->manifest.arena);
        pawl__thread_cache_empty(threads);
        free(threads);
}

/* @p text, where it is an id of at most @p most bytes, or "#" and 32 digits of its hash. */
static pawl_status id_or_hash(char *out, pawl_threads *threads, pawl_text text, size_t most,
        const char *what, pawl_error *err)
{
        unsigned char hash[32];

        if (!text.data || text.len == 0 || !pawl__utf8_valid(text.data, text.len))
                return pawl__fail(err, PAWL_EINVAL,
                        "%s: is empty, or not valid UTF-8; give each a "
                        "text of its own",
                        what);
        if (text.len <= most && *text.data != '#' && !pawl__id_check(text, what, NULL)) {
                memcpy(out, text.data, text.len);
                out[text.len] = '\0';
                return PAWL_OK;
        }
        pawl_status status =
                pawl__sha256(pawl__log_hasher(threads->log), hash, text.data, text.len, err);
        if (!status) {
                *out = '#';
                pawl__hex(out + 1, hash, 16);
        }
        return status;
}

static pawl_status check_id(pawl_text id, pawl_error *err)
{
        const bool begins = id.data && id.len && (unsigned char)*id.data > ')';

        if (begins && id.len <= ID_MAX && !memchr(id.data, ' ', id.len))
                return pawl__id_check(id, "checkpoint id", err);
        return pawl__fail(err, PAWL_EINVAL,
                "checkpoint id \"%.*s\": is no id; use 1 to %d bytes without blanks that begin with "
                "a letter or digit",
                PAWL__FMT(id), ID_MAX);
}

pawl_status pawl__thread_key_of(pawl__thread_key *out, pawl_threads *threads, pawl_text thread_id,
        pawl_text ns, pawl_text checkpoint_id, pawl_error *err)
{
        char name[PAWL__ID_MAX + 1];
        pawl_status status = PAWL_OK;

        *out->run = *out->step = '\0';
        out->prefix = 0;
        if (thread_id.data)
                status = id_or_hash(out->run, threads, thread_id, PAWL__ID_MAX, "thread id", err);
        if (!status && ns.len) {
                status = id_or_hash(name, threads, ns, NS_MAX, "checkpoint namespace", err);
                if (!status)
                        out->prefix = (size_t)snprintf(
                                out->step, sizeof out->step, "(%.*s) ", (int)NS_MAX, name);
        }
        if (status || !checkpoint_id.data)
                return status;
        status = check_id(checkpoint_id, err);
        if (!status) {
                memcpy(out->step + out->prefix, checkpoint_id.data, checkpoint_id.len);
                out->step[out->prefix + checkpoint_id.len] = '\0';
        }
        return status;
}

pawl_text pawl__thread_value_key(pawl__buf *buf, uint64_t seq, pawl_text channel)
{
        pawl__buf_clear(buf);
        pawl__buf_addc(buf, 'v');
        pawl__buf_add(buf, &seq, sizeof seq);
        pawl__buf_add_text(buf, channel);
        return buf->failed ? (pawl_text){NULL, 0} : pawl__buf_text(buf);
}

pawl_text pawl__thread_cached(const pawl_threads *threads, pawl_text key)
{
        const uint32_t at = pawl__map_get(&threads->cache.index, key);

        return at == PAWL__MAP_NONE ? (pawl_text){NULL, 0} : threads->cache.contents[at];
}

void pawl__thread_cache_empty(pawl_threads *threads)
{
        pawl__thread_cache *cache = &threads->cache;

        pawl__arena_free(&cache->arena);
        pawl__map_free(&cache->index);
        *cache = (pawl__thread_cache){.n = 0};
}

void pawl__thread_cache_put(pawl_threads *threads, pawl_text key, pawl_text content)
{
        pawl__thread_cache *cache = &threads->cache;
        pawl_text copy;
        bool ok = true;

        if (content.len > PAWL__THREAD_CACHE_BYTES / 4 || pawl__thread_cached(threads, key).data)
                return;
        if (cache->n == PAWL__THREAD_CACHE || cache->bytes + content.len > PAWL__THREAD_CACHE_BYTES)
                pawl__thread_cache_empty(threads);
        copy = pawl__arena_text(&cache->arena, content, &ok);
        if (!ok || pawl__map_put_copy(&cache->index, &cache->arena, key, (uint32_t)cache->n))
                return;
        cache->contents[cache->n++] = copy;
        cache->bytes += content.len;
}

pawl_status pawl__thread_event_stored(
        pawl_threads *threads, uint64_t seq, pawl__arena *arena, pawl_error *err)
{
        pawl_event event;
        pawl_status status = pawl__log_event(&event, arena, threads->log, seq);

        if (status)
                return pawl__log_failed(threads->log, status, err);
        if (!event.payload.data)
                return PAWL_DONE;
        pawl__thread_cache_put(threads, pawl__thread_seq_key(&seq), event.payload);
        return pawl__json_tree_read(&threads->tree, event.payload.data, event.payload.len, err);
}

pawl_status pawl__thread_event(
        pawl_threads *threads, uint64_t seq, pawl__arena *arena, pawl_error *err)
{
        const pawl_text cached = pawl__thread_cached(threads, pawl__thread_seq_key(&seq));

        if (!cached.data)
                return pawl__thread_event_stored(threads, seq, arena, err);
        const pawl_text payload = pawl__arena_copy(arena, cached);
        return payload.data ? pawl__json_tree_read(&threads->tree, payload.data, payload.len, err)
                            : pawl__nomem(err);
}
