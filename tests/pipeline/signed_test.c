/* Answers that are signed, and passes that take no others. Here a signature is what it signs, and
 * by whom; the file of allowed signers is their names. */
#include "base/error.h"
#include "pipeline/answer.h"
#include "pipeline/chain.h"
#include "pipeline/signed.h"
#include "support/pipeline.h"
#include "support/sweep.h"

static const char ambiguous[] = "{\"description\":\"Refunds land in the workspace\"}";

static size_t n_verified;
static pawl_status verify_status;

static void write_signature(pawl__buf *out, pawl_text text, pawl_text actor)
{
        pawl__buf_adds(out, "by ");
        pawl__buf_add_text(out, actor);
        pawl__buf_adds(out, ": ");
        pawl__buf_add_text(out, text);
}

static pawl_status sign(
        pawl__buf *signature, pawl_text text, pawl_text actor, void *user, pawl_error *err)
{
        (void)user, (void)err;
        write_signature(signature, text, actor);
        return PAWL_OK;
}

static pawl_status verify(pawl_text text, pawl_text signature, pawl_text actor, pawl_text signers,
        int64_t at_us, pawl_error *err)
{
        pawl__buf wanted = PAWL__BUF_INIT;
        char names[64];

        (void)at_us;
        n_verified++;
        if (verify_status)
                return pawl__fail(err, verify_status, "verifier: is not there; install it");
        snprintf(names, sizeof names, "%.*s", PAWL__FMT(signers));
        write_signature(&wanted, text, actor);
        pawl_status status = pawl__buf_check(&wanted, err);
        if (!status &&
                (!strstr(names, actor.data) || !pawl__text_eq(pawl__buf_text(&wanted), signature)))
                status = pawl__fail(err, PAWL_EACCESS, "not good");
        pawl__buf_free(&wanted);
        return status;
}

static const pawl__sealer sealer = {.sign = sign, .verify = verify};

static pawl_status answer(struct piped *p, const pawl_answer *said, const char *actor, bool seals)
{
        const pawl_conflict_answer one = {piped_conflict(p, 0), *said};
        pawl__refusals refusals = {.tell = NULL};
        pawl_log *other;

        assert_ok(pawl_log_open(&other, p->db, &p->log_options, &p->err));
        const pawl_status status = pawl__conflicts_resolve(
                other, &one, 1, actor, seals ? &sealer : NULL, &refusals, &p->err);
        pawl_log_close(other);
        return status;
}

/* The pipeline takes the answers of these alone. */
static void require(struct piped *p, pawl__trust *trust, const char *signers)
{
        *trust = (pawl__trust){.log = p->log,
                .mission_id = pawl__text("m"),
                .signers = {.file = pawl__text("allowed"), .recorded = pawl__text(signers)},
                .verify = verify};
        assert_ok(pawl__state_of(&trust->state, p->log, &p->err));
        assert_ok(pawl__trust_begin(trust, &p->err));
        pawl__pipeline_require_signed(p->pipeline, trust);
        n_verified = 0;
        verify_status = PAWL_OK;
}

PIPED_TEST(the_event_alone_yields_what_is_signed)
{
        char wanted[600];

        assert_int_equal(piped_critical(p, "s", ambiguous), PAWL_BLOCKED);
        snprintf(wanted, sizeof wanted,
                "\"signature\":\"by user:ana: {\\\"actor\\\":\\\"user:ana\\\",\\\"answer\\\":{"
                "\\\"confidence\\\":1,\\\"definition\\\":\\\"A place\\\",\\\"scope\\\":"
                "\\\"team_domain\\\",\\\"surface\\\":\\\"workspace\\\"},\\\"conflict_id\\\":\\\"%s\\\","
                "\\\"input_hash\\\":\\\"%s\\\",\\\"question\\\":\\\"",
                piped_conflict(p, 0), pawl_context_input_hash(p->ctx));
        assert_ok(answer(p, &(pawl_answer){.define = pawl__text("A place")}, "user:ana", true));
        assert_says(piped_payload(p, "GlossaryClarificationResolved", 0, 0), wanted);
}

PIPED_TEST(one_that_is_not_good_counts_as_none_and_the_conflict_is_open_again)
{
        pawl__trust trust;
        uint64_t head;

        assert_int_equal(piped_critical(p, "s", ambiguous), PAWL_BLOCKED);
        assert_ok(answer(p, &(pawl_answer){.pick = 1}, "user:ana", false));
        require(p, &trust, "user:ana");
        head = piped_head(p);
        assert_int_equal(piped_critical_resume(p, "s", ambiguous), PAWL_BLOCKED);
        assert_int_equal(n_verified, 0);
        assert_says(p->ctx->distrust.message, "does not count: it is not signed");
        assert_says(piped_payload(p, "GlossaryClarificationRequested", head, 0), "\"unverified\":");
        assert_ok(answer(p, &(pawl_answer){.pick = 1}, "user:eve", true));
        assert_int_equal(piped_critical_resume(p, "s", ambiguous), PAWL_BLOCKED);
        assert_says(p->ctx->distrust.message, "does not count: not good, by allowed");
        assert_ok(answer(p, &(pawl_answer){.pick = 1}, "user:ana", true));
        n_verified = 0;
        assert_ok(piped_critical_resume(p, "s", ambiguous));
        assert_string_equal(p->ctx->distrust.message, "");
        assert_int_equal(n_verified, 1);
        piped_replays(p);
        pawl__trust_free(&trust);
}

PIPED_TEST(a_sense_of_a_wider_scope_comes_with_its_answer_or_not_at_all)
{
        const pawl_answer define = {.define = pawl__text("A place")};
        pawl__trust trust;

        assert_int_equal(piped_critical(p, "s", ambiguous), PAWL_BLOCKED);
        assert_ok(answer(p, &define, "user:eve", true));
        piped_pipeline(p);
        require(p, &trust, "user:ana");
        assert_int_equal(piped_critical(p, "other", ambiguous), PAWL_BLOCKED);
        pawl__trust_free(&trust);
        piped_pipeline(p);
        require(p, &trust, "user:eve");
        assert_ok(piped_critical(p, "third", ambiguous));
        pawl__trust_free(&trust);
}

/* What cannot be verified just now is not lost: nothing is written, and it is asked for again. */
PIPED_TEST(without_a_verifier_the_pass_fails_and_writes_nothing)
{
        pawl__trust trust;

        assert_int_equal(piped_critical(p, "s", ambiguous), PAWL_BLOCKED);
        assert_ok(answer(p, &(pawl_answer){.pick = 1}, "user:ana", true));
        require(p, &trust, "user:ana");
        verify_status = PAWL_EIO;
        const uint64_t head = piped_head(p);
        assert_int_equal(piped_critical_resume(p, "s", ambiguous), PAWL_EIO);
        assert_says(pawl_pipeline_errmsg(p->pipeline), "verifier: is not there");
        assert_int_equal(piped_head(p), head);
        verify_status = PAWL_OK;
        assert_ok(piped_critical_resume(p, "s", ambiguous));
        pawl__trust_free(&trust);
}

PIPED_TEST(nobody_is_asked_in_a_pass)
{
        const pawl_answer picks = {.pick = 1};
        pawl__trust trust;

        p->options.clarify = script_answer;
        p->script.answers = &picks;
        p->script.n = 1;
        piped_pipeline(p);
        require(p, &trust, "user:ana");
        assert_int_equal(piped_critical(p, "s", ambiguous), PAWL_BLOCKED);
        assert_int_equal(p->script.asked, 0);
        pawl__trust_free(&trust);
}

PIPED_TEST(without_memory_no_answer_counts_that_is_not_good)
{
        pawl__trust trust;

        assert_int_equal(piped_critical(p, "s", ambiguous), PAWL_BLOCKED);
        assert_ok(answer(p, &(pawl_answer){.define = pawl__text("A place")}, "user:ana", true));
        for (sweep s = {.warm = 1, .least = 10}; sweep_next(&s);) {
                pawl__glossary *glossary;
                pawl_error err = PAWL_ERROR_INIT;
                require(p, &trust, "user:eve");
                assert_ok(pawl__glossary_new(&glossary, &err));
                const pawl__sense_filter filter = pawl__trust_filter(&trust);
                pawl__glossary_filter(glossary, &filter);
                sweep_arm(&s);
                const pawl_status status =
                        pawl__glossary_load(glossary, trust.state, pawl__text("m"), NULL, 0, &err);
                (void)sweep_done(&s, status, &err);
                assert_int_equal(pawl__glossary_resolve(glossary, pawl__text("workspace")).n, 0);
                pawl__glossary_free(glossary);
                pawl__trust_free(&trust);
        }
}
