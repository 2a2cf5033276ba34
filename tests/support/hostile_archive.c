/* Needs PAWL_WITH_ARCHIVE. */
#include "support/hostile_archive.h"

struct archive_member *hostile_member(struct hostile *f, const char *name)
{
        for (size_t i = 0; i < f->n; i++) {
                if (strncmp(f->members[i].name, name, strlen(name)) == 0)
                        return &f->members[i];
        }
        fail_msg("no member %s", name);
        return NULL;
}

static void take_apart(struct hostile *f)
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
                struct archive_member *m = &f->members[f->n++];
                assert_true(f->n < HOSTILE_MEMBERS - 4);
                snprintf(m->name, sizeof m->name, "%s", f->lib->archive_entry_pathname(entry));
                m->type = AE_IFREG;
                m->size = -1;
                for (la_ssize_t n; (n = f->lib->archive_read_data(a, piece, sizeof piece)) > 0;)
                        assert_ok(pawl__buf_add(&m->data, piece, (size_t)n));
        }
        f->lib->archive_read_free(a);
}

/* A tar by hand, so that it may say anything. */
static void add_tar(pawl__buf *tar, const struct archive_member *m)
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
        assert_ok(pawl__buf_add(tar, header, 512));
        assert_ok(pawl__buf_add(tar, m->data.data ? m->data.data : "", m->data.len));
        while (tar->len % 512)
                assert_ok(pawl__buf_addc(tar, '\0'));
}

void hostile_put_together(struct hostile *f)
{
        pawl__buf tar = PAWL__BUF_INIT, command = PAWL__BUF_INIT;
        char zeros[1024] = "";

        for (size_t i = 0; i < f->n; i++)
                add_tar(&tar, &f->members[i]);
        assert_ok(pawl__buf_add(&tar, zeros, sizeof zeros));
        char *plain = path_in(f->here->directory, "plain.tar");
        file_write(plain, tar.data, tar.len);
        assert_ok(pawl__buf_addf(
                &command, "%s <'%s' >'%s'", f->gzip ? "gzip -c" : "zstd -q -c", plain, f->archive));
        assert_int_equal(system(command.data), 0);
        pawl__buf_free(&tar);
        pawl__buf_free(&command);
}

int hostile_setup(void **state)
{
        struct hostile *f = test_alloc(sizeof *f);
        pawl_archive_result result;
        void *log = NULL;

        assert_int_equal(event_log_setup(&log), 0);
        f->here = log;
        assert_int_equal(event_log_setup(&log), 0);
        f->there = log;
        f->here->flags = f->there->flags = PAWL_LOG_CREATE;
        event_log_open(f->here);
        event_log_open(f->there);
        f->archive = path_in(f->here->directory, "a.tar.zst");
        event_log_fill(f->here, 2);
        event_log_fill(f->there, 1);
        const tree_hash first = tree_of(&f->trees, "f 644 a=one", "d 700 sub", "f 600 sub/b=inner",
                "l sub/link=../a", NULL);
        checkpoint_put(f->here->log, &f->trees, first, "{\"a\":1}", NULL);
        event_log_fill(f->here, 1);
        const tree_hash second = tree_of(&f->trees, "f 644 a=one", "f 644 c=two", NULL);
        checkpoint_put(f->here->log, &f->trees, second, "{\"a\":1}", "[2]");
        assert_ok(pawl_workspace_export(&result, f->here->log, NULL, 0, f->archive, &f->err));
        assert_ok(pawl__archive_load(&f->lib, &f->err));
        take_apart(f);
        *state = f;
        return 0;
}

int hostile_teardown(void **state)
{
        struct hostile *f = *state;
        void *log = f->here;

        for (size_t i = 0; i < HOSTILE_MEMBERS; i++)
                pawl__buf_free(&f->members[i].data);
        trees_free(&f->trees);
        event_log_teardown(&log);
        log = f->there;
        event_log_teardown(&log);
        return 0;
}

void hostile_refused_file(struct hostile *f, pawl_status as, const char *says)
{
        pawl_archive_result result = {.bytes = 77};
        const int64_t events = event_log_count(f->there);
        const int64_t contents = event_log_integer(
                f->there, "SELECT (SELECT count(*) FROM contents) + (SELECT count(*) FROM packed)");
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
        assert_int_equal(
                event_log_integer(f->there,
                        "SELECT (SELECT count(*) FROM contents) + (SELECT count(*) FROM packed)"),
                contents);
        assert_int_equal(event_log_integer(f->there, "SELECT count(*) FROM blobs"), blobs);
}

void hostile_refused(struct hostile *f, const char *says)
{
        hostile_put_together(f);
        hostile_refused_file(f, PAWL_EFORMAT, says);
}
