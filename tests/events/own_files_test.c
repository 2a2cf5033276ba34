/* Which names are the log's own. */
#include "events/own_files.h"
#include "support/test.h"

static bool is_own(const char *log, const char *name)
{
        return pawl__own_file_name(pawl__text(log), pawl__text(name));
}

UNIT_TEST(names_are_the_logs_in_any_writing)
{
        static const char *const own[] = {"log.db", "log.db-wal", "log.db-shm", "log.db-journal",
                "log.db-lock", "log.db-logs", "log.db-saved-20260120", "serve.token",
                "serve.notified", "config.yaml", "workspace.index", "workspace.index.tmp1",
                "LOG.DB", "Log.db-JOURNAL", "SERVE.TOKEN", "Config.Yaml", "WORKSPACE.INDEX",
                ("\xc5\xbf"
                 "erve.token"),
                ("serve.to\xe2\x84\xaa"
                 "en"),
                "log.db\xe2\x80\x8c-wal",
                ("\xef\xbb\xbf"
                 "config.yaml"),
                "log.db-jo\xc2\xadurnal"};
        static const char *const others[] = {"log.db-", "log.db-walx", "log.d", "log.db2",
                "xlog.db", "log.db-notes", "serve.token2", "config.yml", "workspace.inde", "",
                "log.db-wal\xff", "\xfflog.db",
                ("s\xcc\x81"
                 "erve.token")};

        for (size_t i = 0; i < sizeof own / sizeof own[0]; i++)
                assert_true(is_own("log.db", own[i]));
        for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
                assert_false(is_own("log.db", others[i]));
        assert_true(is_own("\xc3\x89t\xc3\xa9.db", "e\xcc\x81T\xc3\x89.DB-wal"));
        assert_true(is_own("\xff.db", "\xff.DB"));
        assert_false(is_own("\xff.db", "\xfe.db"));
}

UNIT_TEST(a_name_that_is_too_long_is_nobodys)
{
        char log[256], name[256];

        memset(log, 'l', 255);
        log[255] = '\0';
        snprintf(name, sizeof name, "%.251s-wal", log);
        assert_true(is_own(log, log));
        assert_false(is_own(log, name));
}

UNIT_TEST(what_says_what_programs_run_is_reserved)
{
        static const char *const reserved[] = {".git", ".GIT", ".pawl", ".PaWl", ".g\xe2\x80\x8cit",
                "\xe2\x80\x8d.git", ".pawl\xef\xbb\xbf"};
        static const char *const others[] = {"git", ".gi", ".gitx", ".github", ".pawl-", "", ".",
                "..", "\xc3\x89t\xc3\xa9",
                (".g\xc3\xad"
                 "t")};

        for (size_t i = 0; i < sizeof reserved / sizeof reserved[0]; i++)
                assert_true(pawl__reserved_name(pawl__text(reserved[i])));
        for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
                assert_false(pawl__reserved_name(pawl__text(others[i])));
}
