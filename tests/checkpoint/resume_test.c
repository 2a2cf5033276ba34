/* Where a resume goes on: every verdict, from values alone. */
#include "checkpoint/checkpoint.h"
#include "support/history.h"

static pawl__checkpoint at(uint64_t seq, pawl__cursor_at cursor, const char *hash)
{
        pawl__checkpoint checkpoint = {.seq = seq, .cursor = cursor};

        memcpy(checkpoint.input_hash, hash, 65);
        return checkpoint;
}

UNIT_TEST(equal_hashes_go_on_at_the_cursor)
{
        static const pawl__cursor_at cursors[] = {PAWL__AT_PRE_GENERATION_GATE,
                PAWL__AT_POST_CLARIFICATION, PAWL__AT_POST_GATE, PAWL__AT_POST_GENERATION};
        static const char *const statuses[] = {"blocked", "running", "failed", "pending"};

        for (size_t i = 0; i < 4; i++) {
                pawl__checkpoint asked = at(7, cursors[i], HASH_A);
                pawl__resume_decision d =
                        pawl__resume_decide(&asked, NULL, pawl__text(statuses[i]), HASH_A);
                assert_int_equal(d.verdict, PAWL__RESUME_AT_CURSOR);
                assert_int_equal(d.cursor, cursors[i]);
                assert_ptr_equal(d.from, &asked);
        }
}

UNIT_TEST(other_hashes_ask_and_start_again)
{
        pawl__checkpoint asked = at(7, PAWL__AT_POST_GATE, HASH_A);
        pawl__resume_decision d = pawl__resume_decide(&asked, NULL, pawl__text("running"), HASH_B);

        assert_int_equal(d.verdict, PAWL__RESUME_CHANGED);
        assert_int_equal(d.cursor, PAWL__AT_START);
        assert_ptr_equal(d.from, &asked);
}

UNIT_TEST(a_completed_step_is_done_if_its_inputs_are_the_same)
{
        pawl__checkpoint asked = at(7, PAWL__AT_PRE_GENERATION_GATE, HASH_A);

        assert_int_equal(pawl__resume_decide(&asked, NULL, pawl__text("completed"), HASH_A).verdict,
                PAWL__RESUME_DONE);
        assert_int_equal(pawl__resume_decide(&asked, NULL, pawl__text("completed"), HASH_B).verdict,
                PAWL__RESUME_CHANGED);
}

UNIT_TEST(a_gate_that_has_since_passed_keeps_its_token)
{
        pawl__checkpoint asked = at(7, PAWL__AT_PRE_GENERATION_GATE, HASH_A);
        pawl__checkpoint passed = at(12, PAWL__AT_POST_GATE, HASH_A);
        pawl__checkpoint kept = at(13, PAWL__AT_POST_GENERATION, HASH_A);

        pawl__resume_decision d =
                pawl__resume_decide(&asked, &passed, pawl__text("running"), HASH_A);
        assert_int_equal(d.verdict, PAWL__RESUME_AT_CURSOR);
        assert_int_equal(d.cursor, PAWL__AT_POST_GATE);
        assert_ptr_equal(d.from, &passed);
        d = pawl__resume_decide(&asked, &kept, pawl__text("blocked"), HASH_A);
        assert_int_equal(d.cursor, PAWL__AT_POST_GENERATION);
        assert_ptr_equal(d.from, &kept);
}

UNIT_TEST(a_newer_checkpoint_that_did_not_pass_is_not_followed)
{
        pawl__checkpoint asked = at(7, PAWL__AT_PRE_GENERATION_GATE, HASH_A);
        pawl__checkpoint blocked = at(12, PAWL__AT_PRE_GENERATION_GATE, HASH_A);
        pawl__checkpoint answered = at(12, PAWL__AT_POST_CLARIFICATION, HASH_A);
        pawl__checkpoint other = at(12, PAWL__AT_POST_GATE, HASH_B);
        pawl__checkpoint older = at(3, PAWL__AT_POST_GATE, HASH_A);
        const pawl__checkpoint *const newest[] = {&blocked, &answered, &other, &older};

        for (size_t i = 0; i < 4; i++) {
                pawl__resume_decision d =
                        pawl__resume_decide(&asked, newest[i], pawl__text("blocked"), HASH_A);
                assert_int_equal(d.verdict, PAWL__RESUME_AT_CURSOR);
                assert_int_equal(d.cursor, PAWL__AT_PRE_GENERATION_GATE);
                assert_ptr_equal(d.from, &asked);
        }
}

/* The gate passed other inputs: nothing of that holds for the ones that were asked for. */
UNIT_TEST(changed_inputs_are_asked_about_even_where_the_gate_has_passed)
{
        pawl__checkpoint asked = at(7, PAWL__AT_PRE_GENERATION_GATE, HASH_A);
        pawl__checkpoint passed = at(12, PAWL__AT_POST_GATE, HASH_B);
        pawl__resume_decision d =
                pawl__resume_decide(&asked, &passed, pawl__text("running"), HASH_B);

        assert_int_equal(d.verdict, PAWL__RESUME_CHANGED);
        assert_ptr_equal(d.from, &asked);
}
