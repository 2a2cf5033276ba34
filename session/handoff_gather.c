/* What a log says of a session's work: rows and events, found by their keys. */
#include "base/error.h"
#include "base/map.h"
#include "session/handoff.h"
#include "workspace/worktree.h"
#include <stdlib.h>

enum { READINGS = 8 }; /* of a run that is at work meanwhile */

typedef struct gathering {
        pawl__handoff *out;
        pawl_log *log;
        pawl__state *state;
        pawl__arena *arena;
        pawl_error *err;
} gathering;

/* ---- Lists ----------------------------------------------------------------------------------- */

/* The texts of a column that is a JSON array of them. */
static pawl_status texts_of(pawl_text **out, size_t *n, pawl_text list, gathering *g)
{
        pawl__json_tree tree = PAWL__JSON_TREE_INIT;
        pawl_status status;

        *n = 0;
        *out = NULL;
        if (!list.data)
                return PAWL_OK;
        status = pawl__json_tree_read(&tree, list.data, list.len, g->err);
        if (!status)
                *out = pawl__arena_array(g->arena, pawl__json_at(&tree, 0)->count, sizeof **out);
        for (pawl__node at = *out ? pawl__json_first(&tree, 0) : PAWL__NO_NODE; at != PAWL__NO_NODE;
                at = pawl__json_after(&tree, 0, at))
                (*out)[(*n)++] = pawl__arena_copy(g->arena, pawl__json_at(&tree, at)->value);
        pawl__json_tree_free(&tree);
        return status ? status : pawl__arena_check(g->arena, g->err);
}

/* Room for steps, in the arena: as many as there can be. */
static pawl_status make_room(pawl__hand_steps *steps, size_t most, gathering *g)
{
        steps->list = pawl__arena_array(g->arena, most, sizeof *steps->list);
        steps->n = 0;
        return steps->list ? PAWL_OK : pawl__nomem(g->err);
}

/* ---- Steps ----------------------------------------------------------------------------------- */

/* What the commands of the current steps are told of the glossary. */
static pawl_status terms_of_steps(gathering *g)
{
        pawl__hand_steps *steps = &g->out->at_hand;
        pawl_glossary_terms *terms = NULL;
        pawl__row *rows = pawl__arena_array(g->arena, steps->n, sizeof *rows);

        if (!rows)
                return pawl__nomem(g->err);
        for (size_t i = 0; i < steps->n; i++)
                rows[i] = *steps->list[i].row;
        if (steps->n && g->out->has_run)
                TRY(pawl__terms_of_steps(&terms, g->arena, g->log,
                        &(pawl__steps_query){.run = &g->out->run, .steps = rows, .n = steps->n},
                        g->err));
        for (size_t i = 0; terms && i < steps->n; i++)
                steps->list[i].terms = terms[i];
        return PAWL_OK;
}

static pawl_status steps_of_run(gathering *g)
{
        pawl__handoff *out = g->out;
        pawl__run_steps steps;

        TRY(pawl__run_steps_read(&steps, g->state, &out->run, out->at_work, g->arena, g->err));
        TRY(pawl__run_steps_why(&steps, g->log, &out->run, g->arena, g->err));
        TRY(make_room(&out->done, steps.n, g));
        TRY(make_room(&out->at_hand, steps.n, g));
        TRY(make_room(&out->next, steps.n, g));
        out->current = steps.current;
        out->steps_completed = (uint64_t)out->run.v[PAWL__RUN_DONE].integer;
        out->steps_total = (uint64_t)out->run.v[PAWL__RUN_STEPS].integer;
        for (size_t i = 0; i < steps.n; i++) {
                const pawl_text is = steps.rows[i].v[PAWL__STEP_STATUS].text;
                if (pawl__text_is(is, "skipped")) /* the mission has it no more */
                        continue;
                pawl__hand_steps *to = pawl__text_is(is, "completed") ? &out->done
                                       : pawl__text_is(is, "pending") ? &out->next
                                                                      : &out->at_hand;
                to->list[to->n++] = (pawl__hand_step){.row = &steps.rows[i],
                        .status = pawl__row_step_status(&steps.rows[i]),
                        .why = steps.why[i]};
        }
        return terms_of_steps(g);
}

static pawl_status step_told(pawl__hand_steps *out, pawl_text id, const char *as, gathering *g)
{
        pawl__row *row = pawl__arena_alloc(g->arena, sizeof *row);

        if (!row)
                return pawl__nomem(g->err);
        *row = (pawl__row){.v = {[PAWL__STEP_ID].text = id, [PAWL__STEP_EXIT_CODE].integer = -1}};
        out->list[out->n++] = (pawl__hand_step){.row = row, .status = pawl__text(as)};
        return PAWL_OK;
}

static pawl_status steps_told(
        pawl__hand_steps *out, pawl_text list, pawl_text but, const char *as, gathering *g)
{
        pawl_text *ids = NULL;
        size_t n = 0;
        pawl_status status = texts_of(&ids, &n, list, g);

        if (!status)
                status = make_room(out, n, g);
        for (size_t i = 0; i < n && !status; i++)
                if (!pawl__text_eq(ids[i], but))
                        status = step_told(out, ids[i], as, g);
        return status;
}

/* What an agent's session tells of itself. */
static pawl_status steps_of_agent(gathering *g)
{
        static const char *const at_hand[][2] = {
                {"active", "running"}, {"error", "failed"}, {"interrupted", "interrupted"}};
        pawl__handoff *out = g->out;
        const pawl__value *v = out->session.v;
        pawl_text current, none = {NULL, 0};
        const char *as = "unfinished";
        pawl_status status = pawl__session_current(&current, &out->session, g->err);

        out->current = current;

        if (!status)
                status = steps_told(&out->done, v[PAWL__SES_COMPLETED].text, none, "completed", g);
        if (!status)
                status = steps_told(&out->next, v[PAWL__SES_PENDING].text, current, "pending", g);
        if (!status)
                status = make_room(&out->at_hand, 1, g);
        for (size_t i = 0; i < sizeof at_hand / sizeof at_hand[0]; i++)
                if (pawl__text_is(v[PAWL__SES_STATUS].text, at_hand[i][0]))
                        as = at_hand[i][1];
        if (!status && current.data)
                status = step_told(&out->at_hand, current, as, g);
        if (status)
                return status;
        if (current.data && strcmp(as, "failed") == 0)
                out->at_hand.list[0].why.reason = v[PAWL__SES_REASON].text;
        out->steps_completed = out->done.n;
        out->steps_total = out->done.n + out->at_hand.n + out->next.n;
        return PAWL_OK;
}

/* ---- Files ----------------------------------------------------------------------------------- */

/* "team_domain glossary, version 0123..." for each that the run pinned. */
static pawl_status seeds_of(pawl_text **out, size_t *n, pawl_text scope_refs, gathering *g)
{
        pawl__json_tree tree = PAWL__JSON_TREE_INIT;
        pawl__buf line = PAWL__BUF_INIT;
        pawl_status status;

        *n = 0;
        *out = NULL;
        if (!scope_refs.data)
                return PAWL_OK;
        status = pawl__json_tree_read(&tree, scope_refs.data, scope_refs.len, g->err);
        if (!status)
                *out = pawl__arena_array(g->arena, pawl__json_at(&tree, 0)->count, sizeof **out);
        for (pawl__node at = *out ? pawl__json_first(&tree, 0) : PAWL__NO_NODE;
                at != PAWL__NO_NODE && !status; at = pawl__json_after(&tree, 0, at)) {
                pawl_text scope = pawl__json_get_text(&tree, at, "scope");
                pawl_text version = pawl__json_get_text(&tree, at, "version_id");
                if (!scope.data || !version.data) /* of another's making */
                        continue;
                pawl__buf_clear(&line);
                pawl__buf_addf(
                        &line, "%.*s glossary, version %.*s", PAWL__FMT(scope), PAWL__FMT(version));
                (*out)[(*n)++] = pawl__arena_copy(g->arena, pawl__buf_text(&line));
                status = pawl__buf_check(&line, g->err);
        }
        pawl__buf_free(&line);
        pawl__json_tree_free(&tree);
        return status ? status : pawl__arena_check(g->arena, g->err);
}

static pawl_status add_files(gathering *g)
{
        pawl__handoff *out = g->out;
        pawl_text *told = NULL, *seeds = NULL, none = {NULL, 0};
        pawl_text path = none;
        pawl_text refs = out->has_run ? out->run.v[PAWL__RUN_SCOPE_REFS].text : none;
        size_t n_told = 0, n_seeds = 0;
        pawl_status status = texts_of(&told, &n_told, out->session.v[PAWL__SES_FILES].text, g);

        if (!status && out->has_run)
                status = pawl__run_mission_path(&path, g->state, &out->run, g->arena, g->err);
        if (!status)
                status = seeds_of(&seeds, &n_seeds, refs, g);
        if (status)
                return status;
        out->files = pawl__arena_array(g->arena, 1 + n_seeds + n_told, sizeof *out->files);
        if (!out->files)
                return pawl__nomem(g->err);
        if (path.data)
                out->files[out->n_files++] = path;
        for (size_t i = 0; i < n_seeds; i++)
                out->files[out->n_files++] = seeds[i];
        for (size_t i = 0; i < n_told; i++)
                out->files[out->n_files++] = told[i];
        return PAWL_OK;
}

/* ---- Notes ----------------------------------------------------------------------------------- */

pawl_status pawl__notes_read(pawl__notes *out, const pawl__json_tree *payload, const char *member,
        pawl__arena *arena, pawl_error *err)
{
        pawl__node list = pawl__json_get(payload, 0, member);

        *out = (pawl__notes){NULL, 0};
        if (list == PAWL__NO_NODE || pawl__json_at(payload, list)->type != PAWL__JSON_ARRAY)
                return PAWL_OK;
        out->list =
                pawl__arena_array(arena, pawl__json_at(payload, list)->count, sizeof *out->list);
        if (!out->list)
                return pawl__nomem(err);
        for (pawl__node at = pawl__json_first(payload, list); at != PAWL__NO_NODE;
                at = pawl__json_after(payload, list, at)) {
                pawl__note note = {pawl__json_get_text(payload, at, "section"),
                        pawl__json_get_text(payload, at, "text")};
                if (!note.text.data) /* of another's making: not of the form, so no note */
                        continue;
                if (!note.section.data)
                        note.section = pawl__text("");
                out->list[out->n++] = (pawl__note){
                        pawl__arena_copy(arena, note.section), pawl__arena_copy(arena, note.text)};
        }
        return pawl__arena_check(arena, err);
}

pawl_status pawl__notes_in_force(pawl__notes *out, pawl_log *log, pawl__state *state,
        pawl_text mission_id, pawl__arena *arena, pawl_error *err)
{
        pawl__json_tree tree = PAWL__JSON_TREE_INIT;
        pawl__row noted;
        pawl_event event;
        pawl_status status = pawl__state_noted_session(&noted, state, mission_id, arena, err);

        *out = (pawl__notes){NULL, 0};
        if (status)
                return status == PAWL_ENOTFOUND ? PAWL_OK : status;
        status =
                pawl__log_event(&event, arena, log, (uint64_t)noted.v[PAWL__SES_NOTES_SEQ].integer);
        if (status)
                return pawl__log_failed(log, status, err);
        if (!event.payload.data)
                return PAWL_OK;
        status = pawl__json_tree_read(&tree, event.payload.data, event.payload.len, err);
        if (!status)
                status = pawl__notes_read(out, &tree, "notes", arena, err);
        pawl__json_tree_free(&tree);
        return status;
}

/* ---- The whole ------------------------------------------------------------------------------- */

static pawl_status get_run(pawl__row *run, gathering *g)
{
        *run = (pawl__row){.v[PAWL__RUN_ID].text = g->out->session.v[PAWL__SES_RUN].text};
        return pawl__state_get(g->state, PAWL__RUNS, run, g->arena, g->err);
}

/* Is somebody at it? That decides how its steps are, and which command is accepted. */
static pawl_status look_at_run(gathering *g)
{
        pawl__handoff *out = g->out;
        pawl__row owner = {.v[PAWL__SES_ID].text = out->run.v[PAWL__RUN_SESSION].text};
        pawl_status status = PAWL_ENOTFOUND;

        if (owner.v[PAWL__SES_ID].text.data && !pawl__handoff_is_over(out))
                status = pawl__state_get(g->state, PAWL__SESSIONS, &owner, g->arena, g->err);
        out->at_work = !status && pawl__text_is(owner.v[PAWL__SES_STATUS].text, "active");
        return status == PAWL_ENOTFOUND ? PAWL_OK : status;
}

static pawl_status ways_of_conflicts(gathering *g)
{
        pawl__handoff *out = g->out;

        TRY(pawl__state_conflicts(&out->conflicts, &out->n_conflicts, g->state,
                out->session.v[PAWL__SES_RUN].text, (pawl_text){NULL, 0}, true, g->arena, g->err));
        out->ways = pawl__arena_array(g->arena, out->n_conflicts, sizeof *out->ways);
        if (!out->ways)
                return pawl__nomem(g->err);
        for (size_t i = 0; i < out->n_conflicts; i++)
                TRY(pawl__answer_way_of(&out->ways[i], g->log, &out->conflicts[i],
                        i ? out->ways : NULL, g->arena, g->err));
        return PAWL_OK;
}

/* The run, its steps and what holds it. Asked again where it went on between the questions. */
static pawl_status read_run(gathering *g)
{
        pawl__handoff *out = g->out;
        pawl__row after;
        pawl_status status = get_run(&out->run, g);

        out->has_run = status == PAWL_OK;
        for (int i = 0; i < READINGS && !status; i++) {
                TRY(look_at_run(g));
                TRY(steps_of_run(g));
                TRY(ways_of_conflicts(g));
                status = get_run(&after, g);
                if (after.v[PAWL__RUN_UPDATED_SEQ].integer ==
                        out->run.v[PAWL__RUN_UPDATED_SEQ].integer)
                        break;
                out->run = after;
        }
        return status == PAWL_ENOTFOUND ? PAWL_OK : status; /* claimed by nobody yet */
}

/* Is an agent at the session's mission? */
static pawl_status look_for_agents(gathering *g)
{
        pawl__handoff *out = g->out;
        pawl__row *rows;
        size_t n = 0;

        TRY(pawl__state_active_sessions(&rows, &n, g->state, g->arena, g->err));
        for (size_t i = 0; i < n; i++)
                out->has_active |= !rows[i].v[PAWL__SES_RUN].text.data &&
                                   pawl__text_eq(rows[i].v[PAWL__SES_MISSION].text,
                                           out->session.v[PAWL__SES_MISSION].text);
        return PAWL_OK;
}

pawl_status pawl__handoff_gather(pawl__handoff *out, pawl_log *log, pawl__state *state,
        const pawl__row *session, pawl__arena *arena, pawl_error *err)
{
        gathering g = {out, log, state, arena, err};
        pawl__worktrees_follow(state);
        const bool of_run = session->v[PAWL__SES_RUN].text.data != NULL;

        *out = (pawl__handoff){.session = *session,
                .place = pawl__state_place(state, session->v[PAWL__SES_WORKTREE].text,
                        session->v[PAWL__SES_ROOT].text, arena)};
        pawl_status status = of_run ? read_run(&g) : steps_of_agent(&g);
        out->named = pawl__state_named(state);
        out->now_us = pawl__wall_us(log);
        if (!status && !of_run)
                status = look_for_agents(&g);
        if (!status && out->has_run)
                status = pawl__state_run_place(&out->run_place, state, &out->run, arena, err);
        if (!status)
                status = add_files(&g);
        if (!status)
                status = pawl__handoff_changes(out, log, state, arena, err);
        if (!status)
                status = pawl__notes_in_force(
                        &out->notes, log, state, session->v[PAWL__SES_MISSION].text, arena, err);
        return status;
}
