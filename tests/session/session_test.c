#include "events/group.h"
#include "events/types.h"
#include "session/session.h"
#include "support/pipeline.h"
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { LATE_NOVEMBER = 1795178100 }; /* 2026-11-20T12:35:00Z */

static pawl_event like(const char *session_id)
{
        return (pawl_event){.mission_id = pawl__text("m"),
                .step_id = pawl__text("s"),
                .session_id = pawl__text(session_id),
                .actor = pawl__text("user:ana")};
}

static pawl_status emit(pawl__batch *batch, pawl__event_type type, const pawl_event *like,
        const char *status, const char *reason, pawl_error *err)
{
        const pawl__session_report told = {.status = status, .reason = reason};

        return pawl__session_emit(batch, type, like, &told, err);
}

static void begin(struct piped *p, const char *id)
{
        pawl__batch batch = PAWL__BATCH_INIT;
        pawl_event envelope = like(id);

        assert_ok(emit(&batch, PAWL__SESSION_STARTED, &envelope, NULL, NULL, &p->err));
        assert_text(batch.events[0].type, "SessionStarted");
        assert_null(batch.events[0].step_id.data);
        assert_ok(pawl__log_commit(p->log, &batch, 0, NULL));
        pawl__batch_free(&batch);
}

PIPED_TEST(a_session_is_called_by_its_second_in_utc_and_at_random)
{
        char id[PAWL_SESSION_ID_MAX];

        pawl__session_id(id, p->log); /* by the fixture's clock and counted ids */
        assert_string_equal(id, "session-20261120-123500-000000000001");
        pawl__session_id(id, p->log);
        assert_string_equal(id, "session-20261120-123500-000000000002");
}

static int compare_ids(const void *a, const void *b)
{
        return strcmp(a, b);
}

/* With the system's clock and random source. */
PIPED_TEST(of_many_sessions_of_one_second_no_two_share_an_id)
{
        enum { MANY = 20000 };
        static char ids[MANY][PAWL_SESSION_ID_MAX];
        char *path = log_in(p->directory, "other.db");
        pawl_log_options options = PAWL_LOG_OPTIONS_INIT;
        pawl_log *log;

        options.flags = PAWL_LOG_CREATE;
        assert_ok(pawl_log_open(&log, path, &options, &p->err));
        for (size_t i = 0; i < MANY; i++)
                pawl__session_id(ids[i], log);
        qsort(ids, MANY, sizeof ids[0], compare_ids);
        for (size_t i = 1; i < MANY; i++)
                assert_string_not_equal(ids[i - 1], ids[i]);
        pawl_log_close(log);
}

PIPED_TEST(an_end_says_how_and_why)
{
        pawl__batch batch = PAWL__BATCH_INIT;
        pawl_event envelope = like("session-1");

        begin(p, "session-1");
        assert_ok(emit(&batch, PAWL__SESSION_ENDED, &envelope, "interrupted", "SIGTERM", &p->err));
        assert_ok(emit(&batch, PAWL__SESSION_ENDED, &envelope, "completed", NULL, &p->err));
        assert_text(batch.events[0].type, "SessionEnded");
        assert_text(batch.events[0].session_id, "session-1");
        assert_text(batch.events[0].payload, "{\"status\":\"interrupted\",\"reason\":\"SIGTERM\"}");
        assert_text(batch.events[1].payload, "{\"status\":\"completed\"}");
        batch.n = 1;
        assert_ok(pawl__log_commit(p->log, &batch, 0, NULL));
        pawl__batch_free(&batch);
        assert_string_equal(piped_types(p, 0), "SessionStarted SessionEnded");
}

/* ---- An agent's session ---------------------------------------------------------------------- */

/* The one session that there is, or the newest, as listed. */
static pawl_sessions *newest(struct piped *p, pawl_session *out)
{
        pawl_session_filter filter = PAWL_SESSION_FILTER_INIT;
        pawl_sessions *list = NULL;

        filter.limit = 1;
        assert_ok(pawl_session_list(&list, p->log, &filter, &p->err));
        assert_int_equal(list->n, 1);
        *out = *&list->items[0];
        return list;
}

PIPED_TEST(an_agent_tells_of_its_work)
{
        static const char *const pending[] = {"research", "draft", "review"};
        static const char *const done[] = {"research"}, *const files[] = {"notes.md"};
        pawl_session_options options = PAWL_SESSION_OPTIONS_INIT;
        pawl_session_work work = {.pending = pending, .n_pending = 3, .current_step = "research"};
        pawl_session session;
        uint64_t seq;
        char id[PAWL_SESSION_ID_MAX];

        options.actor = "agent:writer";
        assert_ok(pawl_session_start(id, p->log, "paper", &work, &options, &p->err));
        pawl_sessions *list = newest(p, &session);
        assert_text(session.session_id, id);
        assert_text(session.mission_id, "paper");
        assert_text(session.status, "active");
        assert_text(session.current_step, "research");
        assert_null(session.run_id.data);
        assert_int_equal(session.steps_completed, 0);
        assert_int_equal(session.steps_total, 3);
        pawl_sessions_free(list);

        work = (pawl_session_work){.completed = done,
                .n_completed = 1,
                .current_step = "draft",
                .summary = "Two sources agree.",
                .files = files,
                .n_files = 1};
        assert_ok(pawl_session_checkpoint(
                &seq, p->log, id, "agent:writer", "step_complete", &work, &p->err));
        work = (pawl_session_work){.current_step = ""};
        assert_ok(pawl_session_update(p->log, id, "agent:writer", &work, &p->err));
        assert_ok(pawl_session_end(
                p->log, id, "agent:writer", "interrupted", "lunch", NULL, &p->err));
        list = newest(p, &session);
        assert_text(session.status, "interrupted");
        assert_text(session.reason, "lunch");
        assert_text(session.summary, "Two sources agree.");
        assert_null(session.current_step.data);
        assert_int_equal(session.steps_completed, 1);
        assert_int_equal(session.steps_total, 3);
        assert_int_equal(session.checkpoints, 2); /* its end left one */
        assert_int_equal(session.checkpoint_seq, piped_head(p) - 1);
        assert_string_equal(
                piped_payload(p, "SessionCheckpointed", seq, 0), "{\"reason\":\"session_end\"}");
        pawl_sessions_free(list);
        assert_int_equal(
                pawl_session_update(p->log, id, "agent:writer", &work, &p->err), PAWL_ESTATE);
        assert_says(p->err.message, "has ended");
}

PIPED_TEST(a_second_keeper_is_told_of_the_first)
{
        pawl_session_options options = PAWL_SESSION_OPTIONS_INIT;
        char first[PAWL_SESSION_ID_MAX], second[PAWL_SESSION_ID_MAX];

        options.actor = "agent:one";
        assert_ok(pawl_session_start(first, p->log, "paper", NULL, &options, &p->err));
        options.actor = "agent:two";
        assert_int_equal(
                pawl_session_start(second, p->log, "paper", NULL, &options, &p->err), PAWL_EHELD);
        assert_says(p->err.message, first);
        assert_says(p->err.message, "agent:one");
        assert_ok(pawl_session_start(second, p->log, "other", NULL, &options, &p->err));
        options.take_over = true;
        assert_ok(pawl_session_start(second, p->log, "paper", NULL, &options, &p->err));
        assert_string_equal(
                piped_types(p, 0), "SessionStarted SessionStarted SessionEnded SessionStarted");
        assert_int_equal(pawl_session_update(p->log, first, NULL, NULL, &p->err), PAWL_ESTATE);
}

enum { KEEPERS = 4, MISSIONS = 12 };

typedef struct keeper {
        int64_t second; /* in which it begins, so that no two sessions want the same id */
        pthread_t thread;
        pthread_barrier_t *together;
        pawl_log *log;
        pawl_status status[MISSIONS];
} keeper;

static int64_t own_second(void *user)
{
        const keeper *k = user;

        return (LATE_NOVEMBER + k->second) * INT64_C(1000000);
}

static void *start_all(void *user)
{
        keeper *k = user;
        char id[PAWL_SESSION_ID_MAX], mission[16];

        for (int m = 0; m < MISSIONS; m++) {
                snprintf(mission, sizeof mission, "m%d", m);
                (void)pthread_barrier_wait(k->together);
                k->status[m] = pawl_session_start(id, k->log, mission, NULL, NULL, NULL);
        }
        return NULL;
}

/* Those that begin at once look for one another where nobody else can write. */
PIPED_TEST(of_keepers_that_begin_at_once_one_does)
{
        pthread_barrier_t together;
        keeper keepers[KEEPERS];
        pawl_log_options options = PAWL_LOG_OPTIONS_INIT;

        assert_int_equal(pthread_barrier_init(&together, NULL, KEEPERS), 0);
        for (int i = 0; i < KEEPERS; i++) {
                keepers[i].together = &together;
                keepers[i].second = i;
                options.sources = (pawl_sources){.wall_us = own_second, .user = &keepers[i]};
                assert_ok(pawl_log_open(&keepers[i].log, p->db, &options, &p->err));
        }
        for (int i = 0; i < KEEPERS; i++)
                assert_int_equal(
                        pthread_create(&keepers[i].thread, NULL, start_all, &keepers[i]), 0);
        for (int i = 0; i < KEEPERS; i++)
                assert_int_equal(pthread_join(keepers[i].thread, NULL), 0);
        for (int m = 0; m < MISSIONS; m++) {
                int begun = 0;
                for (int i = 0; i < KEEPERS; i++) {
                        begun += keepers[i].status[m] == PAWL_OK;
                        if (keepers[i].status[m])
                                assert_int_equal(keepers[i].status[m], PAWL_EHELD);
                }
                assert_int_equal(begun, 1);
        }
        for (int i = 0; i < KEEPERS; i++)
                pawl_log_close(keepers[i].log);
        pthread_barrier_destroy(&together);
}

typedef struct pruning {
        pawl_log *log;
        atomic_bool may_begin;
        pawl_status status;
        size_t going;
} pruning;

static void *prune_all(void *user)
{
        pruning *by = user;
        pawl_prune_report *report = NULL;

        while (!atomic_load(&by->may_begin))
                sched_yield();
        by->status = pawl_session_prune(&report, by->log, 0, false, NULL, NULL);
        if (report)
                by->going = report->going;
        pawl_prune_report_free(report);
        return NULL;
}

/* Until the other has looked what may go, and waits for its turn to let it go. */
static pawl_status wait_for_it(pawl_log *log, pawl__batch *batch, void *user, pawl_error *err)
{
        pruning *by = user;

        (void)batch, (void)err;
        atomic_store(&by->may_begin, true);
        while (pawl__group_waiting(log) == 0)
                sched_yield();
        return PAWL_OK;
}

PIPED_TEST(one_that_is_pinned_while_others_are_pruned_stays)
{
        pawl__batch batch = PAWL__BATCH_INIT;
        pruning by = {.may_begin = false};
        pthread_t thread;
        char id[PAWL_SESSION_ID_MAX];

        assert_ok(pawl_session_start(id, p->log, "m", NULL, NULL, &p->err));
        assert_ok(pawl_session_end(p->log, id, NULL, "completed", NULL, NULL, &p->err));
        assert_ok(pawl_log_open(&by.log, p->db, NULL, &p->err));
        const pawl_event pins = {.type = pawl__text("SessionUpdated"),
                .mission_id = pawl__text("m"),
                .session_id = pawl__text(id),
                .payload = pawl__text("{\"pinned\":true}")};
        assert_ok(pawl__batch_event(&batch, &pins, &p->err));
        batch.prepare = wait_for_it;
        batch.prepare_user = &by;
        assert_int_equal(pthread_create(&thread, NULL, prune_all, &by), 0);
        assert_ok(pawl__log_commit(p->log, &batch, 0, NULL));
        assert_int_equal(pthread_join(thread, NULL), 0);
        pawl_log_close(by.log);
        pawl__batch_free(&batch);
        assert_ok(by.status);
        assert_int_equal(by.going, 0);
        assert_string_equal(piped_types(p, 0),
                "SessionStarted SessionCheckpointed SessionEnded SessionUpdated");
        assert_string_equal(piped_payload(p, "SessionUpdated", 0, 0), "{\"pinned\":true}");
}

PIPED_TEST(a_checkpoint_can_be_gone_on_from)
{
        static const char *const pending[] = {"a", "b", "c"};
        static const char *const first[] = {"a"}, *const then[] = {"b"};
        pawl_session_work work = {.pending = pending, .n_pending = 3};
        pawl_session session;
        uint64_t seq;
        char id[PAWL_SESSION_ID_MAX], next[PAWL_SESSION_ID_MAX];
        const pawl_session_options over = {PAWL_SESSION_OPTIONS_VERSION, NULL, true};

        assert_ok(pawl_session_start(id, p->log, "m", &work, NULL, &p->err));
        work = (pawl_session_work){.completed = first, .n_completed = 1, .summary = "one"};
        assert_ok(pawl_session_checkpoint(&seq, p->log, id, NULL, "manual", &work, &p->err));
        work = (pawl_session_work){.completed = then, .n_completed = 1, .summary = "two"};
        assert_ok(pawl_session_update(p->log, id, NULL, &work, &p->err));

        assert_int_equal(
                pawl_session_resume(next, p->log, id, seq + 1, NULL, &p->err), PAWL_ENOTFOUND);
        const uint64_t head = piped_head(p);
        assert_int_equal(pawl_session_resume(next, p->log, id, seq, NULL, &p->err), PAWL_EHELD);
        assert_says(p->err.message, "is active");
        assert_int_equal(piped_head(p), head);
        assert_ok(pawl_session_resume(next, p->log, id, seq, &over, &p->err));
        pawl_sessions *list = newest(p, &session);
        assert_text(session.session_id, next);
        assert_text(session.summary, "one");
        assert_int_equal(session.steps_completed, 1);
        assert_int_equal(session.steps_total, 3);
        pawl_sessions_free(list);
        assert_ok(pawl_session_end(p->log, next, NULL, "completed", NULL, NULL, &p->err));
        assert_ok(pawl_session_resume(next, p->log, id, 0, NULL, &p->err));
        list = newest(p, &session);
        assert_text(session.summary, "two");
        assert_int_equal(session.steps_completed, 2);
        pawl_sessions_free(list);
}

PIPED_TEST(what_an_agent_tells_wrongly_is_refused)
{
        static const char *const slash[] = {"a/b"};
        pawl_session_work work = {.completed = slash, .n_completed = 1};
        char id[PAWL_SESSION_ID_MAX];

        assert_int_equal(pawl_session_start(id, p->log, "m", &work, NULL, &p->err), PAWL_EINVAL);
        assert_int_equal(pawl_session_start(id, p->log, "a/b", NULL, NULL, &p->err), PAWL_EINVAL);
        assert_ok(pawl_session_start(id, p->log, "m", NULL, NULL, &p->err));
        assert_int_equal(pawl_session_checkpoint(NULL, p->log, id, NULL, "tired", NULL, &p->err),
                PAWL_EINVAL);
        assert_says(p->err.message, "reason tired");
        assert_int_equal(
                pawl_session_end(p->log, id, NULL, "finished", NULL, NULL, &p->err), PAWL_EINVAL);
        work = (pawl_session_work){.summary = "\xff"};
        assert_int_equal(pawl_session_update(p->log, id, NULL, &work, &p->err), PAWL_EINVAL);
        assert_int_equal(
                pawl_session_update(p->log, "nobody", NULL, NULL, &p->err), PAWL_ENOTFOUND);
        assert_int_equal(piped_head(p), 1);
}
