/* What checkpoints take up, and letting old ones go: what another names stays, the rest goes. */
#include "base/digest.h"
#include "state/state.h"
#include "support/allocator.h"
#include "support/event_log.h"
#include "support/vfs.h"
#include "workspace/contents.h"
#include "workspace/reach.h"
#include <pawl/space.h>

enum { FILES = 6, SWEEP_MAX = 20000 };

typedef struct fixture {
        event_log *f;
        pawl__state *state;
        pawl__contents *contents;
        pawl__hasher *hasher;
        int64_t n;
        uint64_t fence; /* of run-1 */
        pawl_error err;
} fixture;

static int set_up_on(void **state, const char *vfs)
{
        fixture *t = calloc(1, sizeof *t);

        assert_non_null(t);
        assert_int_equal(event_log_setup(state), 0);
        t->f = *state;
        t->f->vfs = vfs;
        event_log_open(t->f);
        assert_int_equal(pawl__state_of(&t->state, t->f->log, &t->err), PAWL_OK);
        assert_int_equal(pawl__contents_open(&t->contents, t->f->log, &t->err), PAWL_OK);
        assert_int_equal(pawl__hasher_new(&t->hasher, &t->err), PAWL_OK);
        *state = t;
        return 0;
}

static int set_up(void **state)
{
        return set_up_on(state, NULL);
}

static int set_up_memory(void **state)
{
        fault_reset();
        return set_up_on(state, FAULT_VFS); /* which syncs nothing, and so is quick */
}

static int tear_down(void **state)
{
        fixture *t = *state;

        pawl__contents_close(t->contents);
        pawl__hasher_free(t->hasher);
        *state = t->f;
        free(t);
        return event_log_teardown(state);
}

/* ---- Checkpoints by hand -----------------------------------------------------------------------
 */

/* A root with a folder "in": file i has the content that its letter says; '-': there is none. The
 * first three stand in the folder. */
typedef struct shape {
        fixture *t;
        const char *files;
        const char *more; /* members of the event */
        const char *run;
} shape;

static size_t text_of(char out[64], char letter)
{
        return (size_t)snprintf(out, 64, "the content of %c, which is no other's", letter);
}

static void file_entry(pawl__entry *entry, fixture *t, char letter, char name[8], int i)
{
        char text[64];
        size_t len = text_of(text, letter);

        snprintf(name, 8, "file-%d", i);
        *entry = (pawl__entry){
                .kind = PAWL__ENTRY_FILE, .name = pawl__text(name), .mode = 0644, .size = len};
        assert_int_equal(pawl__sha256(t->hasher, entry->hash, text, len, NULL), PAWL_OK);
}

static pawl_status put_file(fixture *t, char letter, pawl_error *err)
{
        char text[64];
        unsigned char hash[32];
        size_t len = text_of(text, letter);

        assert_int_equal(pawl__sha256(t->hasher, hash, text, len, NULL), PAWL_OK);
        return pawl__contents_put_whole(t->contents, hash, pawl__text_n(text, len), err);
}

/* The hash of a folder of files from..to, whose encoding is put if @p put says so. */
static pawl_status put_folder(unsigned char hash[32], const shape *s, int from, int to,
        const unsigned char *inner, bool put, pawl_error *err)
{
        pawl__entry entries[FILES + 1];
        pawl__buf encoded = PAWL__BUF_INIT;
        char names[FILES][8];
        size_t n = 0;
        pawl_status status = PAWL_OK;

        for (int i = from; i < to && !status; i++) {
                if (s->files[i] == '-')
                        continue;
                file_entry(&entries[n++], s->t, s->files[i], names[i], i);
                if (put)
                        status = put_file(s->t, s->files[i], err);
        }
        if (inner) {
                entries[n] = (pawl__entry){
                        .kind = PAWL__ENTRY_FOLDER, .name = pawl__text("in"), .mode = 0755};
                memcpy(entries[n++].hash, inner, 32);
        }
        if (!status)
                status = pawl__tree_encode(&encoded, entries, n, err);
        if (!status)
                status = pawl__sha256(s->t->hasher, hash, encoded.data, encoded.len, err);
        if (!status && put)
                status = pawl__contents_put_whole(
                        s->t->contents, hash, pawl__buf_text(&encoded), err);
        pawl__buf_free(&encoded);
        return status;
}

static pawl_status put_tree(unsigned char tree[32], const shape *s, bool put, pawl_error *err)
{
        unsigned char inner[32];
        pawl_status status = put_folder(inner, s, 0, 3, NULL, put, err);

        return status ? status : put_folder(tree, s, 3, FILES, inner, put, err);
}

static pawl_status put_checkpoint(pawl_log *log, pawl__batch *batch, void *user, pawl_error *err)
{
        const shape *s = user;
        unsigned char tree[32];
        char hex[65], payload[600];
        pawl_status status = put_tree(tree, s, true, err);

        (void)log;
        if (status)
                return status;
        pawl__hex(hex, tree, 32);
        snprintf(payload, sizeof payload,
                "{\"n\":%d,\"id\":\"cp-%02d\",\"trigger\":\"manual\",\"root\":\".\",\"tree\":\"%s\","
                "\"files\":%d,\"bytes\":10,\"skipped\":0%s}",
                (int)s->t->n + 1, (int)s->t->n + 1, hex, FILES, s->more ? s->more : "");
        const pawl_event event = {.type = pawl__text("WorkspaceCheckpointed"),
                .v = 1,
                .mission_id = pawl__text(s->run ? "mission-1" : NULL),
                .run_id = pawl__text(s->run),
                .payload = pawl__text(payload)};
        return pawl__batch_event(batch, &event, err);
}

/* Checkpoint n, of these files. */
static void take_as(fixture *t, const char *files, const char *more, const char *run)
{
        shape s = {t, files, more, run};
        pawl__batch batch = {.fill = put_checkpoint, .fill_user = &s};

        t->f->wall_us += 1000000;
        if (pawl__log_commit(t->f->log, &batch, 0, NULL))
                fail_msg("%s", pawl_log_errmsg(t->f->log));
        pawl__batch_free(&batch);
        t->n++;
}

static void take(fixture *t, const char *files)
{
        take_as(t, files, NULL, NULL);
}

static void append(fixture *t, const char *type, const char *run, const char *payload)
{
        const pawl_event event = {.type = pawl__text(type),
                .v = 1,
                .mission_id = pawl__text(run ? "mission-1" : NULL),
                .run_id = pawl__text(run),
                .step_id = pawl__text(run && strncmp(type, "Run", 3) != 0 ? "one" : NULL),
                .payload = pawl__text(payload)};

        if (append_one(t->f->log, event, run ? t->fence : 0))
                fail_msg("%s", pawl_log_errmsg(t->f->log));
}

static uint64_t head(fixture *t)
{
        unsigned char hash[32];
        uint64_t seq = 0;

        assert_int_equal(pawl_log_head(&seq, hash, t->f->log), PAWL_OK);
        return seq;
}

/* A rollback to a checkpoint of these files; its safety copy is of @p now. */
static void start_rollback(fixture *t, int target, const char *files, const char *now, bool undo)
{
        shape s = {.t = t, .files = files};
        unsigned char tree[32];
        char hex[65], payload[400];

        take_as(t, now, ",\"safety\":true", NULL);
        assert_int_equal(put_tree(tree, &s, false, NULL), PAWL_OK);
        pawl__hex(hex, tree, 32);
        snprintf(payload, sizeof payload,
                "{\"target\":%d,\"safety\":%d,\"tree\":\"%s\",\"plan_hash\":\"%s\",\"undo\":%s}",
                target, (int)t->n, hex, hex, undo ? "true" : "false");
        append(t, "WorkspaceRollbackStarted", NULL, payload);
}

static void end_rollback(fixture *t, const char *outcome)
{
        char payload[200];

        snprintf(payload, sizeof payload,
                "{\"started_seq\":%d,\"outcome\":\"%s\",\"invalidated\":[],\"revalidated\":[],"
                "\"steps\":[]}",
                (int)head(t), outcome);
        append(t, "WorkspaceRolledBack", NULL, payload);
}

/* ---- What is asked of it -----------------------------------------------------------------------
 */

static pawl_checkpoint_prune *prune(fixture *t, size_t keep, bool dry_run)
{
        pawl_checkpoint_prune_options options = PAWL_CHECKPOINT_PRUNE_INIT;
        pawl_checkpoint_prune *report = NULL;

        options.keep = keep;
        options.dry_run = dry_run;
        options.actor = "user:ana";
        if (pawl_workspace_prune(&report, t->f->log, &options, &t->err))
                fail_msg("%s", t->err.message);
        return report;
}

static void check_refused(fixture *t, size_t keep, pawl_status status, const char *says)
{
        pawl_checkpoint_prune_options options = PAWL_CHECKPOINT_PRUNE_INIT;
        pawl_checkpoint_prune *report = NULL;
        uint64_t before = head(t);
        int64_t contents = event_log_integer(t->f, "SELECT count(*) FROM contents");

        options.keep = keep;
        assert_int_equal(pawl_workspace_prune(&report, t->f->log, &options, &t->err), status);
        assert_says(t->err.message, says);
        assert_null(report);
        assert_int_equal(head(t), before);
        assert_int_equal(event_log_integer(t->f, "SELECT count(*) FROM contents"), contents);
}

/* Why checkpoint n stays; "-": it goes, "": it is not told of. */
static const char *why(const pawl_checkpoint_prune *report, uint64_t n)
{
        for (size_t i = 0; i < pawl_checkpoint_prune_count(report); i++) {
                const pawl_pruned_checkpoint *one = pawl_checkpoint_prune_at(report, i);
                if (one->n == n)
                        return one->stays ? one->stays : "-";
        }
        return "";
}

static bool has_file(fixture *t, char letter)
{
        char text[64];
        unsigned char hash[32];
        bool has = false;

        assert_int_equal(pawl__sha256(t->hasher, hash, text, text_of(text, letter), NULL), PAWL_OK);
        assert_int_equal(pawl__contents_has(&has, t->contents, hash, NULL), PAWL_OK);
        return has;
}

static pawl_status pass(const void *data, size_t len, void *user, pawl_error *err)
{
        (void)data, (void)len, (void)user, (void)err;
        return PAWL_OK;
}

/* All that a checkpoint of these files holds can be read. */
static void check_there(fixture *t, const char *files)
{
        shape s = {.t = t, .files = files};
        pawl__reach *reach = NULL;
        unsigned char tree[32];

        assert_int_equal(put_tree(tree, &s, false, NULL), PAWL_OK);
        assert_int_equal(pawl__reach_new(&reach, t->contents, &t->err), PAWL_OK);
        if (pawl__reach_add(reach, tree, 0, &t->err))
                fail_msg("%s: %s", files, t->err.message);
        pawl__reach_free(reach);
        for (int i = 0; i < FILES; i++) {
                char text[64];
                unsigned char hash[32];
                if (files[i] == '-')
                        continue;
                size_t len = text_of(text, files[i]);
                assert_int_equal(pawl__sha256(t->hasher, hash, text, len, NULL), PAWL_OK);
                if (pawl__contents_read(t->contents, hash, len, pass, NULL, &t->err))
                        fail_msg("%s: %s", files, t->err.message);
        }
}

static pawl_usage *usage_of(fixture *t)
{
        pawl_usage *usage = NULL;

        if (pawl_workspace_usage(&usage, t->f->log, &t->err))
                fail_msg("%s", t->err.message);
        return usage;
}

/* ---- Pruning -----------------------------------------------------------------------------------
 */

static void what_only_old_ones_name_goes_and_the_rest_stays(void **state)
{
        fixture *t = *state;

        take(t, "abcdef");
        take(t, "abcdeg"); /* the folder "in" is the first one's */
        take(t, "xbcdeg");
        uint64_t before = head(t);
        int64_t stored = event_log_integer(t->f, "SELECT sum(length(data)) FROM contents");
        pawl_checkpoint_prune *told = prune(t, 1, true);
        assert_int_equal(head(t), before);
        assert_int_equal(pawl_checkpoint_prune_count(told), 3);
        assert_int_equal(pawl_checkpoint_prune_at(told, 0)->n, 3);
        assert_text(pawl_checkpoint_prune_at(told, 2)->id, "cp-01");
        assert_null(pawl_checkpoint_prune_at(told, 3));
        pawl_checkpoint_prune *done = prune(t, 1, false);
        assert_int_equal(pawl_checkpoint_prune_going(done), 2);
        assert_string_equal(why(done, 3), "current");
        assert_string_equal(why(done, 2), "-");
        /* a, f, the first folder, and two roots */
        assert_int_equal(pawl_checkpoint_prune_contents(done), 5);
        assert_int_equal(pawl_checkpoint_prune_contents(told), 5);
        assert_int_equal(pawl_checkpoint_prune_bytes(told), pawl_checkpoint_prune_bytes(done));
        assert_int_equal(event_log_integer(t->f, "SELECT sum(length(data)) FROM contents"),
                stored - (int64_t)pawl_checkpoint_prune_bytes(done));
        assert_false(has_file(t, 'a'));
        assert_false(has_file(t, 'f'));
        check_there(t, "xbcdeg");

        /* The receipt. */
        pawl__arena arena = PAWL__ARENA_INIT;
        pawl_event event;
        char payload[200];
        assert_int_equal(head(t), before + 1);
        assert_int_equal(pawl__log_event(&event, &arena, t->f->log, before + 1), PAWL_OK);
        snprintf(payload, sizeof payload,
                "{\"bytes\":%d,\"contents\":5,\"kind\":\"checkpoints\",\"pruned\":[1,2]}",
                (int)pawl_checkpoint_prune_bytes(done));
        assert_text(event.payload, payload);
        assert_text(event.actor, "user:ana");
        pawl__arena_free(&arena);
        pawl_checkpoint_prune_free(told);
        pawl_checkpoint_prune_free(done);

        /* Again: there is nothing, and nothing is written; those that went are told no more. */
        done = prune(t, 1, false);
        assert_int_equal(pawl_checkpoint_prune_count(done), 1);
        assert_int_equal(pawl_checkpoint_prune_going(done), 0);
        assert_int_equal(head(t), before + 1);
        pawl_checkpoint_prune_free(done);
        assert_int_equal(pawl__replay_check(t->f->log, &t->err), PAWL_OK);
        /* What went is kept anew where it comes again. */
        take(t, "abcdef");
        check_there(t, "abcdef");
}

static void a_log_without_checkpoints_has_nothing_to_let_go(void **state)
{
        fixture *t = *state;
        pawl_checkpoint_prune *report = prune(t, 0, false);

        assert_int_equal(pawl_checkpoint_prune_count(report), 0);
        assert_int_equal(head(t), 0);
        pawl_checkpoint_prune_free(report);
}

static void the_current_one_and_its_way_back_stay(void **state)
{
        fixture *t = *state;

        take(t, "abcdef");
        take(t, "abcdeg");
        take(t, "abcdeh");
        start_rollback(t, 1, "abcdef", "abcdei", false);
        end_rollback(t, "done");
        pawl_checkpoint_prune *report = prune(t, 0, false);
        assert_string_equal(why(report, 1), "current");
        assert_string_equal(why(report, 4), "undoes the rollback to the current one");
        assert_string_equal(why(report, 2), "-");
        assert_string_equal(why(report, 3), "-");
        pawl_checkpoint_prune_free(report);
        check_there(t, "abcdef");
        check_there(t, "abcdei");

        /* Undone, the safety copy is the current one, and the undo can be undone. */
        start_rollback(t, 4, "abcdei", "abcdef", true);
        end_rollback(t, "done");
        report = prune(t, 0, false);
        assert_string_equal(why(report, 4), "current");
        assert_string_equal(why(report, 5), "undoes the rollback to the current one");
        assert_string_equal(why(report, 1), "-");
        pawl_checkpoint_prune_free(report);
        check_there(t, "abcdei");

        /* A checkpoint since: that is the current one. */
        take(t, "zbcdei");
        report = prune(t, 0, false);
        assert_string_equal(why(report, 6), "current");
        assert_string_equal(why(report, 4), "-");
        assert_string_equal(why(report, 5), "-");
        pawl_checkpoint_prune_free(report);
}

static void pinned_ones_and_those_of_blocked_runs_stay(void **state)
{
        fixture *t = *state;

        assert_int_equal(
                pawl_log_claim(&t->fence, t->f->log, "mission-1", "run-1", NULL, NULL), PAWL_OK);
        append(t, "RunStarted", "run-1", "{\"steps\":[\"one\"],\"scope_refs\":[]}");
        take(t, "abcdef");
        append(t, "CheckpointUpdated", NULL, "{\"n\":1,\"pinned\":true}");
        take_as(t, "abcdeg", NULL, "run-1");
        take(t, "abcdeh");
        take(t, "abcdei");
        pawl_checkpoint_prune *report = prune(t, 0, true);
        assert_string_equal(why(report, 1), "pinned");
        assert_string_equal(why(report, 2), "its run is at work");
        assert_string_equal(why(report, 3), "-");
        pawl_checkpoint_prune_free(report);
        append(t, "StepStarted", "run-1",
                "{\"input_hash\":"
                "\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\"}");
        append(t, "GenerationBlockedBySemanticConflict", "run-1",
                "{\"conflicts\":[],\"strictness_mode\":\"max\",\"effective_strictness\":\"max\"}");
        report = prune(t, 0, true);
        assert_string_equal(why(report, 2), "its run is blocked");
        pawl_checkpoint_prune_free(report);
        append(t, "RunFailed", "run-1", "{\"reason\":\"x\"}");
        append(t, "CheckpointUpdated", NULL, "{\"n\":1,\"pinned\":false}");
        report = prune(t, 2, false);
        assert_string_equal(why(report, 1), "-");
        assert_string_equal(why(report, 2), "-");
        assert_string_equal(why(report, 3), "newest");
        pawl_checkpoint_prune_free(report);
        check_there(t, "abcdeh");
}

static void those_that_are_not_older_stay(void **state)
{
        fixture *t = *state;
        pawl_checkpoint_prune_options options = PAWL_CHECKPOINT_PRUNE_INIT;
        pawl_checkpoint_prune *report;

        take(t, "abcdef");
        take(t, "abcdeg");
        int64_t second = t->f->wall_us;
        take(t, "abcdeh");
        take(t, "abcdei");
        options.older_us = second;
        options.dry_run = true;
        assert_int_equal(pawl_workspace_prune(&report, t->f->log, &options, &t->err), PAWL_OK);
        assert_string_equal(why(report, 1), "-");
        assert_string_equal(why(report, 2), "not older");
        assert_string_equal(why(report, 4), "current");
        pawl_checkpoint_prune_free(report);
        options.older_us = INT64_MAX - 1;
        options.keep = 3;
        assert_int_equal(pawl_workspace_prune(&report, t->f->log, &options, &t->err), PAWL_OK);
        assert_int_equal(pawl_checkpoint_prune_going(report), 1);
        pawl_checkpoint_prune_free(report);
}

static void what_is_asked_must_be_asked_for(void **state)
{
        fixture *t = *state;
        pawl_checkpoint_prune_options options = PAWL_CHECKPOINT_PRUNE_INIT;
        pawl_checkpoint_prune *report = NULL;

        check_refused(t, SIZE_MAX, PAWL_EINVAL, "prune: nothing is asked for");
        options.version = 9;
        assert_int_equal(pawl_workspace_prune(&report, t->f->log, &options, &t->err), PAWL_EINVAL);
        assert_int_equal(pawl_workspace_prune(&report, t->f->log, NULL, &t->err), PAWL_EINVAL);
        assert_says(t->err.message, "start from PAWL_CHECKPOINT_PRUNE_INIT");
        options = (pawl_checkpoint_prune_options)PAWL_CHECKPOINT_PRUNE_INIT;
        options.keep = 1;
        options.actor = "";
        assert_int_equal(pawl_workspace_prune(&report, t->f->log, &options, &t->err), PAWL_EINVAL);
        assert_null(report);
}

static void nothing_goes_while_a_rollback_is_half_done(void **state)
{
        fixture *t = *state;

        take(t, "abcdef");
        take(t, "abcdeg");
        start_rollback(t, 1, "abcdef", "abcdeh", false);
        check_refused(t, 0, PAWL_ESTATE, "prune: a rollback to checkpoint 1 was interrupted");
        end_rollback(t, "abandoned");
        pawl_checkpoint_prune_free(prune(t, 0, false));
        check_there(t, "abcdeh");
}

static void what_a_damaged_one_that_stays_names_is_not_guessed(void **state)
{
        fixture *t = *state;

        take(t, "abcdef");
        take(t, "xyzdef");
        take(t, "xyzdeg");
        /* The folder "in" of the second and third. */
        shape s = {.t = t, .files = "xyzdef"};
        unsigned char inner[32];
        char hex[65], sql[200];
        assert_int_equal(put_folder(inner, &s, 0, 3, NULL, false, NULL), PAWL_OK);
        pawl__hex(hex, inner, 32);
        snprintf(sql, sizeof sql, "DELETE FROM contents WHERE hash = x'%s'", hex);
        event_log_sql(t->f, sql);
        check_refused(t, 1, PAWL_EDAMAGED, "checkpoint 3: stays, but what it holds is not known:");

        pawl_usage *usage = usage_of(t);
        assert_false(pawl_usage_at(usage, 0)->damaged);
        assert_true(pawl_usage_at(usage, 1)->damaged);
        assert_true(pawl_usage_at(usage, 2)->damaged);
        pawl_usage_free(usage);

        take(t, "abcdef"); /* and then the damaged ones may go */
        pawl_checkpoint_prune_free(prune(t, 1, false));
        check_there(t, "abcdef");
        assert_false(has_file(t, 'x'));
}

/* ---- What they take up -------------------------------------------------------------------------
 */

static void contents_are_counted_once_and_told_apart(void **state)
{
        fixture *t = *state;
        unsigned char hash[32];

        take(t, "abcdef");
        take(t, "abcdeg");
        take(t, "abcdeg");
        pawl_usage *usage = usage_of(t);
        const pawl_usage_totals *total = pawl_usage_total(usage);
        assert_int_equal(total->checkpoints, 3);
        assert_int_equal(total->pruned, 0);
        assert_int_equal(total->contents, 7 + 1 + 2); /* files, the folder, roots */
        assert_int_equal(
                total->stored, event_log_integer(t->f, "SELECT sum(length(data)) FROM contents"));
        assert_int_equal(total->bytes, event_log_integer(t->f, "SELECT sum(size) FROM contents"));
        assert_int_equal(total->unnamed, 0);
        assert_true(total->log >= total->stored);
        assert_int_equal(pawl_usage_count(usage), 3);
        const pawl_checkpoint_usage *one = pawl_usage_at(usage, 0);
        assert_int_equal(one->n, 1);
        assert_text(one->id, "cp-01");
        assert_int_equal(one->files, FILES);
        assert_int_equal(one->bytes, 10);
        assert_true(one->own > 0 && one->own < total->stored);
        assert_int_equal(pawl_usage_at(usage, 1)->own, 0); /* the third has all of it too */
        assert_null(pawl_usage_at(usage, 3));
        uint64_t own = one->own;
        pawl_usage_free(usage);

        /* So much goes with the first one. */
        pawl_checkpoint_prune *report = prune(t, 2, false);
        assert_int_equal(pawl_checkpoint_prune_bytes(report), own);
        pawl_checkpoint_prune_free(report);
        usage = usage_of(t);
        total = pawl_usage_total(usage);
        assert_int_equal(total->checkpoints, 2);
        assert_int_equal(total->pruned, 1);
        assert_int_equal(pawl_usage_at(usage, 0)->n, 2);
        pawl_usage_free(usage);

        /* What no checkpoint names. */
        memset(hash, 7, sizeof hash);
        event_log_sql(t->f, "INSERT INTO contents VALUES (randomblob(32), 0, 5, x'0102')");
        usage = usage_of(t);
        assert_int_equal(pawl_usage_total(usage)->unnamed, 1);
        assert_int_equal(pawl_usage_total(usage)->unnamed_stored, 2);
        pawl_usage_free(usage);
}

static void an_empty_log_takes_up_nothing(void **state)
{
        pawl_usage *usage = usage_of(*state);

        assert_int_equal(pawl_usage_total(usage)->checkpoints, 0);
        assert_int_equal(pawl_usage_total(usage)->stored, 0);
        assert_int_equal(pawl_usage_count(usage), 0);
        pawl_usage_free(usage);
}

static void the_first_one_that_names_it_is_told_until_there_is_a_second(void **state)
{
        fixture *t = *state;
        static const char *const files[] = {"abcdef", "abcxyz"};
        unsigned char tree[2][32], inner[32], a[32];
        pawl__reach *reach;
        uint32_t owner = 7;
        char text[64];

        for (int i = 0; i < 2; i++) {
                shape s = {.t = t, .files = files[i]};
                take(t, files[i]);
                assert_int_equal(put_tree(tree[i], &s, false, NULL), PAWL_OK);
                assert_int_equal(put_folder(inner, &s, 0, 3, NULL, false, NULL), PAWL_OK);
        }
        assert_int_equal(pawl__sha256(t->hasher, a, text, text_of(text, 'a'), NULL), PAWL_OK);
        assert_int_equal(pawl__reach_new(&reach, t->contents, &t->err), PAWL_OK);
        assert_false(pawl__reach_has(&owner, reach, a));
        assert_int_equal(owner, 7);
        assert_int_equal(pawl__reach_add(reach, tree[0], 3, &t->err), PAWL_OK);
        assert_true(pawl__reach_has(&owner, reach, a));
        assert_int_equal(owner, 3);
        assert_int_equal(pawl__reach_add(reach, tree[0], 3, &t->err), PAWL_OK);
        assert_true(pawl__reach_has(&owner, reach, a));
        assert_int_equal(owner, 3);
        assert_int_equal(pawl__reach_add(reach, tree[1], 4, &t->err), PAWL_OK);
        assert_true(pawl__reach_has(&owner, reach, a)); /* within the folder that both have */
        assert_int_equal(owner, PAWL__REACH_SHARED);
        assert_true(pawl__reach_has(&owner, reach, inner));
        assert_int_equal(owner, PAWL__REACH_SHARED);
        assert_true(pawl__reach_has(&owner, reach, tree[1]));
        assert_int_equal(owner, 4);
        pawl__reach_free(reach);
}

/* ---- Random histories --------------------------------------------------------------------------
 */

static void whatever_is_kept_is_whole_and_nothing_else_is_there(void **state)
{
        fixture *t = *state;
        enum { ROUNDS = 60, LAST = 64 };
        char files[LAST * 4][FILES + 1];
        uint32_t seed = 4711;
        size_t going = 0;

        for (int round = 0; round < ROUNDS; round++) {
                char *mine = files[t->n];
                for (int i = 0; i < FILES; i++) {
                        seed = seed * 1664525 + 1013904223;
                        mine[i] = "abcdefghij-"[(seed >> 24) % 11];
                }
                mine[FILES] = '\0';
                take(t, mine);
                seed = seed * 1664525 + 1013904223;
                if (seed >> 30)
                        continue;
                pawl_checkpoint_prune *report = prune(t, 1 + (seed >> 20) % 6, false);
                for (size_t i = 0; i < pawl_checkpoint_prune_count(report); i++) {
                        const pawl_pruned_checkpoint *one = pawl_checkpoint_prune_at(report, i);
                        if (one->stays)
                                check_there(t, files[one->n - 1]);
                }
                going += pawl_checkpoint_prune_going(report);
                pawl_checkpoint_prune_free(report);
                pawl_usage *usage = usage_of(t);
                assert_int_equal(pawl_usage_total(usage)->unnamed, 0);
                pawl_usage_free(usage);
        }
        assert_true(going > 10);
        assert_int_equal(pawl__replay_check(t->f->log, &t->err), PAWL_OK);
}

/* ---- Without memory ----------------------------------------------------------------------------
 */

static pawl_status ask_all(fixture *t, bool dry_run)
{
        pawl_checkpoint_prune_options options = PAWL_CHECKPOINT_PRUNE_INIT;
        pawl_checkpoint_prune *report = NULL;
        pawl_usage *usage = NULL;
        pawl_status status = pawl_workspace_usage(&usage, t->f->log, &t->err);

        options.keep = 1;
        options.dry_run = dry_run;
        if (!status)
                status = pawl_workspace_prune(&report, t->f->log, &options, &t->err);
        pawl_usage_free(usage);
        pawl_checkpoint_prune_free(report);
        return status;
}

static void without_memory_nothing_goes(void **state)
{
        fixture *t = *state;
        int refused = 0;

        if (!allocator_works())
                skip();
        take(t, "abcdef");
        take(t, "xbcdeg");
        assert_int_equal(ask_all(t, true), PAWL_OK); /* what is kept for later is there by now */
        for (int dry_run = 1; dry_run >= 0; dry_run--)
                for (size_t n = 1; n < SWEEP_MAX; n++) {
                        long live = allocator_live();
                        uint64_t before = head(t);
                        allocator_fail_at(n);
                        pawl_status status = ask_all(t, dry_run);
                        bool failed = allocator_failed();
                        allocator_fail_at(0);
                        if (status && status != PAWL_ENOMEM)
                                fail_msg("allocation %d: %s", (int)n, t->err.message);
                        if (dry_run && allocator_live() > live)
                                fail_msg("allocation %d: %d blocks leaked", (int)n,
                                        (int)(allocator_live() - live));
                        refused += status != PAWL_OK;
                        if (status || dry_run) {
                                assert_int_equal(head(t), before);
                                check_there(t, "abcdef");
                        }
                        check_there(t, "xbcdeg");
                        if (!failed)
                                break;
                        if (!status && !dry_run)
                                break;
                }
        assert_true(refused > 20);
}

#define SPACE_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
        const struct CMUnitTest tests[] = {
                SPACE_TEST(what_only_old_ones_name_goes_and_the_rest_stays),
                SPACE_TEST(a_log_without_checkpoints_has_nothing_to_let_go),
                SPACE_TEST(the_current_one_and_its_way_back_stay),
                SPACE_TEST(pinned_ones_and_those_of_blocked_runs_stay),
                SPACE_TEST(those_that_are_not_older_stay),
                SPACE_TEST(what_is_asked_must_be_asked_for),
                SPACE_TEST(nothing_goes_while_a_rollback_is_half_done),
                SPACE_TEST(what_a_damaged_one_that_stays_names_is_not_guessed),
                SPACE_TEST(contents_are_counted_once_and_told_apart),
                SPACE_TEST(an_empty_log_takes_up_nothing),
                SPACE_TEST(the_first_one_that_names_it_is_told_until_there_is_a_second),
                SPACE_TEST(whatever_is_kept_is_whole_and_nothing_else_is_there),
                cmocka_unit_test_setup_teardown(
                        without_memory_nothing_goes, set_up_memory, tear_down),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
