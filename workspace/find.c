/* Which checkpoint is meant, and where the workspace stands. */
#include "base/error.h"
#include "workspace/log_record.h"
#include "workspace/turns.h"

/* A number alone, without sign or space. */
static bool is_number(int64_t *out, const char *text)
{
        int64_t n = 0;

        for (const char *c = text; *c; c++) {
                if (*c < '0' || *c > '9' || n > (INT64_MAX - 9) / 10)
                        return false;
                n = n * 10 + (*c - '0');
        }
        *out = n;
        return *text != '\0';
}

pawl_status pawl__workspace_current(pawl__row *out, pawl__row *by, bool *put_back,
        pawl__state *state, pawl__arena *arena, pawl_error *err)
{
        pawl__row newest;
        pawl_status status = pawl__state_workspace_newest_own(&newest, state, arena, err);

        return status ? status
                      : pawl__workspace_current_of(out, by, put_back, &newest, state, arena, err);
}

pawl_status pawl__workspace_current_of(pawl__row *out, pawl__row *by, bool *put_back,
        const pawl__row *newest, pawl__state *state, pawl__arena *arena, pawl_error *err)
{
        pawl__row last;

        *put_back = false;
        *out = *newest;
        pawl_status status = pawl__state_rollback_last(&last, state, arena, err);
        if (status)
                return status == PAWL_ENOTFOUND ? PAWL_OK : status;
        if (last.v[PAWL__RB_ENDED_SEQ].integer < newest->v[PAWL__WCP_SEQ].integer)
                return PAWL_OK;
        *put_back = true;
        *by = last;
        *out = (pawl__row){0};
        out->v[PAWL__WCP_N].integer = last.v[PAWL__RB_TARGET].integer;
        return pawl__state_get(state, PAWL__WORKSPACE, out, arena, err);
}

pawl_status pawl__workspace_or_pruned(
        pawl_status status, pawl__state *state, const pawl__row *checkpoint, pawl_error *err)
{
        pawl__arena arena = PAWL__ARENA_INIT;
        pawl__row now = {.v[PAWL__WCP_N] = checkpoint->v[PAWL__WCP_N]};

        if (status != PAWL_ENOTFOUND && status != PAWL_EDAMAGED)
                return status;
        if (!checkpoint->v[PAWL__WCP_PRUNED_SEQ].integer &&
                !pawl__state_get(state, PAWL__WORKSPACE, &now, &arena, NULL) &&
                now.v[PAWL__WCP_PRUNED_SEQ].integer)
                status = pawl__fail(err, PAWL_ENOTFOUND,
                        "checkpoint %lld: was pruned meanwhile; take another",
                        (long long)now.v[PAWL__WCP_N].integer);
        pawl__arena_free(&arena);
        return status;
}

/* The checkpoint before a tool call, by the name of its document, with or without its end. */
static pawl_status find_call(
        pawl__row *out, pawl__state *state, const char *which, pawl__arena *arena, pawl_error *err)
{
        static const char end[] = ".json";
        const pawl_text given = pawl__text(which);
        const bool whole =
                given.len > strlen(end) && strcmp(which + given.len - strlen(end), end) == 0;
        pawl__log_record call;
        pawl__buf name = PAWL__BUF_INIT;

        pawl__buf_addf(&name, "%s%s", which, whole ? "" : end);
        pawl_status status = pawl__buf_check(&name, err);
        if (!status)
                status = pawl__log_record_find(
                        &call, pawl__state_log(state), pawl__buf_text(&name), arena, err);
        pawl__buf_free(&name);
        if (status)
                return status;
        *out = (pawl__row){.v[PAWL__WCP_N].integer = call.n};
        return pawl__state_get(state, PAWL__WORKSPACE, out, arena, err);
}

static pawl_status not_found(const char *which, pawl_error *err)
{
        if (strncmp(which, "@turn:", strlen("@turn:")) == 0)
                return pawl__fail(err, PAWL_ENOTFOUND,
                        "checkpoint %.100s: no such turn has ended; `pawl checkpoints` shows the "
                        "turns",
                        which);
        if (*which == '@')
                return pawl__fail(err, PAWL_ENOTFOUND,
                        "checkpoint %.100s: there is none of that step; `pawl checkpoints` lists "
                        "them",
                        which);
        return pawl__fail(err, PAWL_ENOTFOUND,
                "checkpoint %.100s: there is none; `pawl checkpoints` lists them",
                *which ? which : "''");
}

pawl_status pawl__workspace_find(
        pawl__row *out, pawl__state *state, const char *which, pawl__arena *arena, pawl_error *err)
{
        pawl__row rows[PAWL__CANDIDATES] = {{{{{NULL, 0}}}}}, by;
        pawl_status status;
        int64_t n;
        size_t found = 0;
        bool put_back;

        if (!which)
                which = "";
        if (strcmp(which, "current") == 0) {
                status = pawl__workspace_current(&rows[0], &by, &put_back, state, arena, err);
        } else if (is_number(&n, which)) {
                rows[0].v[PAWL__WCP_N].integer = n;
                status = pawl__state_get(state, PAWL__WORKSPACE, &rows[0], arena, err);
        } else if (*which == '@') {
                status = strncmp(which, "@turn:", strlen("@turn:")) != 0
                                 ? PAWL_DONE
                                 : pawl__workspace_of_turn(
                                           &rows[0], state, which + strlen("@turn:"), arena, err);
                if (status == PAWL_DONE)
                        status = pawl__state_workspace_of_step(
                                &rows[0], state, pawl__text(which + 1), arena, err);
        } else if (strlen(which) < PAWL__PREFIX_MIN) {
                status = PAWL_ENOTFOUND;
        } else {
                status = pawl__state_by_prefix(
                        rows, &found, state, PAWL__WORKSPACE, pawl__text(which), arena, err);
                if (!status && found > 1 && !pawl__text_is(rows[0].v[PAWL__WCP_ID].text, which))
                        return pawl__fail(err, PAWL_EINVAL,
                                "checkpoint %.60s: is the start of %.*s and %.*s; give more of it",
                                which, PAWL__FMT(rows[0].v[PAWL__WCP_ID].text),
                                PAWL__FMT(rows[1].v[PAWL__WCP_ID].text));
                if (!status && found == 0)
                        status = find_call(&rows[0], state, which, arena, err);
        }
        if (status)
                return status == PAWL_ENOTFOUND ? not_found(which, err) : status;
        *out = rows[0];
        return PAWL_OK;
}
