/* How long a handle waits for those before it. */
#include "support/group.h"
#include "support/vfs.h"
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

GROUP_TEST(who_waits_longer_than_busy_ms_gives_up)
{
        writer w[3];

        w[0] = group_appending(event_log_another(f), event_scope(NULL));
        w[2] = group_appending(event_log_another(f), event_scope(NULL));
        f->busy_ms = 20;
        w[1] = group_appending(event_log_another(f), event_scope(NULL));
        group_write_all(w, 2);
        assert_int_equal(pthread_join(w[1].thread, NULL), 0);
        group_check_refused(&w[1], PAWL_EBUSY, "cannot append: ");
        assert_says(pawl_log_errmsg(w[1].log),
                "another thread of this process has kept it locked for 20 ms");
        assert_int_equal(pawl__group_waiting(f->log), 0);
        group_start(&w[2]);
        while (pawl__group_waiting(f->log) < 1)
                usleep(100);
        group_join_all(w, 1);
        assert_int_equal(pthread_join(w[2].thread, NULL), 0);
        group_check_in(&w[0], 1);
        group_check_in(&w[2], 2);
        assert_ok(append_one(w[1].log, event_scope(NULL), 0));
        group_close_all(w, 3);
        group_check_log(f, 3);
}

static void take_long(void *user)
{
        (void)user;
        usleep(800 * 1000);
}

/* Each has a transaction of its own: the last one waits for longer than its time in all. */
GROUP_TEST(who_waits_while_others_get_on_does_not_give_up)
{
        enum { N = 5 };
        writer w[N];

        f->busy_ms = 2000;
        for (int i = 0; i < N; i++)
                w[i] = group_appending(event_log_another(f), event_scope(NULL));
        group_with_state(w[1].log);
        group_with_state(w[3].log);
        group_write_all(w, N);
        fault_on_sync(take_long, NULL);
        group_join_all(w, N);
        for (int i = 0; i < N; i++)
                group_check_in(&w[i], (uint64_t)i + 1);
        group_close_all(w, N);
        group_check_log(f, N);
}

/* In a process of its own: two writers, of which one waits; it says so, and after it was told to go
 * on it looks some more times without success. */
static void wait_in_child(event_log *f, int tell, int told)
{
        writer w[2] = {group_appending(event_log_another(f), event_scope(NULL)),
                group_appending(event_log_another(f), event_scope(NULL))};
        char word = 0;

        group_write_all(w, 2);
        if (write(tell, "w", 1) != 1 || read(told, &word, 1) != 1)
                _exit(1);
        usleep(200 * 1000);
        group_join_all(w, 2);
        _exit(w[0].status || w[1].status ? 2 : 0);
}

GROUP_TEST(the_time_in_which_a_process_was_stopped_does_not_count)
{
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
        child_exits(child, 0);
        for (int i = 0; i < 2; i++) {
                close(waits[i]);
                close(goes_on[i]);
        }
        group_check_log(f, 2);
}
