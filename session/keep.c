/* An agent's session: what its keeper tells, as events. */
#include "base/error.h"
#include "base/ids.h"
#include "base/printable.h"
#include "base/sources.h"
#include "session/session.h"
#include "session/standing.h"
#include "workspace/worktree.h"

typedef struct keeping {
        pawl_log *log;
        pawl__state *state;
        pawl__arena arena;
        pawl__batch batch;
        pawl__row session;
        pawl_event like; /* the envelope's ids */
        pawl_error *err;
} keeping;

static pawl_status keep_begin(keeping *k, pawl_log *log, const char *actor, pawl_error *err)
{
        *k = (keeping){.log = log, .arena = PAWL__ARENA_INIT, .err = err};
        k->like.actor = pawl__text(actor ? actor : "program");
        pawl_status status = pawl__id_check(k->like.actor, "actor", err);
        return status ? status : pawl__state_of(&k->state, log, err);
}

static void keep_end(keeping *k)
{
        pawl__batch_free(&k->batch);
        pawl__arena_free(&k->arena);
}

static pawl_status commit(keeping *k, uint64_t *seq)
{
        pawl_status status = pawl__log_commit(k->log, &k->batch, 0, seq);

        if (status && k->err)
                *k->err = *pawl__log_error(k->log);
        return status;
}

static pawl_status find(keeping *k, const char *session_id)
{
        pawl_status status = pawl__id_check(pawl__text(session_id), "session id", k->err);

        if (!status)
                status = pawl__session_find(
                        &k->session, k->state, session_id, (pawl_text){NULL, 0}, &k->arena, k->err);
        if (status)
                return status;
        k->like.mission_id = k->session.v[PAWL__SES_MISSION].text;
        k->like.run_id = k->session.v[PAWL__SES_RUN].text;
        k->like.session_id = k->session.v[PAWL__SES_ID].text;
        return PAWL_OK;
}

/* The mission's active session that an agent keeps; without an id: it has none. */
static pawl_status find_active(pawl__row *active, keeping *k)
{
        pawl__row *rows;
        size_t n = 0;

        TRY(pawl__state_active_sessions(&rows, &n, k->state, &k->arena, k->err));
        *active = (pawl__row){0};
        for (size_t i = 0; i < n; i++)
                if (!rows[i].v[PAWL__SES_RUN].text.data &&
                        pawl__text_eq(rows[i].v[PAWL__SES_MISSION].text, k->like.mission_id))
                        *active = rows[i];
        return PAWL_OK;
}

/* One that has ended names the session that is to be told instead, or how to begin it. */
static pawl_status must_be_active(keeping *k)
{
        const pawl__value *v = k->session.v;
        pawl__row active;

        if (pawl__text_is(v[PAWL__SES_STATUS].text, "active"))
                return PAWL_OK;
        if (v[PAWL__SES_RUN].text.data)
                return pawl__fail(k->err, PAWL_ESTATE,
                        "session %.*s: has ended (%.*s) with its part of run %.*s; name the session "
                        "that is active",
                        PAWL__FMT(v[PAWL__SES_ID].text), PAWL__FMT(v[PAWL__SES_STATUS].text),
                        PAWL__FMT(v[PAWL__SES_RUN].text));
        TRY(find_active(&active, k));
        if (active.v[PAWL__SES_ID].text.data)
                return pawl__fail(k->err, PAWL_ESTATE,
                        "session %.*s: has ended (%.*s); %.*s is the active one of mission %.*s: "
                        "name that, in $PAWL_SESSION_ID too",
                        PAWL__FMT(v[PAWL__SES_ID].text), PAWL__FMT(v[PAWL__SES_STATUS].text),
                        PAWL__FMT(active.v[PAWL__SES_ID].text), PAWL__FMT(k->like.mission_id));
        return pawl__fail(k->err, PAWL_ESTATE,
                "session %.*s: has ended (%.*s); `pawl session resume %.*s` begins another where it "
                "left off",
                PAWL__FMT(v[PAWL__SES_ID].text), PAWL__FMT(v[PAWL__SES_STATUS].text),
                PAWL__FMT(v[PAWL__SES_ID].text));
}

/* ---- Starting -------------------------------------------------------------------------------- */

/* The mission's active session that an agent keeps, if there is one: ended by this batch, or named
 * as the reason to refuse. */
static pawl_status displace(keeping *k, bool take_over)
{
        pawl__row active;
        const pawl__value *v = active.v;
        char since[28];

        TRY(find_active(&active, k));
        if (!v[PAWL__SES_ID].text.data)
                return PAWL_OK;
        if (take_over)
                return pawl__session_found_ended(&k->batch, &active, "taken over", k->err);
        pawl__time_format(since, v[PAWL__SES_UPDATED_US].integer);
        return pawl__fail(k->err, PAWL_EHELD,
                "mission %.*s: session %.*s of %.*s is active, last at %s; end it with "
                "`pawl session end --id %.*s`, or take it over: `pawl session start --mission %s "
                "--take-over`",
                PAWL__FMT(k->like.mission_id), PAWL__FMT(v[PAWL__SES_ID].text),
                PAWL__FMT(v[PAWL__SES_ACTOR].text), since, PAWL__FMT(v[PAWL__SES_ID].text),
                PAWL__WORD(k->like.mission_id));
}

typedef pawl_status begin_fn(keeping *k, const void *what);

typedef struct beginning {
        keeping *k;
        char *id;
        bool take_over;
        begin_fn *begin;
        const void *what;
} beginning;

/* Inside of the transaction, where nobody else can begin a session meanwhile. */
static pawl_status fill(pawl_log *log, pawl__batch *batch, void *user, pawl_error *err)
{
        const beginning *b = user;
        keeping *k = b->k;
        pawl_error *asked = k->err;

        (void)batch; /* it is the keeping's */
        k->err = err;
        pawl__session_id(b->id, log);
        k->like.session_id = pawl__text(b->id);
        pawl_status status = displace(k, b->take_over);
        if (!status)
                status = b->begin(k, b->what);
        k->err = asked;
        return status;
}

static pawl_status begin_session(char session_id[PAWL_SESSION_ID_MAX], keeping *k, bool take_over,
        begin_fn *begin, const void *what)
{
        char id[PAWL_SESSION_ID_MAX] = "";
        beginning b = {k, id, take_over, begin, what};
        pawl_status status;

        k->batch.prepare = fill;
        k->batch.prepare_user = &b;
        status = commit(k, NULL);
        k->like.session_id = (pawl_text){NULL, 0}; /* it lay here */
        if (!status)
                memcpy(session_id, id, sizeof id);
        return status;
}

static pawl_status begin_with_work(keeping *k, const void *what)
{
        const pawl__session_report told = {.work = what, .in = k->state};

        return pawl__session_emit(&k->batch, PAWL__SESSION_STARTED, &k->like, &told, k->err);
}

static pawl_status check_options(const pawl_session_options **options, pawl_error *err)
{
        static const pawl_session_options defaults = PAWL_SESSION_OPTIONS_INIT;

        if (!*options)
                *options = &defaults;
        return (*options)->version == PAWL_SESSION_OPTIONS_VERSION
                       ? PAWL_OK
                       : pawl__fail(err, PAWL_EINVAL,
                                 "session options: version %u is not known; start from "
                                 "PAWL_SESSION_OPTIONS_INIT",
                                 (*options)->version);
}

pawl_status pawl_session_start(char session_id[PAWL_SESSION_ID_MAX], pawl_log *log,
        const char *mission_id, const pawl_session_work *work, const pawl_session_options *options,
        pawl_error *err)
{
        TRY(pawl__log_usable(log, err));

        static const pawl_session_work nothing;
        keeping k;

        TRY(check_options(&options, err));
        pawl_status status = keep_begin(&k, log, options->actor, err);
        k.like.mission_id = pawl__text(mission_id);
        if (!status)
                status = pawl__id_check(k.like.mission_id, "mission id", err);
        if (!status)
                status = pawl__work_check(work ? work : &nothing, &k.like, err);
        if (!status)
                status = begin_session(session_id, &k, options->take_over, begin_with_work,
                        work ? work : &nothing);
        keep_end(&k);
        return status;
}

/* ---- Updating, marking, ending --------------------------------------------------------------- */

static pawl_status update(uint64_t *seq, pawl_log *log, const char *session_id, const char *actor,
        pawl__event_type type, pawl__session_report told, pawl_error *err)
{
        keeping k;
        pawl_status status = keep_begin(&k, log, actor, err);

        if (!status)
                status = find(&k, session_id);
        if (!status)
                status = must_be_active(&k);
        if (!status && type == PAWL__SESSION_ENDED && k.like.run_id.data)
                status = pawl__fail(err, PAWL_ESTATE,
                        "session %s: is that of run %.*s, which ends it; stop the run instead",
                        session_id, PAWL__FMT(k.like.run_id));
        if (!status && told.work)
                status = pawl__work_check(told.work, &k.like, err);
        if (!status && type == PAWL__SESSION_ENDED) { /* what it can be resumed from */
                const pawl__session_report last = {.reason = "session_end", .work = told.work};
                status = pawl__session_emit(
                        &k.batch, PAWL__SESSION_CHECKPOINTED, &k.like, &last, err);
                told.work = NULL;
        }
        if (!status)
                status = pawl__session_emit(&k.batch, type, &k.like, &told, err);
        if (!status)
                status = commit(&k, seq);
        keep_end(&k);
        return status;
}

pawl_status pawl_session_update(pawl_log *log, const char *session_id, const char *actor,
        const pawl_session_work *work, pawl_error *err)
{
        TRY(pawl__log_usable(log, err));

        return update(NULL, log, session_id, actor, PAWL__SESSION_UPDATED,
                (pawl__session_report){.work = work}, err);
}

pawl_status pawl__session_turn(pawl_log *log, const char *session_id, const char *actor,
        const char *summary, uint64_t checkpoint, pawl_error *err)
{
        const pawl_session_work work = {.summary = summary};

        return update(NULL, log, session_id, actor, PAWL__SESSION_UPDATED,
                (pawl__session_report){.work = &work, .turn_checkpoint = checkpoint}, err);
}

pawl_status pawl_session_checkpoint(uint64_t *seq, pawl_log *log, const char *session_id,
        const char *actor, const char *reason, const pawl_session_work *work, pawl_error *err)
{
        TRY(pawl__log_usable(log, err));

        if (!reason)
                reason = "";
        if (!pawl__session_reason_known(reason))
                return pawl__fail(err, PAWL_EINVAL,
                        "reason %.40s: is not known; give manual, step_complete, context_warning, "
                        "error_recovery, time_limit, task_complete or session_end",
                        reason);
        return update(seq, log, session_id, actor, PAWL__SESSION_CHECKPOINTED,
                (pawl__session_report){.reason = reason, .work = work}, err);
}

pawl_status pawl_session_end(pawl_log *log, const char *session_id, const char *actor,
        const char *status, const char *reason, const pawl_session_work *work, pawl_error *err)
{
        TRY(pawl__log_usable(log, err));

        if (!status)
                status = "";
        if (strcmp(status, "completed") != 0 && strcmp(status, "interrupted") != 0 &&
                strcmp(status, "error") != 0)
                return pawl__fail(err, PAWL_EINVAL,
                        "status %.40s: is none that a session ends with; give completed, "
                        "interrupted or error",
                        status);
        if (reason && !pawl__utf8_valid(reason, strlen(reason)))
                return pawl__fail(err, PAWL_EINVAL, "reason: is not UTF-8; write it so");
        return update(NULL, log, session_id, actor, PAWL__SESSION_ENDED,
                (pawl__session_report){.status = status, .reason = reason, .work = work}, err);
}

pawl_status pawl_session_pin(pawl_log *log, const char *session_id, bool pinned, pawl_error *err)
{
        TRY(pawl__log_usable(log, err));

        pawl__json_writer w = PAWL__JSON_WRITER_INIT;
        keeping k;
        pawl_status status = keep_begin(&k, log, NULL, err);

        if (!status)
                status = find(&k, session_id);
        if (!status) {
                pawl__json_open_object(&w);
                pawl__json_member_bool(&w, "pinned", pinned);
                status = pawl__batch_emit(&k.batch, PAWL__SESSION_UPDATED, &k.like, &w, err);
        }
        if (!status)
                status = commit(&k, NULL);
        keep_end(&k);
        return status;
}

/* ---- Resuming a session or one of its checkpoints -------------------------------------------- */

typedef struct origin {
        const pawl__row *session; /* as it was there */
        uint64_t checkpoint_seq;  /* 0: as it was left */
} origin;

static pawl_status begin_from(keeping *k, const void *what)
{
        const origin *from = what;
        pawl__json_writer w = PAWL__JSON_WRITER_INIT;

        pawl__json_open_object(&w);
        pawl__json_name(&w, "resumed_from");
        pawl__json_open_object(&w);
        pawl__json_member_text(&w, "session_id", from->session->v[PAWL__SES_ID].text);
        if (from->checkpoint_seq)
                pawl__json_member_integer(&w, "checkpoint", (int64_t)from->checkpoint_seq);
        pawl__json_close_object(&w);
        pawl__work_write_row(&w, from->session);
        const pawl_status status = pawl__worktree_write(&w, k->state, k->err);
        if (status) {
                pawl__json_writer_free(&w);
                return status;
        }
        return pawl__batch_emit(&k->batch, PAWL__SESSION_STARTED, &k->like, &w, k->err);
}

static pawl_status is_of_run(keeping *k)
{
        pawl__row run = {.v[PAWL__RUN_ID].text = k->like.run_id};
        const pawl_status status = pawl__state_get(k->state, PAWL__RUNS, &run, &k->arena, k->err);

        return status && status != PAWL_ENOTFOUND
                       ? status
                       : pawl__fail(k->err, PAWL_EINVAL,
                                 "session %.*s: is that of run %.*s; continue with %s",
                                 PAWL__FMT(k->like.session_id), PAWL__FMT(k->like.run_id),
                                 PAWL__ADVICE(k->log, &run, k->like.run_id));
}

pawl_status pawl_session_resume(char new_session_id[PAWL_SESSION_ID_MAX], pawl_log *log,
        const char *session_id, uint64_t checkpoint_seq, const pawl_session_options *options,
        pawl_error *err)
{
        TRY(pawl__log_usable(log, err));
        TRY(check_options(&options, err));

        pawl__row then;
        keeping k;
        origin from = {&k.session, checkpoint_seq};
        pawl_status status = keep_begin(&k, log, options->actor, err);

        if (!status)
                status = find(&k, session_id);
        if (!status && k.like.run_id.data)
                status = is_of_run(&k);
        if (!status && checkpoint_seq) {
                status = pawl__session_at(&then, log, &k.session, checkpoint_seq, &k.arena, err);
                from.session = &then;
        }
        if (!status)
                status = begin_session(new_session_id, &k, options->take_over, begin_from, &from);
        keep_end(&k);
        return status;
}
