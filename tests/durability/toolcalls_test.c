/*
 * A batch of tool calls killed at a call that changes a file, the log's included, or half-way
 * through it: every such call. Whatever it was, no file says a checkpoint that the log does not
 * have, and after the next batch each of the log's calls has its file. And where one of these calls
 * fails, a tool call without a checkpoint says why, and the other has its own.
 */
#include "replaced/files.h"
#include "support/toolcalls.h"
#include <errno.h>
#include <sys/wait.h>
#include <unistd.h>

#define TWO_EDITS                                                                                  \
        "[{\"callId\":\"c1\",\"name\":\"replace\"},{\"callId\":\"c2\",\"name\":\"write_file\"}]"
#define ONE_EDIT "[{\"callId\":\"c3\",\"name\":\"replace\"}]"

static pawl_status batch_of(toolcalls *t, pawl_log *log, const char *json, size_t *failed)
{
        pawl_toolcalls *batch = NULL;
        pawl_error err = PAWL_ERROR_INIT;
        pawl_status status =
                pawl_toolcalls_checkpoint(&batch, log, json, strlen(json), &t->options, &err);

        if (status)
                return status;
        *failed = pawl_toolcalls_failed(batch);
        pawl_toolcalls_free(batch);
        return PAWL_OK;
}

/* True: it came to its end. */
static bool in_a_process(toolcalls *t, long at, bool half)
{
        int ended;
        pid_t child = process_fork();

        if (child == 0) {
                pawl_log *log = event_log_another(t->f);
                size_t failed = 0;
                files_die_at(at, half);
                pawl_status status = batch_of(t, log, TWO_EDITS, &failed);
                files_leave();
                _exit(status || failed ? 1 : 0);
        }
        assert_int_equal(waitpid(child, &ended, 0), child);
        if (WIFEXITED(ended)) {
                assert_int_equal(WEXITSTATUS(ended), 0);
                return true;
        }
        assert_int_equal(WTERMSIG(ended), SIGKILL);
        return false;
}

/* The names that a list gives, each followed by a space. */
static char *listed(pawl_log *log, const char *files)
{
        pawl_error err = PAWL_ERROR_INIT;
        pawl_toolcall_names *names;
        pawl__buf text = PAWL__BUF_INIT;

        if (pawl_toolcalls_list(&names, log, files, &err))
                fail_msg("%s", err.message);
        for (size_t i = 0; i < names->n; i++)
                assert_ok(pawl__buf_addf(&text, "%s ", names->items[i]));
        pawl_toolcall_names_free(names);
        return test_take(&text);
}

/* Each file that is there is a document of the log. */
static void no_file_says_what_is_not(toolcalls *t, pawl_log *log)
{
        char *names = listed(log, t->outside), *known = listed(log, NULL), *save;

        for (char *name = strtok_r(names, " ", &save); name; name = strtok_r(NULL, " ", &save)) {
                pawl_error err = PAWL_ERROR_INIT;
                pawl_toolcall *call;
                size_t len;
                assert_says(known, name);
                char *path = path_in(t->outside, name), *text = file_read(path, &len);
                if (pawl_toolcall_read(&call, text, len, &err))
                        fail_msg("%s", err.message);
                pawl_toolcall_free(call);
        }
}

static void the_next_batch_ends_what_was_left(toolcalls *t, pawl_log *log)
{
        size_t failed = 1;

        t->f->wall_us += 1000000;
        assert_ok(batch_of(t, log, ONE_EDIT, &failed));
        assert_int_equal(failed, 0);
        char *names = listed(log, t->outside), *known = listed(log, NULL);
        assert_string_equal(names, known);
}

TOOLCALLS_TEST(killed_anywhere_log_and_directory_agree)
{
        pawl_verify_result verified;
        long at = 1, deaths = 0;

        t->options.files = t->outside;
        event_log_close(t->f);
        for (bool ended = false; !ended; at++) {
                t->f->wall_us += 1000000;
                ended = in_a_process(t, at, at & 1);
                deaths += !ended;
                pawl_log *log = event_log_another(t->f);
                no_file_says_what_is_not(t, log);
                the_next_batch_ends_what_was_left(t, log);
                pawl_log_close(log);
        }
        pawl_log *log = event_log_another(t->f);
        assert_ok(pawl_log_verify(&verified, log, 0, NULL));
        pawl_log_close(log);
        print_message(
                "killed %ld times; %lu events verify\n", deaths, (unsigned long)verified.events);
        assert_true(deaths > 10);
}

/* A full disk, from one call on or for that one alone. */
TOOLCALLS_TEST(where_a_call_fails_the_checkpoint_is_there_or_says_why)
{
        pawl_toolcalls *batch;
        pawl_error err = PAWL_ERROR_INIT;
        size_t one = 0, named = 0;
        bool came = true;

        t->options.files = t->outside;
        toolcalls_take(t, TWO_EDITS);
        for (long at = 1; came; at++) {
                t->f->wall_us += 1000000;
                files_fail_at(at, ENOSPC, false);
                assert_ok(pawl_toolcalls_checkpoint(
                        &batch, t->f->log, TWO_EDITS, strlen(TWO_EDITS), &t->options, &err));
                came = files_calls() >= at;
                files_leave();
                one += pawl_toolcalls_failed(batch) == 1;
                for (size_t i = 0; i < 2; i++) {
                        const pawl_toolcall_outcome *outcome = pawl_toolcalls_at(batch, i);
                        char *known = listed(t->f->log, NULL);
                        assert_int_equal(outcome->status == PAWL_OK, outcome->error == NULL);
                        assert_true(!outcome->status || strlen(outcome->error) > 0);
                        /* a name that is given is one that the log has, whatever the file's fate */
                        if (outcome->checkpoint)
                                assert_says(known, outcome->checkpoint);
                        named += outcome->checkpoint && outcome->status;
                }
                no_file_says_what_is_not(t, t->f->log);
                pawl_toolcalls_free(batch);
        }
        assert_true(one > 3);
        assert_true(named > 0); /* the last step failed: it is in the log alone */
}
