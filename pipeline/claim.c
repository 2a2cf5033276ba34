/* The pipeline's claims: which runs it writes to, under which fence, and the senses that hold for
 * each. A run is claimed at the first pass over a context of it, and started where the log has
 * none. */
#include "base/error.h"
#include "pipeline/object.h"

/* ---- The senses of a run -------------------------------------------------------------------- */

static pawl_status copy_refs(
        pawl__claim *claim, const pawl__scope_ref *refs, size_t n, pawl_error *err)
{
        if (n > PAWL__SCOPE_REFS_MAX)
                return pawl__fail(err, PAWL_ETOOBIG,
                        "run %.*s: names %zu scopes; a run has at most %d",
                        PAWL__FMT(claim->run_id), n, PAWL__SCOPE_REFS_MAX);
        for (size_t i = 0; i < n; i++)
                claim->refs[i] = (pawl__scope_ref){pawl__arena_copy(&claim->arena, refs[i].scope),
                        pawl__arena_copy(&claim->arena, refs[i].version_id)};
        const pawl_status status = pawl__arena_check(&claim->arena, err);
        claim->n_refs = status ? 0 : n;
        return status;
}

static pawl_status head_of(uint64_t *seq, pawl_log *log, pawl_error *err)
{
        unsigned char hash[PAWL__HASH_LEN];
        pawl_status status = pawl_log_head(seq, hash, log);

        if (status && err)
                *err = *pawl__log_error(log);
        return status;
}

/* What a fork does not know of stays away. */
typedef struct adding {
        pawl__glossary *glossary;
        const pawl__hidden *hidden;
} adding;

static pawl_status add_row(const pawl__row *row, void *user, pawl_error *err)
{
        const adding *a = user;

        if (row->v[PAWL__SENSE_VERSION].text.len == 0 &&
                pawl__is_hidden(a->hidden, (uint64_t)row->v[PAWL__SENSE_SEQ].integer))
                return PAWL_OK;
        return pawl__glossary_add_row(row, a->glossary, err);
}

static pawl_status load(pawl__glossary *glossary, pawl_pipeline *pipeline, const pawl__claim *claim,
        const pawl__scope_ref *refs, size_t n_refs, pawl_error *err)
{
        adding a = {glossary, claim->hidden};

        return pawl__state_senses(
                NULL, pipeline->state, claim->mission_id, refs, n_refs, add_row, &a, err);
}

static void filter(pawl__glossary *glossary, const pawl_pipeline *pipeline)
{
        if (pipeline->trust) {
                const pawl__sense_filter by_trust = pawl__trust_filter(pipeline->trust);
                pawl__glossary_filter(glossary, &by_trust);
        }
}

pawl_status pawl__claim_reload(pawl_pipeline *pipeline, pawl__claim *claim,
        const pawl__scope_ref *refs, size_t n_refs, pawl_error *err)
{
        pawl__glossary *fresh;

        if (refs == claim->refs) { /* what is there stays, what is new or changed replaces it */
                filter(claim->glossary, pipeline);
                return load(claim->glossary, pipeline, claim, claim->refs, claim->n_refs, err);
        }
        pawl_status status = pawl__glossary_new(&fresh, err);
        if (status)
                return status;
        filter(fresh, pipeline);
        status = load(fresh, pipeline, claim, refs, n_refs, err);
        if (!status)
                status = copy_refs(claim, refs, n_refs, err);
        if (status) {
                pawl__glossary_free(fresh);
                return status;
        }
        if (!claim->borrowed)
                pawl__glossary_free(claim->glossary);
        claim->glossary = fresh;
        claim->borrowed = false;
        return PAWL_OK;
}

static pawl_status changes_senses(
        const pawl_event *event, pawl__event_type type, void *user, pawl_error *err)
{
        bool *changed = user;

        (void)event, (void)err;
        *changed = pawl__event_changes_senses(type);
        return *changed ? PAWL_DONE : PAWL_OK;
}

/* Load the answers and senses that other sessions appended meanwhile. */
static pawl_status catch_up(pawl_pipeline *pipeline, pawl__claim *claim, pawl_error *err)
{
        uint64_t head;
        bool changed = !claim->seen;
        pawl_status status = head_of(&head, pipeline->log, err);

        if (status || head == claim->seen)
                return status;
        if (claim->seen)
                status = pawl__log_each(pipeline->log, claim->seen, changes_senses, &changed, err);
        if (!status && changed)
                status = pawl__claim_reload(pipeline, claim, claim->refs, claim->n_refs, err);
        if (!status)
                claim->seen = head;
        return status;
}

static pawl_status first_load(pawl_pipeline *pipeline, pawl__claim *claim, pawl_error *err)
{
        uint64_t head;
        pawl_status status;

        if (pipeline->borrowed) {
                claim->glossary = pipeline->borrowed;
                claim->borrowed = true;
                claim->hidden = pipeline->borrowed_hidden;
                memcpy(claim->refs, pipeline->borrowed_refs, sizeof claim->refs);
                claim->n_refs = pipeline->n_borrowed_refs;
                return catch_up(pipeline, claim, err);
        }
        if ((status = head_of(&head, pipeline->log, err)) ||
                (status = pawl__glossary_new(&claim->glossary, err)))
                return status;
        status = pawl__claim_reload(pipeline, claim, claim->refs, claim->n_refs, err);
        if (status) {
                pawl__glossary_free(claim->glossary);
                claim->glossary = NULL;
        } else {
                claim->seen = head;
        }
        return status;
}

/* ---- Claiming ------------------------------------------------------------------------------- */

void pawl__pipeline_adopt(
        pawl_pipeline *pipeline, pawl_text run_id, pawl_text session_id, uint64_t fence)
{
        pawl__claim *claim = pawl__claim_find(pipeline, run_id);

        if (!claim) {
                /* Without memory the run stays unknown here, and every pass over it is refused. */
                if (pawl__grow(&pipeline->claims, &pipeline->cap_claims, pipeline->n_claims + 1,
                            sizeof *pipeline->claims))
                        return;
                claim = &pipeline->claims[pipeline->n_claims++];
                memset(claim, 0, sizeof *claim);
        }
        claim->run_id = run_id;
        claim->session_id = session_id;
        claim->fence = fence;
        claim->own = false;
        if (head_of(&claim->seen, pipeline->log, NULL))
                claim->seen = 0; /* not known: the senses are loaded again at the first pass */
        pipeline->current = (size_t)(claim - pipeline->claims);
}

void pawl__pipeline_use_glossary(pawl_pipeline *pipeline, pawl__glossary *glossary,
        const pawl__scope_ref *refs, size_t n_refs, const pawl__hidden *hidden)
{
        pipeline->borrowed = glossary;
        pipeline->borrowed_hidden = hidden;
        pipeline->n_borrowed_refs = n_refs > PAWL__SCOPE_REFS_MAX ? PAWL__SCOPE_REFS_MAX : n_refs;
        for (size_t i = 0; i < pipeline->n_borrowed_refs; i++)
                pipeline->borrowed_refs[i] = refs[i];
}

void pawl__pipeline_require_signed(pawl_pipeline *pipeline, pawl__trust *trust)
{
        pipeline->trust = trust;
}

/* The versions of the seeds, which is how many there are. */
static size_t seed_refs(pawl__scope_ref refs[PAWL__SCOPE_REFS_MAX], const pawl_pipeline *pipeline)
{
        for (size_t i = 0; i < pipeline->n_seeds; i++)
                refs[i] = (pawl__scope_ref){pawl__text(pawl__scope_name(pipeline->seeds[i].scope)),
                        pawl__text(pipeline->seeds[i].version_id)};
        return pipeline->n_seeds;
}

/* RunStarted and the seeds' events: what a program's run begins with. */
static pawl_status emit_start(pawl__batch *batch, pawl_pipeline *pipeline, pawl_context *ctx)
{
        pawl__json_writer w = PAWL__JSON_WRITER_INIT;
        pawl_event event = pawl__context_event(ctx, PAWL__RUN_STARTED);
        pawl__scope_ref refs[PAWL__SCOPE_REFS_MAX];

        event.step_id = (pawl_text){NULL, 0};
        event.time_us = ctx->sources->wall_us(ctx->sources->user);
        pawl__json_open_object(&w);
        pawl__json_member_text(&w, "mission_hash", (pawl_text){NULL, 0});
        pawl__json_member_text(&w, "mission_path", (pawl_text){NULL, 0});
        pawl__json_name(&w, "scope_refs");
        pawl__scope_refs_write(&w, refs, seed_refs(refs, pipeline));
        pawl__json_member_raw(&w, "steps", pawl__text("[]"));
        pawl__json_member_string(&w, "strictness", pawl__strictness_name(ctx->runtime_strictness));
        pawl_status status = pawl__batch_emit(batch, PAWL__RUN_STARTED, &event, &w, &ctx->error);
        for (size_t i = 0; i < pipeline->n_seeds && !status; i++)
                status = pawl__seed_activate(
                        batch, &pipeline->seeds[i], pipeline->state, &event, &ctx->error);
        return status;
}

/* The versions that a run was started with, as its row keeps them. */
static pawl_status read_refs(pawl__claim *claim, pawl_text json, pawl_error *err)
{
        const pawl_status status =
                pawl__scope_refs_read(claim->refs, &claim->n_refs, &claim->arena, json, err);

        return status ? pawl__fail_prefix(err, status, "run %.*s", PAWL__FMT(claim->run_id))
                      : PAWL_OK;
}

static pawl_status same_mission(pawl_context *ctx, pawl_text mission_id)
{
        if (pawl__text_eq(mission_id, ctx->mission_id))
                return PAWL_OK;
        return pawl__fail(&ctx->error, PAWL_EINVAL,
                "run %.*s: is one of mission %.*s, not of %.*s; choose another run id",
                PAWL__FMT(ctx->run_id), PAWL__FMT(mission_id), PAWL__FMT(ctx->mission_id));
}

/* May this context's run be claimed, and has it been started? *refs: its versions, or absent. */
static pawl_status look(pawl_text *refs, pawl_pipeline *pipeline, pawl_context *ctx)
{
        pawl__row row = {.v[PAWL__RUN_ID].text = ctx->run_id};
        pawl_status status =
                pawl__state_get(pipeline->state, PAWL__RUNS, &row, &ctx->pass, &ctx->error);

        *refs = (pawl_text){NULL, 0};
        if (status == PAWL_ENOTFOUND)
                return PAWL_OK;
        if (status)
                return status;
        if ((status = same_mission(ctx, row.v[PAWL__RUN_MISSION].text)))
                return status;
        if (pawl__text_is(row.v[PAWL__RUN_STATUS].text, "completed"))
                return pawl__fail(&ctx->error, PAWL_ESTATE,
                        "run %.*s: has completed; start another run for step %.*s",
                        PAWL__FMT(ctx->run_id), PAWL__STEP(ctx));
        *refs = row.v[PAWL__RUN_SCOPE_REFS].text;
        return PAWL_OK;
}

/* Claim once. PAWL_EEXISTS: another process started the run since we looked. */
static pawl_status claim_once(pawl__claim *claim, pawl_pipeline *pipeline, pawl_context *ctx)
{
        pawl__batch batch = PAWL__BATCH_INIT;
        pawl__scope_ref seeds[PAWL__SCOPE_REFS_MAX];
        pawl_text refs;
        pawl_status status = look(&refs, pipeline, ctx);

        if (!status)
                status = refs.data
                                 ? read_refs(claim, refs, &ctx->error)
                                 : copy_refs(claim, seeds, seed_refs(seeds, pipeline), &ctx->error);
        if (!status && !refs.data)
                status = emit_start(&batch, pipeline, ctx);
        if (!status) {
                status = pawl__log_claim(&claim->fence, pipeline->log, ctx->mission_id, ctx->run_id,
                        ctx->session_id, ctx->actor, &batch, NULL);
                if (status)
                        ctx->error = *pawl__log_error(pipeline->log);
        }
        pawl__batch_free(&batch);
        return status;
}

static pawl_status claim_new(pawl_pipeline *pipeline, pawl_context *ctx)
{
        pawl__claim claim = {.own = true};
        bool ok = true;
        pawl_status status = pawl__grow(&pipeline->claims, &pipeline->cap_claims,
                pipeline->n_claims + 1, sizeof *pipeline->claims);

        claim.run_id = pawl__arena_text(&claim.arena, ctx->run_id, &ok);
        claim.mission_id = pawl__arena_text(&claim.arena, ctx->mission_id, &ok);
        claim.session_id = pawl__arena_text(&claim.arena, ctx->session_id, &ok);
        if (status || !ok)
                status = pawl__nomem(&ctx->error);
        else if ((status = claim_once(&claim, pipeline, ctx)) == PAWL_EEXISTS)
                status = claim_once(&claim, pipeline, ctx);
        if (status) {
                pawl__arena_free(&claim.arena);
                return status;
        }
        pipeline->claims[pipeline->n_claims++] = claim;
        return PAWL_OK;
}

uint64_t pawl__claim_assume(pawl_pipeline *pipeline, const pawl_context *ctx)
{
        const pawl__claim *claim = pawl__claim_find(pipeline, ctx->run_id);

        pipeline->batch.assumes = 0;
        if (claim && claim->glossary && claim->seen &&
                (size_t)(claim - pipeline->claims) == pipeline->current &&
                pawl__log_assumed(pipeline->log) == claim->seen)
                pipeline->batch.assumes = claim->seen;
        return pipeline->batch.assumes;
}

void pawl__claim_rest(pawl_pipeline *pipeline)
{
        if (pawl__log_assumed(pipeline->log))
                pipeline->batch.assumes = pipeline->claims[pipeline->current].seen;
}

pawl_status pawl__claim_take(pawl_pipeline *pipeline, pawl_context *ctx)
{
        pawl__claim *claim = pawl__claim_find(pipeline, ctx->run_id);
        bool other = !claim || (size_t)(claim - pipeline->claims) != pipeline->current;
        pawl_status status = PAWL_OK;

        if (other && pipeline->batch.n)
                status = pawl__pipeline_commit(pipeline, &ctx->error);
        if (!status && !claim)
                status = claim_new(pipeline, ctx);
        if (status)
                return status;
        claim = pawl__claim_find(pipeline, ctx->run_id);
        if (!claim->mission_id.data) {
                bool ok = true;
                claim->mission_id = pawl__arena_text(&claim->arena, ctx->mission_id, &ok);
                if (!ok)
                        return pawl__nomem(&ctx->error);
        }
        if ((status = same_mission(ctx, claim->mission_id)))
                return status;
        pipeline->current = (size_t)(claim - pipeline->claims);
        if (pipeline->batch.assumes)
                return PAWL_OK; /* that the senses are those of that event */
        return claim->glossary ? catch_up(pipeline, claim, &ctx->error)
                               : first_load(pipeline, claim, &ctx->error);
}
