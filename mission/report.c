/* What a runner records and tells: the events of its run, notices, signals and its time limit. */
#include "base/error.h"
#include "base/printable.h"
#include "mission/runner.h"
#include "session/session.h"
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

pawl_event pawl__runner_envelope(const pawl__runner *r)
{
        return (pawl_event){.mission_id = r->mission->id,
                .run_id = r->run_id,
                .session_id = r->session_id,
                .actor = r->actor};
}

pawl_status pawl__runner_emit(
        pawl__runner *r, pawl__event_type type, pawl_text step_id, pawl__json_writer *w)
{
        pawl_event event = pawl__runner_envelope(r);

        event.step_id = step_id;
        return pawl__batch_emit(pawl__pipeline_batch(r->pipeline), type, &event, w, &r->error);
}

pawl_status pawl__runner_tell(
        pawl__runner *r, pawl__event_type type, const char *status, const char *reason)
{
        const pawl_event like = pawl__runner_envelope(r);
        const pawl__session_report told = {.status = status,
                .reason = reason,
                .in = type == PAWL__SESSION_STARTED && !r->directory ? r->state : NULL};

        return pawl__session_emit(pawl__pipeline_batch(r->pipeline), type, &like, &told, &r->error);
}

void pawl__runner_notice(const pawl__runner *r, const char *line)
{
        pawl_error text;

        if (!r->options.notice)
                return;
        if (r->secrets.mask.n) {
                pawl__fail(&text, PAWL_OK, "%s", line);
                pawl__mask_string(&r->secrets.mask, text.message);
                line = text.message;
        }
        r->options.notice(line, r->options.notice_user);
}

void pawl__message_fix(char *text)
{
        size_t len = strlen(text);

        for (size_t at = 0; (at += pawl__utf8_span(text + at, len - at)) < len;)
                text[at] = '?';
}

void pawl__signal_name(char out[32], int signal)
{
        const char *name = sigabbrev_np(signal);

        if (name)
                snprintf(out, 32, "SIG%s", name);
        else
                snprintf(out, 32, "signal %d", signal);
}

pawl_status pawl__runner_interrupted(pawl__runner *r, int signal)
{
        char name[32];

        r->signal = signal;
        pawl__log_hurry(r->log);
        pawl__signal_name(name, signal);
        return pawl__fail(&r->error, PAWL_EINTERRUPTED,
                "run %.*s: interrupted by %s; go on with `pawl resume %s`", PAWL__FMT(r->run_id),
                name, PAWL__WORD(r->run_id));
}

pawl_status pawl__runner_signalled(pawl__runner *r, int wait_ms)
{
        struct pollfd watch = {r->options.signal_fd, POLLIN, 0};
        unsigned char byte;
        int n;

        do /* without a descriptor poll() only waits */
                n = poll(&watch, 1, wait_ms);
        while (n < 0 && errno == EINTR);
        if (n <= 0)
                return PAWL_OK;
        if (read(r->options.signal_fd, &byte, 1) != 1 || !byte) {
                r->options.signal_fd = -1; /* nobody is left to write a signal */
                return PAWL_OK;
        }
        return pawl__runner_interrupted(r, byte);
}

pawl_status pawl__runner_in_time(pawl__runner *r)
{
        if (!r->deadline_ms || pawl__boot_ms(r->log) < r->deadline_ms)
                return PAWL_OK;
        r->timed_out = true;
        return pawl__fail(&r->error, PAWL_EINTERRUPTED,
                "run %.*s: time limit reached; go on with `pawl resume %s`", PAWL__FMT(r->run_id),
                PAWL__WORD(r->run_id));
}
