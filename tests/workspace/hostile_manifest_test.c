/* Needs PAWL_WITH_ARCHIVE. */
/* Archives whose texts lie, the manifest and the events: each is refused with one line, and nothing
 * is written into the log. */
#include "support/hostile_archive.h"
#include "workspace/archive/manifest.h"

/* Write @p with over the first @p what in a member's text, of the same length or not. */
static void replace(struct archive_member *m, const char *what, const char *with)
{
        char *at = memmem(m->data.data, m->data.len, what, strlen(what));
        pawl__buf out = PAWL__BUF_INIT;

        if (!at)
                fail_msg("%s is not in %s", what, m->name);
        assert_ok(pawl__buf_add(&out, m->data.data, (size_t)(at - m->data.data)));
        assert_ok(pawl__buf_adds(&out, with));
        at += strlen(what);
        assert_ok(pawl__buf_add(&out, at, m->data.len - (size_t)(at - m->data.data)));
        pawl__buf_free(&m->data);
        m->data = out;
}

static void keep(pawl__buf *copy, const struct archive_member *m)
{
        pawl__buf_clear(copy);
        assert_ok(pawl__buf_add(copy, m->data.data, m->data.len));
}

static void put_back(const pawl__buf *copy, struct archive_member *m)
{
        pawl__buf_clear(&m->data);
        assert_ok(pawl__buf_add(&m->data, copy->data, copy->len));
}

HOSTILE_TEST(a_manifest_of_many_short_values_is_not_read_into_memory)
{
        struct archive_member *m = hostile_member(f, "manifest.json");

        pawl__buf_clear(&m->data);
        assert_ok(pawl__buf_addc(&m->data, '['));
        for (int i = 0; i < 2000000; i++)
                assert_ok(pawl__buf_adds(&m->data, "0,"));
        assert_ok(pawl__buf_adds(&m->data, "0]"));
        hostile_refused(f, "manifest.json: has too many values for its size");
}

/* The largest that one checkpoint makes: it cannot be exported in parts. */
HOSTILE_TEST(the_manifest_of_a_million_files_fits)
{
        enum { FILES = 1000000 };
        pawl__object *contents = test_alloc(FILES * sizeof *contents);
        pawl__manifest manifest = {.contents = contents, .n_contents = FILES};
        pawl__buf text = PAWL__BUF_INIT;

        for (size_t i = 0; i < FILES; i++)
                contents[i].size = UINT64_C(1) << 30;
        assert_ok(pawl__manifest_write(&text, &manifest, &f->err));
        assert_in_range(text.len, FILES, PAWL__ARCHIVE_MANIFEST_MAX);
        pawl__manifest read = {.n_contents = 0};
        assert_int_equal(
                pawl__manifest_read(&read, pawl__buf_text(&text), "a", &f->err), PAWL_EFORMAT);
        assert_null(strstr(f->err.message, "too many values"));
        pawl__manifest_free(&read);
        pawl__buf_free(&text);
}

HOSTILE_TEST(a_manifest_must_be_of_its_form)
{
        static const struct {
                const char *what, *with;
                pawl_status as;
                const char *says;
        } cases[] = {
                {"{", "[", PAWL_EFORMAT, "manifest.json: "},
                {"pawl checkpoints", "pawl checkpoinz", PAWL_EFORMAT, "format is missing or not"},
                {"\"version\":1", "\"version\":0", PAWL_EFORMAT, "version is missing"},
                {"\"version\":1", "\"version\":3", PAWL_ENEWER, "is of version 3 of archives"},
                {"\"version\":1", "\"version\":\"1\"", PAWL_EFORMAT, "version is missing"},
                {"\"n\":1", "\"n\":0", PAWL_EFORMAT, "the order of checkpoints"},
                {"\"n\":1", "\"n\":2", PAWL_EFORMAT, "the order of checkpoints"},
                {"\"n\":2", "\"n\":3", PAWL_EFORMAT, "the manifest gives it another number"},
                {"\"seq\":3", "\"seq\":4", PAWL_EFORMAT,
                        "it is not the checkpoint that the manifest"},
                {"\"seq\":3", "\"seq\":2", PAWL_EFORMAT,
                        "a checkpoint of the manifest is not among"},
                {"\"n\":1", "\"n\":-1", PAWL_EFORMAT, "a checkpoint is missing or not of its form"},
                {"\"n\":1", "\"n\":1e99", PAWL_EFORMAT,
                        "a checkpoint is missing or not of its form"},
                {"\"folder\":true", "\"folder\":null", PAWL_EFORMAT, "a content is missing or not"},
                {"\"size\":3}", "\"size\":68719476737}", PAWL_ETOOBIG, "more than 64 GiB"},
                {"\"size\":3}", "\"size\":9007199254740993}", PAWL_ETOOBIG, "more than 64 GiB"},
                {"\"size\":3}", "\"size\":-3}", PAWL_EFORMAT, "a content is missing or not"},
                {"\"size\":3}", "\"size\":4}", PAWL_EFORMAT,
                        " is of another size than the manifest says"},
                {"\"digest\":\"", "\"digest\":\"00", PAWL_EFORMAT, "digest is missing or not"},
                {"\"events\":{\"first\":3", "\"events\":{\"first\":4", PAWL_EFORMAT,
                        "it is not the next"},
                {"\"events\":{\"first\":3", "\"events\":{\"first\":99", PAWL_EFORMAT,
                        "events is missing"},
                {"\"checkpoints\":[", "\"checkpoints\":[],\"x\":[", PAWL_EFORMAT,
                        "checkpoints is missing"},
                {"\"checkpoints\":[", "\"checkpoints\":1,\"x\":[", PAWL_EFORMAT,
                        "checkpoints is missing"},
                {"\"contents\":[", "\"contents\":[],\"x\":[", PAWL_EFORMAT,
                        "is a directory of a tree, and not in its manifest"},
                {"\"log\":{", "\"log\":[],\"x\":{", PAWL_EFORMAT, "log is missing"},
                {"\"version\":1", "\"version\":1,\"version\":1", PAWL_EFORMAT, "manifest.json: "},
        };
        struct archive_member *m = hostile_member(f, "manifest.json");
        pawl__buf copy = PAWL__BUF_INIT;

        keep(&copy, m);
        for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
                replace(m, cases[i].what, cases[i].with);
                hostile_put_together(f);
                hostile_refused_file(f, cases[i].as, cases[i].says);
                put_back(&copy, m);
        }
        /* every digit counts, but those of the log's first event, which is not among these events
         */
        const char *log = memmem(copy.data, copy.len, "\"log\":{\"first\":\"", 16);
        assert_non_null(log);
        const size_t from = (size_t)(log - copy.data) + 16;
        for (size_t at = 1; at < copy.len; at++) {
                if (copy.data[at] < '0' || copy.data[at] > '8' || at % 7 ||
                        (at >= from && at < from + 65))
                        continue;
                m->data.data[at]++;
                hostile_put_together(f);
                hostile_refused_file(f, at > copy.len - 4 ? PAWL_ENEWER : PAWL_EFORMAT, "");
                m->data.data[at]--;
        }
        pawl__buf_free(&copy);
}

/* The manifest names the events' text by its hash, so this is what somebody does who changes both.
 */
static void rehash_events(struct hostile *f)
{
        struct archive_member *events = hostile_member(f, "events.jsonl"),
                              *m = hostile_member(f, "manifest.json");
        unsigned char hash[32];
        char with[120], hex[65];
        pawl__hasher *hasher;
        char *at = memmem(m->data.data, m->data.len, "\"hash\":\"", 8), *from;

        for (from = at; at; at = memmem(at + 8, m->data.len - (size_t)(at + 8 - m->data.data),
                                    "\"hash\":\"", 8)) {
                char *events_at = memmem(m->data.data, m->data.len, "\"events\":", 9);
                if (at > events_at)
                        from = at;
        }
        assert_ok(pawl__hasher_new(&hasher, NULL));
        assert_ok(pawl__sha256(hasher, hash, events->data.data, events->data.len, NULL));
        pawl__hasher_free(hasher);
        pawl__hex(hex, hash, 32);
        memcpy(from + 8, hex, 64);
        char *size = memmem(from, m->data.len - (size_t)(from - m->data.data), "\"size\":", 7);
        char old[60];
        snprintf(old, sizeof old, "%.*s", (int)(strcspn(size, "}") + 1), size);
        snprintf(with, sizeof with, "\"size\":%zu}", events->data.len);
        /* the last such member is that of the events: contents come before in the alphabet */
        pawl__buf out = PAWL__BUF_INIT;
        assert_ok(pawl__buf_add(&out, m->data.data, (size_t)(size - m->data.data)));
        assert_ok(pawl__buf_adds(&out, with));
        size += strlen(old);
        assert_ok(pawl__buf_add(&out, size, m->data.len - (size_t)(size - m->data.data)));
        pawl__buf_free(&m->data);
        m->data = out;
}

HOSTILE_TEST(the_chain_must_hold)
{
        static const struct {
                const char *what, *with, *says;
        } cases[] = {
                {"\\\"then\\\"", "\\\"when\\\"", "its payload is not what its hash says"},
                {"\"step_id\":\"implement\"", "\"step_id\":\"implemenT\"",
                        "it is not what its hash says"},
                {"\"actor\":null", "\"actor\":\"user:eve\"", "it is not what its hash says"},
                {"\"seq\":4", "\"seq\":5", "it is not the next"},
                {"\"seq\":3", "\"seq\":\"3\"", "it is not of its form"},
                {"\"prev\":\"", "\"prev\":\"0", "it is not of its form"},
                {"\"time\":\"", "\"time\":\"x", "it is not of its form"},
                {"\"v\":1", "\"v\":0", "it is not of its form"},
                {"{", "", "it is not of its form"},
                {"\n", "", "it is not of its form"},
                {"\n", "\n\n", "it is not of its form"},
                {"\"type\":\"WorkspaceCheckpointed\"", "\"type\":\"CheckpointUpdated\"",
                        "it is not what its hash says"},
        };
        struct archive_member *m = hostile_member(f, "events.jsonl");
        pawl__buf copy = PAWL__BUF_INIT, manifest = PAWL__BUF_INIT;

        keep(&copy, m);
        keep(&manifest, hostile_member(f, "manifest.json"));
        for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
                replace(m, cases[i].what, cases[i].with);
                hostile_put_together(f);
                hostile_refused_file(f, PAWL_EFORMAT, "events.jsonl");
                rehash_events(f);
                hostile_refused(f, cases[i].says);
                put_back(&copy, m);
                put_back(&manifest, hostile_member(f, "manifest.json"));
        }
        /* without its last line, or the last newline */
        m->data.len--;
        rehash_events(f);
        hostile_refused(f, "its line has no end");
        put_back(&copy, m);
        put_back(&manifest, hostile_member(f, "manifest.json"));
        m->data.len =
                (size_t)((char *)memrchr(m->data.data, '\n', m->data.len - 1) + 1 - m->data.data);
        rehash_events(f);
        hostile_refused(f, "it should be the last one that the manifest names");
        pawl__buf_free(&copy);
        pawl__buf_free(&manifest);
}
