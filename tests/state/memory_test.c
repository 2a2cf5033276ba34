/* Memory that runs out at any call: an append is whole or not at all, a replay says so, and nothing
 * that was kept is wrong afterwards. */
#include "support/history.h"
#include "support/replay_json.h"
#include "support/sweep.h"

static void add_all(struct history *h)
{
        const int head = (int)history_head(h);

        history_step_started(h);
        history_evaluated(h);
        history_checkpointed(h, "pre_generation_gate", TOKEN(1));
        history_blocked(h);
        history_requested(h, "c1", TOKEN(1));
        history_resolved(h, "c1", "A folder.");
        history_sense(h, "Ledger", "team_domain", "A book.", "active", NULL);
        history_add(h, "SessionStarted", "{}");
        history_add(h, "SessionEnded", "{\"status\":\"interrupted\"}");
        history_completed(h);
        history_add(h, "WorkspaceCheckpointed",
                "{\"n\":1,\"id\":\"cp-01\",\"trigger\":\"auto\",\"root\":\".\",\"tree\":\"" HASH_A
                "\",\"files\":1,\"bytes\":1,\"skipped\":0,\"safety\":true}");
        history_add(h, "WorkspaceRollbackStarted",
                "{\"target\":1,\"safety\":1,\"tree\":\"" HASH_A "\",\"plan_hash\":\"" HASH_A
                "\",\"undo\":false}");
        history_add(h, "WorkspaceRolledBack",
                "{\"started_seq\":%d,\"outcome\":\"done\",\"invalidated\":[1],\"revalidated\":[],"
                "\"steps\":[{\"run_id\":\"run-1\",\"step_id\":\"one\"}]}",
                head + 12);
        history_add(h, "WorkspaceCheckpointed",
                "{\"n\":2,\"id\":\"cp-02\",\"trigger\":\"auto\",\"root\":\".\",\"tree\":\"" HASH_A
                "\",\"files\":1,\"bytes\":1,\"skipped\":0,\"safety\":true}");
        history_add(h, "WorkspaceRollbackStarted",
                "{\"target\":1,\"safety\":2,\"tree\":\"" HASH_A "\",\"plan_hash\":\"" HASH_A
                "\",\"undo\":true}");
        history_add(h, "WorkspaceRolledBack",
                "{\"started_seq\":%d,\"outcome\":\"done\",\"invalidated\":[],\"revalidated\":[1],"
                "\"steps\":[]}",
                head + 15);
        history_add(h, "CheckpointInvalidated", "{\"n\":1,\"reason\":\"damaged\"}");
        history_add(h, "CheckpointUpdated", "{\"n\":1,\"pinned\":true}");
        history_add(h, "Pruned", "{\"kind\":\"checkpoints\",\"pruned\":[1]}");
}

static int setup(void **state)
{
        struct history *h;

        history_setup(state);
        h = *state;
        h->session = "session-1";
        history_start(h, "[\"one\"]");
        check_ok(h, history_claim(h), __FILE__, __LINE__);
        return 0;
}

#define MEMORY(name) UNIT_TEST_WITH(name, struct history *h, setup, history_teardown)

MEMORY(an_append_is_whole_or_not_at_all)
{
        for (sweep s = {.once = true, .keeps = true}; sweep_next(&s);) {
                add_all(h);
                sweep_arm(&s);
                if (sweep_done(&s, history_commit(h), NULL))
                        continue;
                assert_says(pawl_log_errmsg(h->log), "out of memory");
                assert_int_equal(history_head(h), 2);
        }
        assert_int_equal(history_head(h), 21);
        assert_ok(pawl__replay_check(h->log, &h->err));
}

/* The public one attaches the state. */
MEMORY(a_public_append_and_a_verification_fail_cleanly)
{
        const pawl_event event = {.type = pawl__text("GlossaryScopeActivated"),
                .payload = pawl__text("{\"glossary_version_id\":\"v\",\"scope_id\":\"core\"}")};

        for (sweep s = {.once = true, .keeps = true}; sweep_next(&s);) {
                pawl_verify_result result;
                history_reopen(h, 0);
                sweep_arm(&s);
                pawl_status status = pawl_log_append(NULL, h->log, &event, 1, 0);
                if (status == PAWL_OK)
                        status = pawl_log_verify(&result, h->log, 0, NULL);
                (void)sweep_done(&s, status, NULL);
        }
        history_attach(h);
        assert_ok(pawl__replay_check(h->log, &h->err));
}

MEMORY(a_state_that_cannot_be_attached_can_be_later)
{
        history_reopen(h, 0);
        check_ok(h, history_claim(h), __FILE__, __LINE__);
        add_all(h);
        check_ok(h, history_commit(h), __FILE__, __LINE__);
        for (sweep s = {.once = true, .keeps = true}; sweep_next(&s);) {
                h->state = NULL;
                sweep_arm(&s);
                if (!sweep_done(&s, pawl__state_of(&h->state, h->log, &h->err), &h->err))
                        assert_null(h->state);
        }
        assert_ok(pawl__replay_check(h->log, &h->err));
        assert_true(history_has(h, PAWL__SESSIONS, "session-1", NULL));
}

MEMORY(a_replay_and_its_check_say_so)
{
        add_all(h);
        check_ok(h, history_commit(h), __FILE__, __LINE__);
        char *wanted = history_replay(h, NULL);
        for (sweep s = {.once = true, .keeps = true}; sweep_next(&s);) {
                const pawl__replay_filter filter = {.run_id = pawl__text("run-1")};
                pawl__store *store = NULL;
                pawl__buf json = PAWL__BUF_INIT;
                uint64_t seq;
                unsigned char hash[32];
                sweep_arm(&s);
                pawl_status status = pawl__replay(&store, &seq, hash, h->log, &filter, &h->err);
                if (status == PAWL_OK)
                        status = replay_json(&json, store, h->log, seq, hash, &h->err);
                if (status == PAWL_OK)
                        status = pawl__replay_check(h->log, &h->err);
                if (sweep_done(&s, status, &h->err))
                        assert_string_equal(json.data, wanted);
                if (store)
                        store->free(store);
                pawl__buf_free(&json);
        }
}

static pawl_status pass(const pawl__row *row, void *user, pawl_error *err)
{
        (void)row, (void)user, (void)err;
        return PAWL_OK;
}

static pawl_status every_query(struct history *h)
{
        const pawl__scope_ref ref = {pawl__text("team_domain"), pawl__text(HASH_C)};
        pawl__row row = {0}, two[PAWL__CANDIDATES], *rows;
        size_t n;
        pawl_status status;

        row.v[PAWL__RUN_ID].text = pawl__text("run-1");
        status = pawl__state_get(h->state, PAWL__RUNS, &row, &h->arena, &h->err);
        if (status == PAWL_OK)
                status = pawl__state_steps(
                        &rows, &n, h->state, pawl__text("run-1"), &h->arena, &h->err);
        if (status == PAWL_OK)
                status = pawl__state_conflicts(&rows, &n, h->state, pawl__text("run-1"),
                        pawl__text("one"), false, &h->arena, &h->err);
        if (status == PAWL_OK)
                status = pawl__state_by_prefix(
                        two, &n, h->state, PAWL__CONFLICTS, pawl__text("c"), &h->arena, &h->err);
        if (status == PAWL_OK)
                status = pawl__state_unfinished(
                        two, h->state, pawl__text("mission-1"), &h->arena, &h->err);
        if (status == PAWL_OK)
                status = pawl__state_workspace_newest(two, h->state, &h->arena, &h->err);
        if (status == PAWL_OK)
                status = pawl__state_workspace_all(&rows, &n, h->state, &h->arena, &h->err);
        if (status == PAWL_OK)
                status = pawl__state_by_prefix(
                        two, &n, h->state, PAWL__WORKSPACE, pawl__text("cp-"), &h->arena, &h->err);
        if (status == PAWL_OK && pawl__state_workspace_of_step(two, h->state, pawl__text("one"),
                                         &h->arena, &h->err) == PAWL_ENOMEM)
                status = PAWL_ENOMEM;
        if (status == PAWL_OK)
                status = pawl__state_rollback_last(two, h->state, &h->arena, &h->err);
        if (status == PAWL_OK)
                status = pawl__state_senses(
                        NULL, h->state, pawl__text("mission-1"), &ref, 1, pass, NULL, &h->err);
        if (status == PAWL_OK)
                status = pawl__state_each(h->state, PAWL__SCOPES, pass, NULL, &h->err);
        return status;
}

MEMORY(a_query_says_so_and_can_be_asked_again)
{
        add_all(h);
        check_ok(h, history_commit(h), __FILE__, __LINE__);
        for (sweep s = {.once = true, .keeps = true}; sweep_next(&s);) {
                pawl__arena_free(&h->arena);
                sweep_arm(&s);
                (void)sweep_done(&s, every_query(h), &h->err);
        }
}
