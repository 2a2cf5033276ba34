/* What a log says of a session's work: rows and events, found by their keys. */
#include "base/error.h"
#include "base/map.h"
#include "session/handoff.h"
#include "session/retry.h"
#include "session/standing.h"
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

/* What the commands of the current steps are told of the glossary; @p rows are theirs. */
static pawl_status terms_of_steps(gathering *g, const pawl__row *rows)
{
        pawl__hand_steps *steps = &g->out->at_hand;
        pawl_glossary_terms *terms = NULL;
        pawl_status status = PAWL_OK;

        if (steps->n && g->out->has_run)
                status = pawl__terms_of_steps(&terms, g->arena, g->log,
                        &(pawl__steps_query){.run = &g->out->run, .steps = rows, .n = steps->n},
                        g->err);
        for (size_t i = 0; terms && i < steps->n; i++)
                steps->list[i].terms = terms[i];
        return status;
}

/* Of a step that is at work, or was when its pawl ended. */
static pawl_status retries_of_steps(gathering *g)
{
        pawl__hand_steps *steps = &g->out->at_hand;
        pawl_status status = PAWL_OK;

        for (size_t i = 0; i < steps->n && g->out->has_run && !status; i++) {
                pawl__retry retry;
                if (!pawl__text_is(steps->list[i].status, "running"))
                        continue;
                status = pawl__retry_read(
                        &retry, g->log, &g->out->run, steps->list[i].id, PAWL__RETRY_LOOK, g->err);
                if (!status)
                        pawl__retry_say(steps->list[i].retry, &retry, pawl__wall_us(g->log));
        }
        return status;
}

static pawl_status failures_of_steps(gathering *g)
{
        pawl__hand_steps *steps = &g->out->at_hand;
        pawl__step_failure *list;
        size_t n = 0;

        if (!g->out->has_run)
                return PAWL_OK;
        TRY(pawl__run_failures(&list, &n, g->log, &g->out->run, g->arena, g->err));
        for (size_t i = 0; i < n; i++)
                for (size_t k = 0; k < steps->n; k++)
                        if (pawl__text_eq(steps->list[k].id, list[i].step_id))
                                steps->list[k].reason = list[i].reason;
        return PAWL_OK;
}

static pawl_status steps_of_run(gathering *g)
{
        pawl__handoff *out = g->out;
        pawl__row *rows = NULL;
        size_t n = 0;
        pawl_status status = pawl__state_steps(
                &rows, &n, g->state, out->session.v[PAWL__SES_RUN].text, g->arena, g->err);

        if (!status && out->has_run)
                status = pawl__run_current(&out->current, g->state, &out->run, g->arena, g->err);
        if (!status)
                status = make_room(&out->done, n, g);
        if (!status)
                status = make_room(&out->at_hand, n, g);
        if (!status)
                status = make_room(&out->next, n, g);
        for (size_t i = 0; i < n && !status; i++) {
                const pawl__value *v = rows[i].v;
                pawl_text is = v[PAWL__STEP_STATUS].text;
                if (pawl__text_is(is, "skipped")) /* the mission has it no more */
                        continue;
                pawl__hand_steps *to = pawl__text_is(is, "completed") ? &out->done
                                       : pawl__text_is(is, "pending") ? &out->next
                                                                      : &out->at_hand;
                to->list[to->n++] = (pawl__hand_step){.id = v[PAWL__STEP_ID].text,
                        .status = is,
                        .token = v[PAWL__STEP_TOKEN].text,
                        .cursor = v[PAWL__STEP_CURSOR].text,
                        .exit_code = v[PAWL__STEP_EXIT_CODE].integer};
                if (to == &out->at_hand)
                        rows[to->n - 1] = rows[i];
        }
        if (!status)
                status = retries_of_steps(g);
        if (!status)
                status = failures_of_steps(g);
        return status ? status : terms_of_steps(g, rows);
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
                        out->list[out->n++] = (pawl__hand_step){
                                .id = ids[i], .status = pawl__text(as), .exit_code = -1};
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
        if (status || !current.data)
                return status;
        for (size_t i = 0; i < sizeof at_hand / sizeof at_hand[0]; i++)
                if (pawl__text_is(v[PAWL__SES_STATUS].text, at_hand[i][0]))
                        as = at_hand[i][1];
        out->at_hand.list[out->at_hand.n++] = (pawl__hand_step){.id = current,
                .status = pawl__text(as),
                .exit_code = -1,
                .reason = strcmp(as, "failed") == 0 ? v[PAWL__SES_REASON].text : none};
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
        pawl_text path = out->has_run ? out->run.v[PAWL__RUN_MISSION_PATH].text : none;
        pawl_text refs = out->has_run ? out->run.v[PAWL__RUN_SCOPE_REFS].text : none;
        size_t n_told = 0, n_seeds = 0;
        pawl_status status = texts_of(&told, &n_told, out->session.v[PAWL__SES_FILES].text, g);

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

/* The run, its steps and what holds it. Asked again where it went on between the questions. */
static pawl_status read_run(gathering *g)
{
        pawl__handoff *out = g->out;
        pawl__row after;
        pawl_status status = get_run(&out->run, g);

        out->has_run = status == PAWL_OK;
        if (status == PAWL_ENOTFOUND) /* claimed by nobody yet */
                status = PAWL_OK;
        for (int i = 0; i < READINGS && !status; i++) {
                status = steps_of_run(g);
                if (!status)
                        status = pawl__state_conflicts(&out->conflicts, &out->n_conflicts, g->state,
                                out->session.v[PAWL__SES_RUN].text, (pawl_text){NULL, 0}, true,
                                g->arena, g->err);
                if (!status && out->has_run)
                        status = get_run(&after, g);
                if (status || !out->has_run ||
                        after.v[PAWL__RUN_UPDATED_SEQ].integer ==
                                out->run.v[PAWL__RUN_UPDATED_SEQ].integer)
                        break;
                out->run = after;
        }
        return status;
}

/* Is somebody at it? That decides which command is accepted. */
static pawl_status look_at_work(gathering *g)
{
        pawl__handoff *out = g->out;
        pawl__row owner = {.v[PAWL__SES_ID].text = out->run.v[PAWL__RUN_SESSION].text}, *rows;
        size_t n = 0;

        if (out->has_run && pawl__text_is(out->run.v[PAWL__RUN_STATUS].text, "running") &&
                owner.v[PAWL__SES_ID].text.data) {
                const pawl_status status =
                        pawl__state_get(g->state, PAWL__SESSIONS, &owner, g->arena, g->err);
                out->at_work = !status && pawl__text_is(owner.v[PAWL__SES_STATUS].text, "active");
                return status == PAWL_ENOTFOUND ? PAWL_OK : status;
        }
        if (out->session.v[PAWL__SES_RUN].text.data)
                return PAWL_OK;
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
        pawl__worktree_place run = {.elsewhere = {NULL, 0}};
        pawl_status status;

        *out = (pawl__handoff){.session = *session,
                .place = pawl__state_place(state, session->v[PAWL__SES_WORKTREE].text,
                        session->v[PAWL__SES_ROOT].text)};
        status = session->v[PAWL__SES_RUN].text.data ? read_run(&g) : steps_of_agent(&g);
        out->named = pawl__state_named(state);
        if (!status)
                status = look_at_work(&g);
        if (!status && out->has_run)
                status = pawl__state_run_place(&run, state, &out->run, arena, err);
        out->elsewhere = run.elsewhere;
        if (!status)
                status = add_files(&g);
        if (!status)
                status = pawl__handoff_changes(out, log, state, arena, err);
        if (!status)
                status = pawl__notes_in_force(
                        &out->notes, log, state, session->v[PAWL__SES_MISSION].text, arena, err);
        return status;
}
