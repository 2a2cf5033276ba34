#include "mission/ask.h"
#include "base/error.h"
#include "base/json_write.h"
#include "events/mask.h"
#include "mission/param_text.h"
#include "mission/runner.h"
#include "pipeline/question.h"
#include "state/step_plan.h"
#include <stdlib.h>

static pawl_status write_ask(
        pawl__json_writer *w, const pawl_mission *mission, const pawl__step *step, pawl_error *err)
{
        pawl__buf question = PAWL__BUF_INIT;
        const pawl_status status =
                pawl__text_put_params(&question, mission, step->ask->question, err);

        pawl__json_name(w, "ask");
        pawl__json_open_object(w);
        pawl__json_name(w, "options");
        pawl__json_open_array(w);
        for (size_t i = 0; i < step->ask->n_options; i++)
                pawl__json_text(w, step->ask->options[i]);
        pawl__json_close_array(w);
        pawl__json_member_text(w, "question", pawl__buf_text(&question));
        pawl__json_close_object(w);
        pawl__buf_free(&question);
        return status;
}

/* The question is among the inputs, where they are an object, so that the glossary's check
 * reads them as it does other steps'. */
static void join(pawl__buf *out, pawl_text ask, pawl_text inputs)
{
        const bool object = inputs.len > 0 && inputs.data[0] == '{';

        pawl__buf_add(out, ask.data, ask.len - 1);
        if (object && inputs.len > 2)
                pawl__buf_addc(out, ',');
        else if (!object && inputs.len)
                pawl__buf_adds(out, ",\"inputs\":");
        pawl__buf_add(out, inputs.data + object, inputs.len - object);
        if (!object)
                pawl__buf_addc(out, '}');
}

pawl_status pawl__step_inputs(pawl__buf *out, const pawl_mission *mission, const pawl__step *step,
        pawl__output_fn output, void *user, pawl_error *err)
{
        pawl__json_writer w = PAWL__JSON_WRITER_INIT;
        pawl__buf inputs = PAWL__BUF_INIT;

        if (!step->ask)
                return pawl__inputs_resolve(out, mission, step, output, user, err);
        pawl__json_open_object(&w);
        pawl_status status = write_ask(&w, mission, step, err);
        pawl__json_close_object(&w);
        if (!status && pawl__json_end_writer(&w))
                status = pawl__nomem(err);
        if (!status)
                status = pawl__inputs_resolve(&inputs, mission, step, output, user, err);
        if (!status) {
                join(out, pawl__buf_text(&w.buf), pawl__buf_text(&inputs));
                status = pawl__buf_check(out, err);
        }
        pawl__buf_free(&inputs);
        pawl__json_writer_free(&w);
        return status;
}

/* ---- A step at work -------------------------------------------------------------------------- */

/* As the log has it, which masks the values of secrets. */
static pawl_status ask_of(pawl__asks *out, pawl__arena *arena, const pawl_mission *mission,
        const pawl__step *step, const pawl_log *log, pawl_error *err)
{
        const pawl__ask *ask = step->ask;
        const pawl__mask *mask = pawl__log_mask(log);
        pawl_text *options = pawl__arena_array(arena, ask->n_options, sizeof *options);
        pawl__buf text = PAWL__BUF_INIT;
        const pawl_status status = pawl__text_put_params(&text, mission, ask->question, err);

        *out = (pawl__asks){.question = pawl__arena_copy(arena, pawl__buf_text(&text)),
                .options = options,
                .to = ask->to,
                .n_options = options ? ask->n_options : 0,
                .n_to = ask->n_to,
                .within_ms = ask->within_ms,
                .otherwise = ask->otherwise};
        pawl__buf_free(&text);
        if (status)
                return status;
        bool ok = !pawl__mask_text(&out->question, mask, arena) &&
                  !pawl__mask_text(&out->otherwise, mask, arena);
        for (size_t i = 0; i < out->n_options && options && ok; i++) {
                options[i] = ask->options[i];
                ok = !pawl__mask_text(&options[i], mask, arena);
        }
        return ok ? pawl__arena_check(arena, err) : pawl__nomem(err);
}

pawl_status pawl__ask_hash(char hex[65], const pawl_mission *mission, const pawl__step *step,
        pawl_log *log, pawl_error *err)
{
        pawl__arena arena = PAWL__ARENA_INIT;
        pawl__asks asks;
        pawl_status status = ask_of(&asks, &arena, mission, step, log, err);

        if (!status)
                status = pawl__asks_hash(hex, &asks, pawl__log_hasher(log), err);
        pawl__arena_free(&arena);
        return status;
}

pawl_status pawl__ask_pose(pawl__step_run *p)
{
        pawl__question *q = pawl__arena_alloc(&p->ctx->arena, sizeof *q);
        pawl__asks asks;
        const pawl_status status =
                ask_of(&asks, &p->ctx->arena, p->r->mission, p->step, p->r->log, &p->r->error);

        if (!status && q)
                *q = (pawl__question){.text = asks.question,
                        .options = asks.options,
                        .n_options = asks.n_options,
                        .to = asks.to,
                        .n_to = asks.n_to,
                        .within_ms = asks.within_ms,
                        .otherwise = asks.otherwise,
                        .again = p->row &&
                                 pawl__text_is(p->row->v[PAWL__STEP_STATUS].text, "failed")};
        p->ctx->question = q;
        return status ? status : pawl__arena_check(&p->ctx->arena, &p->r->error);
}

pawl_status pawl__ask_answered(pawl__step_run *p)
{
        pawl__buf output = PAWL__BUF_INIT;
        pawl_status status = pawl__question_answered(p->ctx);

        if (status)
                return pawl__fail(&p->r->error, status, "%s", pawl_context_errmsg(p->ctx));
        pawl__json_quote(&output, p->ctx->reply);
        status = pawl__buf_check(&output, &p->r->error);
        if (!status)
                status = pawl__step_run_output(p, pawl__buf_text(&output));
        pawl__buf_free(&output);
        return status;
}

pawl_status pawl__ask_expired(pawl__step_run *p)
{
        return pawl__step_run_failed(p, -1, "nobody answered in time");
}
