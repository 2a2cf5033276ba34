/* What a question about a conflict and its answer change. */
#include "base/digest.h"
#include "base/error.h"
#include "base/json_write.h"
#include "base/sources.h"
#include "state/rules_of.h"
#include <inttypes.h>

static pawl_status conflict_of(pawl__row *conflict, const pawl__apply_ctx *a)
{
        memset(conflict, 0, sizeof *conflict);
        conflict->v[PAWL__CON_ID].text = pawl__apply_optional(a, "conflict_id");
        return a->store->get(a->store, PAWL__CONFLICTS, conflict, a->err);
}

/* Each option is an object with the members of a sense. */
static pawl_status check_options(const pawl__apply_ctx *a, pawl__node options)
{
        static const char *const path = "payload.options[]";
        pawl_status status = PAWL_OK;
        pawl_text text;
        double confidence;

        for (pawl__node n = pawl__json_first(a->tree, options);
                n != PAWL__NO_NODE && status == PAWL_OK;
                n = pawl__json_after(a->tree, options, n)) {
                status = pawl__apply_text(&text, a, n, path, "scope");
                if (status == PAWL_OK)
                        status = pawl__apply_text(&text, a, n, path, "definition");
                if (status == PAWL_OK)
                        status = pawl__apply_confidence(&confidence, a, n, path);
        }
        return status;
}

/* About no term: what a step asks people. */
static bool is_question(pawl_text conflict_type)
{
        return pawl__text_is(conflict_type, "question");
}

/* Does it ask anew, since this answer does not verify? */
static bool is_unverified(const pawl__apply_ctx *a, int64_t resolved_seq)
{
        const pawl__node node = pawl__json_get(a->tree, 0, "unverified");
        int64_t seq;

        return node != PAWL__NO_NODE && pawl__json_int(pawl__json_at(a->tree, node), &seq) &&
               seq == resolved_seq;
}

/* The answer to this question is the step's output. */
static pawl_status asks(const pawl__apply_ctx *a)
{
        pawl__row step;
        pawl_status status = pawl__apply_find_step(&step, a);

        step.v[PAWL__STEP_QUESTION].text = pawl__apply_optional(a, "conflict_id");
        return status ? status == PAWL_ENOTFOUND ? PAWL_OK : status
                      : pawl__apply_put(a, PAWL__STEPS, &step);
}

/* If it is asked again, an open conflict takes the newest question; an answered one stays answered,
 * unless its answer does not count: what a step asks people is asked anew only then, and of a term
 * the event says so. */
pawl_status pawl__apply_clarification_requested(pawl__apply_ctx *a)
{
        const pawl__node options = pawl__json_get(a->tree, 0, "options");
        const bool question = is_question(pawl__apply_optional(a, "conflict_type"));
        pawl__row conflict;
        double confidence = 0;
        pawl_status status = check_options(a, options);

        if (status == PAWL_OK && pawl__json_get(a->tree, 0, "confidence") != PAWL__NO_NODE)
                status = pawl__apply_confidence(&confidence, a, 0, "payload");
        if (status)
                return status;
        status = conflict_of(&conflict, a);
        if (status && status != PAWL_ENOTFOUND)
                return status;
        if (!status && (status = pawl__rule_is_own_conflict(a, &conflict)))
                return status;
        const bool resolved =
                !status && pawl__text_is(conflict.v[PAWL__CON_STATUS].text, "resolved");
        const bool opens = status || resolved;
        if (question &&
                (status = pawl__rule_asks(a,
                         opens ? a->event->time_us : conflict.v[PAWL__CON_REQUESTED_US].integer)))
                return status;
        if (resolved && !question && !is_unverified(a, conflict.v[PAWL__CON_RESOLVED_SEQ].integer))
                return PAWL_OK;
        if (opens || question)
                conflict.v[PAWL__CON_SEQ].integer = (int64_t)a->event->seq;
        if (opens) {
                conflict.v[PAWL__CON_RESOLVED_SEQ].integer = 0;
                conflict.v[PAWL__CON_REQUESTED_US].integer = a->event->time_us;
                conflict.v[PAWL__CON_STATUS].text = pawl__text("open");
        }
        conflict.v[PAWL__CON_RUN].text = a->event->run_id;
        conflict.v[PAWL__CON_STEP].text = a->event->step_id;
        conflict.v[PAWL__CON_MISSION].text = a->event->mission_id;
        conflict.v[PAWL__CON_TOKEN].text = pawl__apply_optional(a, "retry_token");
        conflict.v[PAWL__CON_TERM].text = pawl__apply_optional(a, "term");
        conflict.v[PAWL__CON_TYPE].text = pawl__apply_optional(a, "conflict_type");
        conflict.v[PAWL__CON_SEVERITY].text = pawl__apply_optional(a, "severity");
        conflict.v[PAWL__CON_CONFIDENCE].real = confidence;
        conflict.v[PAWL__CON_CONTEXT].text = pawl__apply_optional(a, "context");
        conflict.v[PAWL__CON_CANDIDATES].text = pawl__json_at(a->tree, options)->value;
        conflict.v[PAWL__CON_OTHERWISE].text = pawl__apply_optional(a, "otherwise");
        if (!pawl__time_parse(
                    &conflict.v[PAWL__CON_DUE_US].integer, pawl__apply_optional(a, "due_at")))
                conflict.v[PAWL__CON_DUE_US].integer = 0;
        if (question && (status = asks(a)))
                return status;
        return pawl__apply_put(a, PAWL__CONFLICTS, &conflict);
}

/* The answer to a question is a text, or null where nobody gave one in time. */
static pawl_status check_reply(const pawl__apply_ctx *a)
{
        const pawl__node answer = pawl__json_get(a->tree, 0, "answer");

        if (answer == PAWL__NO_NODE ||
                (pawl__json_at(a->tree, answer)->type != PAWL__JSON_STRING &&
                        pawl__json_at(a->tree, answer)->type != PAWL__JSON_NULL))
                return pawl__apply_refuse(a, PAWL_EINVAL, "payload.answer",
                        "is missing or no text, but the conflict is a question; its writer must "
                        "give a text or null");
        return PAWL_OK;
}

/* The hash of the answer as an output, which is a JSON string. */
static pawl_status hash_answer(pawl_text *hex, const pawl__apply_ctx *a)
{
        const pawl_text answer = pawl__json_get_text(a->tree, 0, "answer");
        unsigned char hash[32];
        pawl__buf quoted = PAWL__BUF_INIT;
        char *text = pawl__arena_alloc(a->arena, 65);
        pawl_status status = PAWL_OK;

        *hex = pawl__text(NULL);
        if (!answer.data || !a->log)
                return PAWL_OK;
        if (!text || pawl__json_quote(&quoted, answer))
                status = pawl__nomem(a->err);
        if (!status)
                status = pawl__sha256(
                        pawl__log_hasher(a->log), hash, quoted.data, quoted.len, a->err);
        pawl__buf_free(&quoted);
        if (status)
                return status;
        pawl__hex(text, hash, sizeof hash);
        *hex = pawl__text_n(text, 64);
        return PAWL_OK;
}

pawl_status pawl__apply_clarification_resolved(pawl__apply_ctx *a)
{
        pawl__row conflict, sense;
        int64_t replaces = 0;
        pawl_status status = conflict_of(&conflict, a);

        if (status == PAWL_ENOTFOUND)
                return pawl__fail(a->err, PAWL_ESTATE,
                        "conflict %.*s: there is none of that id in the log; see pawl conflicts",
                        PAWL__FMT(conflict.v[PAWL__CON_ID].text));
        if (status)
                return status;
        if (pawl__json_get(a->tree, 0, "replaces") != PAWL__NO_NODE)
                status = pawl__apply_integer(&replaces, a, 0, "payload", "replaces");
        if (status)
                return status;
        if (pawl__text_is(conflict.v[PAWL__CON_STATUS].text, "resolved") &&
                replaces != conflict.v[PAWL__CON_RESOLVED_SEQ].integer)
                return pawl__fail(a->err, PAWL_EEXISTS,
                        "conflict %.*s: was answered already at seq %" PRId64
                        "; see eventlog show %" PRId64,
                        PAWL__FMT(conflict.v[PAWL__CON_ID].text),
                        conflict.v[PAWL__CON_RESOLVED_SEQ].integer,
                        conflict.v[PAWL__CON_RESOLVED_SEQ].integer);
        const bool question = is_question(conflict.v[PAWL__CON_TYPE].text);
        if (question) {
                status = check_reply(a);
                if (!status)
                        status = hash_answer(&conflict.v[PAWL__CON_ANSWER_HASH].text, a);
        } else {
                status = pawl__apply_local_sense(&sense, a, conflict.v[PAWL__CON_MISSION].text);
        }
        if (!status)
                status = pawl__rule_answers(a, &conflict);
        if (status)
                return status;
        conflict.v[PAWL__CON_STATUS].text = pawl__text("resolved");
        conflict.v[PAWL__CON_RESOLVED_SEQ].integer = (int64_t)a->event->seq;
        if (!question)
                status = pawl__apply_put(a, PAWL__SENSES, &sense);
        return status ? status : pawl__apply_put(a, PAWL__CONFLICTS, &conflict);
}
