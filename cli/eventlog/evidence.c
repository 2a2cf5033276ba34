#include "cli/eventlog/evidence.h"
#include "base/error.h"
#include "base/mac.h"
#include "command/find.h"
#include "command/input.h"
#include "events/log.h"
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

static pawl_status read_key(cli_evidence *e, const char *name, pawl_error *err)
{
        cli_input input;
        pawl_text text;
        struct stat st;
        pawl_status status = cli_input_open(&input, name, err);

        if (status)
                return status;
        status = cli_input_all(&text, &input, err);
        if (!status && pawl__buf_add_text(&e->key_text, text))
                status = pawl__nomem(err);
        if (input.buf.data)
                pawl__cleanse(input.buf.data, input.buf.len);
        if (!status)
                status = pawl__note_key_read(&e->key, pawl__buf_text(&e->key_text), err);
        e->has_key = !status;
        if (status)
                pawl__fail_prefix(err, status, "key file %.300s", input.name);
        if (!status && fstat(input.fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_mode & 077)
                status = pawl__fail(err, PAWL_EACCESS,
                        "key file %.150s: others can get at it (mode %04o); run `chmod 600 "
                        "%.150s`, and make a new key if somebody may have read it",
                        input.name, (unsigned)st.st_mode & 07777, input.name);
        cli_input_close(&input);
        return status;
}

/* The log's id: the hash of its first event. */
static pawl_status read_id(cli_evidence *e, pawl_error *err)
{
        pawl__arena arena = PAWL__ARENA_INIT;
        pawl_event first;

        if (!e->note.size)
                return pawl__fail(err, PAWL_EINVAL,
                        "the log has no event yet, whose hash would be its id; name the log with "
                        "--origin");
        pawl_status status = pawl__log_event(&first, &arena, e->log, 1);
        if (status)
                status = pawl__log_failed(e->log, status, err);
        else
                pawl__hex(e->id, first.hash, sizeof first.hash);
        pawl__arena_free(&arena);
        e->note.origin = pawl__text(e->id);
        return status;
}

pawl_status cli_evidence_begin(cli_evidence *e, const cli_call *cli, pawl_log *log, pawl_error *err)
{
        const char *key = cli_value(cli, "key"), *origin = cli_value(cli, "origin");
        unsigned char hash[PAWL__HASH_LEN];
        pawl_status status = pawl_log_head(&e->note.size, hash, log);

        e->log = log;
        if (status)
                return pawl__log_failed(log, status, err);
        e->note.origin = origin ? pawl__text(origin) : (pawl_text){NULL, 0};
        status = origin ? pawl__note_check_origin(e->note.origin, err) : read_id(e, err);
        return status || !key ? status : read_key(e, key, err);
}

pawl_status cli_evidence_note(pawl__buf *out, const cli_evidence *e, pawl_error *err)
{
        return pawl__note_write(out, &e->note, e->has_key ? &e->key : NULL, err);
}

void cli_evidence_end(cli_evidence *e)
{
        pawl__note_key_free(&e->key);
        if (e->key_text.data)
                pawl__cleanse(e->key_text.data, e->key_text.len);
        pawl__buf_free(&e->key_text);
}

pawl_status cli_evidence_read_note(
        pawl__note *out, pawl__buf *text, const char *name, pawl_error *err)
{
        cli_input input;
        pawl_text all;
        pawl_status status = cli_input_open(&input, name, err);

        if (status)
                return status;
        status = cli_input_all(&all, &input, err);
        if (!status && pawl__buf_add_text(text, all))
                status = pawl__nomem(err);
        if (!status && (status = pawl__note_read(out, pawl__buf_text(text), err)))
                pawl__fail_prefix(err, status, "%.300s", input.name);
        cli_input_close(&input);
        return status;
}

pawl_status cli_evidence_reaches(
        const pawl__note *note, const char *name, uint64_t size, pawl_error *err)
{
        return note->size <= size ? PAWL_OK
                                  : pawl__fail(err, PAWL_EDAMAGED,
                                            "%.300s: the note is of %" PRIu64
                                            " events, and the log has %" PRIu64
                                            ": its end was cut; put back a copy that has it",
                                            name, note->size, size);
}

pawl_status cli_evidence_compare(const pawl__note *note, const char *name,
        const unsigned char root[PAWL__HASH_LEN], pawl_error *err)
{
        return memcmp(root, note->root, PAWL__HASH_LEN) == 0
                       ? PAWL_OK
                       : pawl__fail(err, PAWL_EDAMAGED,
                                 "%.300s: the note's root is not that of the log's first %" PRIu64
                                 " events: the log was rewritten, or the note is of another; put "
                                 "back the copy that it is of",
                                 name, note->size);
}

pawl_status cli_evidence_check_note(const cli_evidence *e, const cli_call *cli,
        const pawl__note *note, pawl_text text, const char *name, pawl_error *err)
{
        if (!pawl__text_eq(note->origin, e->note.origin))
                return pawl__fail(err, PAWL_EACCESS,
                        "%.200s: the note is of %.*s, and this log is %.*s; give a note of this log, or "
                        "its origin with --origin",
                        name, PAWL__FMT(note->origin), PAWL__FMT(e->note.origin));
        if (!e->has_key) {
                cli_noticef(cli, "%.300s: its signature is not verified without --key", name);
                return PAWL_OK;
        }
        const pawl_status status = pawl__note_verify(note, text, &e->key, err);
        return status ? pawl__fail_prefix(err, status, "%.300s", name) : PAWL_OK;
}
