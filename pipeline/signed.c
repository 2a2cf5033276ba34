#include "pipeline/signed.h"
#include "base/error.h"
#include "base/file.h"
#include "base/json_canon.h"
#include "state/answer_way.h"
#include "state/verified.h"
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* ---- What is signed -------------------------------------------------------------------------- */

pawl_status pawl__signed_text(pawl__buf *out, pawl_text actor, pawl_text answer,
        pawl_text conflict_id, pawl_text input_hash, pawl_text question, pawl_text replaces,
        pawl_error *err)
{
        pawl__json_writer w = PAWL__JSON_WRITER_INIT;

        pawl__json_open_object(&w);
        pawl__json_member_text(&w, "actor", actor);
        pawl__json_member_raw(&w, "answer", answer);
        pawl__json_member_text(&w, "conflict_id", conflict_id);
        pawl__json_member_text(&w, "input_hash", input_hash);
        pawl__json_member_text(&w, "question", question);
        pawl__json_member_text(&w, "replaces", replaces.len ? replaces : pawl__text(NULL));
        pawl__json_close_object(&w);
        pawl_status status = pawl__json_end_writer(&w) ? pawl__nomem(err) : PAWL_OK;
        if (!status)
                status = pawl__json_canon(out, w.buf.data, w.buf.len, err);
        pawl__json_writer_free(&w);
        return status;
}

pawl_status pawl__signers_verify(const pawl__signers *signers, pawl__verify_fn verify,
        pawl_text text, pawl_text signature, pawl_text actor, int64_t at_us, pawl_error *err)
{
        const bool recorded = signers->recorded.data != NULL,
                   present = signers->present.data != NULL,
                   changed = recorded && present &&
                             !pawl__text_eq(signers->recorded, signers->present);
        pawl_error why = PAWL_ERROR_INIT;
        const char *as = changed ? " as it is now" : "";
        pawl_status status = PAWL_OK;

        if (present)
                status = verify(text, signature, actor, signers->present, at_us, &why);
        if (!status && recorded && (changed || !present)) {
                if (changed)
                        as = " as it was when the run began (a new run takes it as it is now)";
                status = verify(text, signature, actor, signers->recorded, at_us, &why);
        }
        if (status == PAWL_EACCESS)
                return pawl__fail(
                        err, status, "%s, by %.*s%s", why.message, PAWL__FMT(signers->file), as);
        if (status && err)
                *err = why;
        return status;
}

/* ---- Who may sign ---------------------------------------------------------------------------- */

/* What the file says now, where it lies beside the mission; elsewhere the gate alone will see it.
 */
static pawl_status read_present(
        pawl__signers *signers, pawl__arena *arena, const pawl__row *run, pawl_error *err)
{
        const pawl_text mission = run->v[PAWL__RUN_MISSION_PATH].text;
        pawl__buf text = PAWL__BUF_INIT;
        char path[2 * PATH_MAX];

        if (!signers->recorded.data || !pawl__text_starts(mission, "/"))
                return PAWL_OK;
        const size_t directory = *signers->file.data == '/' ? 0 : pawl__directory_len(mission.data);
        const int len = snprintf(path, sizeof path, "%.*s%.*s", (int)directory, mission.data,
                (int)signers->file.len, signers->file.data);
        const int fd =
                len < 0 || (size_t)len >= sizeof path ? -1 : open(path, O_RDONLY | O_CLOEXEC);
        if (fd < 0)
                return PAWL_OK;
        if (!pawl__read_all(&text, fd, PAWL__SIGNERS_MAX))
                signers->present = pawl__arena_copy(arena, pawl__buf_text(&text));
        close(fd);
        pawl__buf_free(&text);
        return pawl__arena_check(arena, err);
}

/* ---- Answering ------------------------------------------------------------------------------- */

/* The hash of an event that the state was folded from. */
static pawl_status hash_of(
        char out[65], pawl_log *log, uint64_t seq, pawl_text conflict_id, pawl_error *err)
{
        const unsigned char *hash = pawl__log_verified_hash(log, seq);

        if (!hash)
                return pawl__fail(err, PAWL_EDAMAGED,
                        "conflict %.*s: the log does not have the question; run `eventlog verify`",
                        PAWL__FMT(conflict_id));
        pawl__hex(out, hash, PAWL__HASH_LEN);
        return PAWL_OK;
}

void pawl__signers_known_free(pawl__signers_known *known)
{
        pawl__map_free(&known->runs);
        free(known->items);
}

/* The document of a mission may be long: it is read and hashed once for all answers to its run. */
static pawl_status read_recorded(pawl__signers *out, pawl__arena *arena, pawl_log *log,
        const pawl__row *run, pawl__signers_known *known, pawl_error *err)
{
        uint32_t at = pawl__map_get(&known->runs, run->v[PAWL__RUN_ID].text);

        if (at == PAWL__MAP_NONE) {
                pawl__signers read;
                TRY(pawl__signers_recorded(&read, arena, log, run, err));
                at = (uint32_t)known->n;
                if (pawl__grow(&known->items, &known->cap, known->n + 1, sizeof *known->items) ||
                        pawl__map_put_copy(&known->runs, arena, run->v[PAWL__RUN_ID].text, at))
                        return pawl__nomem(err);
                known->items[known->n++] = read;
        }
        *out = known->items[at];
        return PAWL_OK;
}

static pawl_status refuse_unsigned(
        pawl_log *log, const pawl__row *conflict, pawl__arena *arena, pawl_error *err)
{
        pawl__answer_way way;

        TRY(pawl__answer_way_of(&way, log, conflict, NULL, arena, err));
        return pawl__fail(err, PAWL_EACCESS,
                "conflict %.*s: its run takes signed answers alone (require_signed); sign it: `%s`",
                PAWL__FMT(way.id), PAWL__ANSWER_COMMAND(&way));
}

pawl_status pawl__seal_begin(bool *sealed, pawl__seal *out, pawl__arena *arena, pawl_log *log,
        pawl__state *state, const pawl__row *conflict, const pawl__sealer *by,
        pawl__signers_known *known, pawl_error *err)
{
        pawl__row run = {.v[PAWL__RUN_ID].text = conflict->v[PAWL__CON_RUN].text};
        pawl__row step = {.v[PAWL__STEP_RUN].text = conflict->v[PAWL__CON_RUN].text,
                .v[PAWL__STEP_ID].text = conflict->v[PAWL__CON_STEP].text};
        const pawl_text id = conflict->v[PAWL__CON_ID].text;
        const bool signs = by && by->sign;
        pawl_status status = pawl__state_get(state, PAWL__RUNS, &run, arena, err);

        *out = (pawl__seal){.by = by};
        *sealed = signs;
        if (!status)
                status = read_recorded(&out->signers, arena, log, &run, known, err);
        else if (status == PAWL_ENOTFOUND)
                status = PAWL_OK;
        if (!status && out->signers.recorded.data && !signs)
                status = refuse_unsigned(log, conflict, arena, err);
        if (status || !signs)
                return status;
        status = hash_of(out->question, log, pawl__verified_asked(state, id).seq, id, err);
        if (!status && pawl__text_is(conflict->v[PAWL__CON_STATUS].text, "resolved"))
                status = hash_of(out->replaces, log,
                        (uint64_t)conflict->v[PAWL__CON_RESOLVED_SEQ].integer, id, err);
        if (!status)
                status = read_present(&out->signers, arena, &run, err);
        if (!status)
                status = pawl__state_get(state, PAWL__STEPS, &step, arena, err);
        if (!status)
                snprintf(out->input_hash, sizeof out->input_hash, "%.*s",
                        PAWL__FMT(step.v[PAWL__STEP_INPUT_HASH].text));
        return status;
}

pawl_status pawl__seal_write(pawl__json_writer *w, const pawl__seal *seal, pawl_text actor,
        pawl_text conflict_id, pawl_text answer, pawl_error *err)
{
        pawl__buf text = PAWL__BUF_INIT, signature = PAWL__BUF_INIT;
        pawl_status status =
                pawl__signed_text(&text, actor, answer, conflict_id, pawl__text(seal->input_hash),
                        pawl__text(seal->question), pawl__text(seal->replaces), err);

        if (!status)
                status = seal->by->sign(
                        &signature, pawl__buf_text(&text), actor, seal->by->user, err);
        if (!status)
                status = pawl__buf_check(&signature, err);
        if (!status && pawl__signers_required(&seal->signers)) {
                status = pawl__signers_verify(&seal->signers, seal->by->verify,
                        pawl__buf_text(&text), pawl__buf_text(&signature), actor, 0, err);
                if (status == PAWL_EACCESS) {
                        const pawl_error why = *err;
                        pawl__fail(err, status,
                                "conflict %.*s: %s; sign with a key that the file gives %.*s",
                                PAWL__FMT(conflict_id), why.message, PAWL__FMT(actor));
                }
        }
        if (!status) {
                pawl__json_member_string(w, "input_hash", seal->input_hash);
                pawl__json_member_string(w, "question_hash", seal->question);
                pawl__json_member_text(
                        w, "replaces_hash", pawl__text(*seal->replaces ? seal->replaces : NULL));
                pawl__json_member_text(w, "signature", pawl__buf_text(&signature));
        }
        pawl__buf_free(&signature);
        pawl__buf_free(&text);
        return status;
}
