/* YAML and JSON files as one tree with lines. */
#include "base/digest.h"
#include "support/document.h"
#include <sys/stat.h>
#include <unistd.h>

/* ---- Lines ---------------------------------------------------------------------------------- */

static uint32_t line_of(const pawl__document *document, const char *pointer)
{
        pawl__node node = pawl__json_pointer(&document->tree, pawl__text(pointer));

        assert_true(node != PAWL__NO_NODE);
        return pawl__document_line(document, node);
}

UNIT_TEST(each_value_knows_its_line)
{
        static const char yaml[] = "# first\n"
                                   "a: &x\n"
                                   "  b:\n"
                                   "    - one\n"
                                   "    - |\n"
                                   "      two\n"
                                   "      lines\n"
                                   "    - three\n"
                                   "c: *x\n"
                                   "d: {e: 1,\n"
                                   "    f: 2}\n";
        static const char json[] = "{\n\n\"a\": [1,\n2, {\"b\":\n \"x\\ny\"}],\r\n\"c\":null}\n";
        pawl__document document = document_parsed("a.yaml", yaml, sizeof yaml - 1);

        assert_int_equal(line_of(&document, "/a/b"), 4);
        assert_int_equal(line_of(&document, "/a/b/0"), 4);
        assert_int_equal(line_of(&document, "/a/b/1"), 5);
        assert_int_equal(line_of(&document, "/a/b/2"), 8);
        assert_int_equal(line_of(&document, "/c/b/2"), 8);
        assert_int_equal(line_of(&document, "/d"), 10);
        assert_int_equal(line_of(&document, "/d/f"), 11);
        pawl__document_free(&document);
        document = document_parsed("a.json", json, sizeof json - 1);
        assert_int_equal(line_of(&document, ""), 1);
        assert_int_equal(line_of(&document, "/a"), 3);
        assert_int_equal(line_of(&document, "/a/1"), 4);
        assert_int_equal(line_of(&document, "/a/2/b"), 5);
        assert_int_equal(line_of(&document, "/c"), 6);
        pawl__document_free(&document);
}

static uint32_t key_line_of(const pawl__document *document, const char *pointer)
{
        return pawl__document_key_line(
                document, pawl__json_pointer(&document->tree, pawl__text(pointer)));
}

UNIT_TEST(each_member_knows_the_line_of_its_name)
{
        static const char yaml[] = "a: &x\n"
                                   "  b:\n"
                                   "\n"
                                   "    - one\n"
                                   "c: *x\n"
                                   "d: {e:\n"
                                   "    1}\n";
        static const char json[] = "{\n\"a\"\n:\r\n[1,{\"b\":\n\n2}],\n\"c\":null}\n";
        pawl__document document = document_parsed("a.yaml", yaml, sizeof yaml - 1);

        assert_int_equal(key_line_of(&document, "/a"), 1);
        assert_int_equal(key_line_of(&document, "/a/b"), 2);
        assert_int_equal(line_of(&document, "/a/b"), 4);
        assert_int_equal(key_line_of(&document, "/c"), 5);
        assert_int_equal(key_line_of(&document, "/c/b"), 2);
        assert_int_equal(key_line_of(&document, "/d/e"), 6);
        assert_int_equal(line_of(&document, "/d/e"), 7);
        pawl__document_free(&document);
        document = document_parsed("a.json", json, sizeof json - 1);
        assert_int_equal(key_line_of(&document, "/a"), 2);
        assert_int_equal(line_of(&document, "/a"), 4);
        assert_int_equal(key_line_of(&document, "/a/1/b"), 4);
        assert_int_equal(key_line_of(&document, "/c"), 7);
        pawl__document_free(&document);
}

UNIT_TEST(a_failure_at_a_node_names_path_and_line)
{
        pawl__document document = document_parsed("dir/a.yaml", "a:\n  b: 1\n", 10);
        pawl_error err = PAWL_ERROR_INIT;

        pawl__node b = pawl__json_pointer(&document.tree, pawl__text("/a/b"));
        assert_int_equal(pawl__document_fail(&document, b, &err, "b: is %d", 1), PAWL_EPARSE);
        assert_string_equal(err.message, "dir/a.yaml: line 2: b: is 1");
        assert_int_equal(err.status, PAWL_EPARSE);
        assert_int_equal(pawl__document_fail(&document, b, NULL, "x"), PAWL_EPARSE);
        pawl__document_free(&document);
}

/* ---- JSON and files ------------------------------------------------------------------------- */

UNIT_TEST(json_goes_through_the_strict_reader)
{
        static const char good[] = " {\"a\": [1e2, \"\\u0000\"]} ";
        pawl__document document = document_parsed("a.json", good, sizeof good - 1);

        assert_text(pawl__buf_text(&document.json), good);
        pawl__document_free(&document);
        document_refused("a.json", "a: 1", 4, PAWL_EPARSE, "a.json: line 1, column 1: ");
        document_refused("a.json", "{\"a\":01}", 8, PAWL_EPARSE, "a.json: line 1, column ");
        document_refused("a.json", "{\"a\":1,\n\"a\":2}", 14, PAWL_EPARSE, "line 2, column 1: ");
        document_refused("a.json", "", 0, PAWL_EPARSE, "a.json: line 1, column 1: ");
        document_refused("a.json", "\"\xff\"", 3, PAWL_EPARSE, "a.json: line 1, column 2: ");
        document_refused("a.json", "[1e400]", 7, PAWL_EPARSE, "a.json: line 1, column 2: ");
}

static int files_setup(void **state)
{
        *state = directory_make();
        return 0;
}

#define F(name) UNIT_TEST_OF(name, files_setup, NULL, NULL)

static void check_unreadable(const char *path, pawl_status status, const char *message)
{
        pawl__document document;
        pawl_error err = PAWL_ERROR_INIT;

        memset(&document, 0x5a, sizeof document);
        pawl__document before = document;
        assert_int_equal(pawl__document_load(&document, path, &err), status);
        assert_int_equal(err.status, status);
        assert_memory_equal(err.message, path, strlen(path));
        assert_says(err.message, message);
        assert_memory_equal(&document, &before, sizeof document);
}

F(a_file_is_loaded_with_its_hash)
{
        char *path = path_in(*state, "a.yaml"), hex[65];
        pawl__document document;
        pawl_error err = PAWL_ERROR_INIT;

        file_write(path, "abc", 3);
        assert_ok(pawl__document_load(&document, path, &err));
        pawl__hex(hex, document.hash, 32);
        assert_string_equal(
                hex, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        assert_string_equal(document.path, path);
        assert_text(pawl__buf_text(&document.json), "\"abc\"");
        pawl__document_free(&document);
        file_write(path, "", 0);
        assert_ok(pawl__document_load(&document, path, &err));
        assert_text(pawl__buf_text(&document.json), "null");
        pawl__document_free(&document);
}

F(what_is_no_regular_file_is_refused_without_waiting)
{
        char *directory = *state, *fifo = path_in(directory, "fifo.yaml");
        char *missing = path_in(directory, "missing.yaml"),
             *below = path_in(directory, "plain/x.yaml");
        char *plain = path_in(directory, "plain"), *loop = path_in(directory, "loop");

        assert_int_equal(mkfifo(fifo, 0600), 0);
        file_write(plain, "x", 1);
        assert_int_equal(symlink("loop", loop), 0);
        check_unreadable(directory, PAWL_EIO, ": is a directory; name a regular file");
        check_unreadable(fifo, PAWL_EIO, ": is not a regular file; name a regular file");
        check_unreadable("/dev/null", PAWL_EIO, ": is not a regular file");
        check_unreadable(missing, PAWL_ENOTFOUND, ": there is no such file; check the path");
        check_unreadable(below, PAWL_ENOTFOUND, ": there is no such file");
        check_unreadable(loop, PAWL_EIO, ": cannot be read: ");
        check_unreadable("", PAWL_ENOTFOUND, ": there is no such file");
}

F(a_file_that_may_not_be_read_is_an_access_failure)
{
        char *path = path_in(*state, "a.yaml");

        file_write(path, "a: 1", 4);
        assert_int_equal(chmod(path, 0), 0);
        if (geteuid() == 0) { /* root reads everything: be somebody else for a moment */
                assert_int_equal(chmod(*state, 0755), 0);
                assert_int_equal(seteuid(65534), 0);
        }
        check_unreadable(path, PAWL_EACCESS, ": may not be read; give yourself permission");
        if (getuid() == 0)
                assert_int_equal(seteuid(0), 0);
}

F(a_file_beyond_64_mib_is_refused_unread)
{
        char *path = path_in(*state, "big.yaml");
        pawl_error err = PAWL_ERROR_INIT;
        pawl__document document;

        file_write(path, "", 0);
        assert_int_equal(truncate(path, 100 << 20), 0);
        check_unreadable(path, PAWL_ETOOBIG, ": is larger than 64 MiB; split it");
        assert_int_equal(truncate(path, (off_t)1 << 40), 0);
        check_unreadable(path, PAWL_ETOOBIG, ": is larger than 64 MiB");
        assert_int_equal(pawl__document_parse(&document, path, "x", PAWL__DOCUMENT_MAX + 1, &err),
                PAWL_ETOOBIG);
}
