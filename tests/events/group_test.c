/* Threads with a handle each on one file share commits; what fails, fails for its own handle. */
#include "events/group.h"
#include "events/handle.h"
#include "state/state.h"
#include "support/event_log.h"
#include "support/vfs.h"
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

/* A thread's one write: an append, or the claim of a run. */
typedef struct writer {
        pawl_log *log;
        pawl_event event;
        uint64_t fence;
        const char *claims;
        pthread_t thread;
        pawl_status status;
        uint64_t seq;
} writer;

/* The first sync after it is armed stands still until the gate is opened. */
static struct {
        pthread_mutex_t mutex;
        pthread_cond_t moved;
        bool armed, reached, open;
} gate = {.mutex = PTHREAD_MUTEX_INITIALIZER, .moved = PTHREAD_COND_INITIALIZER};

static void stand_still(void *user)
{
        (void)user;
        pthread_mutex_lock(&gate.mutex);
        if (gate.armed) {
                gate.armed = false;
                gate.reached = true;
                pthread_cond_broadcast(&gate.moved);
                while (!gate.open)
                        pthread_cond_wait(&gate.moved, &gate.mutex);
        }
        pthread_mutex_unlock(&gate.mutex);
}

static int group_setup(void **state)
{
        fault_reset();
        if (event_log_setup(state))
                return -1;
        event_log *f = *state;
        f->vfs = FAULT_VFS;
        event_log_open(f);
        event_log_fill(f, 1); /* the first one syncs the write-ahead log's header too */
        fault_at(FAULT_NONE, 0, false);
        fault_on_sync(stand_still, NULL);
        return 0;
}

static int group_teardown(void **state)
{
        fault_reset();
        return event_log_teardown(state);
}

#define GROUP_TEST(name) UNIT_TEST_WITH(name, group_setup, group_teardown)

static pawl_log *with_state(pawl_log *log)
{
        pawl_error err = PAWL_ERROR_INIT;
        pawl__state *state;

        if (pawl__state_of(&state, log, &err))
                fail_msg("%s", err.message);
        return log;
}

static writer appending(pawl_log *log, pawl_event event)
{
        return (writer){.log = log, .event = event};
}

static void *write_once(void *user)
{
        writer *w = user;

        w->status = w->claims ? pawl_log_claim(&w->seq, w->log, "mission", w->claims, NULL, NULL)
                              : pawl_log_append(&w->seq, w->log, &w->event, 1, w->fence);
        return NULL;
}

static void start(writer *w)
{
        assert_int_equal(pthread_create(&w->thread, NULL, write_once, w), 0);
}

/* w[0] syncs and stands still there; the others wait, in this order. */
static void write_all(writer *w, size_t n)
{
        pthread_mutex_lock(&gate.mutex);
        gate.armed = true;
        gate.reached = gate.open = false;
        start(&w[0]);
        while (!gate.reached)
                pthread_cond_wait(&gate.moved, &gate.mutex);
        pthread_mutex_unlock(&gate.mutex);
        for (size_t i = 1; i < n; i++) {
                start(&w[i]);
                while (pawl__group_waiting(w[0].log) < i)
                        usleep(100);
        }
}

static void join_all(writer *w, size_t n)
{
        pthread_mutex_lock(&gate.mutex);
        gate.open = true;
        pthread_cond_broadcast(&gate.moved);
        pthread_mutex_unlock(&gate.mutex);
        for (size_t i = 0; i < n; i++)
                assert_int_equal(pthread_join(w[i].thread, NULL), 0);
}

static void close_all(writer *w, size_t n)
{
        for (size_t i = 0; i < n; i++)
                pawl_log_close(w[i].log);
}

/* The nth event after that of the setup. */
static void check_in(const writer *w, uint64_t nth)
{
        if (w->status)
                fail_msg("%s", pawl_log_errmsg(w->log));
        assert_int_equal(w->seq, nth + (w->claims ? 0 : 1));
}

static void check_refused(const writer *w, pawl_status status, const char *says)
{
        assert_int_equal(w->status, status);
        assert_int_equal(w->seq, 0);
        assert_says(pawl_log_errmsg(w->log), says);
}

/* The chain is whole, so many events longer than after the setup, and the state tables are what it
 * means. */
static void check_log(event_log *f, uint64_t events)
{
        pawl_verify_result result;
        pawl_error err = PAWL_ERROR_INIT;

        if (pawl_log_verify(&result, f->log, 0, NULL))
                fail_msg("%s", result.why.message);
        assert_int_equal(result.events, events + 1);
        with_state(f->log);
        if (pawl__replay_check(f->log, &err))
                fail_msg("%s", err.message);
}

GROUP_TEST(appends_that_wait_share_a_commit_in_the_order_they_came)
{
        event_log *f = *state;
        enum { N = 6 };
        writer w[N];

        for (int i = 0; i < N; i++)
                w[i] = appending(event_log_another(f), event_scope(NULL));
        pawl_log *idle = event_log_another(f);
        fault_at(FAULT_NONE, 0, false);
        write_all(w, N);
        pawl_log_close(idle);                    /* of the same group, while others wait */
        assert_int_equal(event_log_count(f), 1); /* nothing is seen before it is on disk */
        join_all(w, N);
        for (int i = 0; i < N; i++)
                check_in(&w[i], (uint64_t)i + 1);
        assert_int_equal(fault_syncs(), 2);
        for (int i = 0; i < N; i++) /* the next wait begins anew */
                assert_int_equal(w[i].log->waited_us, 0);
        close_all(w, N);
        check_log(f, N);
}

GROUP_TEST(a_batch_that_fails_fails_alone)
{
        event_log *f = *state;
        enum { N = 8 };
        writer w[N];

        for (int i = 0; i < N; i++)
                w[i] = appending(event_log_another(f), event_scope(NULL));
        w[2].event = (pawl_event){.type = pawl__text("RunCompleted"), .run_id = pawl__text("run")};
        w[2].fence = 7;
        w[4].event = event_scope("{\"scope_id\":1}");
        w[5].event.type = pawl__text("Unheard");
        fault_at(FAULT_NONE, 0, false);
        write_all(w, N);
        join_all(w, N);
        check_in(&w[0], 1);
        check_in(&w[1], 2);
        check_refused(&w[2], PAWL_EFENCED, "run run: fence 7, but nobody claimed the run");
        check_in(&w[3], 3);
        check_refused(&w[4], PAWL_EINVAL, "scope_id");
        check_refused(&w[5], PAWL_EINVAL, "event type \"Unheard\": is not known");
        check_in(&w[6], 4);
        check_in(&w[7], 5);
        /* {0} {1} {3} {6 7}: what failed led, and took nobody down. */
        assert_int_equal(fault_syncs(), 4);
        close_all(w, N);
        check_log(f, 5);
}

#define REQUESTED                                                                                  \
        "{\"conflict_id\":\"c-1\",\"question\":\"Which?\",\"term\":\"workspace\",\"options\":[],"  \
        "\"urgency\":\"high\",\"retry_token\":\"00000000-0000-4000-8000-000000000001\","           \
        "\"input_hash\":\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\"}"
#define RESOLVED                                                                                   \
        "{\"conflict_id\":\"c-1\",\"term_surface\":\"Workspace\",\"selected_sense\":{\"surface\":" \
        "\"Workspace\",\"scope\":\"team_domain\",\"definition\":\"A folder.\",\"confidence\":1},"  \
        "\"actor\":{\"actor_id\":\"user:ana\",\"actor_type\":\"user\",\"display_name\":\"ana\"},"  \
        "\"resolution_mode\":\"async\",\"provenance\":{\"source\":\"user_clarification\","         \
        "\"timestamp\":\"2026-11-20T12:35:00.000000Z\",\"actor_id\":\"user:ana\"}}"

GROUP_TEST(the_second_of_two_answers_that_share_a_commit_is_refused)
{
        event_log *f = *state;
        enum { N = 5 };
        writer w[N];
        uint64_t fence;
        pawl_event asked = {.type = pawl__text("GlossaryClarificationRequested"),
                .mission_id = pawl__text("mission"),
                .run_id = pawl__text("run"),
                .step_id = pawl__text("step"),
                .payload = pawl__text(REQUESTED)};
        pawl_event answer = {.type = pawl__text("GlossaryClarificationResolved"),
                .mission_id = pawl__text("mission"),
                .run_id = pawl__text("run"),
                .payload = pawl__text(RESOLVED)};

        with_state(f->log);
        assert_int_equal(pawl_log_claim(&fence, f->log, "mission", "run", NULL, NULL), PAWL_OK);
        assert_int_equal(append_one(f->log, asked, fence), PAWL_OK);
        for (int i = 0; i < N; i++)
                w[i] = appending(with_state(event_log_another(f)), event_scope(NULL));
        w[2].event = w[3].event = answer;
        fault_at(FAULT_NONE, 0, false);
        write_all(w, N);
        join_all(w, N);
        check_in(&w[1], 4);
        check_in(&w[2], 5);
        check_refused(&w[3], PAWL_EEXISTS, "conflict c-1: was answered already at seq 6");
        check_in(&w[4], 6);
        assert_int_equal(fault_syncs(), 3);
        close_all(w, N);
        check_log(f, 6);
}

static void commit_fails(event_log *f, fault_kind kind, pawl_status status, const char *says)
{
        enum { N = 4 };
        writer w[N];
        uint64_t before = (uint64_t)event_log_count(f) - 1;

        for (int i = 0; i < N; i++)
                w[i] = appending(event_log_another(f), event_scope(NULL));
        write_all(w, N);
        fault_at(kind, 1, false); /* the write after the sync that stands still */
        join_all(w, N);
        check_in(&w[0], before + 1);
        for (int i = 1; i < N; i++)
                check_refused(&w[i], status, says);
        assert_int_equal(event_log_count(f), before + 2);
        for (int i = 0; i < N; i++) /* every handle goes on */
                assert_int_equal(append_one(w[i].log, event_scope(NULL), 0), PAWL_OK);
        close_all(w, N);
        check_log(f, before + 1 + N);
}

GROUP_TEST(a_commit_that_fails_fails_all_that_share_it)
{
        event_log *f = *state;

        commit_fails(f, FAULT_EIO, PAWL_EIO, ": cannot append: ");
        commit_fails(f, FAULT_FULL, PAWL_EFULL, "the disk is full; free some space and try again");
}

/* Without one, an answer would be let through that contradicts what stands. */
GROUP_TEST(handles_with_and_without_a_projector_do_not_serve_each_other)
{
        event_log *f = *state;
        enum { N = 5 };
        writer w[N];

        for (int i = 0; i < N; i++)
                w[i] = appending(event_log_another(f), event_scope(NULL));
        with_state(w[1].log);
        with_state(w[3].log);
        with_state(w[4].log);
        fault_at(FAULT_NONE, 0, false);
        write_all(w, N);
        join_all(w, N);
        for (int i = 0; i < N; i++)
                check_in(&w[i], (uint64_t)i + 1);
        assert_int_equal(fault_syncs(), 4); /* {0} {1} {2} {3 4} */
        close_all(w, N);
        check_log(f, N);
}

GROUP_TEST(a_claim_takes_its_turn_among_appends)
{
        event_log *f = *state;
        enum { N = 5 };
        writer w[N];

        for (int i = 0; i < N; i++)
                w[i] = appending(event_log_another(f), event_scope(NULL));
        w[2].claims = "run";
        fault_at(FAULT_NONE, 0, false);
        write_all(w, N);
        join_all(w, N);
        check_in(&w[1], 2);
        check_in(&w[2], 1); /* the fence */
        assert_int_equal(
                event_log_integer(f, "SELECT seq FROM events WHERE type = 'RunClaimed'"), 4);
        check_in(&w[3], 4);
        check_in(&w[4], 5);
        assert_int_equal(fault_syncs(), 4); /* {0} {1} {claim} {3 4} */
        assert_int_equal(pawl_log_renew(w[2].log, "run", 1), PAWL_OK);
        close_all(w, N);
        check_log(f, N);
}

GROUP_TEST(who_waits_longer_than_busy_ms_gives_up)
{
        event_log *f = *state;
        writer w[3];

        w[0] = appending(event_log_another(f), event_scope(NULL));
        w[2] = appending(event_log_another(f), event_scope(NULL));
        f->busy_ms = 20;
        w[1] = appending(event_log_another(f), event_scope(NULL));
        write_all(w, 2);
        assert_int_equal(pthread_join(w[1].thread, NULL), 0);
        check_refused(&w[1], PAWL_EBUSY, "cannot append: ");
        assert_says(pawl_log_errmsg(w[1].log),
                "another thread of this process has kept it locked for 20 ms");
        assert_int_equal(pawl__group_waiting(f->log), 0);
        start(&w[2]);
        while (pawl__group_waiting(f->log) < 1)
                usleep(100);
        join_all(w, 1);
        assert_int_equal(pthread_join(w[2].thread, NULL), 0);
        check_in(&w[0], 1);
        check_in(&w[2], 2);
        assert_int_equal(append_one(w[1].log, event_scope(NULL), 0), PAWL_OK);
        close_all(w, 3);
        check_log(f, 3);
}

static void take_long(void *user)
{
        (void)user;
        usleep(800 * 1000);
}

/* Each has a transaction of its own: the last one waits for longer than its time in all. */
GROUP_TEST(who_waits_while_others_get_on_does_not_give_up)
{
        event_log *f = *state;
        enum { N = 5 };
        writer w[N];

        f->busy_ms = 2000;
        for (int i = 0; i < N; i++)
                w[i] = appending(event_log_another(f), event_scope(NULL));
        with_state(w[1].log);
        with_state(w[3].log);
        write_all(w, N);
        fault_on_sync(take_long, NULL);
        join_all(w, N);
        for (int i = 0; i < N; i++)
                check_in(&w[i], (uint64_t)i + 1);
        close_all(w, N);
        check_log(f, N);
}

/* In a process of its own: two writers, of which one waits; it says so, and after it was told to go
 * on it looks some more times in vain. */
static void wait_in_child(event_log *f, int tell, int told)
{
        writer w[2] = {appending(event_log_another(f), event_scope(NULL)),
                appending(event_log_another(f), event_scope(NULL))};
        char word = 0;

        write_all(w, 2);
        if (write(tell, "w", 1) != 1 || read(told, &word, 1) != 1)
                _exit(1);
        usleep(200 * 1000);
        join_all(w, 2);
        _exit(w[0].status || w[1].status ? 2 : 0);
}

GROUP_TEST(the_time_in_which_a_process_was_stopped_does_not_count)
{
        event_log *f = *state;
        int waits[2], goes_on[2], status;
        char word = 0;

        f->busy_ms = 2000;
        assert_int_equal(pipe(waits), 0);
        assert_int_equal(pipe(goes_on), 0);
        fflush(NULL);
        const pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0)
                wait_in_child(f, waits[1], goes_on[0]);
        assert_int_equal(read(waits[0], &word, 1), 1);
        assert_int_equal(kill(child, SIGSTOP), 0);
        assert_int_equal(waitpid(child, &status, WUNTRACED), child);
        usleep(2500 * 1000);
        assert_int_equal(kill(child, SIGCONT), 0);
        assert_int_equal(write(goes_on[1], "g", 1), 1);
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFEXITED(status));
        assert_int_equal(WEXITSTATUS(status), 0);
        for (int i = 0; i < 2; i++) {
                close(waits[i]);
                close(goes_on[i]);
        }
        check_log(f, 2);
}

static int64_t other_clock(void *user)
{
        return *(int64_t *)user;
}

GROUP_TEST(an_event_gets_the_time_of_its_own_handle)
{
        event_log *f = *state;
        int64_t other_us = f->wall_us + 1000;
        pawl_log_options options = PAWL_LOG_OPTIONS_INIT;
        const pawl__log_setup setup = {.vfs = f->vfs, .identity = &f->self};
        writer w[3];

        for (int i = 0; i < 3; i++)
                w[i] = appending(NULL, event_scope(NULL));
        w[0].log = event_log_another(f);
        w[1].log = event_log_another(f);
        options.sources.wall_us = other_clock;
        options.sources.user = &other_us;
        assert_int_equal(pawl__log_open_as(&w[2].log, f->path, &options, &setup, NULL), PAWL_OK);
        write_all(w, 3);
        f->wall_us += 5; /* the clock that two share is read when their transaction begins */
        join_all(w, 3);
        check_in(&w[2], 3);
        assert_int_equal(event_log_integer(f, "SELECT time FROM events WHERE seq = 3"), f->wall_us);
        assert_int_equal(event_log_integer(f, "SELECT time FROM events WHERE seq = 4"), other_us);
        close_all(w, 3);
}

GROUP_TEST(what_waits_is_taken_in_up_to_a_limit)
{
        event_log *f = *state;
        enum { N = 4, LARGE = 700000 };
        writer w[N];
        char *payload = malloc(LARGE + 1);

        assert_non_null(payload);
        int len = snprintf(payload, LARGE, "{\"glossary_version_id\":\"v1\",\"scope_id\":\"");
        memset(payload + len, 'x', LARGE - (size_t)len);
        memcpy(payload + LARGE - 2, "\"}", 3);
        for (int i = 0; i < N; i++)
                w[i] = appending(event_log_another(f), event_scope(i ? payload : NULL));
        fault_at(FAULT_NONE, 0, false);
        write_all(w, N);
        join_all(w, N);
        for (int i = 0; i < N; i++)
                check_in(&w[i], (uint64_t)i + 1);
        assert_int_equal(fault_syncs(), 3); /* {0} {1 2} {3} */
        close_all(w, N);
        check_log(f, N);
        free(payload);
}

GROUP_TEST(a_child_begins_with_groups_of_its_own)
{
        event_log *f = *state;
        int status;

        fflush(NULL);
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
                pawl_log *log = NULL;
                pawl_error err = PAWL_ERROR_INIT;
                if (event_log_try(&log, f, &err))
                        _exit(1);
                if (log->group == f->log->group || append_one(log, event_scope(NULL), 0))
                        _exit(2);
                pawl_log_close(log);
                _exit(0);
        }
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFEXITED(status));
        assert_int_equal(WEXITSTATUS(status), 0);
        pawl_log *other = event_log_another(f);
        assert_ptr_equal(other->group, f->log->group);
        pawl_log_close(other);
        check_log(f, 1);
}

TESTS_MAIN(NULL, NULL)
