#include "support/hostile_log.h"
#include "state/state.h"
#include "support/event_samples.h"
#include "support/left_logs.h"
#include "support/scratch.h"
#include "support/test.h"
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void must(bool holds, const char *what)
{
        if (holds)
                return;
        fprintf(stderr, "hostile log: cannot %s\n", what);
        abort();
}

/* ---- Files ----------------------------------------------------------------------------------- */

static void path_of(char out[256], const hostile_log *h, const char *suffix)
{
        must(snprintf(out, 256, "%s%s", h->path, suffix) < 256, "name a file");
}

static unsigned char *read_all(size_t *len, const hostile_log *h, const char *suffix)
{
        char path[256];
        unsigned char *data = NULL;
        long size = 0;

        path_of(path, h, suffix);
        FILE *file = fopen(path, "rb");
        *len = 0;
        if (!file)
                return NULL;
        must(fseek(file, 0, SEEK_END) == 0 && (size = ftell(file)) >= 0, "read a file");
        rewind(file);
        must((data = malloc((size_t)size + 1)) != NULL, "read a file");
        must(fread(data, 1, (size_t)size, file) == (size_t)size, "read a file");
        fclose(file);
        *len = (size_t)size;
        return data;
}

static void write_all(
        const hostile_log *h, const char *suffix, const unsigned char *data, size_t len)
{
        char path[256];

        path_of(path, h, suffix);
        if (!data) {
                unlink(path);
                return;
        }
        scratch_write(path, data, len);
}

log_image log_image_copy(const log_image *image)
{
        log_image copy = {NULL, NULL, image->len, image->wal_len};

        must((copy.db = malloc(copy.len + 1)) != NULL, "copy an image");
        memcpy(copy.db, image->db, copy.len);
        if (image->wal) {
                must((copy.wal = malloc(copy.wal_len + 1)) != NULL, "copy an image");
                memcpy(copy.wal, image->wal, copy.wal_len);
        }
        return copy;
}

void log_image_free(log_image *image)
{
        free(image->db);
        free(image->wal);
        *image = (log_image){NULL, NULL, 0, 0};
}

void hostile_log_put(hostile_log *h, const log_image *image)
{
        write_all(h, "-shm", NULL, 0);
        write_all(h, "-journal", NULL, 0);
        write_all(h, "-wal", image->wal, image->wal_len);
        write_all(h, "", image->db, image->len);
}

static bool same_file(
        const hostile_log *h, const char *suffix, const unsigned char *data, size_t len)
{
        size_t now_len;
        unsigned char *now = read_all(&now_len, h, suffix);
        const bool same = data ? now && now_len == len && memcmp(now, data, len) == 0 : !now;

        free(now);
        return same;
}

bool hostile_log_untouched(const hostile_log *h, const log_image *image)
{
        return same_file(h, "", image->db, image->len) &&
               same_file(h, "-wal", image->wal, image->wal_len) && same_file(h, "-shm", NULL, 0) &&
               same_file(h, "-journal", NULL, 0);
}

/* ---- Opening as somebody at some time -------------------------------------------------------- */

static int64_t fixed_wall(void *user)
{
        (void)user;
        return INT64_C(1795178100000000);
}

static int64_t fixed_boot(void *user)
{
        (void)user;
        return 1000000;
}

static void fixed_uuid(char out[37], void *user)
{
        (void)user;
        memcpy(out, "00000000-0000-4000-8000-0000000000ff", 37);
}

static int64_t fixed_start(int64_t pid, void *user)
{
        (void)user;
        return pid == 100 ? 7 : PAWL__START_GONE;
}

pawl_status hostile_log_open(
        pawl_log **out, hostile_log *h, unsigned flags, const char *key, pawl_error *err)
{
        pawl_log_options options = PAWL_LOG_OPTIONS_INIT;
        const pawl__identity self = {.host = "host-a",
                .boot_id = "boot-1",
                .pid = 100,
                .pid_start = 7,
                .pid_ns = 1,
                .start_of = fixed_start};
        const pawl__log_setup setup = {.identity = &self, .event_v = 1};

        options.flags = flags;
        options.busy_ms = 0;
        options.key = key;
        options.key_len = key ? strlen(key) : 0;
        options.sources = (pawl_sources){fixed_wall, fixed_boot, fixed_uuid, NULL};
        log_by_hand(h->path);
        return pawl__log_open_as(out, h->path, &options, &setup, err);
}

/* ---- The sound log --------------------------------------------------------------------------- */

static void run_sql(sqlite3 *db, const char *sql)
{
        must(sqlite3_exec(db, sql, NULL, NULL, NULL) == SQLITE_OK, sql);
}

static void make_small_pages(const hostile_log *h)
{
        sqlite3 *db;

        must(sqlite3_open(h->path, &db) == SQLITE_OK, "make a file");
        run_sql(db, "PRAGMA page_size = 512; VACUUM");
        sqlite3_close(db);
}

static void tell_story(pawl_log *log)
{
        pawl__state *state;
        uint64_t fence;

        must(pawl__state_of(&state, log, NULL) == PAWL_OK, "keep tables");
        must(pawl_log_claim(&fence, log, "mission-1", "run-1", "user:ana", NULL) == PAWL_OK,
                "claim the run");
        for (size_t i = 1; i < EVENT_SAMPLES; i++)
                must(pawl__log_append(NULL, log, &event_samples[i], 1, fence) == PAWL_OK,
                        pawl_log_errmsg(log));
        must(pawl_log_release(log, "run-1", fence) == PAWL_OK, "give the run back");
}

/* The log as it is told with that key, and (may be NULL) as it is while its writer is there. */
static void take_image(log_image *closed, log_image *open, hostile_log *h, const char *key)
{
        const log_image nothing = {NULL, NULL, 0, 0};
        pawl_log *log;
        pawl_error err = PAWL_ERROR_INIT;

        hostile_log_put(h, &nothing);
        make_small_pages(h);
        must(hostile_log_open(&log, h, PAWL_LOG_CREATE, key, &err) == PAWL_OK, err.message);
        tell_story(log);
        if (open) {
                open->db = read_all(&open->len, h, "");
                open->wal = read_all(&open->wal_len, h, "-wal");
                must(open->db && open->wal, "read the log's files");
        }
        pawl_log_close(log);
        closed->db = read_all(&closed->len, h, "");
        must(closed->db != NULL, "read the log's file");
        closed->db[18] = closed->db[19] = 1; /* no write-ahead log: it is read in memory too */
}

static void take_hashes(hostile_log *h)
{
        pawl_log *log = NULL;
        pawl_cursor *cursor = NULL;
        pawl_event event;
        unsigned char head[32];

        must(hostile_log_open(&log, h, PAWL_LOG_READONLY, HOSTILE_KEY, NULL) == PAWL_OK &&
                        pawl_log_head(&h->n_keyed, head, log) == PAWL_OK &&
                        pawl_cursor_open(&cursor, log, 0) == PAWL_OK,
                "read the log");
        must((h->hashes = calloc((size_t)h->n_keyed, sizeof *h->hashes)) != NULL, "get memory");
        while (pawl_cursor_next(cursor, &event) == PAWL_OK)
                memcpy(h->hashes[event.seq - 1], event.hash, 32);
        pawl_cursor_close(cursor);
        pawl_log_close(log);
}

static void loosen(log_image *out, const log_image *image)
{
        sqlite3 *db = hostile_log_edit(image);

        run_sql(db, "PRAGMA writable_schema = ON;"
                    "UPDATE sqlite_schema SET sql = replace(replace(replace(sql, ') STRICT, ', "
                    "') '), ') STRICT', ')'), 'NOT NULL', '') WHERE type = 'table';"
                    "PRAGMA writable_schema = RESET");
        *out = hostile_log_edited(db);
        must(out->db != NULL, "loosen the tables");
}

hostile_log *hostile_log_new(void)
{
        hostile_log *h = test_alloc(sizeof *h);

        must(h && (h->path = path_in(scratch_directory(), "events.db")), "get memory");
        must(pawl__hasher_new(&h->hasher, NULL) == PAWL_OK, "get memory");
        take_image(&h->sound, &h->open, h, NULL);
        loosen(&h->loose, &h->sound);
        take_image(&h->keyed, NULL, h, HOSTILE_KEY);
        take_hashes(h);
        return h;
}

void hostile_log_free(hostile_log *h)
{
        log_image_free(&h->sound);
        log_image_free(&h->loose);
        log_image_free(&h->open);
        log_image_free(&h->keyed);
        free(h->hashes);
        pawl__hasher_free(h->hasher);
}

/* ---- Changing one ---------------------------------------------------------------------------- */

sqlite3 *hostile_log_edit(const log_image *image)
{
        sqlite3 *db;
        unsigned char *copy = sqlite3_malloc64(image->len);

        must(copy != NULL, "get memory");
        memcpy(copy, image->db, image->len);
        must(sqlite3_open(":memory:", &db) == SQLITE_OK, "open a database");
        must(sqlite3_deserialize(db, "main", copy, (sqlite3_int64)image->len,
                     (sqlite3_int64)image->len,
                     SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_RESIZEABLE) == SQLITE_OK,
                "read an image");
        run_sql(db, "DROP TRIGGER IF EXISTS events_refuse_update;"
                    "DROP TRIGGER IF EXISTS events_refuse_delete;"
                    "DROP TRIGGER IF EXISTS events_refuse_gap");
        return db;
}

log_image hostile_log_edited(sqlite3 *db)
{
        log_image image = {NULL, NULL, 0, 0};
        sqlite3_int64 len = 0;
        unsigned char *data = sqlite3_serialize(db, "main", &len, SQLITE_SERIALIZE_NOCOPY);

        if (data && len > 0) {
                image.len = (size_t)len;
                must((image.db = malloc(image.len)) != NULL, "get memory");
                memcpy(image.db, data, image.len);
        }
        must(sqlite3_close(db) == SQLITE_OK, "close a database");
        return image;
}
