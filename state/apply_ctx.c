/* How the apply functions refuse, read members and find the event's run and step. */
#include "base/error.h"
#include "state/rules.h"
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

pawl_status pawl__apply_refuse(
        const pawl__apply_ctx *a, pawl_status status, const char *field, const char *what)
{
        return pawl__fail(a->err, status, "seq %" PRIu64 " (%.*s): %s: %s", a->event->seq,
                PAWL__FMT(a->event->type), field, what);
}

static pawl_status refuse_member(
        const pawl__apply_ctx *a, const char *path, const char *name, const char *what)
{
        return pawl__fail(a->err, PAWL_EINVAL, "seq %" PRIu64 " (%.*s): %s.%s: %s", a->event->seq,
                PAWL__FMT(a->event->type), path, name, what);
}

pawl_status pawl__apply_text(pawl_text *out, const pawl__apply_ctx *a, pawl__node object,
        const char *path, const char *name)
{
        pawl_text text = pawl__json_get_text(a->tree, object, name);

        if (!text.data)
                return refuse_member(
                        a, path, name, "is missing or no text; its writer must give a text");
        *out = text;
        return PAWL_OK;
}

pawl_status pawl__apply_confidence(
        double *out, const pawl__apply_ctx *a, pawl__node object, const char *path)
{
        pawl__node node = pawl__json_get(a->tree, object, "confidence");

        if (node != PAWL__NO_NODE && pawl__json_at(a->tree, node)->type == PAWL__JSON_NUMBER) {
                double value = pawl__json_double(pawl__json_at(a->tree, node));
                if (value >= 0 && value <= 1) {
                        *out = value;
                        return PAWL_OK;
                }
        }
        return refuse_member(a, path, "confidence",
                "is missing or no number from 0 to 1; its writer must give one");
}

pawl_status pawl__apply_integer(int64_t *out, const pawl__apply_ctx *a, pawl__node object,
        const char *path, const char *name)
{
        pawl__node node = pawl__json_get(a->tree, object, name);

        if (node != PAWL__NO_NODE && pawl__json_at(a->tree, node)->type == PAWL__JSON_NUMBER &&
                pawl__json_int(pawl__json_at(a->tree, node), out))
                return PAWL_OK;
        return refuse_member(
                a, path, name, "is missing or no integer; its writer must give an integer");
}

pawl_status pawl__apply_maybe_text(pawl_text *value, const pawl__apply_ctx *a, const char *name)
{
        pawl__node node = pawl__json_get(a->tree, 0, name);

        *value = pawl__text(NULL);
        if (node == PAWL__NO_NODE || pawl__json_at(a->tree, node)->type == PAWL__JSON_NULL)
                return PAWL_OK;
        if (pawl__json_at(a->tree, node)->type != PAWL__JSON_STRING)
                return refuse_member(a, "payload", name, "is no text; write one");
        *value = pawl__json_at(a->tree, node)->value;
        return PAWL_OK;
}

pawl_status pawl__apply_flag(int *value, const pawl__apply_ctx *a, const char *name)
{
        pawl__node node = pawl__json_get(a->tree, 0, name);

        *value = 0;
        if (node == PAWL__NO_NODE || pawl__json_at(a->tree, node)->type == PAWL__JSON_NULL)
                return PAWL_OK;
        *value = pawl__json_at(a->tree, node)->type == PAWL__JSON_TRUE;
        if (!*value && pawl__json_at(a->tree, node)->type != PAWL__JSON_FALSE)
                return refuse_member(a, "payload", name, "is not true or false; write it so");
        return PAWL_OK;
}

pawl_status pawl__apply_git(pawl_text *value, const pawl__apply_ctx *a, const char *name)
{
        pawl__node git = pawl__json_get(a->tree, 0, "git"), node = PAWL__NO_NODE;

        *value = pawl__text(NULL);
        if (git == PAWL__NO_NODE || pawl__json_at(a->tree, git)->type == PAWL__JSON_NULL)
                return PAWL_OK;
        if (pawl__json_at(a->tree, git)->type == PAWL__JSON_OBJECT)
                node = pawl__json_get(a->tree, git, name);
        else
                return refuse_member(a, "payload", "git", "is no object; write one");
        if (node == PAWL__NO_NODE || pawl__json_at(a->tree, node)->type == PAWL__JSON_NULL)
                return PAWL_OK;
        if (pawl__json_at(a->tree, node)->type != PAWL__JSON_STRING)
                return refuse_member(
                        a, "payload", "git", "has a member that is no text; write texts");
        *value = pawl__json_at(a->tree, node)->value;
        return PAWL_OK;
}

pawl_status pawl__apply_find_run(pawl__row *run, const pawl__apply_ctx *a)
{
        if (a->run_is != PAWL__ROW_UNREAD) {
                *run = a->run;
                return a->run_is == PAWL__ROW_THERE ? PAWL_OK : PAWL_ENOTFOUND;
        }
        *run = (pawl__row){.v[PAWL__RUN_ID].text = a->event->run_id};
        return a->store->get(a->store, PAWL__RUNS, run, a->err);
}

pawl_status pawl__apply_find_step(pawl__row *step, const pawl__apply_ctx *a)
{
        if (a->step_is != PAWL__ROW_UNREAD) {
                *step = a->step;
                return a->step_is == PAWL__ROW_THERE ? PAWL_OK : PAWL_ENOTFOUND;
        }
        *step = (pawl__row){.v[PAWL__STEP_RUN].text = a->event->run_id,
                .v[PAWL__STEP_ID].text = a->event->step_id};
        return a->store->get(a->store, PAWL__STEPS, step, a->err);
}

pawl_status pawl__apply_run(pawl__row *run, const pawl__apply_ctx *a)
{
        const pawl_status status = pawl__apply_find_run(run, a);

        if (status == PAWL_ENOTFOUND)
                return pawl__fail(a->err, PAWL_ESTATE,
                        "seq %" PRIu64 " (%.*s): there is no run %.*s; claim and start it first",
                        a->event->seq, PAWL__FMT(a->event->type), PAWL__FMT(a->event->run_id));
        return status;
}

pawl_status pawl__apply_step(pawl__row *step, const pawl__apply_ctx *a)
{
        const pawl_status status = pawl__apply_find_step(step, a);

        if (status == PAWL_ENOTFOUND)
                return pawl__fail(a->err, PAWL_ESTATE,
                        "seq %" PRIu64 " (%.*s): run %.*s has no step %.*s; append StepStarted "
                        "first",
                        a->event->seq, PAWL__FMT(a->event->type), PAWL__FMT(a->event->run_id),
                        PAWL__FMT(a->event->step_id));
        return status;
}

pawl_status pawl__apply_put_run(const pawl__apply_ctx *a, pawl__row *run, const char *status)
{
        if (status)
                run->v[PAWL__RUN_STATUS].text = pawl__text(status);
        run->v[PAWL__RUN_UPDATED_SEQ].integer = (int64_t)a->event->seq;
        run->v[PAWL__RUN_UPDATED_US].integer = a->event->time_us;
        return pawl__apply_reach(a, run);
}

pawl_status pawl__apply_reach(const pawl__apply_ctx *a, pawl__row *run)
{
        if (!run->v[PAWL__RUN_FIRST_SEQ].integer)
                run->v[PAWL__RUN_FIRST_SEQ].integer = (int64_t)a->event->seq;
        run->v[PAWL__RUN_LAST_SEQ].integer = (int64_t)a->event->seq;
        *a->run_put = true;
        return pawl__apply_put(a, PAWL__RUNS, run);
}

pawl_status pawl__rules_refuse(const pawl__apply_ctx *a, const char *rule, const char *format, ...)
{
        char what[400];
        va_list args;

        va_start(args, format);
        vsnprintf(what, sizeof what, format, args);
        va_end(args);
        return pawl__fail(a->err, PAWL_ESTATE, "seq %" PRIu64 " (%.*s): rule %s: %s%s",
                a->event->seq, PAWL__FMT(a->event->type), rule, what,
                strchr(what, ';') ? "" : "; docs/reference/event-log.md says what may follow what");
}
