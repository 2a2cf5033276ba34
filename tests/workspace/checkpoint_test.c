/* Needs PAWL_WITH_GIT. */
/* Checkpoints of the workspace by the public calls: taken, listed, found, compared, kept. */
#include "support/event_log.h"
#include "support/sweep.h"
#include <pawl/workspace.h>
#include <sys/stat.h>

typedef struct fixture {
        event_log *f;
        pawl_workspace_options options;
        pawl_workspace_checkpoint_request request;
        pawl_error err;
        pawl_workspace_capture *capture;
} fixture;

static int set_up(void **state)
{
        fixture *t = test_alloc(sizeof *t);
        assert_int_equal(event_log_setup(state), 0);
        t->f = *state;
        t->f->flags = PAWL_LOG_CREATE;
        event_log_open(t->f);
        t->options = (pawl_workspace_options)PAWL_WORKSPACE_OPTIONS_INIT;
        t->request = (pawl_workspace_checkpoint_request)PAWL_CHECKPOINT_REQUEST_INIT;
        *state = t;
        return 0;
}

static int tear_down(void **state)
{
        fixture *t = *state;

        pawl_workspace_capture_free(t->capture);
        *state = t->f;
        return event_log_teardown(state);
}

#define CHECKPOINT_TEST(name) UNIT_TEST_WITH(name, fixture *t, set_up, tear_down)

static void write_text(fixture *t, const char *name, const char *text)
{
        char *path = path_in(t->f->directory, name);

        file_write(path, text, strlen(text));
}

static pawl_status take(fixture *t)
{
        pawl_workspace_capture_free(t->capture);
        t->capture = NULL;
        return pawl_workspace_checkpoint(&t->capture, t->f->log, &t->request, &t->options, &t->err);
}

static const pawl_workspace_checkpoint_info *taken(fixture *t)
{
        if (take(t))
                fail_msg("%s", t->err.message);
        return &t->capture->info;
}

CHECKPOINT_TEST(one_is_taken_and_told)
{
        write_text(t, "a.txt", "one\n");
        t->request.description = "The first";
        t->request.mission_id = "m";
        t->request.step_id = "draft it";
        const pawl_workspace_checkpoint_info *info = taken(t);
        assert_int_equal(info->n, 1);
        assert_int_equal(info->files, 1);
        assert_int_equal(info->bytes, 4);
        assert_true(info->valid && info->current && !info->safety && !info->pinned);
        assert_text(info->trigger, "manual");
        assert_text(info->description, "The first");
        assert_text(info->root, ".");
        assert_int_equal(strncmp(info->id.data, "cp-01-draft-it-", 15), 0);
        assert_int_equal(t->capture->counts.captured, 1);
        assert_int_equal(t->capture->n_missed, 0);
}

CHECKPOINT_TEST(nothing_is_written_where_nothing_changed)
{
        const char outputs[] = "{\"a\": 1.0}", same[] = "{\"a\":1}", other[] = "{\"a\":2}";

        write_text(t, "a.txt", "one\n");
        t->request.outputs = pawl__text(outputs);
        taken(t);
        const int64_t events = event_log_count(t->f);
        t->request.only_if_changed = true;
        t->request.outputs = pawl__text(same);
        assert_int_equal(take(t), PAWL_DONE);
        assert_int_equal(t->capture->info.n, 1);
        assert_int_equal(event_log_count(t->f), events);
        t->request.outputs = pawl__text(other);
        assert_int_equal(taken(t)->n, 2);
        write_text(t, "b.txt", "two\n");
        assert_int_equal(taken(t)->n, 3);
}

CHECKPOINT_TEST(what_is_not_of_its_form_is_refused_and_writes_nothing)
{
        t->request.state = pawl__text("{\"a\":1,\"a\":2}");
        assert_int_equal(take(t), PAWL_EPARSE);
        assert_says(t->err.message, "state: ");
        t->request.state = (pawl_text){NULL, 0};
        t->request.description = "\xff";
        assert_int_equal(take(t), PAWL_EINVAL);
        assert_says(t->err.message, "description: is not UTF-8");
        t->request.description = NULL;
        t->request.run_id = "a/b";
        assert_int_equal(take(t), PAWL_EINVAL);
        assert_says(t->err.message, "run id");
        t->request.run_id = NULL;
        t->request.version = 9;
        assert_int_equal(take(t), PAWL_EINVAL);
        t->request.version = PAWL_CHECKPOINT_REQUEST_VERSION;
        t->options.version = 9;
        assert_int_equal(take(t), PAWL_EINVAL);
        t->options.version = PAWL_WORKSPACE_OPTIONS_VERSION;
        t->options.root = "/nowhere at all";
        assert_int_equal(take(t), PAWL_ENOTFOUND);
        t->options.root = NULL;
        t->options.home = t->f->directory;
        assert_int_equal(take(t), PAWL_EINVAL);
        assert_says(t->err.message, "or force this one");
        assert_int_equal(event_log_count(t->f), 0);
        t->options.force_root = true;
        taken(t);
        t->options.root = "/tmp";
        assert_int_equal(take(t), PAWL_EINVAL);
        assert_says(t->err.message, "another root, .;");
        assert_int_equal(event_log_count(t->f), 1);
}

CHECKPOINT_TEST(the_rules_of_the_newest_hold_until_others_are_given)
{
        static const char *const patterns[] = {"*.log"};

        write_text(t, "a.txt", "one\n");
        write_text(t, "a.log", "noise\n");
        write_text(t, "large", "0123456789");
        t->options.exclude = patterns;
        t->options.n_exclude = 1;
        t->options.max_file = 8;
        assert_int_equal(taken(t)->files, 1);
        t->options.exclude = NULL;
        t->options.max_file = 0;
        assert_int_equal(taken(t)->files, 1);
        assert_string_equal(t->capture->missed[0].why, "too large");
        assert_text(t->capture->missed[0].path, "large");
        t->options.exclude = patterns;
        t->options.n_exclude = 0;
        t->options.max_file = 100;
        assert_int_equal(taken(t)->files, 3);
}

static const pawl_workspace_checkpoint_info *find(
        fixture *t, pawl_workspace_checkpoints **list, const char *which)
{
        if (pawl_workspace_checkpoint_find(list, t->f->log, which, &t->err))
                fail_msg("%s", t->err.message);
        return &(*list)->items[0];
}

CHECKPOINT_TEST(they_are_found_by_number_id_and_current)
{
        pawl_workspace_checkpoints *list;
        char id[100];

        assert_ok(pawl_workspace_checkpoint_list(&list, t->f->log, &t->err));
        assert_int_equal(list->n, 0);
        pawl_workspace_checkpoints_free(list);
        assert_int_equal(pawl_workspace_checkpoint_find(&list, t->f->log, "current", &t->err),
                PAWL_ENOTFOUND);
        t->request.description = "one";
        taken(t);
        t->request.description = "two";
        taken(t);
        snprintf(id, sizeof id, "%.*s", (int)t->capture->info.id.len, t->capture->info.id.data);
        assert_int_equal(find(t, &list, "current")->n, 2);
        pawl_workspace_checkpoints_free(list);
        assert_int_equal(find(t, &list, "1")->n, 1);
        pawl_workspace_checkpoints_free(list);
        assert_int_equal(find(t, &list, id)->n, 2);
        pawl_workspace_checkpoints_free(list);
        assert_int_equal(find(t, &list, "cp-02-t")->n, 2);
        pawl_workspace_checkpoints_free(list);
        assert_int_equal(
                pawl_workspace_checkpoint_find(&list, t->f->log, "cp-0", &t->err), PAWL_EINVAL);
        assert_says(t->err.message, "is the start of cp-01-one");
        assert_int_equal(
                pawl_workspace_checkpoint_find(&list, t->f->log, "cp-03", &t->err), PAWL_ENOTFOUND);
        assert_int_equal(
                pawl_workspace_checkpoint_find(&list, t->f->log, "99999999999999999999", &t->err),
                PAWL_ENOTFOUND);
        assert_ok(pawl_workspace_checkpoint_list(&list, t->f->log, &t->err));
        assert_int_equal(list->n, 2);
        assert_false(list->items[0].current);
        assert_true(list->items[1].current);
        pawl_workspace_checkpoints_free(list);
        assert_ok(pawl_workspace_checkpoint_pin(t->f->log, "1", true, NULL, &t->err));
        assert_true(find(t, &list, "1")->pinned);
        pawl_workspace_checkpoints_free(list);
        const int64_t events = event_log_count(t->f);
        assert_ok(pawl_workspace_checkpoint_pin(t->f->log, "1", true, NULL, &t->err));
        assert_int_equal(event_log_count(t->f), events);
}

static pawl_status gather(const char *data, size_t len, void *user)
{
        return pawl__buf_add(user, data, len);
}

CHECKPOINT_TEST(two_of_them_are_compared)
{
        pawl_comparison *c;
        pawl__buf patch = PAWL__BUF_INIT;

        write_text(t, "a.txt", "one\n");
        write_text(t, "b.txt", "two\n");
        t->request.state = pawl__text("{\"x\":1}");
        taken(t);
        write_text(t, "a.txt", "one\nmore\n");
        t->request.state = pawl__text("{\"x\":2}");
        taken(t);
        assert_ok(pawl_workspace_compare(&c, t->f->log, "1", "2", NULL, gather, &patch, &t->err));
        assert_int_equal(c->a->n, 1);
        assert_int_equal(c->b->n, 2);
        assert_int_equal(c->n_files, 1);
        assert_text(c->files[0].path, "a.txt");
        assert_int_equal(c->files[0].lines_added, 1);
        assert_int_equal(c->n_members, 1);
        assert_text(c->members[0].path, "state.x");
        assert_null(c->git);
        assert_says(patch.data, "+more\n");
        pawl_comparison_free(c);
        pawl__buf_free(&patch);
        write_text(t, "b.txt", "");
        assert_ok(pawl_workspace_compare(&c, t->f->log, "2", NULL, NULL, NULL, NULL, &t->err));
        assert_null(c->b);
        assert_int_equal(c->n_files, 1);
        assert_int_equal(c->files[0].lines_removed, 1);
        assert_int_equal(c->n_members, 0);
        pawl_comparison_free(c);
}

/* ---- Without memory -------------------------------------------------------------------------- */

typedef pawl_status sweep_fn(fixture *t);

static pawl_status sweep_take(fixture *t)
{
        pawl_workspace_capture *capture = NULL;
        pawl_status status =
                pawl_workspace_checkpoint(&capture, t->f->log, &t->request, &t->options, &t->err);

        pawl_workspace_capture_free(capture);
        return status;
}

static pawl_status sweep_list(fixture *t)
{
        pawl_workspace_checkpoints *list = NULL;
        pawl_status status = pawl_workspace_checkpoint_list(&list, t->f->log, &t->err);

        pawl_workspace_checkpoints_free(list);
        return status;
}

static pawl_status sweep_find(fixture *t)
{
        pawl_workspace_checkpoints *list = NULL;
        pawl_status status = pawl_workspace_checkpoint_find(&list, t->f->log, "cp-01", &t->err);

        pawl_workspace_checkpoints_free(list);
        return status;
}

static pawl_status sweep_document(fixture *t)
{
        char *json = NULL;
        size_t len;
        pawl_status status =
                pawl_workspace_checkpoint_document(&json, &len, t->f->log, "1", "state", &t->err);

        pawl_free(json);
        return status;
}

static pawl_status sweep_subject(fixture *t)
{
        char *subject = NULL;
        size_t len = 0;
        pawl_status status =
                pawl_workspace_checkpoint_subject(&subject, &len, t->f->log, "1", &t->err);

        pawl_free(subject);
        return status == PAWL_ENOTFOUND ? PAWL_OK : status; /* it is in no repository */
}

static pawl_status sweep_missed(fixture *t)
{
        pawl_missed *missed = NULL;
        pawl_status status = pawl_workspace_checkpoint_missed(&missed, t->f->log, "1", &t->err);

        if (!status) {
                assert_text(missed->items[0].path, "none/.git");
                assert_int_equal(missed->n, 1);
        }
        pawl_missed_free(missed);
        return status;
}

static pawl_status sweep_compare(fixture *t)
{
        pawl_comparison *c = NULL;
        pawl_status status =
                pawl_workspace_compare(&c, t->f->log, "1", NULL, &t->options, NULL, NULL, &t->err);

        pawl_comparison_free(c);
        return status;
}

static pawl_status sweep_pin(fixture *t)
{
        return pawl_workspace_checkpoint_pin(t->f->log, "1", true, "user:ana", &t->err);
}

CHECKPOINT_TEST(without_memory_each_fails_whole_and_leaks_nothing)
{
        static const struct {
                sweep_fn *call;
                bool appends;
        } calls[] = {{sweep_take, true}, {sweep_list, false}, {sweep_find, false},
                {sweep_document, false}, {sweep_missed, false}, {sweep_subject, false},
                {sweep_compare, false}, {sweep_pin, true}};

        write_text(t, "a.txt", "one\n");
        assert_int_equal(mkdir(path_in(t->f->directory, "none"), 0755), 0);
        write_text(t, "none/.git", "");
        t->request.state = pawl__text("{\"x\":1}");
        taken(t);
        write_text(t, "new.txt", "new\n");
        allocator_leave_git_alone();
        for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
                const int64_t events = event_log_count(t->f);
                for (sweep s = {.once = calls[i].appends, .keeps = true}; sweep_next(&s);) {
                        sweep_arm(&s);
                        const bool ok = sweep_done(&s, calls[i].call(t), &t->err);
                        assert_int_equal(event_log_count(t->f), events + (ok && calls[i].appends));
                }
        }
}
