/* Needs PAWL_WITH_ARCHIVE. */
/*
 * Random histories of a workspace: files, directories and links come, change and go; checkpoints
 * are taken, gone back to, undone, interrupted, pruned, carried to another machine. After each step
 * back, every name, mode, content and target is compared with a plain copy that a model of its own
 * kept: thousands of steps under PAWL_TEST_FULL=1, or as many as PAWL_HISTORY_STEPS says;
 * PAWL_HISTORY_SEED is the first seed.
 */
#include "replaced/files.h"
#include "support/event_log.h"
#include "support/rollback_model.h"
#include <errno.h>
#include <pawl/rollback.h>
#include <pawl/space.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NAMES = 9 };

/* A rollback, or what reversed one: the workspace right before it, and right after. */
typedef struct reversible {
        tree_hash before, after;
} reversible;

typedef struct reversibles {
        reversible items[MODEL_CHECKPOINTS];
        size_t n;
} reversibles;

typedef struct world {
        event_log *log;
        model m;
        uint64_t random;
        reversibles undo, redo; /* what an undo, and a redo, reverses: the last one first */
        long counts[9];         /* files changed, checkpoints, rollbacks, undos, interrupted, left
                                    alone, pruned, carried, redone */
        long put_beside;        /* files of a person, before the rest was written */
        char long_name[256];
} world;

static uint64_t draw(world *w, uint64_t below)
{
        w->random ^= w->random << 13; /* xorshift64 */
        w->random ^= w->random >> 7;
        w->random ^= w->random << 17;
        return (w->random >> 11) % below;
}

/* ---- What happens to files ---------------------------------------------------------------- */

static void random_path(world *w, char out[1280])
{
        const char *const names[NAMES] = {
                "a", "b", "A", "a b", "new\nline", "\xff\xfe", "\xc3\xa4", ".x", w->long_name};
        size_t depth = 1 + (size_t)draw(w, 3);

        strcpy(out, w->log->directory);
        for (size_t i = 0; i < depth; i++) {
                strcat(out, "/");
                strcat(out, names[draw(w, i || draw(w, 8) == 0 ? NAMES : NAMES - 1)]);
        }
}

static void remove_all(const char *path)
{
        struct stat st;

        if (lstat(path, &st) != 0)
                return;
        if (S_ISDIR(st.st_mode)) {
                (void)chmod(path, 0700);
                directory_remove(path);
        } else {
                assert_int_equal(unlink(path), 0);
        }
}

/* Make the directories that lead there, in place of whatever is in their way. */
static void make_way(world *w, const char *path)
{
        char up[1280];

        for (const char *slash = strchr(path + strlen(w->log->directory) + 1, '/'); slash;
                slash = strchr(slash + 1, '/')) {
                struct stat st;
                snprintf(up, sizeof up, "%.*s", (int)(slash - path), path);
                if (lstat(up, &st) == 0 && S_ISDIR(st.st_mode))
                        continue;
                remove_all(up);
                assert_int_equal(mkdir(up, 0755), 0);
        }
}

static void random_mode(world *w, const char *path, bool directory)
{
        /* setuid and setgid bits have rules of their own: cli/set_id */
        static const mode_t files[] = {0644, 0755, 0600, 0444, 01755, 0};
        static const mode_t directories[] = {0755, 0700, 0775, 0555, 01777};
        bool root = geteuid() == 0;

        if (directory)
                assert_int_equal(chmod(path, directories[draw(w, root ? 5 : 3)]), 0);
        else
                assert_int_equal(chmod(path, files[draw(w, root ? 6 : 4)]), 0);
}

static void change_something(world *w)
{
        static const char *const targets[] = {"a", "..", "/etc/passwd", "nowhere", "a b/x", "."};
        char path[1280], other[1280], data[256];
        struct stat st;

        random_path(w, path);
        w->counts[0]++;
        bool there = lstat(path, &st) == 0;
        switch (draw(w, 10)) {
        case 0:
        case 1:
        case 2:
        case 3:
                make_way(w, path);
                remove_all(path);
                size_t len = (size_t)draw(w, sizeof data - 1);
                memset(data, (int)('a' + draw(w, 26)), len);
                file_write(path, data, len);
                random_mode(w, path, false);
                return;
        case 4:
                make_way(w, path);
                remove_all(path);
                assert_int_equal(symlink(targets[draw(w, 6)], path), 0);
                return;
        case 5:
                make_way(w, path);
                remove_all(path);
                assert_int_equal(mkdir(path, 0755), 0);
                random_mode(w, path, true);
                return;
        case 6:
                if (there && !S_ISLNK(st.st_mode))
                        random_mode(w, path, S_ISDIR(st.st_mode));
                return;
        case 7:
                random_path(w, other);
                if (there && S_ISREG(st.st_mode) && lstat(other, &st) != 0) {
                        make_way(w, other);
                        there = link(path, other) == 0; /* its own way may be gone just now */
                }
                return;
        case 8:
                random_path(w, other);
                if (there && lstat(other, &st) != 0 && !model_is_within(other, path)) {
                        make_way(w, other);
                        there = rename(path, other) == 0;
                }
                return;
        default:
                remove_all(path);
        }
}

/* ---- What happens to the log -------------------------------------------------------------- */

static void learn(world *w)
{
        pawl_workspace_checkpoints *all;
        unsigned char tree[32];

        assert_ok(pawl_workspace_checkpoint_list(&all, w->log->log, NULL));
        uint64_t n = all->n;
        assert_true(n < MODEL_CHECKPOINTS);
        for (; w->m.n < n; w->m.n++) {
                const pawl_workspace_checkpoint_info *info = &all->items[(size_t)w->m.n];
                assert_true(pawl__unhex32(tree, info->tree));
                memcpy(w->m.checkpoints[w->m.n + 1].tree.bytes, tree, 32);
                w->m.checkpoints[w->m.n + 1].safety = info->safety;
        }
        for (uint64_t i = 1; i <= n; i++)
                w->m.checkpoints[i].pruned = all->items[(size_t)i - 1].pruned;
        pawl_workspace_checkpoints_free(all);
}

static tree_hash now(world *w)
{
        return tree_on_disk(&w->m.t, w->log->directory);
}

static void stands_at(world *w, tree_hash wanted, const char *doing)
{
        tree_hash got = now(w);

        if (memcmp(got.bytes, wanted.bytes, 32) != 0)
                fail_msg("after %s the workspace is not what it should be", doing);
}

static void take(world *w)
{
        const pawl_workspace_checkpoint_request request = PAWL_CHECKPOINT_REQUEST_INIT;
        pawl_error err = PAWL_ERROR_INIT;
        pawl_workspace_capture *capture;
        tree_hash tree = now(w);

        if (pawl_workspace_checkpoint(&capture, w->log->log, &request, NULL, &err))
                fail_msg("%s", err.message);
        pawl_workspace_capture_free(capture);
        learn(w);
        assert_memory_equal(w->m.checkpoints[w->m.n].tree.bytes, tree.bytes, 32);
        w->counts[1]++;
}

/* Each command of a user opens the log anew. */
static void reopen(world *w)
{
        if (draw(w, 4))
                return;
        pawl_log_close(w->log->log);
        w->log->log = NULL;
        (void)event_log_open(w->log);
}

/* A new rollback is done: it can be undone, and no undo before it can be redone. */
static void rolled_back(world *w, tree_hash from)
{
        w->undo.items[w->undo.n++] = (reversible){from, now(w)};
        w->redo.n = 0;
}

/* The number of one that can be gone to, which is any that is kept; 0: there is none. */
static uint64_t choose(world *w)
{
        pawl_workspace_checkpoints *all;
        uint64_t fit[MODEL_CHECKPOINTS], n = 0;

        assert_ok(pawl_workspace_checkpoint_list(&all, w->log->log, NULL));
        for (size_t i = 0; i < all->n; i++) {
                const pawl_workspace_checkpoint_info *info = &all->items[i];
                assert_true(info->valid == !info->pruned);
                if (info->valid)
                        fit[n++] = info->n;
        }
        pawl_workspace_checkpoints_free(all);
        return n ? fit[draw(w, n)] : 0;
}

/* A person puts a file beside the path, or into it. False: nothing can be put there. */
static bool put_beside(world *w, char out[1280], const char *path, size_t len)
{
        struct stat st;

        snprintf(out, 1280, "%s/%.*s", w->log->directory, (int)len, path);
        if (lstat(out, &st) == 0 && S_ISDIR(st.st_mode))
                strcat(out, "/");
        strcpy(strrchr(out, '/'), "/of a person");
        if (access(out, F_OK) == 0 || strlen(out) > 1200)
                return false;
        FILE *file = fopen(out, "w");
        return file && fclose(file) == 0;
}

/* A disk that was full for a moment left paths out: they are written now, as a part of @p of, which
 * left them out. A file that a person put there meanwhile stays, and so does its directory: then
 * the result is false, as the workspace is not what the rollback went to. */
static bool write_the_rest(world *w, pawl_rollback_plan *done, reversible *of)
{
        pawl_error err = PAWL_ERROR_INIT;
        char beside[1280];
        bool put = false;
        uint64_t unwritten = 0;
        const pawl_rollback_plan_view plan = pawl_rollback_plan_look(done);

        for (size_t i = 0; i < plan.n_items; i++) {
                const pawl_rollback_plan_item *item = &plan.items[i];
                if (!item->missed || !strstr(item->why, "No space"))
                        continue;
                if (!put && draw(w, 2))
                        put = put_beside(w, beside, item->path.data, item->path.len);
                unwritten++;
        }
        pawl_rollback_plan_free(done);
        if (unwritten == 0)
                return true;
        (void)now(w); /* the model knows its safety copy then */
        if (pawl_workspace_finish(NULL, w->log->log, NULL, &err))
                fail_msg("writing the rest: %s", err.message);
        learn(w);
        if (put && unlink(beside))
                fail_msg("writing the rest: a person's file went");
        of->after = now(w);
        w->put_beside += put;
        return !put;
}

/* Go there, now and then with a disk that fails on the way; then it is finished or given up. */
static void go_back(world *w)
{
        pawl_rollback_options options = PAWL_ROLLBACK_OPTIONS_INIT;
        pawl_error err = PAWL_ERROR_INIT;
        pawl_pending_rollback pending;
        pawl_rollback_plan *done = NULL;
        uint64_t target = choose(w);
        tree_hash from = now(w);
        bool given_up = false;
        char which[24];

        if (!target)
                return;
        options.clean = draw(w, 4) == 0;
        tree_hash to = options.clean ? w->m.checkpoints[target].tree
                                     : model_expected(&w->m, from, w->m.checkpoints[target].tree);
        snprintf(which, sizeof which, "%lu", (unsigned long)target);
        if (draw(w, 2))
                files_fail_at(20 + (long)draw(w, 60), draw(w, 2) ? EIO : ENOSPC, draw(w, 2));
        pawl_status status =
                pawl_workspace_rollback(&done, w->log->log, which, &options, NULL, &err);
        files_leave();
        if (status && status != PAWL_EIO && status != PAWL_EFULL)
                fail_msg("rollback: %s", err.message);
        if (pawl_workspace_pending(&pending, w->log->log, &err) == PAWL_OK) {
                assert_true(status != PAWL_OK);
                assert_non_null(strstr(err.message, "`pawl rollback --finish` or `pawl undo`"));
                given_up = draw(w, 2);
                w->counts[4]++;
                status = given_up ? pawl_workspace_give_up(NULL, w->log->log, NULL, &err)
                                  : pawl_workspace_finish(NULL, w->log->log, NULL, &err);
                if (status)
                        fail_msg("ending it: %s", err.message);
        }
        learn(w);
        if (status || given_up) {
                stands_at(w, from, which);
                return;
        }
        w->counts[2]++;
        rolled_back(w, from);
        if (write_the_rest(w, done, &w->undo.items[w->undo.n - 1]))
                stands_at(w, to, which);
}

/* Of undos and redos: when it failed on the way, it is finished or abandoned. True: it was done. */
static bool is_done(world *w, pawl_status status, const char *doing, pawl_error *err)
{
        pawl_pending_rollback pending;
        bool abandoned = false;

        if (status && status != PAWL_EIO && status != PAWL_EFULL)
                fail_msg("%s: %s", doing, err->message);
        if (pawl_workspace_pending(&pending, w->log->log, err) == PAWL_OK) {
                assert_true(status != PAWL_OK);
                w->counts[4]++;
                abandoned = draw(w, 2);
                status = abandoned ? pawl_workspace_give_up(NULL, w->log->log, NULL, err)
                                   : pawl_workspace_finish(NULL, w->log->log, NULL, err);
                if (status)
                        fail_msg("ending the %s: %s", doing, err->message);
        }
        learn(w);
        return !status && !abandoned;
}

/* Reverse the newest of one list, which puts it on the other. If nothing differs from how that one
 * left the workspace, it is exactly as it was before it. */
static void reverse(world *w, reversibles *from, reversibles *to, const char *doing)
{
        pawl_error err = PAWL_ERROR_INIT;
        pawl_rollback_plan *done = NULL;
        const tree_hash start = now(w);
        const bool redo = from == &w->redo;

        reopen(w);
        if (draw(w, 3) == 0)
                files_fail_at(20 + (long)draw(w, 60), draw(w, 2) ? EIO : ENOSPC, draw(w, 2));
        const pawl_status status = redo ? pawl_workspace_redo(&done, w->log->log, NULL, NULL, &err)
                                        : pawl_workspace_undo(&done, w->log->log, NULL, NULL, &err);
        files_leave();
        if (from->n == 0) {
                if (status != PAWL_ENOTFOUND && status != PAWL_EIO && status != PAWL_EFULL)
                        fail_msg("%s: nothing is left, and it ended with %d", doing, status);
                return;
        }
        if (!is_done(w, status, doing, &err)) {
                stands_at(w, start, doing);
                return;
        }
        const reversible reversed = from->items[--from->n];
        w->counts[redo ? 8 : 3]++;
        to->items[to->n++] = (reversible){start, now(w)};
        if (write_the_rest(w, done, &to->items[to->n - 1]) &&
                memcmp(start.bytes, reversed.after.bytes, 32) == 0)
                stands_at(w, reversed.before, doing);
}

static void undo(world *w)
{
        do
                reverse(w, &w->undo, &w->redo, "undo");
        while (draw(w, 2));
        while (draw(w, 2))
                reverse(w, &w->redo, &w->undo, "redo");
}

/* One name at the root alone, as the target has it; nothing else moves. */
static void go_back_in_part(world *w)
{
        static const char *const names[] = {"a", "b", "A", "a b", ".x"};
        const char *path = names[draw(w, 5)];
        pawl_workspace_options options = PAWL_WORKSPACE_OPTIONS_INIT;
        pawl_rollback_options clean = PAWL_ROLLBACK_OPTIONS_INIT;
        pawl_error err = PAWL_ERROR_INIT;
        uint64_t target = choose(w);
        tree_hash from = now(w);
        char which[24];

        if (!target)
                return;
        options.paths = &path;
        options.n_paths = 1;
        clean.clean = true;
        snprintf(which, sizeof which, "%lu", (unsigned long)target);
        pawl_status status =
                pawl_workspace_rollback(NULL, w->log->log, which, &clean, &options, &err);
        if (status == PAWL_ENOTFOUND)
                return; /* the name is in neither */
        if (status)
                fail_msg("in part: %s", err.message);
        learn(w);
        stands_at(w, model_in_part(&w->m, from, w->m.checkpoints[target].tree, path), "a part");
        w->counts[2]++;
        rolled_back(w, from);
}

static void prune(world *w)
{
        pawl_workspace_prune_options options = PAWL_CHECKPOINT_PRUNE_INIT;
        pawl_error err = PAWL_ERROR_INIT;
        pawl_workspace_prune_report *report;

        options.keep = 2 + (size_t)draw(w, 6);
        options.include_manual = draw(w, 2);
        if (pawl_workspace_prune(&report, w->log->log, &options, &err))
                fail_msg("prune: %s", err.message);
        w->counts[6] += (long)report->going;
        pawl_workspace_prune_free(report);
        learn(w);
}

/* Those that are valid go into an archive and from there into a log elsewhere; one of them is put
 * there into an empty directory. */
static void run_step(world *w)
{
        pawl_archive_result out, in;
        pawl_error err = PAWL_ERROR_INIT;
        void *state = NULL;
        uint64_t at[MODEL_CHECKPOINTS], n = 0;
        pawl_workspace_checkpoints *all;
        char which[24];

        assert_ok(pawl_workspace_checkpoint_list(&all, w->log->log, NULL));
        for (size_t i = 0; i < all->n; i++)
                if (all->items[i].valid && !all->items[i].safety)
                        at[n++] = i + 1;
        pawl_workspace_checkpoints_free(all);
        if (n == 0)
                return;
        assert_int_equal(event_log_setup(&state), 0);
        event_log *there = state;
        there->flags = PAWL_LOG_CREATE;
        (void)event_log_open(there);
        char *archive = path_in(there->directory, ".pawl/carried.tar.zst");
        if (pawl_workspace_export(&out, w->log->log, NULL, 0, archive, &err) ||
                pawl_workspace_import(&in, there->log, archive, NULL, &err))
                fail_msg("carrying: %s", err.message);
        assert_int_equal(out.checkpoints, n);
        assert_int_equal(in.checkpoints, n);
        assert_string_equal(in.digest, out.digest);
        const uint64_t one = draw(w, n);
        snprintf(which, sizeof which, "%lu", (unsigned long)one + 1);
        if (pawl_workspace_rollback(NULL, there->log, which, NULL, NULL, &err))
                fail_msg("rollback elsewhere: %s", err.message);
        tree_hash got = tree_on_disk(&w->m.t, there->directory);
        assert_memory_equal(got.bytes, w->m.checkpoints[at[one]].tree.bytes, 32);
        w->counts[7]++;
        assert_int_equal(event_log_teardown(&state), 0);
}

static void one_history(void **state, uint64_t seed, long steps, long counts[10])
{
        world *w = test_alloc(sizeof *w);
        w->log = *state;
        w->random = seed * 0x9e3779b97f4a7c15 + 1;
        memset(w->long_name, 'n', 255);
        w->log->flags = PAWL_LOG_CREATE;
        (void)event_log_open(w->log);
        for (long i = 0; i < steps; i++) {
                uint64_t what = draw(w, 100);
                if (what < 80)
                        change_something(w);
                else if (what < 88)
                        take(w);
                else if (what < 93)
                        go_back(w);
                else if (what < 94)
                        go_back_in_part(w);
                else if (what < 95)
                        prune(w);
                else if (what < 96)
                        run_step(w);
                else
                        undo(w);
        }
        w->counts[5] = w->m.left_alone;
        for (int i = 0; i < 9; i++)
                counts[i] += w->counts[i];
        counts[9] += w->put_beside;
        trees_free(&w->m.t);
}

static long number_in(const char *name, long otherwise)
{
        const char *value = getenv(name);

        return value ? strtol(value, NULL, 10) : otherwise;
}

UNIT_TEST(every_tree_is_as_it_was)
{
        long steps = number_in("PAWL_HISTORY_STEPS", test_full() ? 4000 : 600), counts[10] = {0};
        long seed = number_in("PAWL_HISTORY_SEED", 1), histories = test_full() ? 20 : 4;

        for (long i = 0; i < histories; i++) {
                void *log = NULL;
                print_message("seed %ld\n", seed + i);
                assert_int_equal(event_log_setup(&log), 0);
                one_history(&log, (uint64_t)(seed + i), steps, counts);
                assert_int_equal(event_log_teardown(&log), 0);
        }
        print_message(
                "%ld histories of %ld steps: %ld changes, %ld checkpoints, %ld rollbacks, %ld "
                "undone, %ld interrupted; %ld paths left alone, %ld checkpoints pruned; %ld "
                "times carried, %ld redone, %ld files put beside unwritten ones\n",
                histories, steps, counts[0], counts[1], counts[2], counts[3], counts[4], counts[5],
                counts[6], counts[7], counts[8], counts[9]);
}

int main(void)
{
        return test_run_in_memory(NULL, NULL);
}
