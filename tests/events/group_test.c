/* Threads with a handle each on one file share commits; what fails, fails for its own handle. */
#include "support/group.h"
#include "support/vfs.h"
#include <sys/wait.h>
#include <unistd.h>

GROUP_TEST(appends_that_wait_share_a_commit_in_the_order_they_came)
{
        enum { N = 6 };
        writer w[N];

        for (int i = 0; i < N; i++)
                w[i] = group_appending(event_log_another(f), event_scope(NULL));
        pawl_log *idle = event_log_another(f);
        fault_at(FAULT_NONE, 0, false);
        group_write_all(w, N);
        pawl_log_close(idle);                    /* of the same group, while others wait */
        assert_int_equal(event_log_count(f), 1); /* nothing is seen before it is on disk */
        group_join_all(w, N);
        for (int i = 0; i < N; i++)
                group_check_in(&w[i], (uint64_t)i + 1);
        assert_int_equal(fault_syncs(), 2);
        for (int i = 0; i < N; i++) /* the next wait begins anew */
                assert_int_equal(w[i].log->waited_us, 0);
        group_close_all(w, N);
        group_check_log(f, N);
}

GROUP_TEST(a_batch_that_fails_fails_alone)
{
        enum { N = 8 };
        writer w[N];

        for (int i = 0; i < N; i++)
                w[i] = group_appending(event_log_another(f), event_scope(NULL));
        w[2].event = (pawl_event){.type = pawl__text("RunCompleted"), .run_id = pawl__text("run")};
        w[2].fence = 7;
        w[4].event = event_scope("{\"scope_id\":1}");
        w[5].event.type = pawl__text("Unheard");
        fault_at(FAULT_NONE, 0, false);
        group_write_all(w, N);
        group_join_all(w, N);
        group_check_in(&w[0], 1);
        group_check_in(&w[1], 2);
        group_check_refused(&w[2], PAWL_EFENCED, "run run: fence 7, but nobody claimed the run");
        group_check_in(&w[3], 3);
        group_check_refused(&w[4], PAWL_EINVAL, "scope_id");
        group_check_refused(&w[5], PAWL_EINVAL, "event type \"Unheard\": is not known");
        group_check_in(&w[6], 4);
        group_check_in(&w[7], 5);
        /* {0} {1} {3} {6 7}: what failed led, and took nobody down. */
        assert_int_equal(fault_syncs(), 4);
        group_close_all(w, N);
        group_check_log(f, 5);
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

        group_with_state(f->log);
        assert_ok(pawl_log_claim(&fence, f->log, "mission", "run", NULL, NULL));
        assert_ok(append_one(f->log, asked, fence));
        for (int i = 0; i < N; i++)
                w[i] = group_appending(group_with_state(event_log_another(f)), event_scope(NULL));
        w[2].event = w[3].event = answer;
        fault_at(FAULT_NONE, 0, false);
        group_write_all(w, N);
        group_join_all(w, N);
        group_check_in(&w[1], 4);
        group_check_in(&w[2], 5);
        group_check_refused(&w[3], PAWL_EEXISTS, "conflict c-1: was answered already at seq 6");
        group_check_in(&w[4], 6);
        assert_int_equal(fault_syncs(), 3);
        group_close_all(w, N);
        group_check_log(f, 6);
}

static void commit_fails(event_log *f, fault_kind kind, pawl_status status, const char *says)
{
        enum { N = 4 };
        writer w[N];
        uint64_t before = (uint64_t)event_log_count(f) - 1;

        for (int i = 0; i < N; i++)
                w[i] = group_appending(event_log_another(f), event_scope(NULL));
        group_write_all(w, N);
        fault_at(kind, 1, false); /* the write after the sync that stands still */
        group_join_all(w, N);
        group_check_in(&w[0], before + 1);
        for (int i = 1; i < N; i++)
                group_check_refused(&w[i], status, says);
        assert_int_equal(event_log_count(f), before + 2);
        for (int i = 0; i < N; i++) /* every handle goes on */
                assert_ok(append_one(w[i].log, event_scope(NULL), 0));
        group_close_all(w, N);
        group_check_log(f, before + 1 + N);
}

GROUP_TEST(a_commit_that_fails_fails_all_that_share_it)
{
        commit_fails(f, FAULT_EIO, PAWL_EIO, ": cannot append: ");
        commit_fails(f, FAULT_FULL, PAWL_EFULL, "the disk is full; free some space and try again");
}

/* Without one, an answer would be let through that contradicts the state. */
GROUP_TEST(handles_with_and_without_a_projector_do_not_serve_each_other)
{
        enum { N = 5 };
        writer w[N];

        for (int i = 0; i < N; i++)
                w[i] = group_appending(event_log_another(f), event_scope(NULL));
        group_with_state(w[1].log);
        group_with_state(w[3].log);
        group_with_state(w[4].log);
        fault_at(FAULT_NONE, 0, false);
        group_write_all(w, N);
        group_join_all(w, N);
        for (int i = 0; i < N; i++)
                group_check_in(&w[i], (uint64_t)i + 1);
        assert_int_equal(fault_syncs(), 4); /* {0} {1} {2} {3 4} */
        group_close_all(w, N);
        group_check_log(f, N);
}

GROUP_TEST(a_claim_takes_its_turn_among_appends)
{
        enum { N = 5 };
        writer w[N];

        for (int i = 0; i < N; i++)
                w[i] = group_appending(event_log_another(f), event_scope(NULL));
        w[2].claims = "run";
        fault_at(FAULT_NONE, 0, false);
        group_write_all(w, N);
        group_join_all(w, N);
        group_check_in(&w[1], 2);
        group_check_in(&w[2], 1); /* the fence */
        assert_int_equal(
                event_log_integer(f, "SELECT seq FROM events WHERE type = 'RunClaimed'"), 4);
        group_check_in(&w[3], 4);
        group_check_in(&w[4], 5);
        assert_int_equal(fault_syncs(), 4); /* {0} {1} {claim} {3 4} */
        assert_ok(pawl_log_renew(w[2].log, "run", 1));
        group_close_all(w, N);
        group_check_log(f, N);
}

static int64_t other_clock(void *user)
{
        return *(int64_t *)user;
}

GROUP_TEST(an_event_gets_the_time_of_its_own_handle)
{
        int64_t other_us = f->wall_us + 1000;
        pawl_log_options options = PAWL_LOG_OPTIONS_INIT;
        const pawl__log_setup setup = {.vfs = f->vfs, .identity = &f->self};
        writer w[3];

        for (int i = 0; i < 3; i++)
                w[i] = group_appending(NULL, event_scope(NULL));
        w[0].log = event_log_another(f);
        w[1].log = event_log_another(f);
        options.sources.wall_us = other_clock;
        options.sources.user = &other_us;
        assert_ok(pawl__log_open_as(&w[2].log, f->path, &options, &setup, NULL));
        group_write_all(w, 3);
        f->wall_us += 5; /* the clock that two share is read when their transaction begins */
        group_join_all(w, 3);
        group_check_in(&w[2], 3);
        assert_int_equal(event_log_integer(f, "SELECT time FROM events WHERE seq = 3"), f->wall_us);
        assert_int_equal(event_log_integer(f, "SELECT time FROM events WHERE seq = 4"), other_us);
        group_close_all(w, 3);
}

GROUP_TEST(what_waits_is_taken_in_up_to_a_limit)
{
        enum { N = 4, LARGE = 700000 };
        writer w[N];
        char *payload = test_alloc(LARGE + 1);

        int len = snprintf(payload, LARGE, "{\"glossary_version_id\":\"v1\",\"scope_id\":\"");
        memset(payload + len, 'x', LARGE - (size_t)len);
        memcpy(payload + LARGE - 2, "\"}", 3);
        for (int i = 0; i < N; i++)
                w[i] = group_appending(event_log_another(f), event_scope(i ? payload : NULL));
        fault_at(FAULT_NONE, 0, false);
        group_write_all(w, N);
        group_join_all(w, N);
        for (int i = 0; i < N; i++)
                group_check_in(&w[i], (uint64_t)i + 1);
        assert_int_equal(fault_syncs(), 3); /* {0} {1 2} {3} */
        group_close_all(w, N);
        group_check_log(f, N);
}

GROUP_TEST(a_child_begins_with_groups_of_its_own)
{
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
        child_exits(child, 0);
        pawl_log *other = event_log_another(f);
        assert_ptr_equal(other->group, f->log->group);
        pawl_log_close(other);
        group_check_log(f, 1);
}
