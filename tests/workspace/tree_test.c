/* The encoding of a directory: one for each directory, and nothing else is read as one. */
#include "support/allocator.h"
#include "support/test.h"
#include "workspace/store/tree.h"

#define NAME(string)                                                                               \
        {                                                                                          \
                (string), sizeof(string) - 1                                                       \
        }

static const pawl__entry all_kinds[] = {
        {.kind = PAWL__ENTRY_FILE, .name = NAME(" \n"), .mode = 04755, .size = 0},
        {.kind = PAWL__ENTRY_DIRECTORY, .name = NAME("a"), .mode = 07777, .hash = {1, 2, 3}},
        {.kind = PAWL__ENTRY_FILE,
                .name = NAME("a.c"),
                .mode = 0644,
                .size = UINT64_MAX,
                .hash = {[31] = 255}},
        {.kind = PAWL__ENTRY_LINK, .name = NAME("b"), .target = NAME("../../etc/passwd")},
        {.kind = PAWL__ENTRY_SKIPPED, .name = NAME("fifo"), .why = PAWL__SKIP_SPECIAL},
        {.kind = PAWL__ENTRY_FILE, .name = NAME("\xff\xfe"), .mode = 0},
};
enum { KINDS = sizeof all_kinds / sizeof all_kinds[0] };

static pawl__buf encoded(const pawl__entry *entries, size_t n)
{
        pawl__buf out = PAWL__BUF_INIT;

        assert_ok(pawl__tree_encode(&out, entries, n, NULL));
        return out;
}

static void same_entry(const pawl__entry *a, const pawl__entry *b)
{
        assert_int_equal(a->kind, b->kind);
        assert_true(pawl__text_eq(a->name, b->name));
        assert_int_equal(a->mode, b->mode);
        assert_true(a->size == b->size);
        assert_memory_equal(a->hash, b->hash, 32);
        assert_true(pawl__text_eq(a->target, b->target));
        assert_int_equal(a->why, b->why);
}

UNIT_TEST(what_goes_in_comes_out)
{
        pawl__tree_reader reader;
        pawl__entry entry;

        pawl__buf out = encoded(all_kinds, KINDS);
        assert_ok(pawl__tree_open(&reader, pawl__buf_text(&out), NULL));
        for (size_t i = 0; i < KINDS; i++) {
                assert_ok(pawl__tree_next(&entry, &reader, NULL));
                same_entry(&entry, &all_kinds[i]);
        }
        assert_int_equal(pawl__tree_next(&entry, &reader, NULL), PAWL_DONE);
        assert_int_equal(pawl__tree_next(&entry, &reader, NULL), PAWL_DONE);
        pawl__buf_free(&out);
}

UNIT_TEST(entry_by_entry_is_the_same)
{
        pawl__buf out = PAWL__BUF_INIT, whole = encoded(all_kinds, KINDS);

        assert_ok(pawl__tree_begin(&out, NULL));
        for (size_t i = 0; i < KINDS; i++)
                assert_ok(pawl__tree_add(&out, &all_kinds[i], NULL));
        assert_true(pawl__text_eq(pawl__buf_text(&out), pawl__buf_text(&whole)));
        pawl__buf_free(&whole);
        pawl__buf_free(&out);
}

/* The bytes themselves: logs that stand are read by them. */
UNIT_TEST(the_encoding_is_as_described)
{
        static const char wanted[] =
                "tree\1"
                "d\355\1\1d"
                "\7\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
                "f\244\1\1f"
                "\3\2\0\0\0\0\0\0"
                "\10\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
                "l\0\0\1l\2\0to"
                "x\0\0\1x\1";
        static const pawl__entry entries[] = {
                {.kind = PAWL__ENTRY_DIRECTORY, .name = NAME("d"), .mode = 0755, .hash = {7}},
                {.kind = PAWL__ENTRY_FILE,
                        .name = NAME("f"),
                        .mode = 0644,
                        .size = 515,
                        .hash = {8}},
                {.kind = PAWL__ENTRY_LINK, .name = NAME("l"), .target = NAME("to")},
                {.kind = PAWL__ENTRY_SKIPPED, .name = NAME("x"), .why = PAWL__SKIP_TOO_LARGE},
        };

        pawl__buf out = encoded(entries, 4);
        assert_int_equal(out.len, sizeof wanted - 1);
        assert_memory_equal(out.data, wanted, out.len);
        pawl__buf_free(&out);
        out = encoded(NULL, 0);
        assert_int_equal(out.len, PAWL__TREE_HEAD);
        pawl__buf_free(&out);
}

/* Read all of it: the status of the last call. */
static pawl_status read_all(pawl_text text, pawl_error *err)
{
        pawl__tree_reader reader;
        pawl__entry entry = {.kind = PAWL__ENTRY_FILE};
        pawl_status status = pawl__tree_open(&reader, text, err);

        while (status == PAWL_OK)
                status = pawl__tree_next(&entry, &reader, err);
        return status;
}

UNIT_TEST(what_is_cut_is_damaged)
{
        size_t whole = 0;

        pawl__buf out = encoded(all_kinds, KINDS);
        for (size_t len = 0; len < out.len; len++) {
                pawl_error err = PAWL_ERROR_INIT;
                char *copy = malloc(len ? len : 1);
                memcpy(copy, out.data, len);
                const pawl_status status = read_all(pawl__text_n(copy, len), &err);
                whole += status == PAWL_DONE;
                if (status != PAWL_DONE) {
                        assert_int_equal(status, PAWL_EDAMAGED);
                        assert_says(err.message, "recorded directory, byte ");
                }
                free(copy);
        }
        assert_int_equal(whole, KINDS); /* cut between two entries, it is that of a smaller one */
        pawl__buf_free(&out);
}

UNIT_TEST(no_other_value_is_read)
{
        static const struct {
                const char *what;
                pawl_text text;
                const char *says;
        } refused[] = {
                {"empty", NAME(""), "byte 0: is no record"},
                {"other head", NAME("trea\1"), "byte 0: is no record"},
                {"kind", NAME("tree\1g\0\0\1a\1"), "byte 5: is of no known kind"},
                {"empty name", NAME("tree\1x\0\0\0\1"), "byte 5: has a value"},
                {"slash", NAME("tree\1x\0\0\3a/b\1"), "byte 5: has a value"},
                {"dot", NAME("tree\1x\0\0\1.\1"), "byte 5: has a value"},
                {"dots", NAME("tree\1x\0\0\2..\1"), "byte 5: has a value"},
                {"NUL", NAME("tree\1x\0\0\3a\0b\1"), "byte 5: has a value"},
                {"why 0", NAME("tree\1x\0\0\1a\0"), "byte 5: has a value"},
                {"why 8", NAME("tree\1x\0\0\1a\10"), "byte 5: has a value"},
                {"why 11", NAME("tree\1x\0\0\1a\13"), "byte 5: has a value"},
                {".git", NAME("tree\1x\0\0\4.git\10"), "byte 5: is called .git"},
                {".pawl", NAME("tree\1x\0\0\5.pawl\1"), "byte 5: is called .git"},
                {".git", NAME("tree\1x\0\0\4.git\1"), "byte 5: is called .git"},
                {".git", NAME("tree\1d\0\0\4.git\6"), "byte 5: ends within"},
                {"mode of x", NAME("tree\1x\1\0\1a\1"), "byte 5: has a value"},
                {"mode of l", NAME("tree\1l\1\0\1a\1\0b"), "byte 5: has a value"},
                {"no target", NAME("tree\1l\0\0\1a\0\0"), "byte 5: has a value"},
                {"NUL in target", NAME("tree\1l\0\0\1a\2\0b\0"), "byte 5: has a value"},
                {"mode",
                        NAME("tree\1d\0\20\1a\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
                             "\0\0\0"),
                        "byte 5: has a value"},
                {"order", NAME("tree\1x\0\0\1b\1x\0\0\1a\1"), "byte 11: is not in the order"},
                {"twice", NAME("tree\1x\0\0\1b\1x\0\0\1b\1"), "byte 11: is not in the order"},
                {"more", NAME("tree\1x\0\0\1b\1x"), "byte 11: ends within"},
        };

        for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
                pawl_error err = PAWL_ERROR_INIT;
                const pawl_status status = read_all(refused[i].text, &err);
                if (status != PAWL_EDAMAGED)
                        fail_msg("%s: %d", refused[i].what, status);
                assert_int_equal(err.status, PAWL_EDAMAGED);
                assert_says(err.message, refused[i].says);
                assert_says(err.message, "; put back a copy of the log");
        }
}

UNIT_TEST(a_refused_entry_stays_refused)
{
        pawl__tree_reader reader;
        pawl__entry entry = all_kinds[2];

        assert_ok(pawl__tree_open(&reader, (pawl_text)NAME("tree\1x\0\0\1b\1z"), NULL));
        assert_ok(pawl__tree_next(&entry, &reader, NULL));
        entry = all_kinds[2];
        for (int i = 0; i < 2; i++) {
                assert_int_equal(pawl__tree_next(&entry, &reader, NULL), PAWL_EDAMAGED);
                same_entry(&entry, &all_kinds[2]);
        }
}

UNIT_TEST(a_later_version_and_too_much_are_named)
{
        pawl__tree_reader reader;
        pawl_error err = PAWL_ERROR_INIT;

        assert_int_equal(pawl__tree_open(&reader, (pawl_text)NAME("tree\2"), &err), PAWL_ENEWER);
        assert_says(err.message, "version 2");
        assert_int_equal(pawl__tree_open(&reader, (pawl_text){"tree\1", PAWL__TREE_MAX + 1}, &err),
                PAWL_ETOOBIG);
        assert_says(err.message, "67108865 bytes");
}

UNIT_TEST(names_are_any_bytes_but_few)
{
        char name[256];

        memset(name, 'n', sizeof name);
        assert_true(pawl__tree_name_valid(pawl__text_n(name, 255)));
        assert_false(pawl__tree_name_valid(pawl__text_n(name, 256)));
        assert_false(pawl__tree_name_valid(pawl__text_n(name, 0)));
        assert_true(pawl__tree_name_valid(pawl__text("...")));
        assert_true(pawl__tree_name_valid(pawl__text("..a")));
        assert_true(pawl__tree_name_valid(pawl__text("\x01\xff\n \\")));
        assert_false(pawl__tree_name_valid(pawl__text("..")));
        assert_false(pawl__tree_name_valid(pawl__text("/")));
        assert_true(pawl__tree_name_valid(pawl__text(".gitignore")));
        assert_true(pawl__tree_name_valid(pawl__text(".pawlignore")));
}

/* A tree that somebody else made, to change by it what git or pawl runs. */
UNIT_TEST(names_that_no_scan_takes_are_in_no_tree)
{
        static const struct {
                const char *made, *told;
        } names[] = {{"xgit", ".git"}, {"xpawl", ".pawl"}, {"xpawl-tmp-1", ".pawl-tmp-1"}};

        for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
                const pawl__entry entry = {
                        .kind = PAWL__ENTRY_FILE, .mode = 0755, .name = pawl__text(names[i].made)};
                pawl__buf out = PAWL__BUF_INIT;
                pawl__tree_reader reader;
                pawl__entry found;
                pawl_error err = PAWL_ERROR_INIT;
                assert_ok(pawl__tree_encode(&out, &entry, 1, &err));
                memcpy(memmem(out.data, out.len, names[i].made, strlen(names[i].made)),
                        names[i].told, strlen(names[i].told));
                assert_ok(pawl__tree_open(&reader, pawl__buf_text(&out), &err));
                assert_int_equal(pawl__tree_next(&found, &reader, &err), PAWL_EDAMAGED);
                assert_says(err.message, "which nobody records");
                pawl__buf_free(&out);
        }
}

UNIT_TEST(a_reason_has_a_name)
{
        assert_string_equal(pawl__skip_name(PAWL__SKIP_TOO_LARGE), "too large");
        assert_string_equal(pawl__skip_name(PAWL__SKIP_CHANGING), "changing");
        assert_null(pawl__skip_name((pawl__skip)0));
        assert_string_equal(pawl__skip_name(PAWL__SKIP_BUDGET), "time budget");
        assert_string_equal(pawl__skip_name(PAWL__SKIP_RESERVED), "reserved name");
        assert_string_equal(pawl__skip_name(PAWL__SKIP_FORK), "fork");
        assert_string_equal(pawl__skip_name(PAWL__SKIP_WORKTREE), "work tree");
        assert_null(pawl__skip_name((pawl__skip)11));
}

/* A directory whose encoding nobody could hold is refused before memory is asked for. */
UNIT_TEST(a_directory_too_large_is_refused)
{
        enum { ENTRIES = 17000 };
        char *target = test_alloc(PAWL__TREE_TARGET_MAX);
        pawl__entry *entries = test_alloc(ENTRIES * sizeof *entries);
        char(*names)[8] = test_alloc(ENTRIES * sizeof *names);
        pawl__buf out = PAWL__BUF_INIT;
        pawl_error err = PAWL_ERROR_INIT;

        memset(target, 't', PAWL__TREE_TARGET_MAX);
        for (int i = 0; i < ENTRIES; i++) {
                snprintf(names[i], sizeof names[i], "%05d", i);
                entries[i] = (pawl__entry){.kind = PAWL__ENTRY_LINK,
                        .name = pawl__text(names[i]),
                        .target = {target, PAWL__TREE_TARGET_MAX}};
        }
        assert_int_equal(pawl__tree_encode(&out, entries, ENTRIES, &err), PAWL_ETOOBIG);
        assert_says(err.message, "too many entries");
        assert_null(out.data);
}

UNIT_TEST(without_memory_nothing_is_added)
{
        pawl__buf out = PAWL__BUF_INIT;
        pawl_error err = PAWL_ERROR_INIT;

        if (!allocator_works())
                skip();
        allocator_fail_at(1);
        assert_int_equal(pawl__tree_encode(&out, all_kinds, KINDS, &err), PAWL_ENOMEM);
        allocator_fail_at(0);
        assert_int_equal(err.status, PAWL_ENOMEM);
        assert_null(out.data);
}
