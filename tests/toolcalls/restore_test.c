/* Taking a tool call back: which names there are, what is refused, and what comes back. */
#include "support/toolcalls.h"
#include <sys/stat.h>
#include <unistd.h>

#define ONE_EDIT                                                                                   \
        "{\"history\":[1],\"messageId\":\"m\",\"calls\":[{\"callId\":\"c1\",\"name\":\"replace\"," \
        "\"args\":{\"file_path\":\"a.txt\"},\"id\":7}]}"

/* The names of a list, each followed by a space. */
static char *listed(toolcalls *t)
{
        pawl_toolcall_names *names;
        pawl__buf text = PAWL__BUF_INIT;

        if (pawl_toolcalls_list(&names, t->f->log, t->options.files, &t->err))
                fail_msg("%s", t->err.message);
        for (size_t i = 0; i < names->n; i++)
                assert_ok(pawl__buf_addf(&text, "%s ", names->items[i]));
        pawl_toolcall_names_free(names);
        return test_take(&text);
}

/* A call is checkpointed, and its edit made. */
static char *edit(toolcalls *t)
{
        toolcalls_take(t, ONE_EDIT);
        toolcalls_write(t, "a.txt", "two");
        toolcalls_write(t, "b.txt", "new");
        return test_copy(toolcalls_name(t, 0));
}

static void check_restored(toolcalls *t, const char *name)
{
        const pawl_toolcall_info *info = pawl_toolcall_told(t->call);
        char *text = toolcalls_text(t, "a.txt");

        assert_string_equal(info->name, name);
        assert_text(info->tool, "replace");
        assert_text(info->args, "{\"file_path\":\"a.txt\"}");
        assert_text(info->history, "[1]");
        assert_text(info->message_id, "m");
        assert_int_equal(info->checkpoint, 1);
        assert_int_equal(info->safety, 2);
        assert_text(info->commit_hash, info->checkpoint_id);
        assert_non_null(pawl_toolcall_plan(t->call));
        assert_string_equal(text, "one");
}

TOOLCALLS_TEST(the_files_are_as_before_the_call_and_it_is_told)
{
        char *name = edit(t), *text;
        int64_t events = event_log_count(t->f);

        if (toolcalls_restore(t, name))
                fail_msg("%s", t->err.message);
        check_restored(t, name);
        assert_int_equal(event_log_count(t->f), events + 3); /* it runs no tool */
        assert_ok(pawl_workspace_undo(NULL, t->f->log, NULL, NULL, &t->err));
        text = toolcalls_text(t, "a.txt");
        assert_string_equal(text, "two");
        /* from a file, as another program reads it */
        t->options.files = t->outside;
        pawl__buf document = PAWL__BUF_INIT;
        assert_ok(pawl__buf_addf(&document,
                "{\"commitHash\":\"%s\",\"history\":[1],\"messageId\":\"m\","
                "\"toolCall\":{\"name\":\"replace\",\"args\":{\"file_path\":"
                "\"a.txt\"},\"x\":1}}",
                pawl_toolcall_told(t->call)->checkpoint_id));
        file_write(path_in(t->outside, "mine.json"), document.data, document.len);
        if (toolcalls_restore(t, "mine.json"))
                fail_msg("%s", t->err.message);
        assert_text(pawl_toolcall_told(t->call)->tool_call,
                "{\"name\":\"replace\",\"args\":{\"file_path\":\"a.txt\"},\"x\":1}");
        text = toolcalls_text(t, "a.txt");
        assert_string_equal(text, "one");
        pawl__buf_free(&document);
}

TOOLCALLS_TEST(what_was_checkpointed_with_a_file_comes_back_from_either)
{
        t->options.files = t->outside;
        char *name = edit(t), *names = listed(t);
        t->options.files = NULL;
        char *in_log = listed(t);
        assert_string_equal(names, "2026-11-20T12-35-00-000Z-c1-replace.json ");
        assert_string_equal(in_log, names);
        if (toolcalls_restore(t, name))
                fail_msg("%s", t->err.message);
        check_restored(t, name);
        assert_ok(pawl_workspace_undo(NULL, t->f->log, NULL, NULL, &t->err));
        t->options.files = t->outside;
        if (toolcalls_restore(t, name))
                fail_msg("%s", t->err.message);
        assert_text(pawl_toolcall_told(t->call)->history, "[1]");
}

TOOLCALLS_TEST(a_list_has_regular_files_alone_in_the_order_of_their_names)
{
        static const char *const files[] = {"b.json", "a.json", "c.txt", ".d.json", "e..json",
                "f\n.json", "\xff.json", ".g.json.part"};

        for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
                char *path = path_in(t->outside, files[i]);
                file_write(path, "{}", 2);
        }
        char *link = path_in(t->outside, "link.json"),
             *directory = path_in(t->outside, "folder.json"),
             *fifo = path_in(t->outside, "fifo.json");
        assert_int_equal(symlink("a.json", link), 0);
        assert_int_equal(mkdir(directory, 0755), 0);
        assert_int_equal(mkfifo(fifo, 0600), 0);
        t->options.files = t->outside;
        char *names = listed(t);
        assert_string_equal(names, ".d.json a.json b.json ");
        t->options.files = path_in(t->outside, "missing");
        names = listed(t);
        assert_string_equal(names, "");
        t->options.files = link;
        pawl_toolcall_names *none;
        assert_int_equal(
                pawl_toolcalls_list(&none, t->f->log, t->options.files, &t->err), PAWL_EINVAL);
        assert_says(t->err.message, "is no directory");
        t->options.files = NULL;
        names = listed(t);
        assert_string_equal(names, "");
}

/* Nothing is read, and nothing changed: not a file, not the log. */
static void refuses(toolcalls *t, pawl_text name, pawl_status status, const char *says)
{
        int64_t events = event_log_count(t->f);
        pawl_toolcall *untouched = (pawl_toolcall *)t, *call = untouched;
        pawl_error err = PAWL_ERROR_INIT;

        assert_int_equal(
                pawl_toolcalls_restore(&call, t->f->log, name, t->options.files, NULL, NULL, &err),
                status);
        assert_says(err.message, says);
        assert_ptr_equal(call, untouched);
        char *text = toolcalls_text(t, "a.txt");
        assert_string_equal(text, "two");
        assert_int_equal(event_log_count(t->f), events);
}

TOOLCALLS_TEST(a_name_that_leads_elsewhere_is_refused)
{
        static const char with_nul[] = "a.json\0.json";
        char *deep = path_in(t->outside, "deep");

        edit(t);
        for (int from_files = 0; from_files < 2; from_files++) {
                t->options.files = from_files ? deep : NULL;
                refuses(t, pawl__text("../a.json"), PAWL_EINVAL, "name ../a.json: holds");
                refuses(t, pawl__text("/etc/a.json"), PAWL_EINVAL, "holds a separator");
                refuses(t, pawl__text("x\\a.json"), PAWL_EINVAL, "holds a separator");
                refuses(t, pawl__text(".."), PAWL_EINVAL, "holds \"..\"");
                refuses(t, (pawl_text){with_nul, sizeof with_nul - 1}, PAWL_EINVAL,
                        "control character");
                refuses(t, pawl__text(""), PAWL_EINVAL, "does not end in .json");
                refuses(t, pawl__text("none"), PAWL_ENOTFOUND, "");
                refuses(t, pawl__text("none.json"), PAWL_ENOTFOUND, "");
        }
}

TOOLCALLS_TEST(what_is_no_document_is_refused)
{
        static const struct {
                const char *content;
                pawl_status status;
                const char *says;
        } cases[] = {{"", PAWL_EPARSE, "x.json: line 1, column 1"},
                {"{\"toolCall\":{\"name\":7,\"args\":{}}}", PAWL_EINVAL,
                        "x.json: toolCall.name: is not text"},
                {"[]", PAWL_EINVAL, "x.json: document: is not an object"}};
        char *path = path_in(t->outside, "x.json"), *target = path_in(t->outside, "target.txt");

        edit(t);
        t->options.files = t->outside;
        for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
                file_write(path, cases[i].content, strlen(cases[i].content));
                refuses(t, pawl__text("x.json"), cases[i].status, cases[i].says);
        }
        assert_int_equal(unlink(path), 0);
        file_write(target, "{\"toolCall\":{\"name\":\"a\",\"args\":{}}}", 35);
        assert_int_equal(symlink("target.txt", path), 0);
        refuses(t, pawl__text("x.json"), PAWL_EINVAL, "is no regular file");
        assert_int_equal(unlink(path), 0);
        assert_int_equal(mkfifo(path, 0600), 0);
        refuses(t, pawl__text("x.json"), PAWL_EINVAL, "is no regular file");
        assert_int_equal(unlink(path), 0);
        assert_int_equal(mkdir(path, 0700), 0);
        refuses(t, pawl__text("x.json"), PAWL_EINVAL, "is no regular file");
        assert_int_equal(rmdir(path), 0);
        file_write(path, "", 0);
        assert_int_equal(truncate(path, (off_t)PAWL_TOOLCALL_MAX + 1), 0);
        refuses(t, pawl__text("x.json"), PAWL_ETOOBIG, "x.json: has more than 67108864 bytes");
}

/* A commit of git, the start of an id, a number, "current": none is a checkpoint by its whole id.
 */
TOOLCALLS_TEST(a_commit_that_is_no_checkpoint_of_the_log_is_refused)
{
        static const char *const hashes[] = {"", "1", "current", "cp-01", "cp-01-before-replace-c1",
                "0123456789abcdef0123456789abcdef01234567", "2"};
        char *path = path_in(t->outside, "x.json");

        edit(t);
        t->options.files = t->outside;
        for (size_t i = 0; i < sizeof hashes / sizeof hashes[0]; i++) {
                char document[200];
                int len = snprintf(document, sizeof document,
                        "{\"commitHash\":\"%s\",\"toolCall\":{\"name\":\"a\",\"args\":{}}}",
                        hashes[i]);
                file_write(path, document, (size_t)len);
                refuses(t, pawl__text("x.json"), PAWL_ENOTFOUND, "is no checkpoint of this log");
        }
}

TOOLCALLS_TEST(a_document_without_a_commit_is_told_and_touches_no_file)
{
        edit(t);
        char *path = path_in(t->outside, "x.json"), *text;
        int64_t events = event_log_count(t->f);

        file_write(path, "{\"toolCall\":{\"name\":\"a\",\"args\":{}}}", 35);
        t->options.files = t->outside;
        if (toolcalls_restore(t, "x.json"))
                fail_msg("%s", t->err.message);
        assert_text(pawl_toolcall_told(t->call)->tool, "a");
        assert_int_equal(pawl_toolcall_told(t->call)->checkpoint, 0);
        assert_int_equal(pawl_toolcall_told(t->call)->safety, 0);
        assert_null(pawl_toolcall_plan(t->call));
        text = toolcalls_text(t, "a.txt");
        assert_string_equal(text, "two");
        assert_int_equal(event_log_count(t->f), events);
}

/* After the first call of two is taken back, the second can be gone to as any checkpoint can. */
TOOLCALLS_TEST(a_call_that_was_given_up_can_be_restored)
{
        char *first = edit(t), *second = edit(t);

        toolcalls_write(t, "a.txt", "three");
        if (toolcalls_restore(t, first) || toolcalls_restore(t, second))
                fail_msg("%s", t->err.message);
        char *text = toolcalls_text(t, "a.txt");
        assert_string_equal(text, "two");
        assert_ok(pawl_workspace_undo(NULL, t->f->log, NULL, NULL, &t->err));
        text = toolcalls_text(t, "a.txt");
        assert_string_not_equal(text, "two");
}

TOOLCALLS_TEST(a_document_that_was_changed_in_the_log_is_damage)
{
        char *name = edit(t);

        event_log_sql(t->f, "UPDATE blobs SET content = CAST('{\"toolCall\":{}}' AS BLOB)");
        refuses(t, pawl__text(name), PAWL_EDAMAGED, "its content was changed");
}
