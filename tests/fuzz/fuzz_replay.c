/*
 * A log that somebody else wrote. The first byte says how it came to be: by rows of any values in
 * any tables, strict or not, or by bytes written over a sound log's file, closed or in use, keyed
 * or not; and whether it is only read, which takes half of the time, or gone on with too. Whoever
 * reads it, and whoever goes on writing it, gets what it says or a refusal on one line; reading
 * changes nothing and says the same twice; what is appended follows the last event; and tables that
 * were rebuilt say what the events say. A keyed log that verifies has no event that it did not
 * have.
 */
#include "checkpoint/checkpoint.h"
#include "fuzz/fuzzing.h"
#include "state/undo_stacks.h"
#include "support/event_samples.h"
#include "support/hostile_log.h"
#include "support/hostile_rows.h"
#include "support/replay_json.h"

/* Nothing runs out of memory here; but SQLite says so of some damaged pages. */
static void check_status(pawl_status status, const pawl_error *err)
{
        if (status == PAWL_ENOMEM)
                require(err->status == status && strstr(err->message, "a page of it is damaged; "));
        else if (status < 0)
                require_message(err, status);
}

static void check_log_status(pawl_status status, pawl_log *log)
{
        check_status(status, pawl__log_error(log));
}

/* ---- Reading --------------------------------------------------------------------------------- */

static void check_verify(pawl_log *log)
{
        pawl_verify_result result = {.events = 0}, again = {.events = 0};
        const pawl_status status = pawl_log_verify(&result, log, 0, NULL);

        check_log_status(status, log);
        require(pawl_log_verify(&again, log, 0, NULL) == status);
        require(result.events == again.events && result.bad_seq == again.bad_seq);
}

static void check_events(pawl_log *log)
{
        pawl__arena arena = PAWL__ARENA_INIT;
        pawl__buf line = PAWL__BUF_INIT;
        pawl__json_tree tree = PAWL__JSON_TREE_INIT;
        pawl_error err = PAWL_ERROR_INIT;
        pawl_cursor *cursor = NULL;
        pawl_event event, one;
        unsigned char mac[32];
        uint64_t seq = 0;
        pawl_status status = pawl_cursor_open(&cursor, log, 0);

        while (!status && !(status = pawl_cursor_next(cursor, &event))) {
                require(event.seq == ++seq);
                pawl__buf_clear(&line);
                bool keyed;
                status = pawl__log_mac(&keyed, mac, log, event.seq);
                check_log_status(status, log);
                const pawl_status printed =
                        pawl__event_json(&line, &event, !status && keyed ? mac : NULL, &err);
                check_status(printed, &err);
                if (!printed)
                        (void)is_line(&tree, line.data, line.len);
        }
        check_log_status(status, log);
        pawl_cursor_close(cursor);
        for (uint64_t i = 0; i < 3; i++) {
                status = pawl__log_event(&one, &arena, log, seq + i);
                check_log_status(status, log);
        }
        pawl__arena_free(&arena);
        pawl__json_tree_free(&tree);
        pawl__buf_free(&line);
}

/* What a replay prints, or why it does not. */
static pawl_status replay(pawl__buf *out, pawl_log *log, const pawl__replay_filter *filter)
{
        pawl_error err = PAWL_ERROR_INIT;
        pawl__store *store = NULL;
        unsigned char hash[32];
        uint64_t head;
        pawl_status status = pawl__replay(&store, &head, hash, log, filter, &err);

        if (!status) {
                status = replay_json(out, store, log, head, hash, &err);
                store->free(store);
        }
        check_status(status, &err);
        if (status)
                require(pawl__buf_adds(out, err.message) == PAWL_OK);
        return status;
}

/* Twice the same; of a page that is damaged, SQLite may complain the first time alone. */
static pawl_status check_replay(pawl__buf *out, pawl_log *log, bool sound_pages)
{
        pawl__buf again = PAWL__BUF_INIT;
        pawl__json_tree tree = PAWL__JSON_TREE_INIT;
        const pawl_status status = replay(out, log, NULL);
        const pawl_status second = replay(&again, log, NULL);

        require(second == status || !sound_pages);
        if (!status && !second)
                require(pawl__text_eq(pawl__buf_text(out), pawl__buf_text(&again)) &&
                        pawl__json_tree_read(&tree, out->data, out->len, NULL) == PAWL_OK);
        pawl__json_tree_free(&tree);
        pawl__buf_free(&again);
        return status;
}

static void check_filtered(pawl_log *log)
{
        const pawl__replay_filter filter = {
                pawl__text("mission-1"), pawl__text("run-1"), pawl__text("one"), 0};
        pawl__buf out = PAWL__BUF_INIT;

        (void)replay(&out, log, &filter);
        pawl__buf_free(&out);
}

/* ---- What the tables say --------------------------------------------------------------------- */

static pawl_status read_row(const pawl__row *row, void *user, pawl_error *err)
{
        (void)row, (void)err;
        ++*(size_t *)user;
        return PAWL_OK;
}

static pawl_status read_content(
        const unsigned char hash[32], uint64_t size, uint64_t stored, uint64_t parts, void *user)
{
        (void)hash, (void)size, (void)stored, (void)parts;
        ++*(size_t *)user;
        return PAWL_OK;
}

static void check_contents(pawl_log *log)
{
        static const unsigned char hash[32];
        pawl__buf out = PAWL__BUF_INIT;
        size_t n = 0;
        bool has;

        check_log_status(pawl__log_content_each(log, read_content, &n), log);
        check_log_status(pawl__log_content_has(&has, log, hash), log);
        check_log_status(pawl__log_content_get(&out, NULL, log, hash, 0), log);
        pawl__buf_free(&out);
}

static void check_queries(pawl_log *log)
{
        const pawl__scope_ref ref = {pawl__text("team_domain"), pawl__text(SAMPLE_VERSION)};
        pawl__arena arena = PAWL__ARENA_INIT;
        pawl_error err = PAWL_ERROR_INIT;
        pawl__checkpoint checkpoint;
        pawl__state *state = NULL;
        pawl__undo_stacks stacks;
        pawl__row *rows, row, two[PAWL__CANDIDATES];
        pawl_owner owner;
        size_t n = 0;
        bool held;
        pawl_status status = pawl__state_of(&state, log, &err);

        check_status(status, &err);
        for (int t = 0; t < PAWL__TABLES && state; t++)
                check_status(pawl__state_each(state, (pawl__table)t, read_row, &n, &err), &err);
        if (state) {
                status = pawl__state_steps(&rows, &n, state, pawl__text("run-1"), &arena, &err);
                check_status(status, &err);
                status = pawl__state_conflicts(&rows, &n, state, pawl__text("run-1"),
                        pawl__text("one"), true, &arena, &err);
                check_status(status, &err);
                status = pawl__state_by_prefix(
                        two, &n, state, PAWL__CONFLICTS, pawl__text("c"), &arena, &err);
                check_status(status, &err);
                status = pawl__state_unfinished(&row, state, pawl__text("mission-1"), &arena, &err);
                require(status <= 0);
                status = pawl__state_workspace_all(&rows, &n, state, &arena, &err);
                check_status(status, &err);
                status = pawl__state_by_prefix(
                        two, &n, state, PAWL__WORKSPACE, pawl__text("cp-"), &arena, &err);
                check_status(status, &err);
                require(pawl__state_workspace_of_step(
                                &row, state, pawl__text("one"), &arena, &err) <= 0);
                require(pawl__state_workspace_newest(&row, state, &arena, &err) <= 0);
                require(pawl__state_rollback_pending(&row, state, &arena, &err) <= 0);
                require(pawl__state_rollback_last(&row, state, &arena, &err) <= 0);
                require(pawl__undo_stacks_read(&stacks, state, &arena, &err) <= 0);
                status = pawl__state_senses(
                        NULL, state, pawl__text("mission-1"), &ref, 1, read_row, &n, &err);
                check_status(status, &err);
        }
        status = pawl__checkpoint_load(&checkpoint, &arena, log, pawl__text(SAMPLE_TOKEN), &err);
        check_status(status, &err);
        status = pawl__log_holder(&held, &owner, log, pawl__text("run-1"));
        check_log_status(status, log);
        pawl__arena_free(&arena);
}

/* ---- Whoever reads it, whoever writes it ----------------------------------------------------- */

/* Who has no key can cut the end of a keyed log, but put nothing of his own into it. */
static void check_keyed(pawl_log *log, const hostile_log *h)
{
        pawl_verify_result result = {.events = 0};
        pawl_cursor *cursor = NULL;
        pawl_event event;

        if (pawl_log_verify(&result, log, 0, NULL))
                return;
        require(result.keyed && pawl_cursor_open(&cursor, log, 0) == PAWL_OK);
        while (pawl_cursor_next(cursor, &event) == PAWL_OK)
                require(event.seq <= h->n_keyed &&
                        memcmp(event.hash, h->hashes[event.seq - 1], 32) == 0);
        pawl_cursor_close(cursor);
}

/* The fold of everything, if the log can be read and folded. */
static bool read_log(pawl__buf *fold, hostile_log *h, const char *key, bool sound_pages)
{
        pawl_error err = PAWL_ERROR_INIT;
        unsigned char hash[32];
        pawl_log *log = NULL;
        uint64_t head;
        pawl_status status = hostile_log_open(&log, h, PAWL_LOG_READONLY, key, &err);

        check_status(status, &err);
        if (status)
                return false;
        check_log_status(pawl_log_head(&head, hash, log), log);
        check_verify(log);
        if (key)
                check_keyed(log, h);
        check_events(log);
        const bool folds = check_replay(fold, log, sound_pages) == PAWL_OK;
        check_filtered(log);
        check_status(pawl__replay_check(log, &err), &err);
        check_queries(log);
        check_contents(log);
        pawl_log_close(log);
        return folds;
}

/* An append says where it stands, and is there. */
static void check_append(pawl_log *log)
{
        static const char payload[] = "{\"glossary_version_id\":\"v2\",\"scope_id\":\"core\"}";
        const pawl_event event = {.type = pawl__text("GlossaryScopeActivated"),
                .payload = {payload, sizeof payload - 1}};
        unsigned char hash[32];
        uint64_t before = 0, seq = 0, after = 0, fence = 0;
        pawl_status status = pawl_log_head(&before, hash, log);

        check_log_status(status, log);
        status = pawl_log_append(&seq, log, &event, 1, 0);
        check_log_status(status, log);
        if (!status)
                require(seq == before + 1 && pawl_log_head(&after, hash, log) == PAWL_OK &&
                        after == seq);
        status = pawl_log_claim(&fence, log, "mission-1", "run-1", "user:ana", NULL);
        check_log_status(status, log);
        if (status)
                return;
        require(fence > 0 && fence <= INT64_MAX);
        check_log_status(pawl_log_renew(log, "run-1", fence), log);
        check_log_status(pawl_log_append(&seq, log, &event_samples[5], 1, fence), log);
        check_log_status(pawl_log_release(log, "run-1", fence), log);
}

/* Tables that were made of the events say what they say; a damaged page may keep them from it. */
static void check_rebuild(pawl_log *log, bool sound_pages)
{
        pawl_error err = PAWL_ERROR_INIT;
        pawl_status status = pawl__state_rebuild(log, &err);

        check_status(status, &err);
        if (status)
                return;
        status = pawl__replay_check(log, &err);
        check_status(status, &err);
        require(status == PAWL_OK || !sound_pages);
}

static void write_log(
        hostile_log *h, const char *key, const pawl__buf *fold, bool folds, bool sound_pages)
{
        pawl__buf now = PAWL__BUF_INIT;
        pawl_error err = PAWL_ERROR_INIT;
        pawl_log *log = NULL;
        pawl_status status = hostile_log_open(&log, h, 0, key, &err);

        check_status(status, &err);
        if (status)
                return;
        if (folds && sound_pages)
                require(replay(&now, log, NULL) == PAWL_OK &&
                        pawl__text_eq(pawl__buf_text(fold), pawl__buf_text(&now)));
        check_queries(log);
        check_append(log);
        check_rebuild(log, sound_pages);
        check_verify(log);
        pawl__buf_free(&now);
        pawl_log_close(log);
}

static hostile_log *hostile;

static void clean_up(void)
{
        hostile_log_free(hostile);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
        enum { ROWS, LOOSE_ROWS, DAMAGE, DAMAGE_OPEN, KEYED_ROWS, KEYED_DAMAGE, WAYS };
        enum { KEYLESS = 64, WRITTEN = 128 };
        bytes input = {data, size};
        pawl__buf fold = PAWL__BUF_INIT;
        log_image image;

        if (!hostile) {
                hostile = hostile_log_new();
                require(atexit(clean_up) == 0);
        }
        const unsigned first = take_byte(&input);
        const unsigned way = first % 8 % WAYS;
        const bool rows = way == ROWS || way == LOOSE_ROWS || way == KEYED_ROWS;
        const bool keyed = way == KEYED_ROWS || way == KEYED_DAMAGE;
        const char *key = keyed && !(first & KEYLESS) ? HOSTILE_KEY : NULL;
        const log_image *const images[WAYS] = {&hostile->sound, &hostile->loose, &hostile->sound,
                &hostile->open, &hostile->keyed, &hostile->keyed};
        if (rows) {
                sqlite3 *db = hostile_log_edit(images[way]);
                hostile_rows(db, hostile->hasher, &input);
                image = hostile_log_edited(db);
        } else {
                image = log_image_copy(images[way]);
                hostile_damage(&image, &input);
        }
        if (!image.db)
                return 0;
        hostile_log_put(hostile, &image);
        const bool folds = read_log(&fold, hostile, key, rows);
        require(hostile_log_untouched(hostile, &image));
        if (first & WRITTEN)
                write_log(hostile, key, &fold, folds, rows && way != LOOSE_ROWS);
        log_image_free(&image);
        pawl__buf_free(&fold);
        return 0;
}
