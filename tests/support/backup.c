#include "support/backup.h"
#include <dirent.h>
#include <sys/stat.h>

int backup_setup(void **state)
{
        backup *b = test_alloc(sizeof *b);
        void *log;

        if (!b || event_log_setup(&log))
                return -1;
        b->f = log;
        b->directory = path_in(b->f->directory, "copies");
        b->copy = path_in(b->directory, "copy.db");
        assert_int_equal(mkdir(b->directory, 0755), 0);
        *state = b;
        return 0;
}

int backup_teardown(void **state)
{
        backup *b = *state;
        void *log = b->f;

        return event_log_teardown(&log);
}

int names_in(const char *directory)
{
        DIR *dir = opendir(directory);
        int n = 0;

        assert_non_null(dir);
        for (const struct dirent *entry; (entry = readdir(dir));)
                n += entry->d_name[0] != '.';
        closedir(dir);
        return n;
}

pawl_log *open_at(const char *path, unsigned flags)
{
        pawl_log_options options = PAWL_LOG_OPTIONS_INIT;
        pawl_error err = PAWL_ERROR_INIT;
        pawl_log *log = NULL;

        options.flags = flags;
        if (pawl_log_open(&log, path, &options, &err))
                fail_msg("%s", err.message);
        return log;
}

void check_copy(const backup *b, const pawl_backup *made)
{
        pawl_verify_result verified;
        unsigned char hash[32];
        struct stat st;
        uint64_t seq;

        assert_int_equal(names_in(b->directory), 1);
        assert_int_equal(stat(b->copy, &st), 0);
        assert_int_equal(st.st_mode & 07777, 0600);
        assert_int_equal(st.st_size, made->bytes);
        pawl_log *copy = open_at(b->copy, PAWL_LOG_READONLY);
        assert_ok(pawl_log_verify(&verified, copy, made->head_seq, made->head_hash));
        assert_int_equal(verified.events, made->events);
        assert_ok(pawl_log_head(&seq, hash, copy));
        assert_int_equal(seq, made->head_seq);
        assert_memory_equal(hash, made->head_hash, 32);
        pawl_log_close(copy);
}
