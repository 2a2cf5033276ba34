/* Archives that lie: each is refused with one line, and nothing is written into the log. */
#include "base/json_tree.h"
#include "support/checkpoints.h"
#include "workspace/archive_check.h"
#include "workspace/archive_library.h"
#include <pawl/workspace.h>

/* ---- An archive taken apart, and put together in another way --------------------------------- */

enum { MEMBERS = 40 };

struct member {
        char name[200];
        const char *link, *hard; /* targets */
        unsigned type;
        pawl__buf data;
        int64_t size; /* of the header; -1: as it is */
};

struct fixture {
        event_log *here, *there;
        trees trees;
        char *archive;
        pawl_error err;
        const pawl__archive_library *lib;
        struct member members[MEMBERS];
        size_t n;
        bool gzip; /* in place of zstd */
};

static struct member *member(struct fixture *f, const char *name)
{
        for (size_t i = 0; i < f->n; i++) {
                if (strncmp(f->members[i].name, name, strlen(name)) == 0)
                        return &f->members[i];
        }
        fail_msg("no member %s", name);
        return NULL;
}

/* The last member that is a content: a file of one byte at least. */
static struct member *a_file(struct fixture *f)
{
        for (size_t i = f->n; i-- > 0;) {
                if (f->members[i].data.len > 0)
                        return &f->members[i];
        }
        return NULL;
}

static void take_apart(struct fixture *f)
{
        struct archive *a = f->lib->archive_read_new();
        struct archive_entry *entry;
        char piece[4096];

        assert_int_equal(f->lib->archive_read_support_filter_zstd(a), ARCHIVE_OK);
        assert_int_equal(f->lib->archive_read_support_format_tar(a), ARCHIVE_OK);
        size_t len;
        char *bytes = file_read(f->archive, &len);
        assert_int_equal(f->lib->archive_read_open_memory(a, bytes, len), ARCHIVE_OK);
        while (f->lib->archive_read_next_header(a, &entry) == ARCHIVE_OK) {
                struct member *m = &f->members[f->n++];
                assert_true(f->n < MEMBERS - 4);
                snprintf(m->name, sizeof m->name, "%s", f->lib->archive_entry_pathname(entry));
                m->type = AE_IFREG;
                m->size = -1;
                for (la_ssize_t n; (n = f->lib->archive_read_data(a, piece, sizeof piece)) > 0;)
                        assert_int_equal(pawl__buf_add(&m->data, piece, (size_t)n), PAWL_OK);
        }
        f->lib->archive_read_free(a);
        free(bytes);
}

/* A tar by hand, so that it may say anything. */
static void add_tar(pawl__buf *tar, const struct member *m)
{
        char header[512] = "";
        unsigned sum = 0;
        const uint64_t size = m->size >= 0 ? (uint64_t)m->size : m->data.len;

        snprintf(header, 100, "%s", m->name);
        snprintf(header + 100, 8, "%07o", 0600u);
        snprintf(header + 108, 8, "%07o", 0u);
        snprintf(header + 116, 8, "%07o", 0u);
        snprintf(header + 124, 12, "%011llo", (unsigned long long)size & 077777777777);
        snprintf(header + 136, 12, "%011o", 0u);
        header[156] = m->hard               ? '1'
                      : m->link             ? '2'
                      : m->type == AE_IFDIR ? '5'
                      : m->type == AE_IFIFO ? '6'
                                            : '0';
        if (m->hard || m->link)
                snprintf(header + 157, 100, "%s", m->hard ? m->hard : m->link);
        memcpy(header + 257, "ustar\00000", 8);
        memset(header + 148, ' ', 8);
        for (int i = 0; i < 512; i++)
                sum += (unsigned char)header[i];
        snprintf(header + 148, 8, "%06o", sum);
        assert_int_equal(pawl__buf_add(tar, header, 512), PAWL_OK);
        assert_int_equal(
                pawl__buf_add(tar, m->data.data ? m->data.data : "", m->data.len), PAWL_OK);
        while (tar->len % 512)
                assert_int_equal(pawl__buf_addc(tar, '\0'), PAWL_OK);
}

static void put_together(struct fixture *f)
{
        pawl__buf tar = PAWL__BUF_INIT, command = PAWL__BUF_INIT;
        char zeros[1024] = "";

        for (size_t i = 0; i < f->n; i++)
                add_tar(&tar, &f->members[i]);
        assert_int_equal(pawl__buf_add(&tar, zeros, sizeof zeros), PAWL_OK);
        char *plain = path_in(f->here->folder, "plain.tar");
        file_write(plain, tar.data, tar.len);
        assert_int_equal(pawl__buf_addf(&command, "%s <'%s' >'%s'",
                                 f->gzip ? "gzip -c" : "zstd -q -c", plain, f->archive),
                PAWL_OK);
        assert_int_equal(system(command.data), 0);
        free(plain);
        pawl__buf_free(&tar);
        pawl__buf_free(&command);
}

static int setup(void **state)
{
        struct fixture *f = calloc(1, sizeof *f);
        pawl_archive_result result;
        void *log = NULL;

        assert_int_equal(event_log_setup(&log), 0);
        f->here = log;
        assert_int_equal(event_log_setup(&log), 0);
        f->there = log;
        f->here->flags = f->there->flags = PAWL_LOG_CREATE;
        event_log_open(f->here);
        event_log_open(f->there);
        f->archive = path_in(f->here->folder, "a.tar.zst");
        event_log_fill(f->here, 2);
        event_log_fill(f->there, 1);
        const tree_hash first = tree_of(&f->trees, "f 644 a=one", "d 700 sub", "f 600 sub/b=inner",
                "l sub/link=../a", NULL);
        checkpoint_put(f->here->log, &f->trees, first, "{\"a\":1}", NULL);
        event_log_fill(f->here, 1);
        const tree_hash second = tree_of(&f->trees, "f 644 a=one", "f 644 c=two", NULL);
        checkpoint_put(f->here->log, &f->trees, second, "{\"a\":1}", "[2]");
        assert_int_equal(pawl_workspace_export(&result, f->here->log, NULL, 0, f->archive, &f->err),
                PAWL_OK);
        assert_int_equal(pawl__archive_load(&f->lib, &f->err), PAWL_OK);
        take_apart(f);
        *state = f;
        return 0;
}

static int teardown(void **state)
{
        struct fixture *f = *state;
        void *log = f->here;

        for (size_t i = 0; i < MEMBERS; i++)
                pawl__buf_free(&f->members[i].data);
        free(f->archive);
        trees_free(&f->trees);
        event_log_teardown(&log);
        log = f->there;
        event_log_teardown(&log);
        free(f);
        return 0;
}

/* ---- What is refused ------------------------------------------------------------------------- */

static void refused_file(struct fixture *f, pawl_status as, const char *says)
{
        pawl_archive_result result = {.bytes = 77};
        const int64_t events = event_log_count(f->there);
        const int64_t contents = event_log_integer(f->there, "SELECT count(*) FROM contents");
        const int64_t blobs = event_log_integer(f->there, "SELECT count(*) FROM blobs");

        f->err = (pawl_error)PAWL_ERROR_INIT;
        assert_int_equal(
                pawl_workspace_import(&result, f->there->log, f->archive, NULL, &f->err), as);
        assert_int_equal(f->err.status, as);
        assert_says(f->err.message, says);
        assert_says(f->err.message, "a.tar.zst: ");
        assert_null(strchr(f->err.message, '\n'));
        assert_int_equal(result.bytes, 77);
        assert_int_equal(event_log_count(f->there), events);
        assert_int_equal(event_log_integer(f->there, "SELECT count(*) FROM contents"), contents);
        assert_int_equal(event_log_integer(f->there, "SELECT count(*) FROM blobs"), blobs);
}

static void refused(struct fixture *f, const char *says)
{
        put_together(f);
        refused_file(f, PAWL_EFORMAT, says);
}

static void rename_member(struct member *m, const char *name)
{
        snprintf(m->name, sizeof m->name, "%s", name);
}

static void what_is_put_together_again_is_taken(void **state)
{
        struct fixture *f = *state;
        pawl_archive_result result;

        put_together(f);
        assert_int_equal(
                pawl_workspace_import(&result, f->there->log, f->archive, NULL, &f->err), PAWL_OK);
        assert_int_equal(result.checkpoints, 2);
}

static void names_must_be_those_of_the_form(void **state)
{
        static const char *const names[] = {"/etc/passwd", "../a", "contents/../../a", "contents/",
                "./manifest.json", "contents/ABCDEF", "", "manifest.json/"};
        struct fixture *f = *state;
        char name[200];

        for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
                struct member *m = i % 2 ? a_file(f) : member(f, "manifest.json");
                snprintf(name, sizeof name, "%s", m->name);
                rename_member(m, names[i]);
                put_together(f);
                refused_file(
                        f, PAWL_EFORMAT, "; it is no archive of `pawl export`, or was changed");
                rename_member(m, name);
        }
}

static void only_plain_files_are_taken(void **state)
{
        struct fixture *f = *state;
        struct member *m = a_file(f), *manifest = member(f, "manifest.json");

        m->link = "/etc/passwd";
        refused(f, " is no plain file in it");
        m->link = NULL;
        m->hard = "manifest.json";
        refused(f, " is no plain file in it");
        m->hard = NULL;
        m->type = AE_IFDIR;
        refused(f, "contents/");
        m->type = AE_IFIFO;
        refused(f, " is no plain file in it");
        m->type = AE_IFREG;
        manifest->link = "events.jsonl";
        refused(f, "manifest.json is no plain file in it");
        manifest->link = NULL;
}

static void what_is_missing_twice_there_or_unknown_is_refused(void **state)
{
        struct fixture *f = *state;
        struct member swapped;

        f->n--;
        refused(f, "ends where contents/");
        pawl__buf_free(&f->members[f->n].data);
        f->members[f->n] = f->members[f->n - 1];
        f->members[f->n].data = (pawl__buf)PAWL__BUF_INIT;
        assert_int_equal(pawl__buf_add(&f->members[f->n].data, f->members[f->n - 1].data.data,
                                 f->members[f->n - 1].data.len),
                PAWL_OK);
        f->n++;
        refused(f, "\" where contents/"); /* twice, in place of the last */
        swapped = f->members[0];
        f->members[0] = f->members[1];
        f->members[1] = swapped;
        refused(f, "has \"events.jsonl\" where manifest.json belongs");
}

static void what_follows_the_last_is_refused(void **state)
{
        struct fixture *f = *state;

        f->members[f->n] = (struct member){.type = AE_IFREG, .size = -1};
        rename_member(&f->members[f->n++], "evil.sh");
        refused(f, "has \"evil.sh\", which its manifest does not name");
}

static void contents_must_be_what_their_hashes_say(void **state)
{
        struct fixture *f = *state;
        struct member *m = a_file(f);

        m->data.data[0] ^= 1;
        refused(f, " is not what its hash says");
        m->data.data[0] ^= 1;
        assert_int_equal(pawl__buf_addc(&m->data, 'x'), PAWL_OK);
        refused(f, " is of another size than the manifest says");
        m->data.len--;
        m->data.len--;
        refused(f, " is of another size than the manifest says");
        m->data.len++;
        for (size_t i = 2; i < f->n; i++) { /* each of them */
                if (f->members[i].data.len == 0)
                        continue;
                f->members[i].data.data[f->members[i].data.len - 1] ^= 0x20;
                refused(f, "");
                f->members[i].data.data[f->members[i].data.len - 1] ^= 0x20;
        }
}

/* A member that is said to be small and is large, or the other way. */
static void bombs_are_not_unpacked(void **state)
{
        struct fixture *f = *state;
        struct member *m = a_file(f);
        char *zeros = calloc(1, 64 << 20);

        pawl__buf_clear(&m->data);
        assert_int_equal(pawl__buf_add(&m->data, zeros, 64 << 20), PAWL_OK);
        free(zeros);
        refused(f, " is of another size than the manifest says");
        m = member(f, "manifest.json");
        m->size = 077777777777;
        put_together(f);
        refused_file(f, PAWL_ETOOBIG, "its manifest is larger than 64 MiB");
}

/* ---- Texts ----------------------------------------------------------------------------------- */

/* Write @p with over the first @p what in a member's text, of the same length or not. */
static void replace(struct member *m, const char *what, const char *with)
{
        char *at = memmem(m->data.data, m->data.len, what, strlen(what));
        pawl__buf out = PAWL__BUF_INIT;

        if (!at)
                fail_msg("%s is not in %s", what, m->name);
        assert_int_equal(pawl__buf_add(&out, m->data.data, (size_t)(at - m->data.data)), PAWL_OK);
        assert_int_equal(pawl__buf_adds(&out, with), PAWL_OK);
        at += strlen(what);
        assert_int_equal(
                pawl__buf_add(&out, at, m->data.len - (size_t)(at - m->data.data)), PAWL_OK);
        pawl__buf_free(&m->data);
        m->data = out;
}

static void keep(pawl__buf *copy, const struct member *m)
{
        pawl__buf_clear(copy);
        assert_int_equal(pawl__buf_add(copy, m->data.data, m->data.len), PAWL_OK);
}

static void put_back(const pawl__buf *copy, struct member *m)
{
        pawl__buf_clear(&m->data);
        assert_int_equal(pawl__buf_add(&m->data, copy->data, copy->len), PAWL_OK);
}

static void a_manifest_must_be_of_its_form(void **state)
{
        static const struct {
                const char *what, *with;
                pawl_status as;
                const char *says;
        } cases[] = {
                {"{", "[", PAWL_EFORMAT, "manifest.json: "},
                {"pawl checkpoints", "pawl checkpoinz", PAWL_EFORMAT, "format is missing or not"},
                {"\"version\":1", "\"version\":0", PAWL_EFORMAT, "version is missing"},
                {"\"version\":1", "\"version\":2", PAWL_ENEWER, "is of version 2 of archives"},
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
                        "is a folder of a tree, and not in its manifest"},
                {"\"log\":{", "\"log\":[],\"x\":{", PAWL_EFORMAT, "log is missing"},
                {"\"version\":1", "\"version\":1,\"version\":1", PAWL_EFORMAT, "manifest.json: "},
        };
        struct fixture *f = *state;
        struct member *m = member(f, "manifest.json");
        pawl__buf copy = PAWL__BUF_INIT;

        keep(&copy, m);
        for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
                replace(m, cases[i].what, cases[i].with);
                put_together(f);
                refused_file(f, cases[i].as, cases[i].says);
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
                put_together(f);
                refused_file(f, at > copy.len - 4 ? PAWL_ENEWER : PAWL_EFORMAT, "");
                m->data.data[at]--;
        }
        pawl__buf_free(&copy);
}

/* The manifest names the events' text by its hash, so this is what somebody does who changes both.
 */
static void rehash_events(struct fixture *f)
{
        struct member *events = member(f, "events.jsonl"), *m = member(f, "manifest.json");
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
        assert_int_equal(pawl__hasher_new(&hasher, NULL), PAWL_OK);
        assert_int_equal(
                pawl__sha256(hasher, hash, events->data.data, events->data.len, NULL), PAWL_OK);
        pawl__hasher_free(hasher);
        pawl__hex(hex, hash, 32);
        memcpy(from + 8, hex, 64);
        char *size = memmem(from, m->data.len - (size_t)(from - m->data.data), "\"size\":", 7);
        char old[60];
        snprintf(old, sizeof old, "%.*s", (int)(strcspn(size, "}") + 1), size);
        snprintf(with, sizeof with, "\"size\":%zu}", events->data.len);
        /* the last such member is that of the events: contents come before in the alphabet */
        pawl__buf out = PAWL__BUF_INIT;
        assert_int_equal(pawl__buf_add(&out, m->data.data, (size_t)(size - m->data.data)), PAWL_OK);
        assert_int_equal(pawl__buf_adds(&out, with), PAWL_OK);
        size += strlen(old);
        assert_int_equal(
                pawl__buf_add(&out, size, m->data.len - (size_t)(size - m->data.data)), PAWL_OK);
        pawl__buf_free(&m->data);
        m->data = out;
}

static void the_chain_must_hold(void **state)
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
        struct fixture *f = *state;
        struct member *m = member(f, "events.jsonl");
        pawl__buf copy = PAWL__BUF_INIT, manifest = PAWL__BUF_INIT;

        keep(&copy, m);
        keep(&manifest, member(f, "manifest.json"));
        for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
                replace(m, cases[i].what, cases[i].with);
                put_together(f);
                refused_file(f, PAWL_EFORMAT, "events.jsonl");
                rehash_events(f);
                refused(f, cases[i].says);
                put_back(&copy, m);
                put_back(&manifest, member(f, "manifest.json"));
        }
        /* without its last line, or the last newline */
        m->data.len--;
        rehash_events(f);
        refused(f, "its line has no end");
        put_back(&copy, m);
        put_back(&manifest, member(f, "manifest.json"));
        m->data.len =
                (size_t)((char *)memrchr(m->data.data, '\n', m->data.len - 1) + 1 - m->data.data);
        rehash_events(f);
        refused(f, "it should be the last one that the manifest names");
        pawl__buf_free(&copy);
        pawl__buf_free(&manifest);
}

/* ---- The file -------------------------------------------------------------------------------- */

static void other_files_are_refused(void **state)
{
        struct fixture *f = *state;

        file_write(f->archive, "", 0);
        refused_file(f, PAWL_EFORMAT, "it is no archive of `pawl export`");
        file_write(f->archive, "SQLite format 3", 16);
        refused_file(f, PAWL_EFORMAT, "cannot be read");
        f->gzip = true;
        refused(f, "cannot be read");
}

static void a_file_that_was_cut_or_grew_is_refused(void **state)
{
        struct fixture *f = *state;
        size_t len;

        put_together(f);
        char *whole = file_read(f->archive, &len);
        for (size_t cut = 0; cut < len; cut += cut + 1 < len && cut > len - 20 ? 1 : 1 + len / 97) {
                file_write(f->archive, whole, cut);
                refused_file(f, PAWL_EFORMAT, "");
        }
        for (size_t at = 0; at < len; at += 1 + len / 211) { /* a bit of it is another */
                whole[at] ^= 0x10;
                file_write(f->archive, whole, len);
                pawl_archive_result result;
                const pawl_status status =
                        pawl_workspace_import(&result, f->there->log, f->archive, NULL, &f->err);
                assert_true(
                        status == PAWL_EFORMAT || status == PAWL_ETOOBIG || status == PAWL_ENEWER);
                assert_int_equal(event_log_count(f->there), 1);
                whole[at] ^= 0x10;
        }
        free(whole);
}

#define HOSTILE_TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
        const struct CMUnitTest tests[] = {
                HOSTILE_TEST(what_is_put_together_again_is_taken),
                HOSTILE_TEST(names_must_be_those_of_the_form),
                HOSTILE_TEST(only_plain_files_are_taken),
                HOSTILE_TEST(what_is_missing_twice_there_or_unknown_is_refused),
                HOSTILE_TEST(what_follows_the_last_is_refused),
                HOSTILE_TEST(contents_must_be_what_their_hashes_say),
                HOSTILE_TEST(bombs_are_not_unpacked),
                HOSTILE_TEST(a_manifest_must_be_of_its_form),
                HOSTILE_TEST(the_chain_must_hold),
                HOSTILE_TEST(other_files_are_refused),
                HOSTILE_TEST(a_file_that_was_cut_or_grew_is_refused),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
