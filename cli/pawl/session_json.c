#include "cli/pawl/session_json.h"
#include "base/sources.h"

static void write_time(pawl__json_writer *w, const char *name, int64_t us)
{
        char time[28];

        pawl__json_name(w, name);
        if (us) {
                pawl__time_format(time, us);
                pawl__json_string(w, time);
        } else {
                pawl__json_null(w);
        }
}

void cli_session_json(pawl__json_writer *w, const pawl_session *s)
{
        pawl__json_open_object(w);
        cli_session_members(w, s);
        pawl__json_close_object(w);
}

void cli_session_members(pawl__json_writer *w, const pawl_session *s)
{
        pawl__json_member_text(w, "session_id", s->session_id);
        pawl__json_member_text(w, "mission_id", s->mission_id);
        pawl__json_member_text(w, "run_id", s->run_id);
        pawl__json_member_text(w, "status", s->status);
        write_time(w, "started_at", s->started_us);
        write_time(w, "ended_at", s->ended_us);
        pawl__json_member_integer(w, "steps_completed", (int64_t)s->steps_completed);
        pawl__json_member_integer(w, "steps_total", (int64_t)s->steps_total);
        pawl__json_member_text(w, "current_step", s->current_step);
        write_time(w, "updated_at", s->updated_us);
        pawl__json_member_text(w, "actor", s->actor);
        pawl__json_member_text(w, "reason", s->reason);
        pawl__json_member_text(w, "summary", s->summary);
        pawl__json_member_integer(w, "checkpoints", (int64_t)s->checkpoints);
        pawl__json_name(w, "checkpoint");
        if (s->checkpoint_seq)
                pawl__json_integer(w, (int64_t)s->checkpoint_seq);
        else
                pawl__json_null(w);
        pawl__json_member_bool(w, "pinned", s->pinned);
}
