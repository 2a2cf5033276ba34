/*
 * Copying a log into another, of whatever engine: contents first, then the events in their order,
 * some thousand a transaction, as they are: same seq, same time, same hashes. What is there of a
 * copy that was cut off is gone on from: its last event says how far it came.
 *
 * The chain is computed again on the way, so that what arrives is what verifies. Leases stay
 * behind: nobody holds a run of the copy. The tables that are derived are filled by who opens it.
 */
#include "events/copy.h"
#include "events/handle.h"
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { EVENTS = 16000, BYTES = 16 << 20 };

typedef struct copying {
        pawl_log *to, *from;
        pawl_error *err;
        pawl__copy_fn go_on;
        void *user;
        uint64_t done, total; /* events */
        unsigned char last_hash[32];
        pawl__buf scratch;
} copying;

static pawl_status of_to(copying *c, pawl_status status)
{
        return status ? pawl__log_failed(c->to, status, c->err) : PAWL_OK;
}

static pawl_status of_from(copying *c, pawl_status status)
{
        return status ? pawl__log_failed(c->from, status, c->err) : PAWL_OK;
}

static pawl_status ask(copying *c)
{
        if (!c->go_on || c->go_on(c->done, c->total, c->user))
                return PAWL_OK;
        return pawl__fail(c->err, PAWL_EINTERRUPTED,
                "%s: the copy was interrupted at seq %llu; the same command goes on from there",
                c->to->path, (unsigned long long)c->done);
}

/* ---- May it be copied there? ----------------------------------------------------------------- */

static pawl_status read_key(bool *keyed, unsigned char check[32], pawl_log *log, pawl_error *err)
{
        pawl__query *row = NULL;
        pawl_status status = pawl__log_row(&row, log, PAWL__STMT_KEY_TABLE, "read it", err, "");
        const bool can = !status && row && pawl__query_integer(row, 0);

        pawl__query_reset(row);
        row = NULL;
        if (!status && can)
                status = pawl__log_row(&row, log, PAWL__STMT_KEY_GET, "read it", err, "");
        *keyed = row != NULL;
        if (row && !pawl__query_hash(check, row, 0))
                status = pawl__damaged(log, err, 1, "the check of the log's key is not 32 bytes");
        pawl__query_reset(row);
        return status;
}

static pawl_status refuse(copying *c, const char *why)
{
        return pawl__fail(c->err, PAWL_EEXISTS,
                "%s: %s; name a log that is empty, or none, or a copy that was begun from this one",
                c->to->path, why);
}

/* The key's check goes with the chain. */
static pawl_status copy_key(copying *c)
{
        unsigned char ours[32], theirs[32];
        bool keyed, has;
        pawl_status status = read_key(&keyed, ours, c->from, c->err);

        if (!status)
                status = read_key(&has, theirs, c->to, c->err);
        if (status)
                return status;
        if (has && (!keyed || memcmp(ours, theirs, 32) != 0))
                return refuse(c, "it has a key that the log does not have");
        if (has || !keyed)
                return PAWL_OK;
        if (c->done)
                return refuse(c, "it has events, and not the log's key");
        status = pawl__log_write_begin(c->to, c->err);
        if (status)
                return status;
        status = of_to(c, pawl__log_run(c->to, PAWL__STMT_KEY_PUT, "copy the log", "h", ours));
        return pawl__log_write_end(c->to, status, c->err);
}

/* How far it came: its last event must be the log's. */
static pawl_status find_place(copying *c)
{
        pawl__arena arena = PAWL__ARENA_INIT;
        unsigned char hash[32];
        pawl_event event;
        pawl_status status = of_from(c, pawl_log_head(&c->total, hash, c->from));

        if (!status)
                status = of_to(c, pawl_log_head(&c->done, c->last_hash, c->to));
        if (status || !c->done)
                return status;
        if (c->done > c->total)
                return refuse(c, "it has events that the log does not have");
        status = of_from(c, pawl__log_event(&event, &arena, c->from, c->done));
        pawl__arena_free(&arena);
        if (!status && memcmp(event.hash, c->last_hash, 32) != 0)
                status = refuse(c, "it is another log: its last event is not this log's");
        return status;
}

/* ---- Events ---------------------------------------------------------------------------------- */

static pawl_status copy_event(copying *c, const pawl_event *e)
{
        unsigned char inner[32], hash[32];
        pawl_status status = pawl__log_payload_hash(inner, c->from, e, c->err);

        if (status)
                return status;
        if (pawl__chain_hash(hash, c->from->hasher, &c->scratch, e, inner))
                return pawl__nomem(c->err);
        if (memcmp(e->prev, c->last_hash, 32) != 0 || memcmp(hash, e->hash, 32) != 0)
                return pawl__damaged(c->from, c->err, e->seq, "it does not fit into the chain");
        status = of_to(c, pawl__log_run(c->to, PAWL__STMT_INSERT, "copy the log", "itiitttttthh",
                                  (int64_t)e->seq, e->type, (int64_t)e->v, e->time_us,
                                  e->mission_id, e->run_id, e->step_id, e->session_id, e->actor,
                                  e->payload, e->prev, e->hash));
        memcpy(c->last_hash, e->hash, 32);
        return status;
}

static pawl_status copy_macs(copying *c, uint64_t since, uint64_t until)
{
        pawl__query *row = NULL;
        pawl_status status = pawl__log_row(&row, c->from, PAWL__STMT_MAC_RANGE, "read it", c->err,
                "ii", (int64_t)since, (int64_t)until);

        for (pawl_status next = PAWL_OK; !status && row && next == PAWL_OK;) {
                unsigned char mac[32];
                if (!pawl__query_hash(mac, row, 1))
                        status = pawl__damaged(c->from, c->err, since + 1, "a MAC is not 32 bytes");
                else
                        status = of_to(c, pawl__log_run(c->to, PAWL__STMT_MAC_PUT, "copy the log",
                                                  "ih", pawl__query_integer(row, 0), mac));
                if (!status)
                        next = pawl__query_step(row, "read it", c->err);
                if (next < 0)
                        status = next;
        }
        pawl__query_reset(row);
        return status;
}

/* One transaction of events. *ends: there are no more that were there when the contents were
 * copied; what was appended since may name others. */
static pawl_status copy_some(copying *c, pawl_cursor *cursor, bool keyed, bool *ends)
{
        const uint64_t since = c->done;
        size_t n = 0, bytes = 0;
        pawl_event event;
        pawl_status status = pawl__log_write_begin(c->to, c->err);

        if (status)
                return status;
        if (c->to->head_seq != since)
                status = refuse(c, "somebody else writes to it");
        while (!status && !*ends && n < EVENTS && bytes < BYTES) {
                const pawl_status next = pawl_cursor_next(cursor, &event);
                *ends = next == PAWL_DONE || event.seq >= c->total;
                if (next)
                        status = next < 0 ? of_from(c, next) : PAWL_OK;
                else
                        status = copy_event(c, &event);
                if (next || status)
                        break;
                bytes += event.payload.len;
                n++;
        }
        if (!status && keyed && n)
                status = copy_macs(c, since, since + n);
        if (!status) {
                c->to->head_seq = since + n;
                memcpy(c->to->head_hash, c->last_hash, 32);
        }
        status = pawl__log_write_end(c->to, status, c->err);
        if (!status)
                c->done = since + n;
        return status;
}

static pawl_status copy_events(copying *c)
{
        unsigned char check[32];
        pawl_cursor *cursor = NULL;
        bool ends = c->done >= c->total, keyed = false;
        pawl_status status = read_key(&keyed, check, c->from, c->err);

        if (!status)
                status = of_from(c, pawl_cursor_open(&cursor, c->from, c->done));
        while (!status && !ends) {
                status = copy_some(c, cursor, keyed, &ends);
                if (!status)
                        status = ask(c);
        }
        pawl_cursor_close(cursor);
        return status;
}

/* ---- What events name ------------------------------------------------------------------------ */

/* BY_SEQ: by a number that is the first column. */
typedef enum order { BY_HASH, BY_PART, BY_SEQ } order;
typedef pawl_status (*page_fn)(copying *c, pawl__query *row);

static pawl_status copy_blob(copying *c, pawl__query *row)
{
        unsigned char hash[32], found[32];
        const pawl_text content = pawl__query_bytes(row, 1);

        if (!pawl__query_hash(hash, row, 0))
                return pawl__damaged(c->from, c->err, 0, "the hash of a blob is not 32 bytes");
        pawl_status status =
                pawl__sha256(c->from->hasher, found, content.data, content.len, c->err);
        if (!status && memcmp(hash, found, 32) != 0)
                status = pawl__damaged(c->from, c->err, 0, "a blob's content was changed");
        memcpy(c->last_hash, hash, 32);
        return status ? status : of_to(c, pawl__tx_blob(c->to, hash, content));
}

static pawl_status copy_content(copying *c, pawl__query *row)
{
        unsigned char hash[32];
        const pawl_text data = pawl__query_bytes(row, 3);

        if (!pawl__query_hash(hash, row, 0))
                return pawl__damaged(c->from, c->err, 0, "the hash of a content is not 32 bytes");
        memcpy(c->last_hash, hash, 32);
        return of_to(c, pawl__log_run(c->to, PAWL__STMT_CONTENT_PUT, "copy the log", "hiib", hash,
                                pawl__query_integer(row, 1), pawl__query_integer(row, 2), data.data,
                                data.len));
}

static pawl_status copy_pack(copying *c, pawl__query *row)
{
        const int64_t pack = pawl__query_integer(row, 0);
        const pawl_text heads = pawl__query_bytes(row, 1), data = pawl__query_bytes(row, 2);

        return of_to(c, pawl__log_run(c->to, PAWL__STMT_PACK_PUT, "copy the log", "ibb", pack,
                                heads.data, heads.len, data.data, data.len));
}

static pawl_status copy_packed(copying *c, pawl__query *row)
{
        unsigned char hash[32];

        if (!pawl__query_hash(hash, row, 0))
                return pawl__damaged(c->from, c->err, 0, "the hash of a content is not 32 bytes");
        memcpy(c->last_hash, hash, 32);
        return of_to(c, pawl__log_run(c->to, PAWL__STMT_PACKED_PUT, "copy the log", "hii", hash,
                                pawl__query_integer(row, 1), pawl__query_integer(row, 2)));
}

static pawl_status copy_pruned(copying *c, pawl__query *row)
{
        unsigned char hash[32];
        const int64_t seq = pawl__query_integer(row, 0);

        if (!pawl__query_hash(hash, row, 1))
                return pawl__damaged(c->from, c->err, (uint64_t)seq,
                        "the hash of its pruned payload is not 32 bytes");
        pawl_status status = of_to(
                c, pawl__log_run(c->to, PAWL__STMT_PRUNED_PUT, "copy the log", "ih", seq, hash));
        if (!status) /* of a copy that was begun before it was pruned */
                status = of_to(
                        c, pawl__log_run(c->to, PAWL__STMT_PAYLOAD_DROP, "copy the log", "i", seq));
        return status;
}

/* Each row of a table, a page a transaction; its key is behind the last one's, ?1 (and ?2). */
static pawl_status copy_table(copying *c, const char *sql, order by, page_fn fn)
{
        static const unsigned char least[1];
        pawl__query *query = NULL;
        int64_t number = -1;
        bool any = false, ends = false;
        pawl_status status = pawl__query_prepare(&query, c->from, sql, c->err);

        while (!status && !ends) {
                ends = true;
                if (by == BY_SEQ)
                        pawl__query_bind(query, "i", number);
                else
                        pawl__query_bind(query, by == BY_PART ? "bi" : "b",
                                any ? c->last_hash : least, any ? (size_t)32 : (size_t)0, number);
                status = pawl__log_write_begin(c->to, c->err);
                if (status)
                        break;
                for (;;) {
                        const pawl_status next = pawl__query_step(query, "read it", c->err);
                        if (next < 0)
                                status = next;
                        if (next)
                                break;
                        status = fn(c, query);
                        if (status)
                                break;
                        number = pawl__query_integer(query, by == BY_SEQ ? 0 : 1);
                        any = true;
                        ends = false;
                }
                pawl__query_reset(query);
                status = pawl__log_write_end(c->to, status, c->err);
                if (!status)
                        status = ask(c);
        }
        pawl__query_finalize(query);
        return status;
}

static pawl_status copy_tables(copying *c)
{
        unsigned char hash[32];
        pawl_status status;

        memcpy(hash, c->last_hash, 32); /* of the last event; the tables have their own use of it */
        status = copy_table(c,
                "SELECT hash, content FROM {blobs} WHERE hash > ?1 ORDER BY hash LIMIT 64", BY_HASH,
                copy_blob);
        if (!status && c->from->version >= 4)
                status = copy_table(c,
                        "SELECT hash, part, size, data FROM {contents} "
                        "WHERE (hash, part) > (?1, ?2) ORDER BY hash, part LIMIT 16",
                        BY_PART, copy_content);
        if (!status && c->from->version >= 5)
                status = copy_table(c,
                        "SELECT pack, heads, data FROM {packs} WHERE pack > ?1 ORDER BY pack "
                        "LIMIT 64",
                        BY_SEQ, copy_pack);
        if (!status && c->from->version >= 5)
                status = copy_table(c,
                        "SELECT hash, pack, at FROM {packed} WHERE hash > ?1 ORDER BY hash "
                        "LIMIT 512",
                        BY_HASH, copy_packed);
        if (!status)
                status = copy_table(c,
                        "SELECT seq, payload_hash FROM {pruned} WHERE seq > ?1 ORDER BY seq "
                        "LIMIT 512",
                        BY_SEQ, copy_pruned);
        memcpy(c->last_hash, hash, 32);
        return status;
}

/* ---- All of it ------------------------------------------------------------------------------- */

static pawl_status verify(
        copying *c, pawl_log *log, uint64_t seq, const unsigned char *hash, uint64_t *events)
{
        pawl_verify_result verified = {.events = 0};
        const pawl_status status = pawl__chain_verify(&verified, log, seq, hash, NULL, NULL);

        *events = verified.events;
        return status ? pawl__fail(c->err, status, "%s",
                                verified.why.status ? verified.why.message : log->err.message)
                      : PAWL_OK;
}

pawl_status pawl__log_copy(uint64_t *events, pawl_log *to, pawl_log *from, pawl__copy_fn go_on,
        void *user, pawl_error *err)
{
        copying c = {.to = to, .from = from, .err = err, .go_on = go_on, .user = user};
        uint64_t verified;
        pawl_status status = find_place(&c);

        if (!status && pawl__log_has_key(from)) /* MACs are copied as they are */
                status = verify(&c, from, 0, NULL, &verified);
        if (!status)
                status = ask(&c);
        if (!status)
                status = copy_key(&c);
        if (!status)
                status = copy_tables(&c);
        if (!status)
                status = copy_events(&c);
        if (!status)
                status = verify(&c, to, c.done, c.last_hash, &verified);
        if (!status && verified != c.done)
                status = pawl__damaged(to, err, verified + 1, "it was not copied");
        pawl__buf_free(&c.scratch);
        if (!status)
                *events = c.done;
        return status;
}

/* ---- A backup of a log on a server ----------------------------------------------------------- */

/* Which the log's file, and what SQLite puts beside it, have for themselves. */
static void remove_directory(const char *path)
{
        DIR *list = opendir(path);

        for (struct dirent *entry; list && (entry = readdir(list)) != NULL;)
                (void)unlinkat(dirfd(list), entry->d_name, 0);
        if (list)
                closedir(list);
        (void)rmdir(path);
}

/* A log of its own, which is then named as the backup of any file is. */
static pawl_status back_up(pawl_backup *result, pawl_log *log, const char *place, const char *path,
        pawl_backup_fn go_on, void *user)
{
        pawl_log_options options = PAWL_LOG_OPTIONS_INIT;
        uint64_t events;
        pawl_log *copy = NULL;

        options.flags = PAWL_LOG_CREATE;
        pawl_status status = pawl_log_open(&copy, place, &options, &log->err);
        if (!status)
                status = pawl__log_copy(&events, copy, log, go_on, user, &log->err);
        if (!status)
                status = pawl__log_failed(
                        copy, pawl_log_backup(result, copy, path, go_on, user), &log->err);
        pawl_log_close(copy);
        if (status != PAWL_EINTERRUPTED)
                return status;
        return pawl__fail(&log->err, status,
                "%s: the copy was interrupted; nothing of it is left: make it again", path);
}

pawl_status pawl__log_backup_by_copy(
        pawl_backup *result, pawl_log *log, const char *path, pawl_backup_fn go_on, void *user)
{
        pawl__buf place = PAWL__BUF_INIT;
        struct stat st;
        size_t len;

        if (path && lstat(path, &st) == 0)
                return pawl__fail(&log->err, PAWL_EEXISTS,
                        S_ISDIR(st.st_mode)
                                ? "%s: is a directory; add the name of a file"
                                : "%s: is there already; move it away or name another file",
                        path);
        pawl__buf_addf(&place, "%s-backup-XXXXXX", path ? path : "");
        len = place.len;
        pawl_status status = pawl__buf_check(&place, &log->err);
        if (!status && (!path || !*path))
                status = pawl__fail(&log->err, PAWL_EINVAL, "copy: the path is empty; name a file");
        else if (!status && !mkdtemp(place.data))
                status = pawl__fail_errno(&log->err, errno, path, "make the copy");
        if (!status) {
                pawl__buf_adds(&place, "/events.db");
                status = pawl__buf_check(&place, &log->err);
                if (!status)
                        status = back_up(result, log, place.data, path, go_on, user);
                place.data[len] = '\0';
                remove_directory(place.data);
        }
        pawl__buf_free(&place);
        return status;
}

pawl_status pawl_log_backup(
        pawl_backup *result, pawl_log *log, const char *path, pawl_backup_fn go_on, void *user)
{
        TRY(pawl__log_usable(log, NULL));

        pawl_backup made = {0};

        if (log->writing)
                return pawl__fail(&log->err, PAWL_ESTATE,
                        "%s: an append is under way on this log; let it end first", log->path);
        pawl_status status = pawl__view_refresh(log, &log->err);
        if (!status)
                status = (log->engine->backup ? log->engine->backup : pawl__log_backup_by_copy)(
                        &made, log, path, go_on, user);
        if (!status && result)
                *result = made;
        return status;
}
