/* Users' own layers among the standard ones, and answers that come in between. */
#include "base/error.h"
#include "pipeline/context.h"
#include "support/pipeline.h"

static const char plain[] = "{\"description\":\"the tenant pays\"}";
static const char ambiguous[] = "{\"description\":\"Refunds land in the workspace\"}";

/* A layer that notes that it ran, and gives a verdict. */
struct noting {
        char *notes;
        size_t size;
        pawl_status verdict;
};

static pawl_status note(const pawl_layer *layer, pawl_context *ctx)
{
        struct noting *n = layer->user;
        size_t len = strlen(n->notes);

        snprintf(n->notes + len, n->size - len, "%s%s%s", len ? " " : "", layer->name,
                pawl_context_output(ctx).data ? "(output)" : "");
        return n->verdict;
}

static pawl_status run(struct piped *p, const char *step, const char *inputs, const char *token)
{
        piped_context(p, step, inputs);
        pawl_context_set_critical(p->ctx, true);
        if (token)
                assert_ok(pawl_context_set_retry_token(p->ctx, token));
        return piped_run(p);
}

PIPED_TEST(layers_run_where_they_were_put)
{
        char notes[256] = "";
        struct noting n = {notes, sizeof notes, PAWL_OK};
        char name[] = "first";
        const pawl_layer first = {name, note, &n}, second = {"second", note, &n},
                         third = {"third", note, &n}, last = {"last", note, &n};

        assert_ok(pawl_pipeline_add_before(p->pipeline, "extraction", &first));
        memset(name, 'x', 5); /* the name was copied */
        assert_ok(pawl_pipeline_add_after(p->pipeline, "first", &second));
        assert_ok(pawl_pipeline_add_after(p->pipeline, "generation_gate", &third));
        assert_ok(pawl_pipeline_add_after(p->pipeline, "resume", &last));
        assert_ok(run(p, "s", plain, NULL));
        assert_string_equal(notes, "first second third last");
        notes[0] = '\0';
        assert_ok(pawl_pipeline_complete(p->pipeline, p->ctx, "1", 1));
        assert_string_equal(notes, "first(output) second(output) third(output) last(output)");
}

PIPED_TEST(a_resume_runs_the_layers_behind_the_gate)
{
        char notes[256] = "";
        struct noting n = {notes, sizeof notes, PAWL_OK};
        const pawl_layer before = {"before", note, &n}, after = {"after", note, &n};

        assert_ok(pawl_pipeline_add_before(p->pipeline, "generation_gate", &before));
        assert_ok(pawl_pipeline_add_after(p->pipeline, "generation_gate", &after));
        assert_int_equal(run(p, "s", ambiguous, NULL), PAWL_BLOCKED);
        assert_string_equal(notes, "before after");
        assert_ok(piped_define(p, piped_conflict(p, 0), "Where refunds land"));
        notes[0] = '\0';
        assert_ok(run(p, "s", ambiguous, p->token)); /* at the gate */
        assert_string_equal(notes, "after");
        notes[0] = '\0';
        assert_ok(run(p, "s", ambiguous, p->token)); /* at the command */
        assert_string_equal(notes, "after");
}

/* Looks around from behind the gate: what it sees, as text. */
static pawl_status look(const pawl_layer *layer, pawl_context *ctx)
{
        char *seen = layer->user;
        pawl_scopes scopes;
        pawl_terms terms;
        pawl_findings findings;

        if (pawl_context_scopes(&scopes, ctx) || pawl_context_extracted_terms(&terms, ctx) ||
                pawl_context_findings(&findings, ctx))
                return PAWL_ENOMEM;
        int len = sprintf(seen, "%s %s %s %s scopes %zu", pawl_context_mission_id(ctx).data,
                pawl_context_run_id(ctx).data, pawl_context_step_id(ctx).data,
                pawl_context_strictness(ctx), scopes.n);
        for (size_t i = 0; i < terms.n; i++)
                len += sprintf(seen + len, ", %.*s by %s", PAWL__FMT(terms.items[i].surface),
                        terms.items[i].source);
        for (size_t i = 0; i < findings.n; i++)
                len += sprintf(seen + len, ", %.*s %.*s %zu of %zu id %zu",
                        PAWL__FMT(findings.items[i].conflict.term),
                        PAWL__FMT(findings.items[i].conflict.conflict_type),
                        findings.items[i].conflict.n_candidates, findings.n,
                        findings.items[i].conflict.conflict_id.len);
        return PAWL_OK;
}

PIPED_TEST(a_layer_reads_ids_strictness_scopes_terms_and_findings)
{
        char first[512] = "", last[512] = "";
        const pawl_layer before = {"before", look, first}, after = {"after", look, last};

        assert_ok(pawl_pipeline_add_before(p->pipeline, "extraction", &before));
        assert_ok(pawl_pipeline_add_after(p->pipeline, "generation_gate", &after));
        assert_int_equal(run(p, "s", ambiguous, NULL), PAWL_BLOCKED);
        assert_string_equal(first, "m r s medium scopes 1");
        assert_string_equal(last, "m r s medium scopes 1, workspace by glossary_match, "
                                  "workspace ambiguous 2 of 1 id 16");
}

PIPED_TEST(names_are_looked_up_and_unique)
{
        struct noting n = {NULL, 0, PAWL_OK};
        const pawl_layer mine = {"mine", note, &n}, gate = {"generation_gate", note, &n};

        assert_int_equal(pawl_pipeline_add_after(p->pipeline, "gate", &mine), PAWL_ENOTFOUND);
        assert_says(pawl_pipeline_errmsg(p->pipeline), "layer gate: there is none");
        assert_int_equal(pawl_pipeline_add_after(p->pipeline, "resume", &gate), PAWL_EEXISTS);
        assert_says(pawl_pipeline_errmsg(p->pipeline), "layer generation_gate: is there already");
}

PIPED_TEST(a_layer_that_fails_ends_the_pass_and_nothing_is_written)
{
        char notes[64] = "";
        struct noting n = {notes, sizeof notes, PAWL_EIO};
        const pawl_layer mine = {"mine", note, &n};

        assert_ok(run(p, "s", plain, NULL));
        uint64_t head = piped_head(p);
        assert_ok(pawl_pipeline_add_after(p->pipeline, "generation_gate", &mine));
        assert_int_equal(run(p, "t", plain, NULL), PAWL_EIO);
        assert_says(pawl_pipeline_errmsg(p->pipeline), "step t: layer mine failed (PAWL_EIO)");
        n.verdict = (pawl_status)77;
        assert_int_equal(run(p, "t", plain, NULL), PAWL_EINVAL);
        assert_says(pawl_pipeline_errmsg(p->pipeline), "gave the verdict 77");
        n.verdict = PAWL_JUMP; /* for ever */
        assert_int_equal(run(p, "t", plain, NULL), PAWL_ESTATE);
        assert_says(pawl_pipeline_errmsg(p->pipeline), "layer mine goes in circles");
        assert_int_equal(piped_head(p), head);
        assert_int_equal(pawl_pipeline_complete(p->pipeline, p->ctx, "1", 1), PAWL_ESTATE);
}

static pawl_status object(const pawl_layer *layer, pawl_context *ctx)
{
        (void)layer;
        return pawl_context_fail(ctx, PAWL_EINVAL, "not on a Friday");
}

PIPED_TEST(a_layer_says_why_it_failed)
{
        const pawl_layer mine = {"mine", object, NULL};

        assert_ok(pawl_pipeline_add_before(p->pipeline, "extraction", &mine));
        assert_int_equal(run(p, "s", plain, NULL), PAWL_EINVAL);
        assert_string_equal(pawl_pipeline_errmsg(p->pipeline), "not on a Friday");
        assert_string_equal(pawl_context_errmsg(p->ctx), "not on a Friday");
}

PIPED_TEST(a_layer_behind_the_gate_holds_until_it_lets_go)
{
        char notes[256] = "";
        struct noting n = {notes, sizeof notes, PAWL_BLOCKED};
        const pawl_layer mine = {"mine", note, &n};

        assert_ok(pawl_pipeline_add_after(p->pipeline, "generation_gate", &mine));
        assert_int_equal(run(p, "s", plain, NULL), PAWL_BLOCKED);
        assert_says(pawl_pipeline_errmsg(p->pipeline), "step s: blocked by layer mine");
        assert_int_equal(pawl_context_conflicts(p->ctx), 0);
        assert_int_equal(run(p, "s", plain, p->token), PAWL_BLOCKED);
        n.verdict = PAWL_OK;
        assert_ok(run(p, "s", plain, p->token));

        /* the output as well: it is kept, and not generated again */
        n.verdict = PAWL_BLOCKED;
        assert_int_equal(pawl_pipeline_complete(p->pipeline, p->ctx, "42", 2), PAWL_BLOCKED);
        memcpy(p->token, pawl_context_retry_token(p->ctx), sizeof p->token);
        n.verdict = PAWL_OK;
        assert_int_equal(run(p, "s", plain, p->token), PAWL_DONE);
        assert_text(pawl_context_output(p->ctx), "42");
}

static pawl_status say_why(const pawl_layer *layer, pawl_context *ctx)
{
        const char *why = *(const char **)layer->user;

        return why ? pawl_context_fail(ctx, PAWL_BLOCKED, why) : PAWL_OK;
}

/* Before the gate or behind it: what holds the step is in the log, under the layer's name. */
static void is_recorded(struct piped *p, bool before)
{
        const char *why = "the budget is used up";
        const pawl_layer mine = {"budget", say_why, &why};
        uint64_t head = piped_head(p);

        assert_ok(before ? pawl_pipeline_add_before(p->pipeline, "extraction", &mine)
                         : pawl_pipeline_add_after(p->pipeline, "generation_gate", &mine));
        assert_int_equal(run(p, "s", plain, NULL), PAWL_BLOCKED);
        assert_says(pawl_pipeline_errmsg(p->pipeline),
                "step s: blocked by layer budget: the budget is used up");
        const pawl_text payload =
                pawl__text(piped_payload(p, "GenerationBlockedBySemanticConflict", head, 0));
        assert_holds(payload, "\"conflicts\":[]");
        assert_holds(payload, "\"layer\":\"budget\",\"reason\":\"the budget is used up\"");
        assert_string_equal(piped_status(p, "s"), "blocked");
        assert_int_equal(pawl_pipeline_end_run(p->pipeline, "r", NULL), PAWL_ESTATE);
        why = NULL;
        assert_ok(run(p, "s", plain, NULL));
        assert_ok(piped_complete(p, "1"));
        assert_ok(pawl_pipeline_end_run(p->pipeline, "r", NULL));
}

PIPED_TEST(a_layer_before_the_gate_is_recorded_with_its_reason)
{
        is_recorded(p, true);
}

PIPED_TEST(a_layer_behind_the_gate_is_recorded_with_its_reason)
{
        is_recorded(p, false);
}

PIPED_TEST(a_layer_may_hold_where_the_check_is_off)
{
        char notes[256] = "";
        struct noting n = {notes, sizeof notes, PAWL_BLOCKED};
        const pawl_layer mine = {"mine", note, &n};

        assert_ok(pawl_pipeline_add_after(p->pipeline, "generation_gate", &mine));
        piped_context(p, "s", ambiguous);
        assert_ok(pawl_context_set_strictness(p->ctx, "off"));
        assert_int_equal(piped_run(p), PAWL_BLOCKED);
        n.verdict = PAWL_OK;
        assert_ok(run(p, "s", ambiguous, p->token));
}

PIPED_TEST(a_layer_before_the_gate_that_holds_is_passed_again_from_the_start)
{
        char notes[256] = "";
        struct noting n = {notes, sizeof notes, PAWL_BLOCKED};
        const pawl_layer mine = {"mine", note, &n};

        assert_ok(pawl_pipeline_add_before(p->pipeline, "extraction", &mine));
        assert_int_equal(run(p, "s", plain, NULL), PAWL_BLOCKED);
        assert_null(pawl_context_retry_token(p->ctx));
        n.verdict = PAWL_OK;
        assert_ok(run(p, "s", plain, NULL));
}

PIPED_TEST(a_layer_that_is_done_ends_the_pass_without_generation)
{
        char notes[256] = "";
        struct noting n = {notes, sizeof notes, PAWL_DONE};
        const pawl_layer mine = {"mine", note, &n};

        assert_ok(pawl_pipeline_add_before(p->pipeline, "generation_gate", &mine));
        assert_int_equal(run(p, "s", plain, NULL), PAWL_DONE);
        assert_null(pawl_context_output(p->ctx).data);
        assert_int_equal(pawl_pipeline_complete(p->pipeline, p->ctx, "1", 1), PAWL_ESTATE);
}

static pawl_status emit_one(const pawl_layer *layer, pawl_context *ctx)
{
        struct piped *p = layer->user;
        static const char payload[] =
                "{\"term\":\"t\",\"source_step\":\"s\",\"actor_id\":\"me\",\"confidence\":0.5,"
                "\"extraction_method\":\"mine\",\"context\":\"\"}";
        /* a pass within a pass, and a new layer, are refused */
        const pawl_layer late = {"late", emit_one, NULL};

        assert_int_equal(pawl_pipeline_run(p->pipeline, ctx), PAWL_ESTATE);
        assert_int_equal(pawl_pipeline_add_after(p->pipeline, "resume", &late), PAWL_ESTATE);
        return pawl_context_emit(ctx, "TermCandidateObserved", payload, sizeof payload - 1);
}

PIPED_TEST(a_layers_events_are_part_of_the_pass)
{
        const pawl_layer mine = {"mine", emit_one, p};

        assert_ok(run(p, "s", plain, NULL));
        assert_ok(pawl_pipeline_add_before(p->pipeline, "generation_gate", &mine));
        uint64_t head = piped_head(p);
        assert_ok(run(p, "t", plain, NULL));
        assert_string_equal(piped_types(p, head),
                "StepStarted SemanticCheckEvaluated TermCandidateObserved StepCheckpointed");
}

/* Two conflicts whose ids begin alike, one of them with a candidate of a scope that there is not.
 */
static struct {
        char term[8], id[17];
} alike[2];

/* Two terms whose conflicts' ids begin with the same four digits: among 2,000 there are some. */
static pawl_status find_alike(const pawl_context *ctx)
{
        static char ids[2000][17];

        for (size_t i = 0; i < 2000; i++) {
                char term[8];
                snprintf(term, sizeof term, "t%zu", i);
                if (pawl__conflict_id(ids[i], ctx, pawl__text(term)))
                        return PAWL_ENOMEM;
                for (size_t j = 0; j < i; j++)
                        if (memcmp(ids[i], ids[j], 4) == 0) {
                                snprintf(alike[0].term, sizeof alike[0].term, "t%zu", j);
                                snprintf(alike[1].term, sizeof alike[1].term, "t%zu", i);
                                memcpy(alike[0].id, ids[j], 17);
                                memcpy(alike[1].id, ids[i], 17);
                                return PAWL_OK;
                        }
        }
        return PAWL_ENOTFOUND;
}

static pawl_status request_two(const pawl_layer *layer, pawl_context *ctx)
{
        char payload[1024];
        pawl_status status = find_alike(ctx);

        (void)layer;
        snprintf(payload, sizeof payload,
                "{\"conflicts\":[{\"conflict_id\":\"%s\"},{\"conflict_id\":\"%s\"}],"
                "\"effective_strictness\":\"medium\",\"strictness_mode\":\"medium\"}",
                alike[0].id, alike[1].id);
        if (!status)
                status = pawl_context_emit(
                        ctx, "GenerationBlockedBySemanticConflict", payload, strlen(payload));
        for (size_t i = 0; i < 2 && !status; i++) {
                int len = snprintf(payload, sizeof payload,
                        "{\"conflict_id\":\"%s\",\"question\":\"?\",\"term\":\"%s\",\"options\":[{\"surface\":\"t\",\"scope\":\"world\",\"definition\":\"d\",\"confidence\":1}],\"urgency\":\"high\",\"retry_token\":\"00000000-0000-4000-8000-000000000001\",\"input_hash\":\"%s\"}",
                        alike[i].id, alike[i].term, pawl_context_input_hash(ctx));
                status = pawl_context_emit(
                        ctx, "GlossaryClarificationRequested", payload, (size_t)len);
        }
        return status;
}

PIPED_TEST(a_prefix_must_name_one_conflict_and_a_pick_a_scope_that_is_known)
{
        const pawl_layer mine = {"mine", request_two, NULL};
        const pawl_answer pick = {.pick = 1};

        assert_ok(pawl_pipeline_add_after(p->pipeline, "generation_gate", &mine));
        assert_ok(run(p, "s", plain, NULL));
        uint64_t head = piped_head(p);
        char prefix[5] = "", says[120];
        memcpy(prefix, alike[0].id, 4);
        assert_int_equal(piped_define(p, prefix, "x"), PAWL_EINVAL);
        snprintf(says, sizeof says, "conflict %s: is more than one (", prefix);
        assert_says(p->err.message, says);
        assert_int_equal(
                pawl_conflict_resolve(p->log, alike[1].id, &pick, NULL, &p->err), PAWL_EINVAL);
        assert_says(p->err.message, "candidate 1 has the unknown scope \"world\"; define \"t");
        assert_int_equal(piped_head(p), head);
        assert_ok(piped_define(p, alike[1].id, "x"));
}

/* ---- Another session answers first ---------------------------------------------------------- */

struct other {
        struct piped *p;
        const char *definition;
        char conflict[17];
        int times; /* how often it has come in between */
        int at;    /* when it answers, counted in conflicts seen */
};

static void answer_elsewhere(struct other *o)
{
        struct piped *p = o->p;
        char *kept = p->text; /* of the fixture; piped_define() leaves it alone */

        if (pawl_context_conflicts(p->ctx) > 0)
                memcpy(o->conflict, piped_conflict(p, 0), sizeof o->conflict);
        assert_ok(piped_define(p, o->conflict, o->definition));
        assert_ptr_equal(p->text, kept);
}

static void while_the_person_thinks(void *user)
{
        struct other *o = user;

        if (o->times++ == o->at)
                answer_elsewhere(o);
}

static const pawl_answer first_candidate[] = {{.pick = 1}};

PIPED_TEST(an_answer_from_elsewhere_while_the_person_thinks_stands)
{
        struct other o = {.p = p, .definition = "Said elsewhere"};

        p->options.clarify = script_answer;
        p->script = (struct script){.answers = first_candidate,
                .n = 1,
                .before = while_the_person_thinks,
                .before_user = &o};
        piped_pipeline(p);
        assert_ok(run(p, "s", ambiguous, NULL));
        assert_holds(pawl__text(piped_payload(p, "GlossaryClarificationResolved", 0, 0)),
                "Said elsewhere");
        assert_string_equal(piped_status(p, "s"), "running");
        pawl__resolution now = pawl__glossary_resolve(p->ctx->glossary, pawl__text("workspace"));
        assert_int_equal(now.n, 1);
        assert_text(now.senses[0]->definition, "Said elsewhere");
}

/* Between our answer and its commit: a layer behind the clarification stands in for the time. */
static pawl_status come_in_between(const pawl_layer *layer, pawl_context *ctx)
{
        struct other *o = layer->user;

        if (ctx->answered && o->times++ == 0)
                answer_elsewhere(o);
        return PAWL_OK;
}

static void remember_conflict(void *user)
{
        struct other *o = user;

        memcpy(o->conflict, piped_conflict(o->p, 0), sizeof o->conflict);
}

PIPED_TEST(an_answer_from_elsewhere_before_the_commit_stands)
{
        struct other o = {.p = p, .definition = "Said elsewhere"};
        const pawl_layer mine = {"mine", come_in_between, &o};

        p->options.clarify = script_answer;
        p->script = (struct script){
                .answers = first_candidate, .n = 1, .before = remember_conflict, .before_user = &o};
        piped_pipeline(p);
        assert_ok(pawl_pipeline_add_after(p->pipeline, "clarification", &mine));
        assert_ok(run(p, "s", ambiguous, NULL));
        assert_int_equal(p->script.asked, 1);
        assert_string_equal(piped_types(p, 8),
                "SemanticCheckEvaluated StepCheckpointed GenerationBlockedBySemanticConflict "
                "GlossaryClarificationRequested GlossarySenseUpdated "
                "GlossaryClarificationResolved StepCheckpointed StepResumed StepCheckpointed");
        pawl__resolution now = pawl__glossary_resolve(p->ctx->glossary, pawl__text("workspace"));
        assert_text(now.senses[0]->definition, "Said elsewhere");
        assert_ok(pawl_pipeline_complete(p->pipeline, p->ctx, "1", 1));
}
