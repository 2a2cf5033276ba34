/*
 * Any values in the columns of an event. The row is refused with its seq, or it is an event: then
 * its JSON says the same, its payload is refused by seq and field or folded, and one that is a
 * checkpoint survives being written and read again. A refusal changes nothing.
 *
 * The input: the seq that is looked for, the place of a sample event, a kind for each column and
 * what that kind needs, and the payload of what is left. Where a kind says so, the column is the
 * sample's.
 */
#include "checkpoint/checkpoint.h"
#include "events/sqlite/sqlite.h"
#include "fuzz/fuzzing.h"
#include "state/apply.h"
#include "support/event_samples.h"
#include "support/hostile_rows.h"
#include "support/replay_json.h"

enum { SEQ, TYPE, V, TIME, MISSION, RUN, STEP, SESSION, ACTOR, PAYLOAD, PREV, HASH, COLUMNS };

/* ---- The row --------------------------------------------------------------------------------- */

static sqlite3_stmt *row_of_parameters(void)
{
        static sqlite3_stmt *stmt; /* kept from input to input */
        sqlite3 *db;

        if (!stmt) {
                require(sqlite3_open(":memory:", &db) == SQLITE_OK);
                require(sqlite3_prepare_v2(db, "SELECT ?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,?12", -1,
                                &stmt, NULL) == SQLITE_OK);
        }
        sqlite3_reset(stmt);
        sqlite3_clear_bindings(stmt);
        return stmt;
}

static int bind_sample(sqlite3_stmt *stmt, int column, uint64_t seq, const pawl_event *sample)
{
        static const char hash[32] = "";
        const pawl_text texts[COLUMNS] = {
                [TYPE] = sample->type,
                [MISSION] = sample->mission_id,
                [RUN] = sample->run_id,
                [STEP] = sample->step_id,
                [SESSION] = sample->session_id,
                [ACTOR] = sample->actor,
                [PAYLOAD] = sample->payload,
        };

        switch (column) {
        case SEQ:
                return sqlite3_bind_int64(stmt, 1, (int64_t)seq);
        case V:
                return sqlite3_bind_int(stmt, V + 1, sample->v);
        case TIME:
                return sqlite3_bind_int64(stmt, TIME + 1, sample->time_us);
        case PREV:
        case HASH:
                return sqlite3_bind_blob(stmt, column + 1, hash, 32, SQLITE_STATIC);
        default:
                return hostile_bind_text(stmt, column + 1, texts[column]);
        }
}

static int bind_column(
        sqlite3_stmt *stmt, int column, uint64_t seq, const pawl_event *sample, bytes *input)
{
        enum { NOTHING = 16, INTEGER, SMALL, REAL, WORD, BLOB, REST, EDITED };
        const unsigned kind = take_byte(input);
        pawl__buf buf = PAWL__BUF_INIT;
        uint64_t number;
        double real;
        pawl_text text;
        int rc;

        switch (kind) {
        case NOTHING:
                return sqlite3_bind_null(stmt, column + 1);
        case INTEGER:
                return sqlite3_bind_int64(stmt, column + 1, (int64_t)take_number(input, 8));
        case SMALL:
                return sqlite3_bind_int64(stmt, column + 1, (int8_t)take_byte(input));
        case REAL:
                number = take_number(input, 8);
                memcpy(&real, &number, sizeof real);
                return sqlite3_bind_double(stmt, column + 1, real);
        case WORD:
                text = take_bytes(input, take_byte(input));
                return hostile_bind_text(stmt, column + 1, text);
        case BLOB:
                text = take_bytes(input, take_byte(input));
                return sqlite3_bind_blob64(stmt, column + 1, text.data, text.len, SQLITE_STATIC);
        case REST:
                text = take_bytes(input, input->left);
                return hostile_bind_text(stmt, column + 1, text);
        case EDITED:
                text = hostile_text(&buf, column == TYPE ? sample->type : sample->payload, input);
                rc = sqlite3_bind_text64(
                        stmt, column + 1, text.data, text.len, SQLITE_TRANSIENT, SQLITE_UTF8);
                pawl__buf_free(&buf);
                return rc;
        default:
                return bind_sample(stmt, column, seq, sample);
        }
}

/* ---- What is promised of an event ------------------------------------------------------------ */

static bool names_seq(const char *message, uint64_t seq)
{
        char start[40];

        snprintf(start, sizeof start, "seq %llu", (unsigned long long)seq);
        return strncmp(message, start, strlen(start)) == 0 &&
               (message[strlen(start)] == ':' || message[strlen(start)] == ' ');
}

static void require_text(const pawl__json_tree *tree, const char *name, pawl_text text)
{
        const pawl__node node = pawl__json_get(tree, 0, name);

        require(node != PAWL__NO_NODE);
        if (text.data)
                require(pawl__text_eq(pawl__json_get_text(tree, 0, name), text));
        else
                require(pawl__json_at(tree, node)->type == PAWL__JSON_NULL);
}

static void check_json(const pawl_event *event)
{
        pawl__buf out = PAWL__BUF_INIT;
        pawl__json_tree tree = PAWL__JSON_TREE_INIT;
        pawl_error err = PAWL_ERROR_INIT;
        int64_t number = 0;
        const pawl_status status = pawl__event_json(&out, event, NULL, &err);

        if (status) {
                require(status == PAWL_EDAMAGED && names_seq(err.message, event->seq));
                require_message(&err, status);
                require(strstr(err.message, "payload"));
                require(out.len == 0);
                return;
        }
        if (!is_line(&tree, out.data, out.len)) {
                pawl__buf_free(&out);
                pawl__json_tree_free(&tree);
                return;
        }
        require(pawl__json_int(pawl__json_at(&tree, pawl__json_get(&tree, 0, "seq")), &number) &&
                number == (int64_t)event->seq);
        require(pawl__json_int(pawl__json_at(&tree, pawl__json_get(&tree, 0, "v")), &number) &&
                number == event->v);
        require_text(&tree, "type", event->type);
        require_text(&tree, "mission_id", event->mission_id);
        require_text(&tree, "run_id", event->run_id);
        require_text(&tree, "step_id", event->step_id);
        require_text(&tree, "session_id", event->session_id);
        require_text(&tree, "actor", event->actor);
        const pawl__json_node *payload = pawl__json_at(&tree, pawl__json_get(&tree, 0, "payload"));
        require(event->payload.data || payload->type == PAWL__JSON_NULL);
        pawl__json_tree_free(&tree);
        pawl__buf_free(&out);
}

static void check_form(const pawl_event *event)
{
        pawl__json_tree tree = PAWL__JSON_TREE_INIT;
        pawl_error err = PAWL_ERROR_INIT;
        const pawl__event_type type = pawl__event_type_of(event->type);

        if (type != PAWL__EVENT_OTHER && event->payload.data &&
                pawl__json_tree_read(&tree, event->payload.data, event->payload.len, NULL) ==
                        PAWL_OK) {
                const pawl_status status = pawl__event_check(event, type, &tree, &err);
                require(status == PAWL_OK || names_seq(err.message, event->seq));
                if (status)
                        require_message(&err, status);
        }
        pawl__json_tree_free(&tree);
}

/* ---- Folding it ------------------------------------------------------------------------------ */

static void fold_into(pawl__buf *out, pawl__store *store)
{
        static const unsigned char hash[32];

        pawl__buf_clear(out);
        require(replay_json(out, store, NULL, 1, hash, NULL) == PAWL_OK);
}

/* On top of the first events of the story, so that there is a run and a step to speak of. */
static void check_fold(const pawl_event *event, size_t told)
{
        pawl__applier applier = {.store = NULL};
        pawl__buf before = PAWL__BUF_INIT, after = PAWL__BUF_INIT;
        pawl__json_tree tree = PAWL__JSON_TREE_INIT;
        pawl_error err = PAWL_ERROR_INIT;

        require(pawl__store_memory(&applier.store, NULL) == PAWL_OK);
        for (size_t i = 0; i < told; i++) {
                pawl_event sample = event_samples[i];
                sample.seq = i + 1;
                require(pawl__apply(&applier, &sample, NULL) == PAWL_OK);
        }
        fold_into(&before, applier.store);
        const pawl_status status = pawl__apply(&applier, event, &err);
        fold_into(&after, applier.store);
        require(pawl__json_tree_read(&tree, after.data, after.len, NULL) == PAWL_OK);
        if (status) {
                require_message(&err, status);
                require(pawl__text_eq(pawl__buf_text(&before), pawl__buf_text(&after)));
        }
        applier.store->free(applier.store);
        pawl__json_tree_free(&applier.tree);
        pawl__arena_free(&applier.arena);
        pawl__json_tree_free(&tree);
        pawl__buf_free(&before);
        pawl__buf_free(&after);
}

/* ---- A checkpoint ---------------------------------------------------------------------------- */

static void require_same(const pawl__checkpoint *a, const pawl__checkpoint *b)
{
        require(a->seq == b->seq && a->strictness == b->strictness && a->cursor == b->cursor);
        require(pawl__text_eq(a->mission_id, b->mission_id));
        require(pawl__text_eq(a->run_id, b->run_id) && pawl__text_eq(a->step_id, b->step_id));
        require(strcmp(a->input_hash, b->input_hash) == 0);
        require(strcmp(a->output_hash, b->output_hash) == 0);
        require(strcmp(a->retry_token, b->retry_token) == 0);
        require(a->n_scope_refs == b->n_scope_refs);
        for (size_t i = 0; i < a->n_scope_refs; i++)
                require(pawl__text_eq(a->scope_refs[i].scope, b->scope_refs[i].scope) &&
                        pawl__text_eq(a->scope_refs[i].version_id, b->scope_refs[i].version_id));
}

static void check_checkpoint(const pawl_event *event)
{
        pawl__arena arena = PAWL__ARENA_INIT;
        pawl__buf payload = PAWL__BUF_INIT, again = PAWL__BUF_INIT;
        pawl__checkpoint checkpoint, second;
        pawl_error err = PAWL_ERROR_INIT;
        const pawl_status status = pawl__checkpoint_decode(&checkpoint, &arena, event, &err);

        if (status) {
                require(names_seq(err.message, event->seq));
                require_message(&err, status);
        } else {
                pawl_event written = *event;
                require(pawl__checkpoint_encode(&payload, &checkpoint, NULL) == PAWL_OK);
                written.payload = pawl__buf_text(&payload);
                require(pawl__checkpoint_decode(&second, &arena, &written, NULL) == PAWL_OK);
                require_same(&checkpoint, &second);
                require(pawl__checkpoint_encode(&again, &second, NULL) == PAWL_OK);
                require(pawl__text_eq(pawl__buf_text(&payload), pawl__buf_text(&again)));
        }
        pawl__buf_free(&payload);
        pawl__buf_free(&again);
        pawl__arena_free(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
        static struct pawl__file file; /* names nothing: no file is behind it */
        static pawl_log log = {.engine = &pawl__sqlite_engine, .file = &file};
        bytes input = {data, size};
        sqlite3_stmt *row = row_of_parameters();
        pawl_event event;
        pawl_error err = PAWL_ERROR_INIT;

        const uint64_t expected = 1 + take_number(&input, 2);
        const size_t place = take_choice(&input, EVENT_SAMPLES);
        for (int column = 0; column < COLUMNS; column++)
                require(bind_column(row, column, expected, &event_samples[place], &input) ==
                        SQLITE_OK);
        require(sqlite3_step(row) == SQLITE_ROW);
        struct pawl__statement query = {
                .query.engine = &pawl__sqlite_engine, .stmt = row, .log = &log};
        const pawl_status status = pawl__row_event(&event, &log, &query.query, expected, &err);
        if (status) {
                require(status == PAWL_EDAMAGED && names_seq(err.message, expected));
                require_message(&err, status);
                return 0;
        }
        require(event.seq == expected && event.v >= 1);
        check_json(&event);
        check_form(&event);
        check_fold(&event, place);
        check_checkpoint(&event);
        return 0;
}
