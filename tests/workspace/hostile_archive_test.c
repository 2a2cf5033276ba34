/* Needs PAWL_WITH_ARCHIVE. */
/* Archives that lie: each is refused with one line, and nothing is written into the log. */
#include "support/hostile_archive.h"

/* ---- An archive taken apart, and put together in another way --------------------------------- */

/* The last member that is a content: a file of one byte at least. */
static struct archive_member *a_file(struct hostile *f)
{
        for (size_t i = f->n; i-- > 0;) {
                if (f->members[i].data.len > 0)
                        return &f->members[i];
        }
        return NULL;
}

/* ---- What is refused ------------------------------------------------------------------------- */

static void rename_member(struct archive_member *m, const char *name)
{
        snprintf(m->name, sizeof m->name, "%s", name);
}

HOSTILE_TEST(what_is_put_together_again_is_taken)
{
        pawl_archive_result result;

        hostile_put_together(f);
        assert_ok(pawl_workspace_import(&result, f->there->log, f->archive, NULL, &f->err));
        assert_int_equal(result.checkpoints, 2);
}

HOSTILE_TEST(names_must_be_those_of_the_form)
{
        static const char *const names[] = {"/etc/passwd", "../a", "contents/../../a", "contents/",
                "./manifest.json", "contents/ABCDEF", "", "manifest.json/"};
        char name[200];

        for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
                struct archive_member *m = i % 2 ? a_file(f) : hostile_member(f, "manifest.json");
                snprintf(name, sizeof name, "%s", m->name);
                rename_member(m, names[i]);
                hostile_put_together(f);
                hostile_refused_file(
                        f, PAWL_EFORMAT, "; it is no archive of `pawl export`, or was changed");
                rename_member(m, name);
        }
}

HOSTILE_TEST(only_plain_files_are_taken)
{
        struct archive_member *m = a_file(f), *manifest = hostile_member(f, "manifest.json");

        m->link = "/etc/passwd";
        hostile_refused(f, " is no plain file in it");
        m->link = NULL;
        m->hard = "manifest.json";
        hostile_refused(f, " is no plain file in it");
        m->hard = NULL;
        m->type = AE_IFDIR;
        hostile_refused(f, "contents/");
        m->type = AE_IFIFO;
        hostile_refused(f, " is no plain file in it");
        m->type = AE_IFREG;
        manifest->link = "events.jsonl";
        hostile_refused(f, "manifest.json is no plain file in it");
        manifest->link = NULL;
}

HOSTILE_TEST(what_is_missing_twice_there_or_unknown_is_refused)
{
        struct archive_member swapped;

        f->n--;
        hostile_refused(f, "ends where contents/");
        pawl__buf_free(&f->members[f->n].data);
        f->members[f->n] = f->members[f->n - 1];
        f->members[f->n].data = (pawl__buf)PAWL__BUF_INIT;
        assert_ok(pawl__buf_add(&f->members[f->n].data, f->members[f->n - 1].data.data,
                f->members[f->n - 1].data.len));
        f->n++;
        hostile_refused(f, "\" where contents/"); /* twice, in place of the last */
        swapped = f->members[0];
        f->members[0] = f->members[1];
        f->members[1] = swapped;
        hostile_refused(f, "has \"events.jsonl\" where manifest.json belongs");
}

HOSTILE_TEST(what_follows_the_last_is_refused)
{
        f->members[f->n] = (struct archive_member){.type = AE_IFREG, .size = -1};
        rename_member(&f->members[f->n++], "evil.sh");
        hostile_refused(f, "has \"evil.sh\", which its manifest does not name");
}

HOSTILE_TEST(contents_must_be_what_their_hashes_say)
{
        struct archive_member *m = a_file(f);

        m->data.data[0] ^= 1;
        hostile_refused(f, " is not what its hash says");
        m->data.data[0] ^= 1;
        assert_ok(pawl__buf_addc(&m->data, 'x'));
        hostile_refused(f, " is of another size than the manifest says");
        m->data.len--;
        m->data.len--;
        hostile_refused(f, " is of another size than the manifest says");
        m->data.len++;
        for (size_t i = 2; i < f->n; i++) { /* each of them */
                if (f->members[i].data.len == 0)
                        continue;
                f->members[i].data.data[f->members[i].data.len - 1] ^= 0x20;
                hostile_refused(f, "");
                f->members[i].data.data[f->members[i].data.len - 1] ^= 0x20;
        }
}

/* A member that is said to be small and is large, or the other way. */
HOSTILE_TEST(bombs_are_not_unpacked)
{
        struct archive_member *m = a_file(f);
        char *zeros = test_alloc(64 << 20);

        pawl__buf_clear(&m->data);
        assert_ok(pawl__buf_add(&m->data, zeros, 64 << 20));
        hostile_refused(f, " is of another size than the manifest says");
        m = hostile_member(f, "manifest.json");
        m->size = 077777777777;
        hostile_put_together(f);
        hostile_refused_file(f, PAWL_ETOOBIG, "its manifest is larger than 192 MiB");
}

/* ---- The file -------------------------------------------------------------------------------- */

HOSTILE_TEST(other_files_are_refused)
{
        file_write(f->archive, "", 0);
        hostile_refused_file(f, PAWL_EFORMAT, "it is no archive of `pawl export`");
        file_write(f->archive, "SQLite format 3", 16);
        hostile_refused_file(f, PAWL_EFORMAT, "is no Zstandard frame");
        f->gzip = true;
        hostile_refused(f, "is no Zstandard frame");
}

HOSTILE_TEST(a_file_that_was_cut_or_grew_is_refused)
{
        size_t len;

        hostile_put_together(f);
        char *whole = file_read(f->archive, &len);
        for (size_t cut = 0; cut < len; cut += cut + 1 < len && cut > len - 20 ? 1 : 1 + len / 97) {
                file_write(f->archive, whole, cut);
                hostile_refused_file(f, PAWL_EFORMAT, "");
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
}
