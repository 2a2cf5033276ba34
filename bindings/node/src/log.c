/* A log: its events, and the sessions that agents keep in it. */
#include "task.h"

static const json_field event_fields[] = {FIELD(pawl_event, seq), FIELD(pawl_event, type),
        FIELD(pawl_event, v), FIELD(pawl_event, time_us), FIELD(pawl_event, mission_id),
        FIELD(pawl_event, run_id), FIELD(pawl_event, step_id), FIELD(pawl_event, session_id),
        FIELD(pawl_event, actor), FIELD_AS(pawl_event, payload, FIELD_JSON),
        FIELD(pawl_event, prev), FIELD(pawl_event, hash)};
static const json_field verify_fields[] = {
        FIELD(pawl_verify_result, events), FIELD(pawl_verify_result, keyed)};
static const json_field backup_fields[] = {FIELD(pawl_backup, events), FIELD(pawl_backup, head_seq),
        FIELD(pawl_backup, head_hash), FIELD(pawl_backup, bytes)};

/* The bytes that hex digits stand for, in their place. */
static size_t decode_hex(char *digits, size_t len)
{
        for (size_t i = 0; i < len / 2; i++) {
                const char pair[3] = {digits[2 * i], digits[2 * i + 1], '\0'};
                digits[i] = (char)strtol(pair, NULL, 16);
        }
        return len / 2;
}

/* arg: 0 path or URL, 1 flags, 2 key in hex, 3 busy_ms, 4 lease_ms */
void op_log_open(task *t)
{
        pawl_log_options options = PAWL_LOG_OPTIONS_INIT;
        pawl_log *log;

        options.flags = (unsigned)task_natural(t, 1);
        options.key = t->arg[2];
        options.key_len = decode_hex(t->arg[2], t->len[2]);
        if (t->arg[3])
                options.busy_ms = (unsigned)task_natural(t, 3);
        if (t->arg[4])
                options.lease_ms = (unsigned)task_natural(t, 4);
        t->status = pawl_log_open(&log, t->arg[0], &options, &t->err);
        if (t->status)
                return;
        task_make(t, LOG, log);
        if (t->made)
                t->made->lease_ms = options.lease_ms;
}

void op_close(task *t)
{
        close_handle(t->on);
}

enum { EVENT_FIELDS = 9, PAGE_BYTES = 8 << 20 };

/* The next field of an event, up to its NUL: absent where it is empty, else behind a "=". */
static pawl_text next_field(const char **at)
{
        const char *from = *at;
        const size_t len = strlen(from);

        *at = from + len + 1;
        return len ? (pawl_text){from + 1, len - 1} : (pawl_text){NULL, 0};
}

static pawl_event next_event(const char **at)
{
        pawl_event event = {.type = next_field(at)};
        const pawl_text v = next_field(at), time_us = next_field(at);

        event.v = v.data ? (int)strtol(v.data, NULL, 10) : 0;
        event.time_us = time_us.data ? strtoll(time_us.data, NULL, 10) : 0;
        event.mission_id = next_field(at);
        event.run_id = next_field(at);
        event.step_id = next_field(at);
        event.session_id = next_field(at);
        event.actor = next_field(at);
        event.payload = next_field(at);
        return event;
}

/* arg: 0 the fields of all events, each with a NUL behind it, 1 fence */
void op_append(task *t)
{
        const char *at = t->arg[0];
        pawl_event *events;
        uint64_t seq;
        size_t fields = 0, n;

        for (size_t i = 0; i < t->len[0]; i++)
                fields += t->arg[0][i] == '\0';
        n = fields / EVENT_FIELDS;
        events = calloc(n + 1, sizeof *events);
        if (!events) {
                t->status = PAWL_ENOMEM;
                return;
        }
        for (size_t i = 0; i < n; i++)
                events[i] = next_event(&at);
        t->status = pawl_log_append(&seq, task_log(t), events, n, task_natural(t, 1));
        task_from_log(t);
        free(events);
        if (!t->status)
                json_number(&t->json, NULL, (double)seq);
}

void op_head(task *t)
{
        unsigned char hash[32];
        uint64_t seq;

        t->status = pawl_log_head(&seq, hash, task_log(t));
        task_from_log(t);
        if (t->status)
                return;
        json_open(&t->json, NULL, "{");
        json_number(&t->json, "seq", (double)seq);
        json_hex(&t->json, "hash", hash);
        json_close(&t->json, "}");
}

/* A page of events, empty at the end of the log, and the seq up to which the log was read.
 * arg: 0 after, 1 how many at most, 2 type, 3 run, 4 step */
void op_events(task *t)
{
        pawl_event_filter filter = PAWL_EVENT_FILTER_INIT;
        const uint64_t most = task_natural(t, 1);
        unsigned char hash[32];
        uint64_t until = 0;
        pawl_cursor *cursor;
        pawl_event event = {.seq = 0};

        filter.since = task_natural(t, 0);
        filter.type = t->arg[2];
        filter.run_id = t->arg[3];
        filter.step_id = t->arg[4];
        t->status = pawl_log_head(&until, hash, task_log(t));
        if (!t->status)
                t->status = pawl_cursor_find(&cursor, task_log(t), &filter);
        task_from_log(t);
        if (t->status)
                return;
        json_open(&t->json, NULL, "{");
        json_open(&t->json, "events", "[");
        for (uint64_t n = 0; n < most && t->json.len < PAGE_BYTES && !t->status; n++) {
                t->status = pawl_cursor_next(cursor, &event);
                task_from_log(t);
                if (!t->status)
                        JSON_OBJECT(&t->json, NULL, event_fields, &event);
        }
        json_close(&t->json, "]");
        if (t->status != PAWL_DONE || event.seq > until)
                until = event.seq; /* it stopped there, or others appended meanwhile */
        json_number(&t->json, "until", (double)until);
        json_close(&t->json, "}");
        pawl_cursor_close(cursor);
        if (t->status == PAWL_DONE)
                t->status = PAWL_OK;
}

void op_verify(task *t)
{
        pawl_verify_result result;

        t->status = pawl_log_verify(&result, task_log(t), 0, NULL);
        task_from_log(t);
        if (t->status)
                return;
        JSON_OBJECT(&t->json, NULL, verify_fields, &result);
}

/* The work that an agent reports: arg 3 the step, 4 a summary; 5 completed steps, 6 pending ones
 * and 7 files, texts with a NUL behind each. */
typedef struct agent_work {
        pawl_session_work told;
        const char **lists[3];
} agent_work;

static const char **split(size_t *n, const char *texts, size_t len)
{
        const char **list = texts ? calloc(len + 1, sizeof *list) : NULL;

        for (const char *at = texts; list && at < texts + len; at += strlen(at) + 1)
                list[(*n)++] = at;
        return list;
}

static void read_work(agent_work *work, const task *t)
{
        pawl_session_work *told = &work->told;

        *work = (agent_work){.told = {.current_step = t->arg[3], .summary = t->arg[4]}};
        told->completed = work->lists[0] = split(&told->n_completed, t->arg[5], t->len[5]);
        told->pending = work->lists[1] = split(&told->n_pending, t->arg[6], t->len[6]);
        told->files = work->lists[2] = split(&told->n_files, t->arg[7], t->len[7]);
}

static void free_work(agent_work *work)
{
        for (int i = 0; i < 3; i++)
                free((void *)work->lists[i]);
}

/* arg: 0 mission, 1 actor, 2 take over */
void op_session_start(task *t)
{
        pawl_session_options options = PAWL_SESSION_OPTIONS_INIT;
        char id[PAWL_SESSION_ID_MAX];
        agent_work work;

        options.actor = t->arg[1];
        options.take_over = task_natural(t, 2);
        read_work(&work, t);
        t->status = pawl_session_start(id, task_log(t), t->arg[0], &work.told, &options, &t->err);
        free_work(&work);
        if (!t->status)
                json_string(&t->json, NULL, id);
}

/* arg: 0 session, 1 actor */
void op_session_update(task *t)
{
        agent_work work;

        read_work(&work, t);
        t->status = pawl_session_update(task_log(t), t->arg[0], t->arg[1], &work.told, &t->err);
        free_work(&work);
}

/* arg: 0 session, 1 actor, 2 reason */
void op_session_checkpoint(task *t)
{
        agent_work work;
        uint64_t seq;

        read_work(&work, t);
        t->status = pawl_session_checkpoint(&seq, task_log(t), t->arg[0], t->arg[1],
                t->arg[2] ? t->arg[2] : "manual", &work.told, &t->err);
        free_work(&work);
        if (!t->status)
                json_number(&t->json, NULL, (double)seq);
}

/* arg: 0 session, 1 actor, 2 status, 8 reason */
void op_session_end(task *t)
{
        agent_work work;

        read_work(&work, t);
        t->status = pawl_session_end(task_log(t), t->arg[0], t->arg[1],
                t->arg[2] ? t->arg[2] : "completed", t->arg[8], &work.told, &t->err);
        free_work(&work);
}

/* arg: 0 path */
void op_backup(task *t)
{
        pawl_backup copy;

        t->status = pawl_log_backup(&copy, task_log(t), t->arg[0], NULL, NULL);
        task_from_log(t);
        if (t->status)
                return;
        JSON_OBJECT(&t->json, NULL, backup_fields, &copy);
}

static void give_json(task *t, char *json, size_t len)
{
        if (t->status)
                return;
        json_raw(&t->json, NULL, (pawl_text){json, len});
        pawl_free(json);
}

/* arg: 0 session, or none: the latest */
void op_handoff_json(task *t)
{
        char *json = NULL;
        size_t len = 0;

        t->status = pawl_session_handoff_json(&json, &len, task_log(t), t->arg[0], &t->err);
        give_json(t, json, len);
}

/* arg: 0 document */
void op_handoff_parse(task *t)
{
        char *json = NULL;
        size_t len = 0;

        t->status = pawl_handoff_parse(&json, &len, t->arg[0], t->len[0], &t->err);
        give_json(t, json, len);
}

void op_handoff(task *t)
{
        char *document;
        size_t len;

        t->status = pawl_session_handoff(&document, &len, task_log(t), t->arg[0], 0, &t->err);
        if (t->status)
                return;
        json_text(&t->json, NULL, (pawl_text){document, len});
        pawl_free(document);
}

void op_hash(task *t)
{
        char digits[65];

        t->status = pawl_json_hash(digits, t->arg[0], t->len[0], &t->err);
        if (!t->status)
                json_string(&t->json, NULL, digits);
}

void op_canonical(task *t)
{
        char *canonical;
        size_t len;

        t->status = pawl_json_canonical(&canonical, &len, t->arg[0], t->len[0], &t->err);
        if (t->status)
                return;
        json_text(&t->json, NULL, (pawl_text){canonical, len});
        pawl_free(canonical);
}
