#include "cli/pawl/session_json.h"
#include <inttypes.h>
#include <pawl/session.h>
#include <stdio.h>
#include <string.h>

/* "2d 4h", "3h 05m", "12m 08s", "45s": the two greatest units. A clock that stepped back gives
 * "0s". */
static const char *duration(const void *item, char buf[CLI_WORD_MAX])
{
        const pawl_session *session = item;
        const int64_t us = (session->ended_us ? session->ended_us : session->updated_us) -
                           session->started_us,
                      s = us > 0 ? us / 1000000 : 0;

        if (s >= 86400)
                snprintf(buf, CLI_WORD_MAX, "%" PRId64 "d %" PRId64 "h", s / 86400,
                        s % 86400 / 3600);
        else if (s >= 3600)
                snprintf(buf, CLI_WORD_MAX, "%" PRId64 "h %02" PRId64 "m", s / 3600, s % 3600 / 60);
        else if (s >= 60)
                snprintf(buf, CLI_WORD_MAX, "%" PRId64 "m %02" PRId64 "s", s / 60, s % 60);
        else
                snprintf(buf, CLI_WORD_MAX, "%" PRId64 "s", s);
        return buf;
}

static const char *progress(const void *item, char buf[CLI_WORD_MAX])
{
        const pawl_session *s = item;

        if (s->steps_total == 0)
                return NULL;
        snprintf(buf, CLI_WORD_MAX, "%" PRIu64 "/%" PRIu64 " (%" PRIu64 "%%)", s->steps_completed,
                s->steps_total, s->steps_completed * 100 / s->steps_total);
        return buf;
}

const char *cli_mission_in(char buf[CLI_WORD_MAX], pawl_text mission, pawl_text root)
{
        const char *const name = root.data ? strrchr(root.data, '/') : NULL;

        if (!name)
                return mission.data;
        snprintf(buf, CLI_WORD_MAX, "%.36s in %.36s", mission.data ? mission.data : "-", name + 1);
        return buf;
}

static const char *mission(const void *item, char buf[CLI_WORD_MAX])
{
        const pawl_session *s = item;

        return cli_mission_in(buf, s->mission_id, s->worktree_path);
}

#define AT(member) CLI_AT(pawl_session, member)

static bool has_worktree(const void *item)
{
        return ((const pawl_session *)item)->worktree.data != NULL;
}

static const cli_field worktree_fields[] = {
        {"id", CLI_AS_TEXT, AT(worktree)},
        {"path", CLI_AS_TEXT, AT(worktree_path)},
        CLI_NO_FIELD,
};

const cli_field cli_session_fields[] = {
        {"session_id", CLI_AS_ID, AT(session_id), .title = "id", .table = PAWL__SESSIONS},
        {NULL, CLI_AS_WORD, CLI_ITSELF, .title = "mission", .cut = CLI_CUT, .word = mission},
        {"mission_id", CLI_AS_TEXT, AT(mission_id)},
        {NULL, CLI_AS_TIME, AT(started_us), .title = "started", .cut = CLI_CUT_LAST},
        {NULL, CLI_AS_WORD, CLI_ITSELF, .title = "duration", .word = duration},
        {"run_id", CLI_AS_TEXT, AT(run_id)},
        {"status", CLI_AS_TEXT, AT(status), .title = "status"},
        {NULL, CLI_AS_WORD, CLI_ITSELF, .title = "progress", .word = progress},
        {"started_at", CLI_AS_TIME, AT(started_us), .or_null = true},
        {"ended_at", CLI_AS_TIME, AT(ended_us), .or_null = true},
        {"steps_completed", CLI_AS_INTEGER, AT(steps_completed)},
        {"steps_total", CLI_AS_INTEGER, AT(steps_total)},
        {"current_step", CLI_AS_TEXT, AT(current_step)},
        {"updated_at", CLI_AS_TIME, AT(updated_us), .or_null = true},
        {"actor", CLI_AS_TEXT, AT(actor)},
        {"reason", CLI_AS_TEXT, AT(reason)},
        {"summary", CLI_AS_TEXT, AT(summary)},
        {"checkpoints", CLI_AS_INTEGER, AT(checkpoints)},
        {"checkpoint", CLI_AS_INTEGER, AT(checkpoint_seq), .or_null = true},
        {"pinned", CLI_AS_BOOL, AT(pinned)},
        {"seq", CLI_AS_INTEGER, AT(seq)},
        {"worktree", CLI_AS_PART, .has = has_worktree, .fields = worktree_fields},
        CLI_NO_FIELD,
};
