#include "support/stories.h"
#include <pawl/checkpoint.h>
#include <unistd.h>

static const char yaml[] =
        "mission: refunds\n"
        "steps:\n"
        "  - id: research\n"
        "    run: [echo, found]\n"
        "  - id: specify\n"
        "    critical: true\n"
        "    inputs: {description: Refunds land in the workspace., earlier: {$from: research}}\n"
        "    metadata: {glossary_watch_terms: [workspace]}\n"
        "    run: [sh, -c, 'echo said >&2; echo $PAWL_STEP_ID $PAWL_RETRY_TOKEN >> journal']\n";

static void keep(struct stories *s, enum story story)
{
        pawl_log_close(s->f->log);
        s->f->log = NULL;
        s->kept[story].db = file_read(s->f->db, &s->kept[story].db_len);
        s->kept[story].wal =
                file_read(path_in(s->f->directory, ".pawl/events.db-wal"), &s->kept[story].wal_len);
}

void stories_setup(struct stories *s)
{
        assert_int_equal(mission_setup((void **)&s->f), 0);
        mission_write(s->f, yaml);
        assert_int_equal(mission_run(s->f), PAWL_BLOCKED);
        s->token = test_copy(mission_token(s->f, "specify"));
        s->conflict = test_copy(s->f->result->conflicts[0].id);
        keep(s, STORY_BLOCKED);
        assert_ok(pawl_log_open(&s->f->log, s->f->db, NULL, &s->f->err));
        mission_resolve(s->f);
        keep(s, STORY_ANSWERED);
}

void stories_teardown(struct stories *s)
{
        mission_teardown((void **)&s->f);
}

void stories_put_back(struct stories *s, enum story story)
{
        assert_null(s->f->log);
        file_write(s->f->db, s->kept[story].db, s->kept[story].db_len);
        file_write(path_in(s->f->directory, ".pawl/events.db-wal"), s->kept[story].wal,
                s->kept[story].wal_len);
        (void)unlink(path_in(s->f->directory, ".pawl/events.db-shm"));
        mission_file(s->f, "journal", "");
}

void stories_check_gate(struct stories *s)
{
        char *journal = mission_journal(s->f), token[40];
        pawl_step_checkpoint *checkpoint;
        const size_t len = strlen("specify \n") + strlen(s->token);

        for (const char *at = journal; *at; at += len) {
                assert_int_equal(sscanf(at, "specify %39s\n", token), 1);
                assert_memory_equal(at, journal, len);
                if (pawl_step_checkpoint_load(&checkpoint, s->f->log, token, &s->f->err))
                        fail_msg("a command ran, but %s", s->f->err.message);
                pawl_step_checkpoint_free(checkpoint);
                assert_true(mission_events(s->f, "StepResumed") > 0);
        }
}
