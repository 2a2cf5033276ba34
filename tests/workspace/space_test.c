/* Letting old checkpoints go: what another names stays, the rest goes. */
#include "base/digest.h"
#include "support/shapes.h"
#include "support/sweep.h"

static void check_refused(shapes *t, size_t keep, pawl_status status, const char *says)
{
        pawl_workspace_prune_options options = PAWL_CHECKPOINT_PRUNE_INIT;
        pawl_workspace_prune_report *report = NULL;
        uint64_t before = shapes_head(t);
        int64_t contents = event_log_integer(
                t->f, "SELECT (SELECT count(*) FROM contents) + (SELECT count(*) FROM packed)");

        options.keep = keep;
        assert_int_equal(pawl_workspace_prune(&report, t->f->log, &options, &t->err), status);
        assert_says(t->err.message, says);
        assert_null(report);
        assert_int_equal(shapes_head(t), before);
        assert_int_equal(
                event_log_integer(t->f,
                        "SELECT (SELECT count(*) FROM contents) + (SELECT count(*) FROM packed)"),
                contents);
}

/* Why checkpoint n stays; "-": it goes, "": it is not told of. */
static const char *why(const pawl_workspace_prune_report *report, uint64_t n)
{
        for (size_t i = 0; i < report->n; i++) {
                const pawl_pruned_checkpoint *one = &report->items[i];
                if (one->n == n)
                        return one->stays ? one->stays : "-";
        }
        return "";
}

static bool has_file(shapes *t, char letter)
{
        char text[64];
        unsigned char hash[32];
        bool has = false;

        assert_ok(pawl__sha256(t->hasher, hash, text, shapes_text(text, letter), NULL));
        assert_ok(pawl__contents_has(&has, t->contents, hash, NULL));
        return has;
}

/* ---- Pruning --------------------------------------------------------------------------------- */

SHAPES_TEST(what_only_old_ones_name_goes_and_the_rest_stays)
{
        shapes_take(t, "abcdef");
        shapes_take(t, "abcdeg"); /* the directory "in" is the first one's */
        shapes_take(t, "xbcdeg");
        uint64_t before = shapes_head(t);
        int64_t stored = event_log_integer(t->f, "SELECT sum(length(data)) FROM packs");
        pawl_workspace_prune_report *told = shapes_prune(t, 1, true);
        assert_int_equal(shapes_head(t), before);
        assert_int_equal(told->n, 3);
        assert_int_equal(told->items[0].n, 3);
        assert_text(told->items[2].id, "cp-01");
        pawl_workspace_prune_report *done = shapes_prune(t, 1, false);
        assert_int_equal(done->going, 2);
        assert_string_equal(why(done, 3), "current");
        assert_string_equal(why(done, 2), "-");
        /* a, f, the first directory, and two roots */
        assert_int_equal(done->contents, 5);
        assert_int_equal(told->contents, 5);
        assert_int_equal(told->bytes, done->bytes);
        assert_int_equal(event_log_integer(t->f, "SELECT sum(length(data)) FROM packs"),
                stored - (int64_t)done->bytes);
        assert_false(has_file(t, 'a'));
        assert_false(has_file(t, 'f'));
        shapes_check_there(t, "xbcdeg");

        /* The receipt. */
        pawl__arena arena = PAWL__ARENA_INIT;
        pawl_event event;
        char payload[200];
        assert_int_equal(shapes_head(t), before + 1);
        assert_ok(pawl__log_event(&event, &arena, t->f->log, before + 1));
        snprintf(payload, sizeof payload,
                "{\"bytes\":%d,\"contents\":5,\"kind\":\"checkpoints\",\"pruned\":[1,2]}",
                (int)done->bytes);
        assert_text(event.payload, payload);
        assert_text(event.actor, "user:ana");
        pawl__arena_free(&arena);
        pawl_workspace_prune_free(told);
        pawl_workspace_prune_free(done);

        /* Again: there is nothing, and nothing is written; those that went are told no more. */
        done = shapes_prune(t, 1, false);
        assert_int_equal(done->n, 1);
        assert_int_equal(done->going, 0);
        assert_int_equal(shapes_head(t), before + 1);
        pawl_workspace_prune_free(done);
        assert_ok(pawl__replay_check(t->f->log, &t->err));
        /* What went is kept anew where it comes again. */
        shapes_take(t, "abcdef");
        shapes_check_there(t, "abcdef");
}

SHAPES_TEST(a_log_without_checkpoints_has_nothing_to_let_go)
{
        pawl_workspace_prune_report *report = shapes_prune(t, 0, false);

        assert_int_equal(report->n, 0);
        assert_int_equal(shapes_head(t), 0);
        pawl_workspace_prune_free(report);
}

SHAPES_TEST(the_current_one_and_its_way_back_stay)
{
        shapes_take(t, "abcdef");
        shapes_take(t, "abcdeg");
        shapes_take(t, "abcdeh");
        shapes_start_rollback(t, 1, "abcdef", "abcdei", false);
        shapes_end_rollback(t, "done");
        pawl_workspace_prune_report *report = shapes_prune(t, 0, false);
        assert_string_equal(why(report, 1), "current");
        assert_string_equal(why(report, 4), "undo or redo needs it");
        assert_string_equal(why(report, 2), "-");
        assert_string_equal(why(report, 3), "-");
        pawl_workspace_prune_free(report);
        shapes_check_there(t, "abcdef");
        shapes_check_there(t, "abcdei");

        /* Undone, the safety copy is the current one, and the undo can be undone. */
        shapes_start_rollback(t, 4, "abcdei", "abcdef", true);
        shapes_end_rollback(t, "done");
        report = shapes_prune(t, 0, false);
        assert_string_equal(why(report, 4), "current");
        assert_string_equal(why(report, 5), "undo or redo needs it");
        assert_string_equal(why(report, 1), "-");
        pawl_workspace_prune_free(report);
        shapes_check_there(t, "abcdei");

        /* A checkpoint since: that is the current one, and the undo can still be undone. */
        shapes_take(t, "zbcdei");
        report = shapes_prune(t, 0, false);
        assert_string_equal(why(report, 6), "current");
        assert_string_equal(why(report, 4), "-");
        assert_string_equal(why(report, 5), "undo or redo needs it");
        pawl_workspace_prune_free(report);
}

SHAPES_TEST(pinned_ones_and_those_of_blocked_runs_stay)
{
        assert_ok(pawl_log_claim(&t->fence, t->f->log, "mission-1", "run-1", NULL, NULL));
        shapes_append(t, "RunStarted", "run-1", "{\"steps\":[\"one\"],\"scope_refs\":[]}");
        shapes_take(t, "abcdef");
        shapes_append(t, "CheckpointUpdated", NULL, "{\"n\":1,\"pinned\":true}");
        shapes_take_as(t, "abcdeg", NULL, "run-1");
        shapes_take(t, "abcdeh");
        shapes_take(t, "abcdei");
        pawl_workspace_prune_report *report = shapes_prune(t, 0, true);
        assert_string_equal(why(report, 1), "pinned");
        assert_string_equal(why(report, 2), "its run is at work");
        assert_string_equal(why(report, 3), "-");
        pawl_workspace_prune_free(report);
        shapes_append(t, "StepStarted", "run-1",
                "{\"input_hash\":"
                "\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\"}");
        shapes_append(t, "GenerationBlockedBySemanticConflict", "run-1",
                "{\"conflicts\":[],\"strictness_mode\":\"max\",\"effective_strictness\":\"max\"}");
        report = shapes_prune(t, 0, true);
        assert_string_equal(why(report, 2), "its run is blocked");
        pawl_workspace_prune_free(report);
        shapes_append(t, "RunFailed", "run-1", "{\"reason\":\"x\"}");
        shapes_append(t, "CheckpointUpdated", NULL, "{\"n\":1,\"pinned\":false}");
        report = shapes_prune(t, 2, false);
        assert_string_equal(why(report, 1), "-");
        assert_string_equal(why(report, 2), "its run is unfinished"); /* it can be resumed */
        assert_string_equal(why(report, 3), "newest");
        pawl_workspace_prune_free(report);
        shapes_check_there(t, "abcdeh");
}

SHAPES_TEST(those_that_are_not_older_stay)
{
        pawl_workspace_prune_options options = PAWL_CHECKPOINT_PRUNE_INIT;
        pawl_workspace_prune_report *report;

        shapes_take(t, "abcdef");
        shapes_take(t, "abcdeg");
        int64_t second = t->f->wall_us;
        shapes_take(t, "abcdeh");
        shapes_take(t, "abcdei");
        options.older_us = second;
        options.dry_run = true;
        assert_ok(pawl_workspace_prune(&report, t->f->log, &options, &t->err));
        assert_string_equal(why(report, 1), "-");
        assert_string_equal(why(report, 2), "not older");
        assert_string_equal(why(report, 4), "current");
        pawl_workspace_prune_free(report);
        options.older_us = INT64_MAX - 1;
        options.keep = 3;
        assert_ok(pawl_workspace_prune(&report, t->f->log, &options, &t->err));
        assert_int_equal(report->going, 1);
        pawl_workspace_prune_free(report);
}

SHAPES_TEST(what_is_asked_must_be_asked_for)
{
        pawl_workspace_prune_options options = PAWL_CHECKPOINT_PRUNE_INIT;
        pawl_workspace_prune_report *report = NULL;

        check_refused(t, SIZE_MAX, PAWL_EINVAL, "prune: nothing is asked for");
        options.version = 9;
        assert_int_equal(pawl_workspace_prune(&report, t->f->log, &options, &t->err), PAWL_EINVAL);
        assert_int_equal(pawl_workspace_prune(&report, t->f->log, NULL, &t->err), PAWL_EINVAL);
        assert_says(t->err.message, "start from PAWL_CHECKPOINT_PRUNE_INIT");
        options = (pawl_workspace_prune_options)PAWL_CHECKPOINT_PRUNE_INIT;
        options.keep = 1;
        options.actor = "";
        assert_int_equal(pawl_workspace_prune(&report, t->f->log, &options, &t->err), PAWL_EINVAL);
        assert_null(report);
}

SHAPES_TEST(nothing_goes_while_a_rollback_is_half_done)
{
        shapes_take(t, "abcdef");
        shapes_take(t, "abcdeg");
        shapes_start_rollback(t, 1, "abcdef", "abcdeh", false);
        check_refused(t, 0, PAWL_ESTATE, "prune: a rollback to checkpoint 1 was interrupted");
        shapes_end_rollback(t, "abandoned");
        pawl_workspace_prune_free(shapes_prune(t, 0, false));
        shapes_check_there(t, "abcdeh");
}

SHAPES_TEST(what_a_damaged_one_that_stays_names_is_not_guessed)
{
        shapes_take(t, "abcdef");
        shapes_take(t, "xyzdef");
        shapes_take(t, "xyzdeg");
        /* The directory "in" of the second and third. */
        shape s = {.t = t, .files = "xyzdef"};
        unsigned char inner[32];
        char hex[65], sql[200];
        assert_ok(shapes_put_directory(inner, &s, 0, 3, NULL, false, NULL));
        pawl__hex(hex, inner, 32);
        snprintf(sql, sizeof sql, "DELETE FROM packed WHERE hash = x'%s'", hex);
        event_log_sql(t->f, sql);
        check_refused(t, 1, PAWL_EDAMAGED, "checkpoint 3: stays, but what it holds is not known:");

        pawl_usage *usage = shapes_usage(t);
        assert_false(usage->items[0].damaged);
        assert_true(usage->items[1].damaged);
        assert_true(usage->items[2].damaged);
        pawl_usage_free(usage);

        shapes_take(t, "abcdef"); /* and then the damaged ones may go */
        pawl_workspace_prune_free(shapes_prune(t, 1, false));
        shapes_check_there(t, "abcdef");
        assert_false(has_file(t, 'x'));
}

/* ---- Random histories ------------------------------------------------------------------------ */

SHAPES_TEST(whatever_is_kept_is_whole_and_nothing_else_is_there)
{
        enum { ROUNDS = 60, LAST = 64 };
        char files[LAST * 4][SHAPE_FILES + 1];
        uint32_t seed = 4711;
        size_t going = 0;

        for (int round = 0; round < ROUNDS; round++) {
                char *mine = files[t->n];
                for (int i = 0; i < SHAPE_FILES; i++) {
                        seed = seed * 1664525 + 1013904223;
                        mine[i] = "abcdefghij-"[(seed >> 24) % 11];
                }
                mine[SHAPE_FILES] = '\0';
                shapes_take(t, mine);
                seed = seed * 1664525 + 1013904223;
                if (seed >> 30)
                        continue;
                pawl_workspace_prune_report *report = shapes_prune(t, 1 + (seed >> 20) % 6, false);
                for (size_t i = 0; i < report->n; i++) {
                        const pawl_pruned_checkpoint *one = &report->items[i];
                        if (one->stays)
                                shapes_check_there(t, files[one->n - 1]);
                }
                going += report->going;
                pawl_workspace_prune_free(report);
                pawl_usage *usage = shapes_usage(t);
                assert_int_equal(usage->total.unnamed, 0);
                pawl_usage_free(usage);
        }
        assert_true(going > 10);
        assert_ok(pawl__replay_check(t->f->log, &t->err));
}

/* ---- Without memory -------------------------------------------------------------------------- */

static pawl_status ask_all(shapes *t, bool dry_run)
{
        pawl_workspace_prune_options options = PAWL_CHECKPOINT_PRUNE_INIT;
        pawl_workspace_prune_report *report = NULL;
        pawl_usage *usage = NULL;
        pawl_status status = pawl_workspace_usage(&usage, t->f->log, &t->err);

        options.keep = 1;
        options.dry_run = dry_run;
        if (!status)
                status = pawl_workspace_prune(&report, t->f->log, &options, &t->err);
        pawl_usage_free(usage);
        pawl_workspace_prune_free(report);
        return status;
}

UNIT_TEST_WITH(without_memory_nothing_goes, shapes *t, shapes_setup_memory, shapes_teardown)
{
        shapes_take(t, "abcdef");
        shapes_take(t, "xbcdeg");
        assert_ok(ask_all(t, true)); /* what is kept for later is there by now */
        for (int dry_run = 1; dry_run >= 0; dry_run--)
                for (sweep s = {.warm = dry_run ? 2 : 0,
                               .least = 11,
                               .once = !dry_run,
                               .keeps = !dry_run};
                        sweep_next(&s);) {
                        uint64_t before = shapes_head(t);
                        sweep_arm(&s);
                        if (!sweep_done(&s, ask_all(t, dry_run), &t->err) || dry_run) {
                                assert_int_equal(shapes_head(t), before);
                                shapes_check_there(t, "abcdef");
                        }
                        shapes_check_there(t, "xbcdeg");
                }
}
