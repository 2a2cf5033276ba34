/* The fold from nothing: what it prints, what a filter leaves, and how it finds tables that differ.
 */
#include "state/projection.h"
#include "support/allocator.h"
#include "support/history.h"
#include "support/replay_json.h"
#include <sys/resource.h>

/* Two runs of two missions, one of them blocked and answered, and a glossary. */
static void fill(struct history *h)
{
        h->session = "session-1";
        history_sense(h, "Workspace", "team_domain", "A folder.", "active", HASH_C);
        history_sense(h, "Workspace", "team_domain", "A desk.", "active", HASH_B);
        history_add(h, "SessionStarted", "{}");
        history_start(h, "[\"two\",\"one\"]");
        check_ok(h, history_claim(h), __FILE__, __LINE__);
        history_step_started(h);
        history_evaluated(h);
        history_checkpointed(h, "pre_generation_gate", TOKEN(1));
        history_blocked(h);
        history_requested(h, "c1", TOKEN(1));
        history_requested(h, "c2", TOKEN(1));
        history_resolved(h, "c1", "A folder.");
        history_add(h, "SessionEnded", "{\"status\":\"completed\"}");
        check_ok(h, history_commit(h), __FILE__, __LINE__);

        h->mission = "mission-2";
        h->run = "run-2";
        h->session = "session-2";
        history_add(h, "SessionStarted", "{}");
        history_start(h, "[\"one\"]");
        check_ok(h, history_claim(h), __FILE__, __LINE__);
        history_step_started(h);
        history_checkpointed(h, "post_gate", TOKEN(2));
        history_completed(h);
        history_add(h, "RunCompleted", "{}");
        check_ok(h, history_commit(h), __FILE__, __LINE__);
}

static int setup_filled(void **state)
{
        history_setup(state);
        fill(*state);
        return 0;
}

#define FILLED(name) UNIT_TEST_WITH(name, struct history *h, setup_filled, history_teardown)

/* Without the head, whose hash holds the time. */
static char *replay_rest(struct history *h, const pawl__replay_filter *filter)
{
        char *all = history_replay(h, filter);
        char *rest = strstr(all, ",\"runs\":");

        assert_non_null(rest);
        return rest + 1;
}

#define RUN_1                                                                                      \
        "{\"run_id\":\"run-1\",\"mission_id\":\"mission-1\",\"status\":\"blocked\",\"steps\":["    \
        "{\"step_id\":\"two\",\"status\":\"pending\",\"input_hash\":null,\"output_hash\":null,"    \
        "\"retry_token\":null,\"cursor\":null},"                                                   \
        "{\"step_id\":\"one\",\"status\":\"blocked\",\"input_hash\":\"" HASH_A                     \
        "\",\"output_hash\":null,\"retry_token\":\"" TOKEN(                                        \
                1) "\",\"cursor\":\"pre_generation_gate\"}]}"
#define RUN_2                                                                                      \
        "{\"run_id\":\"run-2\",\"mission_id\":\"mission-2\",\"status\":\"completed\",\"steps\":["  \
        "{\"step_id\":\"one\",\"status\":\"completed\",\"input_hash\":\"" HASH_A                   \
        "\",\"output_hash\":\"" HASH_B                                                             \
        "\",\"retry_token\":\"" TOKEN(2) "\",\"cursor\":\"post_gate\"}]}"
#define CHECKPOINT_1                                                                               \
        "{\"retry_token\":\"" TOKEN(                                                               \
                1) "\",\"seq\":8,\"run_id\":\"run-1\",\"step_id\":\"one\","                        \
                   "\"cursor\":\"pre_generation_gate\",\"input_hash\":\"" HASH_A                   \
                   "\",\"strictness\":\"medium\"}"
#define CHECKPOINT_2                                                                               \
        "{\"retry_token\":\"" TOKEN(2) "\",\"seq\":18,\"run_id\":\"run-2\",\"step_id\":\"one\","   \
                                       "\"cursor\":\"post_gate\",\"input_hash\":\"" HASH_A         \
                                       "\",\"strictness\":\"medium\"}"
#define CONFLICT(id, status, seq)                                                                  \
        "{\"conflict_id\":\"" id                                                                   \
        "\",\"run_id\":\"run-1\",\"step_id\":\"one\",\"retry_token\":\"" TOKEN(                    \
                1) "\",\"term\":\"workspace\",\"conflict_type\":\"ambiguous\",\"severity\":"       \
                   "\"high\",\"confidence\":0.75,\"context\":\"in the "                            \
                   "workspace\",\"candidates\":[{\"n\":1,"                                         \
                   "\"scope\":\"team_domain\",\"definition\":\"A folder.\",\"confidence\":0.9}],"  \
                   "\"status\":\"" status "\",\"resolved_seq\":" seq "}"
#define GLOSSARY                                                                                   \
        "\"glossary\":[{\"scope\":\"team_domain\",\"surface\":\"Workspace\",\"definition\":"       \
        "\"A folder.\",\"confidence\":1,\"status\":\"active\",\"since_seq\":2,"                    \
        "\"mission_id\":null,\"version_id\":\"" HASH_C "\"},"                                      \
        "{\"scope\":\"mission_local\",\"surface\":\"Workspace\",\"definition\":\"A folder.\","     \
        "\"confidence\":0.9,\"status\":\"active\",\"since_seq\":12,\"mission_id\":\"mission-1\","  \
        "\"version_id\":null}]"
#define SESSION_1                                                                                  \
        "{\"session_id\":\"session-1\",\"mission_id\":\"mission-1\",\"run_id\":\"run-1\","         \
        "\"status\":\"completed\"}"
#define SESSION_2                                                                                  \
        "{\"session_id\":\"session-2\",\"mission_id\":\"mission-2\",\"run_id\":\"run-2\","         \
        "\"status\":\"active\"}"
#define BOTH_CONFLICTS CONFLICT("c1", "resolved", "12") "," CONFLICT("c2", "open", "null")

#define NO_WORKSPACE ",\"workspace_checkpoints\":[],\"rollbacks\":[]"

static void replay_is(struct history *h, const pawl__replay_filter *filter, const char *is)
{
        char *rest = replay_rest(h, filter);

        assert_string_equal(rest, is);
}

FILLED(a_replay_prints_what_is)
{
        replay_is(h, NULL,
                "\"runs\":[" RUN_1 "," RUN_2 "],\"checkpoints\":[" CHECKPOINT_1 "," CHECKPOINT_2
                "],\"conflicts\":[" BOTH_CONFLICTS "]," GLOSSARY ",\"sessions\":[" SESSION_1
                "," SESSION_2 "]" NO_WORKSPACE "}");
}

HISTORY_TEST(an_empty_log_has_a_head_of_zeros_and_empty_arrays)
{
        char *json = history_replay(h, NULL);

        assert_string_equal(json,
                "{\"head\":{\"seq\":0,\"hash\":"
                "\"0000000000000000000000000000000000000000000000000000000000000000\"},"
                "\"runs\":[],\"checkpoints\":[],\"conflicts\":[],\"glossary\":[],\"sessions\":[]" NO_WORKSPACE
                "}");
}

#define OF_RUN_1                                                                                   \
        "\"runs\":[" RUN_1 "],\"checkpoints\":[" CHECKPOINT_1 "],\"conflicts\":[" BOTH_CONFLICTS   \
        "]," GLOSSARY ",\"sessions\":[" SESSION_1 "]" NO_WORKSPACE "}"

FILLED(a_mission_or_a_run_leaves_what_belongs_to_it_and_the_glossary)
{
        replay_is(h, &(pawl__replay_filter){.mission_id = pawl__text("mission-1")}, OF_RUN_1);
        replay_is(h, &(pawl__replay_filter){.run_id = pawl__text("run-1")}, OF_RUN_1);
        replay_is(h,
                &(pawl__replay_filter){
                        .mission_id = pawl__text("mission-1"), .run_id = pawl__text("run-2")},
                "\"runs\":[],\"checkpoints\":[],\"conflicts\":[]," GLOSSARY
                ",\"sessions\":[]" NO_WORKSPACE "}");
}

FILLED(a_step_leaves_the_runs_that_have_it)
{
        replay_is(h, &(pawl__replay_filter){.step_id = pawl__text("two")},
                "\"runs\":[{\"run_id\":\"run-1\",\"mission_id\":\"mission-1\",\"status\":"
                "\"blocked\",\"steps\":[{\"step_id\":\"two\",\"status\":\"pending\",\"input_hash\":"
                "null,\"output_hash\":null,\"retry_token\":null,\"cursor\":null}]}],"
                "\"checkpoints\":[],\"conflicts\":[]," GLOSSARY ",\"sessions\":[" SESSION_1
                "]" NO_WORKSPACE "}");
        replay_is(h, &(pawl__replay_filter){.step_id = pawl__text("none")},
                "\"runs\":[],\"checkpoints\":[],\"conflicts\":[]," GLOSSARY
                ",\"sessions\":[]" NO_WORKSPACE "}");
}

FILLED(a_session_without_a_run_is_its_missions)
{
        h->session = "session-3";
        h->run = h->step = NULL;
        history_append(h, "SessionStarted", "{}");
        char *mission =
                replay_rest(h, &(pawl__replay_filter){.mission_id = pawl__text("mission-2")});
        char *run = replay_rest(h, &(pawl__replay_filter){.run_id = pawl__text("run-2")});
        assert_non_null(
                strstr(mission, "\"session-3\",\"mission_id\":\"mission-2\",\"run_id\":null"));
        assert_null(strstr(run, "session-3"));
}

/* The fold up to each seq is what the fold of a log that ended there was. */
HISTORY_TEST(until_folds_as_if_the_log_ended_there)
{
        char *at_once[3], *later;

        fill(h);
        at_once[0] = history_replay(h, NULL);
        uint64_t seq = history_head(h);
        h->run = NULL;
        h->step = NULL;
        history_sense(h, "more", "core", "D", "active", NULL);
        history_sense(h, "more", "core", "E", "active", NULL);
        check_ok(h, history_commit(h), __FILE__, __LINE__);
        later = history_replay(h, &(pawl__replay_filter){.until = seq});
        assert_string_equal(later, at_once[0]);

        at_once[1] = history_replay(h, NULL);
        at_once[2] = history_replay(h, &(pawl__replay_filter){.until = seq + 99});
        assert_string_equal(at_once[1], at_once[2]);
}

FILLED(the_seed_version_that_was_used_last_is_in_force)
{
        h->run = h->step = NULL;
        history_append(h, "GlossaryScopeActivated",
                "{\"scope_id\":\"team_domain\",\"glossary_version_id\":\"" HASH_B "\"}");
        char *json = history_replay(h, NULL);
        assert_non_null(strstr(json, "\"A desk.\",\"confidence\":1,\"status\":\"active\","
                                     "\"since_seq\":3"));
        assert_null(strstr(json, "\"since_seq\":2,"));
        history_append(h, "GlossaryScopeActivated",
                "{\"scope_id\":\"team_domain\",\"glossary_version_id\":\"" HASH_C "\"}");
        json = history_replay(h, NULL);
        assert_null(strstr(json, "A desk."));
        assert_non_null(strstr(json, "\"since_seq\":2,"));
}

FILLED(the_same_log_replays_to_the_same_bytes)
{
        struct history *copy;
        char *one = history_replay(h, NULL), *two = history_replay(h, NULL);

        assert_string_equal(one, two);
        history_setup((void **)&copy); /* the same events, in another file */
        fill(copy);
        two = history_replay(copy, NULL);
        /* owner and fence of a claim are this process's: the chain's hash is the same too */
        assert_string_equal(one, two);
        history_teardown((void **)&copy);
}

FILLED(a_malformed_event_is_named)
{
        pawl__store *store = (pawl__store *)h;
        uint64_t seq = 77;
        unsigned char hash[32];

        history_sql(h, "DROP TRIGGER events_refuse_update; UPDATE events SET payload = "
                       "'{\"steps\":[]}' WHERE seq = 5");
        assert_int_equal(pawl__replay(&store, &seq, hash, h->log, NULL, &h->err), PAWL_EDAMAGED);
        assert_says(h->err.message, "seq 5 (RunStarted): payload.scope_refs: is missing");
        assert_ptr_equal(store, h);
        assert_int_equal(seq, 77);
        (void)history_replay(h, &(pawl__replay_filter){.until = 4});
}

FILLED(a_missing_event_is_named)
{
        pawl__store *store;
        uint64_t seq;
        unsigned char hash[32];

        history_sql(h, "DROP TRIGGER events_refuse_delete; DELETE FROM events WHERE seq = 5");
        assert_int_equal(pawl__replay(&store, &seq, hash, h->log, NULL, &h->err), PAWL_EDAMAGED);
        assert_says(h->err.message, "seq 5: the event is missing");
}

/* ---- The state of many events ---------------------------------------------------------------- */

static char *replay_in_file(struct history *h, const pawl__replay_filter *filter)
{
        pawl__buf out = PAWL__BUF_INIT;
        pawl__store *store;
        unsigned char hash[32];
        uint64_t seq;

        assert_ok(pawl__replay_within(0, &store, &seq, hash, h->log, filter, &h->err));
        assert_ok(replay_json(&out, store, h->log, seq, hash, &h->err));
        store->free(store);
        return test_take(&out);
}

FILLED(a_state_in_a_file_prints_the_same_bytes)
{
        const pawl__replay_filter filters[] = {{.until = 0}, {.until = 9},
                {.run_id = pawl__text("run-2")}, {.mission_id = pawl__text("mission-1")},
                {.step_id = pawl__text("one")}, {.run_id = pawl__text("run-1"), .until = 9},
                {.mission_id = pawl__text("none")}};

        for (size_t i = 0; i < sizeof filters / sizeof *filters; i++)
                assert_string_equal(replay_in_file(h, &filters[i]), history_replay(h, &filters[i]));
}

static pawl_status count_bytes(const char *array, pawl_text element, void *user, pawl_error *err)
{
        (void)array, (void)err;
        *(size_t *)user += element.len;
        return PAWL_OK;
}

/* The most memory that this process had, in bytes. */
static size_t peak(void)
{
        struct rusage used;

        assert_int_equal(getrusage(RUSAGE_SELF, &used), 0);
        return (size_t)used.ru_maxrss * 1024;
}

HISTORY_TEST(the_state_of_many_events_takes_little_memory)
{
        enum { CHECKPOINTS = 12000, BATCH = 1000, TEXT = 3600, MOST = 60 << 20 };
        char text[TEXT + 1] = "";
        pawl__store *store;
        unsigned char hash[32];
        uint64_t seq;
        size_t bytes = 0;

        needs_file();
        memset(text, 'x', TEXT);
        for (int i = 1; i <= CHECKPOINTS; i++) {
                history_add(h, "WorkspaceCheckpointed",
                        "{\"n\":%d,\"id\":\"cp-%d\",\"trigger\":\"auto\",\"root\":\".\",\"tree\":\"" HASH_A
                        "\",\"files\":1,\"bytes\":1,\"skipped\":0,\"safety\":false,"
                        "\"description\":\"%s\"}",
                        i, i, text);
                if (i % BATCH == 0)
                        check_ok(h, history_commit(h), __FILE__, __LINE__);
        }
        const size_t before = peak();
        assert_ok(pawl__replay_within(0, &store, &seq, hash, h->log, NULL, &h->err));
        assert_ok(pawl__replay_each(store, h->log, seq, hash, NULL, count_bytes, &bytes, &h->err));
        store->free(store);
        assert_true(bytes > (size_t)CHECKPOINTS * TEXT);
        if (allocator_works()) /* a sanitizer keeps what was freed */
                assert_true(peak() - before < MOST);
}

/* ---- replay --check -------------------------------------------------------------------------- */

/* In memory, and by a file, as the state of many events is folded. */
FILLED(tables_that_agree_pass_the_check)
{
        assert_ok(pawl__replay_check(h->log, &h->err));
        assert_ok(pawl__replay_check_within(0, h->log, &h->err));
        assert_string_equal(h->err.message, "");
}

FILLED(the_first_difference_is_named)
{
        static const struct {
                const char *sql, *says;
        } cases[] = {
                {"UPDATE conflicts SET status = 'open' WHERE conflict_id = 'c1'",
                        "conflicts c1: status is \"open\" in the table, \"resolved\" by the "
                        "events; rebuild with `pawl init --rebuild`"},
                {"UPDATE conflicts SET retry_token = NULL WHERE conflict_id = 'c2'",
                        "conflicts c2: retry_token is absent in the table, \"" TOKEN(1) "\" by"},
                {"UPDATE runs SET reason = '' WHERE run_id = 'run-2'",
                        "runs run-2: reason is \"\" in the table, absent by the events"},
                {"UPDATE steps SET exit_code = 3 WHERE run_id = 'run-2'",
                        "steps run-2 one: exit_code is 3 in the table, 0 by the events"},
                {"UPDATE senses SET confidence = 0.1 WHERE version_id = '" HASH_C "'",
                        "confidence is 0.10000000000000001 in the table, 1 by the events"},
                {"UPDATE checkpoints SET seq = 9 WHERE seq = 8",
                        "checkpoints " TOKEN(1) ": seq is 9 in the table, 8 by the events"},
                {"DELETE FROM scopes",
                        "scopes team_domain " HASH_C ": is missing in the table, but the events"},
                {"UPDATE sessions SET session_id = 'ghost' WHERE session_id = 'session-2'",
                        "sessions session-2: is missing in the table"},
                {"INSERT INTO scopes VALUES ('core', 'v', 1, 1)",
                        "scopes core v: is in the table, but no event makes it; rebuild"},
                {"DELETE FROM projection", "projection: its one row is missing"},
        };

        for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
                history_sql(h, cases[i].sql);
                assert_int_equal(pawl__replay_check(h->log, &h->err), PAWL_EDAMAGED);
                assert_says(h->err.message, cases[i].says);
                assert_int_equal(pawl__replay_check_within(0, h->log, &h->err), PAWL_EDAMAGED);
                assert_says(h->err.message, cases[i].says);
                assert_ok(pawl__state_rebuild(h->log, &h->err));
                assert_ok(pawl__replay_check(h->log, &h->err));
        }
}

FILLED(a_check_changes_nothing)
{
        size_t len, len_2;

        needs_file();
        history_reopen(h, PAWL_LOG_READONLY);
        char *before = file_read(h->path, &len);
        assert_ok(pawl__replay_check(h->log, &h->err));
        char *after = file_read(h->path, &len_2);
        assert_int_equal(len, len_2);
        assert_memory_equal(before, after, len);
}
