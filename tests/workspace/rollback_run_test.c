/* Needs PAWL_WITH_GIT. */
/* What goes back beside the files: the steps of a run, the branch of git, the answers. */
#include "support/rollbacks.h"

/* ---- Its run ------------------------------------------------------------------------------ */

static void append(
        rollbacks *f, const char *type, const char *step, const char *payload, uint64_t fence)
{
        pawl_event event = {.type = pawl__text(type),
                .mission_id = pawl__text("m"),
                .run_id = pawl__text("r"),
                .step_id = pawl__text(step),
                .actor = pawl__text("program"),
                .payload = pawl__text(payload)};

        if (pawl_log_append(NULL, f->log->log, &event, 1, fence))
                fail_msg("%s", pawl_log_errmsg(f->log->log));
}

static int64_t answers(rollbacks *f, const char *status)
{
        char sql[128];

        snprintf(sql, sizeof sql, "SELECT count(*) FROM senses WHERE status = '%s'", status);
        return event_log_integer(f->log, sql);
}

static void answer(rollbacks *f, const char *surface)
{
        char payload[512];

        snprintf(payload, sizeof payload,
                "{\"term_surface\":\"%s\",\"scope\":\"mission_local\",\"new_sense\":{\"surface\":\"%s\","
                "\"scope\":\"mission_local\",\"definition\":\"what it means\",\"confidence\":0.75,"
                "\"status\":\"active\"},\"actor\":{\"actor_id\":\"user:ana\"},\"update_type\":\"create\","
                "\"provenance\":{\"source\":\"answer\"}}",
                surface, surface);
        append(f, "GlossarySenseUpdated", NULL, payload, 0);
}

static const char hash_of_nothing[] =
        "{\"input_hash\":\"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855\","
        "\"output_hash\":\"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855\","
        "\"exit_code\":0}";

static void run_step(rollbacks *f, const char *step, uint64_t fence)
{
        append(f, "StepStarted", step, hash_of_nothing, fence);
        append(f, "StepCompleted", step, hash_of_nothing, fence);
}

static int64_t completed(rollbacks *f)
{
        return event_log_integer(
                f->log, "SELECT count(*) FROM steps WHERE status = 'completed' AND run_id = 'r'");
}

/* Steps that were completed since are pending again, and are completed again by the undo. */
ROLLBACKS_TEST(steps_since_are_given_up)
{
        pawl_workspace_checkpoint_request request = PAWL_CHECKPOINT_REQUEST_INIT;
        pawl_workspace_capture *capture;
        pawl_rollback_plan *done;
        uint64_t fence;

        rollbacks_put(f, "a", "1");
        assert_ok(pawl_log_claim(&fence, f->log->log, "m", "r", "program", NULL));
        append(f, "RunStarted", NULL,
                "{\"scope_refs\":[],\"mission_hash\":\"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855\","
                "\"steps\":[\"one\",\"two\",\"three\"]}",
                fence);
        run_step(f, "one", fence);
        request.run_id = "r";
        request.mission_id = "m";
        request.automatic = true;
        rollbacks_must(
                f, pawl_workspace_checkpoint(&capture, f->log->log, &request, NULL, &f->err));
        pawl_workspace_capture_free(capture);
        run_step(f, "two", fence);
        rollbacks_put(f, "a", "2");
        run_step(f, "three", fence);
        rollbacks_refused(
                f, "1", NULL, PAWL_EHELD, "run r: process 100 on host-a is at work on it");
        assert_ok(pawl_log_release(f->log->log, "r", fence));
        assert_int_equal(completed(f), 3);

        rollbacks_must(f, pawl_workspace_rollback(&done, f->log->log, "1", NULL, NULL, &f->err));
        assert_int_equal(pawl_rollback_plan_look(done).n_steps, 2);
        assert_text(pawl_rollback_plan_look(done).steps[0].step_id, "two");
        assert_text(pawl_rollback_plan_look(done).steps[1].step_id, "three");
        pawl_rollback_plan_free(done);
        assert_int_equal(completed(f), 1);
        rollbacks_undo(f);
        assert_int_equal(completed(f), 3);
        rollbacks_check_file(f, "a", "2");
        /* forward and back again, by an undo and by name: 2 and 3 are safety copies */
        rollbacks_redo(f);
        assert_int_equal(completed(f), 1);
        rollbacks_must(f, pawl_workspace_rollback(&done, f->log->log, "2", NULL, NULL, &f->err));
        assert_int_equal(pawl_rollback_plan_look(done).n_steps, 0);
        assert_int_equal(pawl_rollback_plan_look(done).effect.n_back, 2);
        assert_text(pawl_rollback_plan_look(done).effect.back[0].step_id, "two");
        assert_text(pawl_rollback_plan_look(done).effect.back[1].status, "completed");
        pawl_rollback_plan_free(done);
        assert_int_equal(completed(f), 3);
        rollbacks_to(f, "3");
        assert_int_equal(completed(f), 1);
        rollbacks_to(f, "2");
        assert_int_equal(completed(f), 3);
        /* and nobody holds it */
        assert_ok(pawl_log_claim(&fence, f->log->log, "m", "r", "program", NULL));
        assert_ok(pawl_log_release(f->log->log, "r", fence));
}

/* A checkpoint may take longer than a lease lasts. */
ROLLBACKS_TEST(a_claim_is_kept_while_a_checkpoint_is_taken)
{
        pawl_workspace_checkpoint_request request = PAWL_CHECKPOINT_REQUEST_INIT;
        pawl_workspace_capture *capture;
        uint64_t fence;

        rollbacks_put(f, "a", "1");
        assert_ok(pawl_log_claim(&fence, f->log->log, "m", "r", "program", NULL));
        const int64_t until = event_log_integer(f->log, "SELECT until_ms FROM leases");
        f->log->boot_ms += f->log->lease_ms / 2;
        rollbacks_must(
                f, pawl_workspace_checkpoint(&capture, f->log->log, &request, NULL, &f->err));
        pawl_workspace_capture_free(capture);
        assert_int_equal(event_log_integer(f->log, "SELECT until_ms FROM leases"),
                until + f->log->lease_ms / 2);
        assert_ok(pawl_log_release(f->log->log, "r", fence));
}

/* ---- Git ------------------------------------------------------------------------------------- */

static void shell(rollbacks *f, const char *command)
{
        char all[1024];

        snprintf(all, sizeof all, "cd '%s' && export HOME=$PWD/.pawl && %s", f->log->directory,
                command);
        assert_int_equal(system(all), 0); /* NOLINT: a directory of our own */
}

static void check_git(rollbacks *f, const char *what, const char *wanted)
{
        char command[256];

        snprintf(command, sizeof command, "test \"$(git %s)\" = \"%s\"", what, wanted);
        shell(f, command);
}

/* The branch goes back with the files, and forward again; what is staged, or a merge under way, or
 * another branch, is not gone over, and then no file is touched either. */
ROLLBACKS_TEST(the_branch_goes_back_with_the_files)
{
        pawl_rollback_options options = PAWL_ROLLBACK_OPTIONS_INIT;
        pawl_rollback_plan *plan;

        options.git = true;
        setenv("HOME", f->log->directory, 1); /* no configuration of ours */
        shell(f,
                "git init -q -b main . && git config user.name T && git config user.email t@x.org && "
                "echo one >a && git add a && git commit -qm one && git tag one");
        assert_int_equal(rollbacks_checkpoint(f), 1);
        shell(f, "echo two >a && git commit -qam two && git tag two && echo three >a && "
                 "git commit -qam three && git tag three");
        assert_int_equal(rollbacks_checkpoint(f), 2);
        rollbacks_put(f, "a", "not committed");

        rollbacks_must(f, pawl_workspace_plan(&plan, f->log->log, "1", &options, NULL, &f->err));
        assert_int_equal(pawl_rollback_plan_look(plan).git->commits, 2);
        assert_text(pawl_rollback_plan_look(plan).git->branch, "main");
        pawl_rollback_plan_free(plan);
        shell(f, "echo x >staged && git add staged");
        rollbacks_refused(f, "1", &options, PAWL_ESTATE, "staged");
        shell(f, "git rm -q --cached staged && rm staged && git switch -qc other");
        rollbacks_refused(f, "1", &options, PAWL_ESTATE, "other");
        shell(f, "git switch -q main");

        rollbacks_must(f, pawl_workspace_rollback(NULL, f->log->log, "1", &options, NULL, &f->err));
        rollbacks_check_file(f, "a", "one\n");
        check_git(f, "rev-parse HEAD main", "$(git rev-parse one one)");
        check_git(f, "status --porcelain -uno", "");
        rollbacks_undo(f);
        rollbacks_check_file(f, "a", "not committed");
        check_git(f, "rev-parse HEAD main", "$(git rev-parse three three)");
        check_git(f, "status --porcelain -uno", " M a");

        rollbacks_to(f, "1"); /* the files alone */
        check_git(f, "rev-parse HEAD", "$(git rev-parse three)");
        rollbacks_undo(f);
        rollbacks_must(f, pawl_workspace_rollback(NULL, f->log->log, "1", &options, NULL, &f->err));
        shell(f, "echo four >a && git commit -qam four");
        assert_int_equal(pawl_workspace_undo(NULL, f->log->log, NULL, NULL, &f->err), PAWL_ESTATE);
        rollbacks_check_file(f, "a", "four\n");
        rollbacks_none_pending(f);
}

/* Answers given since are kept; or they are set aside, and the undo puts them in force again. */
ROLLBACKS_TEST(answers_since_are_kept_or_dropped)
{
        pawl_workspace_checkpoint_request request = PAWL_CHECKPOINT_REQUEST_INIT;
        pawl_rollback_options options = PAWL_ROLLBACK_OPTIONS_INIT;
        pawl_workspace_capture *capture;

        request.mission_id = "m";
        answer(f, "early");
        rollbacks_must(
                f, pawl_workspace_checkpoint(&capture, f->log->log, &request, NULL, &f->err));
        pawl_workspace_capture_free(capture);
        answer(f, "late");
        rollbacks_to(f, "1");
        assert_int_equal(answers(f, "active"), 2);
        rollbacks_undo(f);
        options.drop_decisions = true;
        for (int i = 0; i < 2; i++) {
                rollbacks_must(f,
                        pawl_workspace_rollback(NULL, f->log->log, "1", &options, NULL, &f->err));
                assert_int_equal(answers(f, "active"), 1);
                assert_int_equal(answers(f, "deprecated"), 1);
                rollbacks_undo(f);
                assert_int_equal(answers(f, "active"), 2);
        }
        assert_int_equal(
                event_log_integer(f->log, "SELECT count(*) FROM senses WHERE surface = 'late' "
                                          "AND definition = 'what it means' AND confidence = 0.75"),
                1);
}
