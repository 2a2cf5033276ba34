/* Loading a checkpoint by its token, from inside and by the public header. */
#include "checkpoint/checkpoint.h"
#include "support/history.h"
#include "support/sweep.h"
#include <pawl/checkpoint.h>

/* Step one, checkpointed twice: by token 1 at seq 5 after a check, by token 2 at seq 6. */
static int setup(void **state)
{
        struct history *h;

        history_setup(state);
        h = *state;
        history_start(h, "[\"one\"]");
        check_ok(h, history_claim(h), __FILE__, __LINE__);
        history_step_started(h);
        history_evaluated(h);
        history_checkpointed(h, "pre_generation_gate", TOKEN(1));
        history_checkpointed(h, "post_gate", TOKEN(2));
        check_ok(h, history_commit(h), __FILE__, __LINE__);
        return 0;
}

static void unguard(struct history *h)
{
        history_sql(h, "DROP TRIGGER events_refuse_update");
}

/* Loading by this token fails so, and leaves *out and the log alone. */
static void refuses(struct history *h, const char *token, pawl_status status, const char *says)
{
        pawl__checkpoint out = {.seq = 77};
        pawl_step_checkpoint *public_out = (pawl_step_checkpoint *)h;
        uint64_t head = history_head(h);

        assert_int_equal(
                pawl__checkpoint_load(&out, &h->arena, h->log, pawl__text(token), &h->err), status);
        assert_says(h->err.message, says);
        assert_int_equal(out.seq, 77);
        h->err = (pawl_error)PAWL_ERROR_INIT;
        assert_int_equal(pawl_step_checkpoint_load(&public_out, h->log, token, &h->err), status);
        assert_says(h->err.message, says);
        assert_ptr_equal(public_out, h);
        assert_int_equal(history_head(h), head);
}

#define LOAD(name) UNIT_TEST_WITH(name, struct history *h, setup, history_teardown)

static void check_tokens(struct history *h)
{
        pawl__checkpoint is;

        assert_ok(pawl__checkpoint_load(&is, &h->arena, h->log, pawl__text(TOKEN(1)), &h->err));
        assert_int_equal(is.seq, 5);
        assert_int_equal(is.evaluated_seq, 4);
        assert_int_equal(is.cursor, PAWL__AT_PRE_GENERATION_GATE);
        assert_string_equal(is.retry_token, TOKEN(1));
        assert_text(is.run_id, "run-1");
        assert_ok(pawl__checkpoint_load(&is, &h->arena, h->log, pawl__text(TOKEN(2)), &h->err));
        assert_int_equal(is.seq, 6);
        assert_int_equal(is.cursor, PAWL__AT_POST_GATE);
}

LOAD(a_token_leads_to_its_own_checkpoint_not_the_newest)
{
        check_tokens(h);
}

LOAD(an_unknown_token_is_an_error_and_never_a_fresh_start)
{
        refuses(h, TOKEN(3), PAWL_ENOTFOUND,
                "retry token " TOKEN(3) ": no checkpoint of this log has it; see `eventlog list");
}

LOAD(a_text_that_is_no_token_is_refused)
{
        static const char *const texts[] = {NULL, "", "run-1",
                "00000000-0000-4000-8000-00000000000A", "00000000-0000-4000-8000-0000000000011",
                "../../../../../../../../etc/passwd....."};

        for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
                refuses(h, texts[i], PAWL_EINVAL, "is not of a token's form; give the 36");
}

LOAD(an_event_of_another_token_is_damage)
{
        history_sql(h, "UPDATE checkpoints SET seq = 6 WHERE seq = 5");
        refuses(h, TOKEN(1), PAWL_EDAMAGED,
                "checkpoint " TOKEN(1) ": event 6 is of token " TOKEN(2) "; run `eventlog verify`");
}

LOAD(an_event_of_another_type_is_damage)
{
        history_sql(h, "UPDATE checkpoints SET seq = 4 WHERE seq = 5");
        refuses(h, TOKEN(1), PAWL_EDAMAGED,
                "checkpoint " TOKEN(1) ": seq 4 (SemanticCheckEvaluated)");
}

LOAD(an_event_that_is_not_there_is_damage)
{
        history_sql(h, "UPDATE checkpoints SET seq = 99 WHERE seq = 5");
        refuses(h, TOKEN(1), PAWL_EDAMAGED, "checkpoint " TOKEN(1) ": ");
}

LOAD(a_payload_that_was_tampered_with_is_damage)
{
        unguard(h);
        history_sql(h, "UPDATE events SET payload = replace(payload, 'medium', 'lower') "
                       "WHERE seq = 5");
        refuses(h, TOKEN(1), PAWL_EDAMAGED,
                "checkpoint " TOKEN(1) ": seq 5 (StepCheckpointed): strictness: is not known");
        history_sql(h, "UPDATE events SET payload = NULL WHERE seq = 5");
        refuses(h, TOKEN(1), PAWL_EDAMAGED, "checkpoint " TOKEN(1) ": seq 5");
        history_sql(h, "UPDATE events SET step_id = NULL WHERE seq = 6");
        refuses(h, TOKEN(2), PAWL_EDAMAGED, "step_id: id \"\": is empty");
}

LOAD(a_payload_of_a_newer_version_is_refused_as_newer)
{
        unguard(h);
        history_sql(h, "UPDATE events SET v = 3 WHERE seq = 5");
        refuses(h, TOKEN(1), PAWL_ENEWER, "seq 5 (StepCheckpointed): its payload has version 3");
}

/* A payload that is well formed, but not the one that was appended: its hash tells. */
LOAD(a_change_that_keeps_the_form_is_damage)
{
        static const char *const changes[] = {
                "payload = replace(payload, 'medium', 'off')",
                "payload = replace(payload, '" HASH_A "', '" HASH_B "')",
                "step_id = 'two'",
                "time = time + 1",
        };

        unguard(h);
        for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
                char sql[256];
                snprintf(sql, sizeof sql,
                        "CREATE TABLE kept AS SELECT * FROM events WHERE seq = 5;"
                        "UPDATE events SET %s WHERE seq = 5",
                        changes[i]);
                history_sql(h, sql);
                refuses(h, TOKEN(1), PAWL_EDAMAGED,
                        "checkpoint " TOKEN(1) ": seq 5: its hash does not fit: its payload or");
                history_sql(h, "UPDATE events SET payload = (SELECT payload FROM kept), "
                               "step_id = 'one', time = (SELECT time FROM kept) WHERE seq = 5;"
                               "DROP TABLE kept");
        }
        check_tokens(h);
}

/* An event whose row is damaged keeps the log's own status and words. */
LOAD(a_row_that_is_damaged_is_damage)
{
        unguard(h);
        history_sql(h, "UPDATE events SET hash = x'00' WHERE seq = 5");
        refuses(h, TOKEN(1), PAWL_EDAMAGED, "seq 5: its hash is not 32 bytes");
}

LOAD(tables_that_are_missing_are_reported)
{
        history_sql(h, "DROP TABLE checkpoints");
        refuses(h, TOKEN(1), PAWL_EDAMAGED, "no such table: checkpoints");
}

LOAD(a_read_only_log_that_is_behind_says_how_to_bring_it_up_to_date)
{
        history_reopen(h, 0); /* no state is attached: the next append is not folded */
        history_append(h, "GlossaryScopeActivated",
                "{\"scope_id\":\"core\",\"glossary_version_id\":\"" HASH_A "\"}");
        history_reopen(h, PAWL_LOG_READONLY);
        refuses(h, TOKEN(1), PAWL_ESTATE, "open it once with pawl to bring its tables up to date");
}

/* ---- The public header ----------------------------------------------------------------------- */

LOAD(the_public_checkpoint_shows_every_field)
{
        pawl_step_checkpoint *checkpoint;

        assert_ok(pawl_step_checkpoint_load(&checkpoint, h->log, TOKEN(1), &h->err));
        pawl_log_close(h->log); /* a copy, free of its log */
        h->log = NULL;
        assert_text(checkpoint->mission_id, "mission-1");
        assert_text(checkpoint->run_id, "run-1");
        assert_text(checkpoint->step_id, "one");
        assert_string_equal(checkpoint->retry_token, TOKEN(1));
        assert_string_equal(checkpoint->input_hash, HASH_A);
        assert_string_equal(checkpoint->cursor, "pre_generation_gate");
        assert_string_equal(checkpoint->strictness, "medium");
        assert_int_equal(checkpoint->seq, 5);
        assert_true(checkpoint->time_us > 0);
        assert_int_equal(checkpoint->n_scope_refs, 1);
        assert_text(checkpoint->scope_refs[0].scope, "team_domain");
        pawl_step_checkpoint_free(checkpoint);
        pawl_step_checkpoint_free(NULL);
}

LOAD(the_newest_of_a_step_is_found_by_its_ids)
{
        pawl_step_checkpoint *checkpoint = (pawl_step_checkpoint *)h;

        assert_ok(pawl_step_checkpoint_latest(&checkpoint, h->log, "run-1", "one", &h->err));
        assert_string_equal(checkpoint->retry_token, TOKEN(2));
        assert_int_equal(checkpoint->seq, 6);
        pawl_step_checkpoint_free(checkpoint);
        checkpoint = (pawl_step_checkpoint *)h;
        assert_int_equal(pawl_step_checkpoint_latest(&checkpoint, h->log, "run-1", "two", &h->err),
                PAWL_ENOTFOUND);
        assert_says(h->err.message, "step two of run run-1: has no checkpoint; `eventlog list");
        assert_ptr_equal(checkpoint, h);
}

LOAD(inputs_are_verified_by_their_canonical_hash)
{
        static const char inputs[] = "{\"b\":1,\"a\":[]}", spaced[] = " { \"a\": [ ], \"b\":1.0 } ";
        static const char other[] = "{\"a\":[],\"b\":2}", broken[] = "{\"a\":";
        pawl_step_checkpoint *checkpoint;
        char hash[65];
        bool same = false;

        assert_ok(pawl_json_hash(hash, inputs, strlen(inputs), &h->err));
        history_add(h, "StepCheckpointed",
                "{\"strictness\":\"off\",\"scope_refs\":[],\"input_hash\":\"%s\","
                "\"input_hash_alg\":\"jcs-sha256\",\"cursor\":\"post_gate\",\"retry_token\":"
                "\"" TOKEN(5) "\"}",
                hash);
        check_ok(h, history_commit(h), __FILE__, __LINE__);
        assert_ok(pawl_step_checkpoint_load(&checkpoint, h->log, TOKEN(5), &h->err));
        assert_ok(pawl_step_checkpoint_verify(&same, checkpoint, spaced, strlen(spaced), &h->err));
        assert_true(same);
        assert_ok(pawl_step_checkpoint_verify(&same, checkpoint, other, strlen(other), &h->err));
        assert_false(same);
        same = true;
        assert_int_equal(
                pawl_step_checkpoint_verify(&same, checkpoint, broken, strlen(broken), &h->err),
                PAWL_EPARSE);
        assert_says(h->err.message, "line 1, column 6");
        assert_true(same);
        pawl_step_checkpoint_free(checkpoint);
}

LOAD(running_out_of_memory_is_said_and_can_be_tried_again)
{
        history_reopen(h, 0);
        for (sweep s = {.keeps = true}; sweep_next(&s);) {
                pawl_step_checkpoint *checkpoint = NULL;
                h->err = (pawl_error)PAWL_ERROR_INIT;
                bool same = false;
                sweep_arm(&s);
                pawl_status status =
                        pawl_step_checkpoint_load(&checkpoint, h->log, TOKEN(1), &h->err);
                assert_int_equal(checkpoint != NULL, status == PAWL_OK);
                if (!status)
                        status = pawl_step_checkpoint_verify(&same, checkpoint, "{}", 2, &h->err);
                (void)sweep_done(&s, status, &h->err);
                pawl_step_checkpoint_free(checkpoint);
        }
}
