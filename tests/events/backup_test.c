/* Copies of a log: each is a whole log of one state, or there is none. */
#include "support/backup.h"
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

BACKUP_TEST(a_copy_is_a_whole_log_that_nobody_holds_and_that_goes_on)
{
        event_log *f = b->f;
        pawl_backup made;
        uint64_t fence;

        event_log_open(f);
        event_log_fill(f, 3);
        assert_ok(pawl_log_claim(&fence, f->log, "m", "run-1", "user:ana", NULL));
        assert_ok(pawl_log_backup(&made, f->log, b->copy, NULL, NULL));
        assert_int_equal(made.events, 4);
        assert_int_equal(made.head_seq, 4);
        check_copy(b, &made);
        /* The claim is in the log, and not in the copy: there the next one gets the fence after
         * it. */
        assert_int_equal(event_log_integer(f, "SELECT held FROM leases"), 1);
        assert_ok(append_one(f->log, event_scope(NULL), 0));
        pawl_log *copy = open_at(b->copy, 0);
        assert_ok(pawl_log_claim(&fence, copy, "m", "run-1", "user:ben", NULL));
        assert_int_equal(fence, 2);
        pawl_log_close(copy);
        assert_int_equal(event_log_count(f), 5);
}

BACKUP_TEST(an_empty_log_has_an_empty_copy)
{
        pawl_backup made;

        event_log_open(b->f);
        assert_ok(pawl_log_backup(&made, b->f->log, b->copy, NULL, NULL));
        assert_int_equal(made.events, 0);
        assert_int_equal(made.head_seq, 0);
        check_copy(b, &made);
}

/* A reader that changes nothing: an open log, a closed one, the database alone, and with its -wal.
 */
BACKUP_TEST(every_kind_of_read_only_log_is_copied_and_left_as_it_is)
{
        event_log *f = b->f;
        pawl_backup made;
        char name[4096];

        event_log_open(f);
        event_log_fill(f, 3);
        pawl_log *writer = f->log;
        f->log = NULL;
        f->flags = PAWL_LOG_READONLY;
        for (int kind = 0; kind < 4; kind++) {
                if (kind == 1) { /* as after a crash: a -wal with content, and no -shm */
                        size_t len;
                        char *wal;
                        snprintf(name, sizeof name, "%s-wal", f->path);
                        wal = file_read(name, &len);
                        assert_true(len > 0);
                        pawl_log_close(writer);
                        file_write(name, wal, len);
                        snprintf(name, sizeof name, "%s-shm", f->path);
                        assert_int_equal(unlink(name), 0);
                } else if (kind == 2) { /* as after a clean end */
                        f->flags = 0;
                        event_log_open(f);
                        event_log_close(f);
                        f->flags = PAWL_LOG_READONLY;
                } else if (kind == 3) {
                        snprintf(name, sizeof name, "%s-wal", f->path);
                        assert_int_equal(unlink(name), 0);
                        snprintf(name, sizeof name, "%s-shm", f->path);
                        assert_int_equal(unlink(name), 0);
                }
                char *before, *after, *directory = path_in(f->directory, ".pawl");
                size_t len_before, len_after;
                int names = names_in(directory);
                before = file_read(f->path, &len_before);
                event_log_open(f);
                assert_ok(pawl_log_backup(&made, f->log, b->copy, NULL, NULL));
                event_log_close(f);
                assert_int_equal(made.events, 3);
                check_copy(b, &made);
                after = file_read(f->path, &len_after);
                assert_int_equal(len_before, len_after);
                assert_memory_equal(before, after, len_after);
                assert_int_equal(names_in(directory), names);
                assert_int_equal(unlink(b->copy), 0);
        }
}

BACKUP_TEST(an_old_log_is_copied_as_it_is)
{
        pawl_backup made;
        char *path = path_in(b->f->directory, "old.db");
        size_t len;
        char *old = file_read(GOLDEN_DIR "/logs/v1.db", &len);

        file_write(path, old, len);
        pawl_log *log = open_at(path, PAWL_LOG_READONLY);
        assert_ok(pawl_log_backup(&made, log, b->copy, NULL, NULL));
        pawl_log_close(log);
        assert_int_equal(made.events, 59);
        check_copy(b, &made);
        b->f->path = b->copy;
        assert_int_equal(event_log_integer(b->f, "PRAGMA user_version"), 1);
}

BACKUP_TEST(a_keyed_log_is_copied_without_its_key_macs_and_all)
{
        event_log *f = b->f;
        pawl_backup made;
        pawl_verify_result verified;

        f->key = "0123456789abcdef0123456789abcdef";
        event_log_open(f);
        event_log_fill(f, 3);
        event_log_close(f);
        pawl_log *log = open_at(f->path, PAWL_LOG_READONLY);
        assert_ok(pawl_log_backup(&made, log, b->copy, NULL, NULL));
        pawl_log_close(log);
        check_copy(b, &made);
        f->path = b->copy;
        event_log_open(f); /* with the key */
        assert_ok(pawl_log_verify(&verified, f->log, 0, NULL));
        assert_true(verified.keyed);
        assert_ok(append_one(f->log, event_scope(NULL), 0));
}

/* ---- What is refused ------------------------------------------------------------------------- */

static void check_refused(backup *b, const char *path, pawl_status status, const char *says)
{
        int names = names_in(b->directory);
        pawl_backup made = {.events = 99};

        assert_int_equal(pawl_log_backup(&made, b->f->log, path, NULL, NULL), status);
        assert_says(pawl_log_errmsg(b->f->log), says);
        assert_int_equal(made.events, 99);
        assert_int_equal(names_in(b->directory), names);
}

BACKUP_TEST(what_has_the_name_is_never_replaced)
{
        static const char *const parts[] = {"-wal", "-shm", "-journal"};
        char name[4096];
        size_t len;

        event_log_open(b->f);
        event_log_fill(b->f, 3);
        file_write(b->copy, "mine", 4);
        check_refused(b, b->copy, PAWL_EEXISTS, "copy.db: is there already; move it away");
        char *kept = file_read(b->copy, &len);
        assert_string_equal(kept, "mine");
        assert_int_equal(unlink(b->copy), 0);
        assert_int_equal(symlink("nowhere", b->copy), 0);
        check_refused(b, b->copy, PAWL_EEXISTS, "copy.db: is there already");
        assert_int_equal(unlink(b->copy), 0);
        for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
                snprintf(name, sizeof name, "%s%s", b->copy, parts[i]);
                file_write(name, "stale", 5);
                check_refused(b, b->copy, PAWL_EEXISTS, "would be taken for a part of the copy");
                assert_int_equal(unlink(name), 0);
        }
        check_refused(
                b, b->f->path, PAWL_EEXISTS, "is a file of the log itself; name another file");
        assert_int_equal(link(b->f->path, b->copy), 0);
        check_refused(b, b->copy, PAWL_EEXISTS, "is a file of the log itself");
        event_log_fill(b->f, 1);
        assert_int_equal(event_log_count(b->f), 4);
}

BACKUP_TEST(a_name_that_cannot_be_is_refused_by_that)
{
        char name[4096];

        event_log_open(b->f);
        event_log_fill(b->f, 1);
        check_refused(b, "", PAWL_EINVAL, "the path is empty; name a file");
        check_refused(b, b->directory, PAWL_EEXISTS, "is a directory; add the name of a file");
        snprintf(name, sizeof name, "%s/", b->copy);
        check_refused(b, name, PAWL_EINVAL, "is a directory; add the name of a file");
        snprintf(name, sizeof name, "%s/nowhere/copy.db", b->directory);
        check_refused(b, name, PAWL_ENOTFOUND,
                "nowhere/copy.db: cannot make the copy: No such file or directory; check the path");
        snprintf(name, sizeof name, "%s/copy.db", b->f->path);
        check_refused(b, name, PAWL_ENOTFOUND, "cannot make the copy: Not a directory");
        snprintf(name, sizeof name, "%s/%0300d", b->directory, 0);
        check_refused(b, name, PAWL_EINVAL, "File name too long; use a shorter path");
        assert_int_equal(chmod(b->f->directory, 0755), 0);
        assert_int_equal(chmod(b->directory, 0555), 0);
        fflush(NULL);
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) { /* not root, who could write anywhere */
                const uid_t nobody = 65534;
                char *old = path_in(b->f->directory, "old.db");
                size_t len;
                char *image = file_read(GOLDEN_DIR "/logs/v1.db", &len);
                file_write(old, image, len);
                if (chmod(old, 0644) || (geteuid() == 0 && (setgid(nobody) || setuid(nobody))) ||
                        chdir(b->f->directory))
                        _exit(99);
                pawl_log *log = open_at(old, PAWL_LOG_READONLY);
                pawl_status status = pawl_log_backup(NULL, log, b->copy, NULL, NULL);
                const char *why = pawl_log_errmsg(log);
                _exit(status == PAWL_EACCESS && strstr(why, "check the permissions") ? 0 : 1);
        }
        child_exits(child, 0);
        assert_int_equal(chmod(b->directory, 0755), 0);
        assert_int_equal(names_in(b->directory), 0);
}

BACKUP_TEST(a_log_that_does_not_verify_has_no_copy)
{
        event_log_open(b->f);
        event_log_fill(b->f, 5);
        event_log_unguard(b->f);
        event_log_sql(b->f, "UPDATE events SET time = time + 1 WHERE seq = 3");
        check_refused(b, b->copy, PAWL_EDAMAGED, "cannot be copied as it is: seq 3");
}

typedef struct asked {
        int calls, stop_at;
        uint64_t done, pages;
} asked;

static bool count_calls(uint64_t done, uint64_t pages, void *user)
{
        asked *a = user;

        assert_true(done >= a->done && done <= pages);
        a->done = done;
        a->pages = pages;
        return ++a->calls != a->stop_at;
}

BACKUP_TEST(who_is_asked_may_end_it_at_any_time_and_nothing_is_left)
{
        asked whole = {0};
        pawl_backup made;

        event_log_open(b->f);
        event_log_fill(b->f, 2);
        event_log_sql(b->f, "INSERT INTO blobs VALUES (zeroblob(32), zeroblob(20000000))");
        assert_ok(pawl_log_backup(&made, b->f->log, b->copy, count_calls, &whole));
        check_copy(b, &made);
        assert_int_equal(unlink(b->copy), 0);
        assert_true(whole.calls >= 4);
        assert_int_equal(whole.done, whole.pages);
        assert_int_equal(whole.pages * 4096, made.bytes);
        for (int n = 1; n <= whole.calls; n++) {
                asked stopped = {.stop_at = n};
                assert_int_equal(pawl_log_backup(&made, b->f->log, b->copy, count_calls, &stopped),
                        PAWL_EINTERRUPTED);
                assert_says(pawl_log_errmsg(b->f->log), "copy.db: the copy was interrupted");
                assert_int_equal(names_in(b->directory), 0);
        }
        event_log_fill(b->f, 1); /* its transaction is over */
}

typedef struct meanwhile {
        event_log *f;
        int appended, in_the_way;
} meanwhile;

/* Between two pieces, another one appends and wants to start the -wal again. */
static bool append_meanwhile(uint64_t done, uint64_t pages, void *user)
{
        meanwhile *m = user;

        (void)done, (void)pages;
        pawl_log *other = event_log_another(m->f);
        for (int i = 0; i < 20; i++, m->appended++)
                assert_ok(append_one(other, event_scope(NULL), 0));
        m->in_the_way += pawl__wal_checkpoint(other, SQLITE_CHECKPOINT_RESTART, 0, NULL, NULL) ==
                         SQLITE_BUSY;
        pawl_log_close(other);
        return true;
}

BACKUP_TEST(what_is_appended_meanwhile_is_not_in_it_and_does_not_make_it_begin_anew)
{
        event_log *f = b->f;
        pawl_backup made;

        event_log_open(f);
        event_log_fill(f, 3);
        event_log_sql(f, "INSERT INTO blobs VALUES (zeroblob(32), zeroblob(20000000))");
        for (int by_writer = 0; by_writer < 2; by_writer++) {
                f->flags = by_writer ? 0 : PAWL_LOG_READONLY;
                pawl_log *log = event_log_another(f);
                uint64_t head;
                unsigned char hash[32];
                f->flags = 0;
                assert_ok(pawl_log_head(&head, hash, log));
                meanwhile m = {.f = f};
                assert_ok(pawl_log_backup(&made, log, b->copy, append_meanwhile, &m));
                assert_true(m.in_the_way >= 4); /* one state from first to last */
                assert_int_equal(made.head_seq, head);
                assert_memory_equal(made.head_hash, hash, 32);
                check_copy(b, &made);
                assert_int_equal(unlink(b->copy), 0);
                assert_int_equal(event_log_count(f), head + (uint64_t)m.appended);
                pawl_log_close(log);
        }
}
