#include "support/aftermath.h"
#include "state/state.h"
#include "support/event_log.h"
#include "support/left_logs.h"
#include <sys/stat.h>

static int64_t gone(int64_t pid, void *user)
{
        (void)pid, (void)user;
        return PAWL__START_GONE;
}

/* The machine was started anew. */
static pawl_status open_after(pawl_log **out, const power_state *s, unsigned flags,
        const struct aftermath *x, pawl_error *err)
{
        static const pawl__identity self = {.host = "host-a",
                .boot_id = "boot-2",
                .pid = 100,
                .pid_start = 3,
                .start_of = gone};
        pawl_log_options options = PAWL_LOG_OPTIONS_INIT;
        const pawl__log_setup setup = {.identity = &self, .schema = x->schema, .event_v = 1};

        options.flags = flags;
        options.key = x->key;
        options.key_len = x->key ? strlen(x->key) : 0;
        char *path = path_in(s->directory, ".pawl/events.db");
        log_by_hand(path);
        pawl_status status = pawl__log_open_as(out, path, &options, &setup, err);
        return status;
}

static power_verdict not_sound(
        power_state *s, power_verdict verdict, const char *doing, const char *message)
{
        snprintf(s->why, sizeof s->why, "%s: %s", doing, message);
        log_damaged(path_in(s->directory, ".pawl/events.db"));
        return verdict;
}

/* Does the log end where a transaction could end, not before the last promise, and verify? */
static power_verdict check_events(power_state *s, pawl_log *log, const char *doing)
{
        const recorder_head *promised = s->promised;
        unsigned char hash[32];
        pawl_verify_result verified;
        uint64_t seq;
        size_t i = 0;
        char text[80];

        if (pawl_log_head(&seq, hash, log))
                return not_sound(s, POWER_WRONG, doing, pawl_log_errmsg(log));
        snprintf(text, sizeof text, "ends at %d", (int)seq);
        if (promised && seq < promised->seq)
                return not_sound(s, POWER_LOST, doing, text);
        while (i < s->n_heads &&
                (s->heads[i].seq != seq || memcmp(s->heads[i].hash, hash, 32) != 0))
                i++;
        if (i == s->n_heads && (seq > 0 || promised))
                return not_sound(s, POWER_WRONG, doing, text);
        if (pawl_log_verify(&verified, log, promised ? promised->seq : 0,
                    promised && promised->seq ? promised->hash : NULL))
                return not_sound(s, POWER_WRONG, doing, verified.why.message);
        return POWER_SOUND;
}

/* As eventlog does on the disk as it was found. While nothing is promised, there may be no log. */
static power_verdict check_reader(power_state *s, const struct aftermath *x)
{
        pawl_error err = PAWL_ERROR_INIT;
        pawl_log *log = NULL;
        pawl_status status = open_after(&log, s, PAWL_LOG_READONLY, x, &err);
        struct stat st;

        if (status && !s->promised && strstr(err.message, "`pawl init`"))
                return POWER_SOUND;
        if (status)
                return not_sound(s, POWER_WRONG, "read-only open", err.message);
        power_verdict verdict = check_events(s, log, "read-only");
        if (!verdict && x->more && x->more(log, true, &err))
                verdict = not_sound(s, POWER_WRONG, "read-only", err.message);
        pawl_log_close(log);
        if (!verdict && stat(path_in(s->directory, ".pawl/events.db-shm"), &st) == 0)
                verdict = not_sound(s, POWER_WRONG, "read-only", "left a -shm");
        return verdict;
}

static power_verdict check_tables(power_state *s, pawl_log *log)
{
        pawl_error err = PAWL_ERROR_INIT;
        pawl__state *state;
        int64_t sound;

        if (pawl__state_of(&state, log, &err))
                return not_sound(s, POWER_WRONG, "state", err.message);
        if (pawl__replay_check(log, &err))
                return not_sound(s, POWER_WRONG, "replay check", err.message);
        if (pawl__db_integer(&sound, log,
                    "SELECT count(*) FROM pragma_integrity_check WHERE integrity_check = 'ok'",
                    &err))
                return not_sound(s, POWER_WRONG, "integrity", err.message);
        return sound == 1 ? POWER_SOUND : not_sound(s, POWER_WRONG, "integrity", "is not ok");
}

static power_verdict check_writer(power_state *s, const struct aftermath *x)
{
        pawl_error err = PAWL_ERROR_INIT;
        pawl_log *log = NULL;

        if (open_after(&log, s, s->promised ? 0 : PAWL_LOG_CREATE, x, &err))
                return not_sound(s, POWER_WRONG, "open", err.message);
        power_verdict verdict = check_events(s, log, "writable");
        if (!verdict)
                verdict = check_tables(s, log);
        if (!verdict && append_one(log, event_scope(NULL), 0))
                verdict = not_sound(s, POWER_WRONG, "append", pawl_log_errmsg(log));
        if (!verdict && x->more && x->more(log, false, &err))
                verdict = not_sound(s, POWER_WRONG, "afterwards", err.message);
        pawl_log_close(log);
        return verdict;
}

power_verdict aftermath_check(power_state *s, const void *user)
{
        const struct aftermath *x = user;
        power_verdict verdict = POWER_SOUND;

        if (s->number % 3 == 0)
                verdict = check_reader(s, x);
        return verdict ? verdict : check_writer(s, x);
}
