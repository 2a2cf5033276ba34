/* The events that an answer to a conflict appends. */
#include "pipeline/answer.h"
#include "base/error.h"
#include "events/mask.h"
#include "glossary/normal.h"
#include "glossary/seed.h"

/* As pawl__sense_write(), and that it is none. */
static void write_ignored(pawl__json_writer *w, const pawl_sense *sense)
{
        pawl__json_open_object(w);
        pawl__json_member_number(w, "confidence", sense->confidence);
        pawl__json_member_text(w, "definition", sense->definition);
        pawl__json_member_text(w, "scope", sense->scope);
        pawl__json_member_string(w, "status", pawl__sense_status_name(PAWL__IGNORED));
        pawl__json_member_text(w, "surface", sense->surface);
        pawl__json_close_object(w);
}

static pawl_status emit_resolved(pawl__batch *batch, const pawl_conflict *conflict,
        const pawl__sense *selected, const char *mode, int64_t replaces, const pawl__seal *seal,
        const pawl_event *like, int64_t now_us, pawl_error *err)
{
        pawl__json_writer w = PAWL__JSON_WRITER_INIT, chosen = PAWL__JSON_WRITER_INIT;
        pawl_event event = *like;
        pawl_status status = PAWL_OK;

        const pawl_sense sense = pawl__sense_public(selected);

        if (selected->status == PAWL__IGNORED)
                write_ignored(&chosen, &sense);
        else
                pawl__sense_write(&chosen, &sense);
        if (pawl__json_end_writer(&chosen)) {
                pawl__json_writer_free(&chosen);
                return pawl__nomem(err);
        }
        pawl__json_open_object(&w);
        pawl__json_name(&w, "actor");
        pawl__actor_write(&w, like->actor);
        pawl__json_member_text(&w, "conflict_id", conflict->conflict_id);
        pawl__json_member_text(&w, "normal", selected->normal);
        pawl__json_name(&w, "provenance");
        pawl__provenance_write(&w, "user_clarification", now_us, like->actor);
        if (replaces)
                pawl__json_member_integer(&w, "replaces", replaces);
        pawl__json_member_string(&w, "resolution_mode", mode);
        pawl__json_member_raw(&w, "selected_sense", pawl__buf_text(&chosen.buf));
        pawl__json_member_text(&w, "term_surface", conflict->term);
        event.time_us = now_us;
        if (seal)
                status = pawl__seal_write(&w, seal, like->actor, conflict->conflict_id,
                        pawl__buf_text(&chosen.buf), err);
        pawl__json_writer_free(&chosen);
        if (status)
                pawl__json_writer_free(&w);
        return status ? status
                      : pawl__batch_emit(batch, PAWL__CLARIFICATION_RESOLVED, &event, &w, err);
}

/* A definition of one's own. */
static pawl_status define(
        pawl__sense *out, const pawl_conflict *conflict, const pawl_answer *answer, pawl_error *err)
{
        if (pawl__text_blank(answer->define))
                return pawl__fail(err, PAWL_EINVAL,
                        "conflict %.*s: the definition is empty; write what \"%.*s\" means",
                        PAWL__FMT(conflict->conflict_id), PAWL__FMT(conflict->term));
        if (!pawl__utf8_valid(answer->define.data, answer->define.len))
                return pawl__fail(err, PAWL_EINVAL,
                        "conflict %.*s: the definition is not valid UTF-8; write it in UTF-8",
                        PAWL__FMT(conflict->conflict_id));
        out->definition = answer->define;
        return PAWL_OK;
}

/* The sense that the answer selects, as it was among the candidates or as it was defined. */
static pawl_status select_sense(
        pawl__sense *out, const pawl_conflict *conflict, const pawl_answer *answer, pawl_error *err)
{
        const pawl_text scope = answer->scope.data ? answer->scope : pawl__text("team_domain");
        const pawl_text id = conflict->conflict_id;

        *out = (pawl__sense){.confidence = 1, .status = PAWL__ACTIVE};
        if (answer->answer.data)
                return pawl__fail(err, PAWL_EINVAL,
                        "conflict %.*s: is about a term, and no question; pick a candidate, define "
                        "or dismiss",
                        PAWL__FMT(id));
        if ((answer->pick > 0) + (answer->define.data != NULL) + answer->dismiss > 1)
                return pawl__fail(err, PAWL_EINVAL,
                        "conflict %.*s: is answered in two ways; pick a candidate, define or "
                        "dismiss",
                        PAWL__FMT(id));
        if (answer->define.data || answer->dismiss) {
                out->surface = conflict->term;
                out->definition = pawl__text("");
                if (answer->dismiss)
                        out->status = PAWL__IGNORED;
                else if (define(out, conflict, answer, err))
                        return PAWL_EINVAL;
                return pawl__scope_read(&out->scope, scope, err);
        }
        if (answer->pick == 0 || answer->pick > conflict->n_candidates) {
                if (conflict->n_candidates == 0)
                        return pawl__fail(err, PAWL_EINVAL,
                                "conflict %.*s: has no candidate to pick; define \"%.*s\", or "
                                "dismiss it",
                                PAWL__FMT(id), PAWL__FMT(conflict->term));
                return pawl__fail(err, PAWL_EINVAL,
                        "conflict %.*s: %zu is no candidate; pick 1 to %zu, or define \"%.*s\"",
                        PAWL__FMT(id), answer->pick, conflict->n_candidates,
                        PAWL__FMT(conflict->term));
        }
        const pawl_sense *picked = &conflict->candidates[answer->pick - 1];
        if (!pawl__scope_of(&out->scope, picked->scope))
                return pawl__fail(err, PAWL_EINVAL,
                        "conflict %.*s: candidate %zu has the unknown scope \"%.*s\"; define "
                        "\"%.*s\"",
                        PAWL__FMT(id), answer->pick, PAWL__FMT(picked->scope),
                        PAWL__FMT(conflict->term));
        out->surface = picked->surface;
        out->definition = picked->definition;
        out->confidence = picked->confidence;
        return answer->scope.data ? pawl__scope_read(&out->scope, scope, err) : PAWL_OK;
}

/* Does it put a sense into a scope? A candidate that is picked is in its own already. */
static bool updates_scope(
        const pawl_conflict *conflict, const pawl_answer *answer, const pawl__sense *selected)
{
        return answer->define.data || answer->dismiss ||
               !pawl__text_is(conflict->candidates[answer->pick - 1].scope,
                       pawl__scope_name(selected->scope));
}

/* The same sense as it now holds for the mission, its texts in the arena. */
static pawl_status adopt(
        pawl__sense *selected, pawl__sense *chosen, pawl__arena *arena, pawl_text term)
{
        pawl__buf normal = PAWL__BUF_INIT;
        bool ok = true;
        pawl_status status = pawl__folded_form(&normal, term); /* it is a normal form */

        selected->normal = pawl__arena_text(arena, pawl__buf_text(&normal), &ok);
        *chosen = *selected;
        chosen->surface = pawl__arena_text(arena, selected->surface, &ok);
        chosen->definition = pawl__arena_text(arena, selected->definition, &ok);
        chosen->scope = PAWL__MISSION_LOCAL;
        chosen->answered = true;
        pawl__buf_free(&normal);
        return status ? status : ok ? PAWL_OK : PAWL_ENOMEM;
}

pawl_status pawl__answer_mask(pawl_answer *out, const pawl_answer *answer, const pawl_log *log,
        pawl__arena *arena, pawl_error *err)
{
        const pawl__mask *mask = log ? pawl__log_mask(log) : NULL;

        *out = *answer;
        return pawl__mask_text(&out->define, mask, arena) ||
                               pawl__mask_text(&out->answer, mask, arena)
                       ? pawl__nomem(err)
                       : PAWL_OK;
}

pawl_status pawl__answer_emit(pawl__batch *batch, pawl__sense *chosen, pawl__state *state,
        pawl__arena *arena, const pawl_conflict *conflict, const pawl_answer *answer,
        const char *mode, int64_t replaces, const pawl__seal *seal, const pawl_event *like,
        int64_t now_us, pawl_error *err)
{
        pawl__sense selected, made;
        pawl_event event = *like;
        pawl_status status = select_sense(&selected, conflict, answer, err);

        if (status)
                return status;
        if ((status = adopt(&selected, &made, arena, conflict->term)))
                return pawl__nomem(err);
        event.time_us = now_us;
        const bool updates = updates_scope(conflict, answer, &selected);
        if (updates && !answer->dismiss && state)
                status = pawl__ignored_lift(
                        batch, &selected, 1, selected.scope, state, arena, &event, err);
        if (!status && updates)
                status = pawl__sense_updated(batch, &selected, (pawl_text){NULL, 0},
                        "user_clarification", false, &event, err);
        if (!status)
                status = emit_resolved(
                        batch, conflict, &selected, mode, replaces, seal, like, now_us, err);
        if (!status)
                *chosen = made;
        return status;
}
