/* The rules of questions and of what is found in the inputs of a step. */
#include "base/digest.h"
#include "base/error.h"
#include "base/sources.h"
#include "events/log.h"
#include "state/rules_of.h"
#include "state/sql.h"
#include "state/step_plan.h"

static bool says(const pawl__apply_ctx *a, const char *name, pawl_text value)
{
        return pawl__text_eq(pawl__apply_optional(a, name), value);
}

static bool is_judged(const pawl__apply_ctx *a)
{
        return a->run_is == PAWL__ROW_THERE &&
               a->run.v[PAWL__RUN_RULES].integer & PAWL__RULES_JUDGED;
}

/* The id of the step's conflict about a term, or, in the phase "ask", about inputs. */
static pawl_status conflict_id(
        char id[17], const pawl__apply_ctx *a, pawl_text phase, pawl_text about)
{
        const pawl_text parts[] = {a->event->run_id, a->event->step_id, phase, about};
        pawl__buf text = PAWL__BUF_INIT;
        unsigned char hash[32];

        for (size_t i = 0; i < 4; i++) {
                pawl__buf_add_text(&text, parts[i]);
                if (i < 3)
                        pawl__buf_addc(&text, '\0');
        }
        pawl_status status = pawl__buf_check(&text, a->err);
        if (!status)
                status = pawl__sha256(pawl__log_hasher(a->log), hash, text.data, text.len, a->err);
        pawl__buf_free(&text);
        if (!status)
                pawl__hex(id, hash, 8);
        return status;
}

static pawl_text phase_of(const pawl__apply_ctx *a)
{
        return pawl__text(says(a, "phase", pawl__text("output")) ? "output" : "inputs");
}

/* Is the conflict's id that of what it is about? */
static pawl_status is_about(bool *is, const pawl__apply_ctx *a, pawl_text id)
{
        const bool asks = says(a, "conflict_type", pawl__text("question"));
        char right[17];

        *is = true;
        if (!a->log)
                return PAWL_OK;
        const pawl_status status = conflict_id(right, a, asks ? pawl__text("ask") : phase_of(a),
                pawl__apply_optional(a, asks ? "input_hash" : "term"));
        *is = !status && pawl__text_is(id, right) &&
              (!asks || says(a, "question", pawl__apply_optional(a, "term")));
        return status;
}

pawl_status pawl__rule_requests(const pawl__apply_ctx *a)
{
        const pawl_text id = pawl__apply_optional(a, "conflict_id");
        bool is;

        if (!pawl__step_has_blocker(&a->step, id))
                return pawl__rules_refuse(a, "asked-when-blocked",
                        "conflict %.*s does not block step %.*s", PAWL__FMT(id),
                        PAWL__FMT(a->event->step_id));
        if (!says(a, "retry_token", a->step.v[PAWL__STEP_TOKEN].text) ||
                !says(a, "input_hash", a->step.v[PAWL__STEP_INPUT_HASH].text))
                return pawl__rules_refuse(a, "asked-when-blocked",
                        "conflict %.*s: its retry_token and input_hash are not those of the last "
                        "checkpoint of step %.*s",
                        PAWL__FMT(id), PAWL__FMT(a->event->step_id));
        const pawl_status status = is_about(&is, a, id);
        return status || is ? status
                            : pawl__rules_refuse(a, "asked-when-blocked",
                                      "conflict %.*s is not about the request's term or inputs",
                                      PAWL__FMT(id));
}

/* The payload of an earlier event. By a statement of its own, as the log may be read meanwhile. */
pawl_status pawl__rule_earlier_payload(pawl__json_tree *tree, const pawl__apply_ctx *a, int64_t seq)
{
        pawl__query *row = NULL;
        pawl_text payload = {NULL, 0};
        pawl_status status = pawl__query_prepare(
                &row, a->log, "SELECT payload FROM {events} WHERE seq = ?1", a->err);

        if (status)
                return status;
        pawl__query_bind(row, "i", seq);
        status = pawl__query_step(row, PAWL__READING, a->err);
        if (!status)
                payload = pawl__arena_copy(a->arena, pawl__query_text(row, 0));
        pawl__query_finalize(row);
        if (!payload.data)
                payload = pawl__text("{}");
        if (status && status != PAWL_DONE)
                return status;
        status = pawl__arena_check(a->arena, a->err);
        return status ? status : pawl__json_tree_read(tree, payload.data, payload.len, a->err);
}

pawl_status pawl__rule_is_own_conflict(const pawl__apply_ctx *a, const pawl__row *conflict)
{
        const pawl__value *v = conflict->v;

        if (!is_judged(a) || (pawl__text_eq(a->event->run_id, v[PAWL__CON_RUN].text) &&
                                     pawl__text_eq(a->event->step_id, v[PAWL__CON_STEP].text)))
                return PAWL_OK;
        return pawl__rules_refuse(a, "asked-when-blocked",
                "conflict %.*s is of step %.*s of run %.*s", PAWL__FMT(v[PAWL__CON_ID].text),
                PAWL__FMT(v[PAWL__CON_STEP].text), PAWL__FMT(v[PAWL__CON_RUN].text));
}

/* The texts of an array, or the member @p name of the objects that it has. */
static pawl_text *texts_of(size_t *n, const pawl__apply_ctx *a, const char *list, const char *name)
{
        const pawl__node node = pawl__json_get(a->tree, 0, list);
        pawl_text *texts;

        *n = 0;
        if (node == PAWL__NO_NODE || pawl__json_at(a->tree, node)->type != PAWL__JSON_ARRAY)
                return NULL;
        texts = pawl__arena_array(a->arena, pawl__json_at(a->tree, node)->count, sizeof *texts);
        for (pawl__node m = pawl__json_first(a->tree, node); m != PAWL__NO_NODE && texts;
                m = pawl__json_after(a->tree, node, m))
                texts[(*n)++] = name ? pawl__json_get_text(a->tree, m, name)
                                     : pawl__json_at(a->tree, m)->value;
        return texts;
}

pawl_status pawl__rule_asks(const pawl__apply_ctx *a, int64_t since_us)
{
        const pawl_text plan = a->step.v[PAWL__STEP_PLAN].text;
        int64_t due_us = 0;
        char hash[65] = "";
        pawl_status status = PAWL_OK;

        if (!is_judged(a) || !a->log || !plan.data)
                return PAWL_OK;
        pawl__asks asks = {.question = pawl__apply_optional(a, "question"),
                .otherwise = pawl__apply_optional(a, "otherwise")};
        asks.options = texts_of(&asks.n_options, a, "options", "definition");
        asks.to = texts_of(&asks.n_to, a, "to", NULL);
        if (!pawl__time_parse(&due_us, pawl__apply_optional(a, "due_at")))
                due_us = since_us;
        asks.within_ms = (due_us - since_us) / 1000;
        status = pawl__arena_check(a->arena, a->err);
        if (!status)
                status = pawl__asks_hash(hash, &asks, pawl__log_hasher(a->log), a->err);
        return status || ((due_us - since_us) % 1000 == 0 &&
                                 pawl__text_is(pawl__plan_ask(plan), hash))
                       ? status
                       : pawl__rules_refuse(a, "asked-when-blocked",
                                 "its mission does not have step %.*s ask that",
                                 PAWL__FMT(a->event->step_id));
}

/* ---- Answers --------------------------------------------------------------------------------- */

/* An answer that a question got by its time limit; nobody else leaves it without one. */
static pawl_status check_time(const pawl__apply_ctx *a, const pawl__row *conflict)
{
        const bool timeout = says(a, "resolution_mode", pawl__text("timeout"));
        const int64_t due_us = conflict->v[PAWL__CON_DUE_US].integer;

        if (timeout ? due_us && a->event->time_us >= due_us &&
                                pawl__text_is(a->event->actor, "system:timeout") &&
                                says(a, "answer", conflict->v[PAWL__CON_OTHERWISE].text)
                    : pawl__apply_optional(a, "answer").data ||
                                !pawl__rule_is(conflict, PAWL__CON_TYPE, "question"))
                return PAWL_OK;
        return pawl__rules_refuse(a, "in-time",
                "conflict %.*s has no answer by its own time limit, which ends at its due_at",
                PAWL__FMT(conflict->v[PAWL__CON_ID].text));
}

/* Is the text one of the array's? With @p name each is an object, and the text that member of it.
 */
static bool has_text(const pawl__json_tree *tree, pawl__node list, const char *name, pawl_text text)
{
        for (pawl__node n = pawl__json_first(tree, list); n != PAWL__NO_NODE;
                n = pawl__json_after(tree, list, n))
                if (pawl__text_eq(text, name ? pawl__json_get_text(tree, n, name)
                                             : pawl__json_at(tree, n)->value))
                        return true;
        return false;
}

/* Of a question: one of its options, by one of the people that it is put to. */
static pawl_status fits_question(bool *fits, const pawl__apply_ctx *a, const pawl__row *conflict)
{
        pawl__json_tree asked = PAWL__JSON_TREE_INIT;
        pawl_status status = PAWL_OK;

        *fits = true;
        if (!a->log || says(a, "resolution_mode", pawl__text("timeout")))
                return PAWL_OK;
        status = pawl__rule_earlier_payload(&asked, a, conflict->v[PAWL__CON_SEQ].integer);
        const pawl__node to = status ? PAWL__NO_NODE : pawl__json_get(&asked, 0, "to");
        const pawl__node options = status ? to : pawl__json_get(&asked, 0, "options");
        if (to != PAWL__NO_NODE && pawl__json_at(&asked, to)->count)
                *fits = has_text(&asked, to, NULL, a->event->actor);
        if (options != PAWL__NO_NODE && pawl__json_at(&asked, options)->count && *fits)
                *fits = has_text(&asked, options, "definition", pawl__apply_optional(a, "answer"));
        pawl__json_tree_free(&asked);
        return status;
}

/* Of a term: a sense of it, as it was offered or as somebody defines it. */
static pawl_status fits_term(bool *fits, const pawl__apply_ctx *a, const pawl__row *conflict)
{
        const pawl_text term = conflict->v[PAWL__CON_TERM].text;
        const pawl_text surface = pawl__json_get_text(
                a->tree, pawl__json_get(a->tree, 0, "selected_sense"), "surface");
        const pawl_text offered = conflict->v[PAWL__CON_CANDIDATES].text;
        pawl__json_tree tree = PAWL__JSON_TREE_INIT;
        pawl_status status = PAWL_OK;

        *fits = !pawl__rule_has(a, "normal") || says(a, "normal", term);
        if (!*fits || pawl__text_eq(surface, term))
                return PAWL_OK;
        status = pawl__json_tree_read(&tree, offered.data, offered.len, a->err);
        *fits = !status && has_text(&tree, 0, "surface", surface);
        pawl__json_tree_free(&tree);
        return status;
}

pawl_status pawl__rule_answers(const pawl__apply_ctx *a, const pawl__row *conflict)
{
        const pawl__value *v = conflict->v;
        const pawl__node actor = pawl__json_get(a->tree, 0, "actor");
        bool fits;
        pawl_status status;

        if (a->event->v < 2 || pawl__rule_has(a, "origin"))
                return PAWL_OK;
        if (!pawl__text_eq(a->event->run_id, v[PAWL__CON_RUN].text) ||
                !pawl__text_eq(a->event->step_id, v[PAWL__CON_STEP].text))
                return pawl__rules_refuse(a, "asked-first",
                        "conflict %.*s is of step %.*s of run %.*s",
                        PAWL__FMT(v[PAWL__CON_ID].text), PAWL__FMT(v[PAWL__CON_STEP].text),
                        PAWL__FMT(v[PAWL__CON_RUN].text));
        if ((status = check_time(a, conflict)))
                return status;
        status = (pawl__rule_is(conflict, PAWL__CON_TYPE, "question") ? fits_question : fits_term)(
                &fits, a, conflict);
        if (status)
                return status;
        fits = fits && says(a, "term_surface", v[PAWL__CON_TERM].text) &&
               pawl__text_eq(pawl__json_get_text(a->tree, actor, "actor_id"), a->event->actor);
        return fits ? PAWL_OK
                    : pawl__rules_refuse(a, "answer-fits",
                              "it is no answer that conflict %.*s can have, or not by its actor",
                              PAWL__FMT(v[PAWL__CON_ID].text));
}

/* ---- What is found --------------------------------------------------------------------------- */

static int rank(pawl_text severity)
{
        static const char *const names[] = {"none", "low", "medium"};
        int i = 0;

        while (i < 3 && !pawl__text_is(severity, names[i]))
                i++;
        return i;
}

/* From which severity on the gate blocks; 4: never. */
static int blocking_rank(const pawl__apply_ctx *a)
{
        if (says(a, "effective_strictness", pawl__text("max")))
                return 1;
        return says(a, "effective_strictness", pawl__text("off")) ||
                               says(a, "phase", pawl__text("output"))
                       ? 4
                       : 3;
}

/* Does the conflict about that term have an answer? Its id is of run, step, phase and term. */
static pawl_status is_answered(bool *answered, const pawl__apply_ctx *a, pawl_text term)
{
        pawl__row conflict = {.v[PAWL__CON_TYPE].text = {NULL, 0}};
        char id[17];
        pawl_status status = conflict_id(id, a, phase_of(a), term);

        if (status)
                return status;
        conflict.v[PAWL__CON_ID].text = pawl__text(id);
        status = a->store->get(a->store, PAWL__CONFLICTS, &conflict, a->err);
        *answered = !status && pawl__rule_is(&conflict, PAWL__CON_STATUS, "resolved");
        return status == PAWL_ENOTFOUND ? PAWL_OK : status;
}

/* What it says of all agrees with what it says of each: only an answer lets pass what blocks. */
pawl_status pawl__rule_evaluates(const pawl__apply_ctx *a)
{
        const pawl__node list = pawl__json_get(a->tree, 0, "findings");
        const bool blocked = pawl__rule_is_true(a, "blocked");
        const int from = blocking_rank(a);
        int highest = 0;
        bool agrees = blocked == says(a, "recommended_action", pawl__text("block"));

        for (pawl__node n = pawl__json_first(a->tree, list); n != PAWL__NO_NODE && agrees;
                n = pawl__json_after(a->tree, list, n)) {
                const int severity = rank(pawl__json_get_text(a->tree, n, "severity"));
                highest = severity > highest ? severity : highest;
                if (severity < from || blocked || !a->log)
                        continue;
                const pawl_status status =
                        is_answered(&agrees, a, pawl__json_get_text(a->tree, n, "term"));
                if (status)
                        return status;
        }
        agrees = agrees && rank(pawl__apply_optional(a, "overall_severity")) == highest;
        return agrees ? pawl__rule_strictness(a, "effective_strictness")
                      : pawl__rules_refuse(a, "check-agrees",
                                "blocked, recommended_action and overall_severity are not what its "
                                "findings are");
}
