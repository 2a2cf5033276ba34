#include "pipeline/signed.h"
#include "base/error.h"
#include "base/file.h"
#include "base/json_canon.h"
#include "base/json_tree.h"
#include "events/types.h"
#include "glossary/conflict.h"
#include "glossary/normal.h"
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

/* ---- What is signed -------------------------------------------------------------------------- */

static pawl_status signed_text(pawl__buf *out, pawl_text actor, pawl_text answer,
        pawl_text conflict_id, pawl_text input_hash, pawl_error *err)
{
        pawl__json_writer w = PAWL__JSON_WRITER_INIT;

        pawl__json_open_object(&w);
        pawl__json_member_text(&w, "actor", actor);
        pawl__json_member_raw(&w, "answer", answer);
        pawl__json_member_text(&w, "conflict_id", conflict_id);
        pawl__json_member_text(&w, "input_hash", input_hash);
        pawl__json_close_object(&w);
        pawl_status status = pawl__json_end_writer(&w) ? pawl__nomem(err) : PAWL_OK;
        if (!status)
                status = pawl__json_canon(out, w.buf.data, w.buf.len, err);
        pawl__json_writer_free(&w);
        return status;
}

/* By each of the two that is required. */
static pawl_status verify_by_all(const pawl__signers *signers, pawl__verify_fn verify,
        pawl_text text, pawl_text signature, pawl_text actor, pawl_error *err)
{
        const bool recorded = signers->recorded.data != NULL,
                   present = signers->present.data != NULL,
                   changed = recorded && present &&
                             !pawl__text_eq(signers->recorded, signers->present);
        pawl_error why = PAWL_ERROR_INIT;
        const char *as = changed ? " as it is now" : "";
        pawl_status status = PAWL_OK;

        if (present)
                status = verify(text, signature, actor, signers->present, &why);
        if (!status && recorded && (changed || !present)) {
                if (changed)
                        as = " as it was when the run began (`pawl resume RUN "
                             "--accept-changed-mission` takes it as it is now)";
                status = verify(text, signature, actor, signers->recorded, &why);
        }
        if (status == PAWL_EACCESS)
                return pawl__fail(
                        err, status, "%s, by %.*s%s", why.message, PAWL__FMT(signers->file), as);
        if (status && err)
                *err = why;
        return status;
}

/* ---- Who may sign ---------------------------------------------------------------------------- */

pawl_status pawl__signers_recorded(pawl__signers *out, pawl__arena *arena, pawl_log *log,
        const pawl__row *run, pawl_error *err)
{
        static const char member[] = "\"require_signed\":";
        const pawl_text hex = run->v[PAWL__RUN_MISSION_HASH].text;
        pawl__json_tree tree = PAWL__JSON_TREE_INIT;
        pawl__buf document = PAWL__BUF_INIT;
        unsigned char hash[PAWL__HASH_LEN];
        pawl_status status = PAWL_ENOTFOUND;

        *out = (pawl__signers){.file = {NULL, 0}};
        if (hex.data && pawl__unhex32(hash, hex))
                status = pawl__log_blob(&document, log, hash);
        if (status && status != PAWL_ENOTFOUND) /* of a run without one it is the file's hash */
                status = pawl__log_failed(log, status, err);
        /* Most missions do not have it, and some are long. */
        if (!status && memmem(document.data, document.len, member, sizeof member - 1))
                status = pawl__json_tree_read(&tree, document.data, document.len, err);
        if (!status && tree.n) {
                const pawl__node node = pawl__json_get(&tree, 0, "require_signed");
                if (node != PAWL__NO_NODE) {
                        out->file =
                                pawl__arena_copy(arena, pawl__json_get_text(&tree, node, "file"));
                        out->recorded = pawl__arena_copy(
                                arena, pawl__json_get_text(&tree, node, "signers"));
                        status = pawl__arena_check(arena, err);
                }
        }
        pawl__json_tree_free(&tree);
        pawl__buf_free(&document);
        return status == PAWL_ENOTFOUND ? PAWL_OK : status;
}

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

static const char *way_to_answer(const pawl__row *conflict)
{
        if (pawl__text_is(
                    conflict->v[PAWL__CON_TYPE].text, pawl__conflict_type_name(PAWL__QUESTION)))
                return "--answer TEXT";
        return pawl__text_is(conflict->v[PAWL__CON_CANDIDATES].text, "[]") ? "--define TEXT"
                                                                           : "--pick N";
}

pawl_status pawl__seal_begin(bool *sealed, pawl__seal *out, pawl__arena *arena, pawl_log *log,
        pawl__state *state, const pawl__row *conflict, const pawl__sealer *by, pawl_error *err)
{
        pawl__row run = {.v[PAWL__RUN_ID].text = conflict->v[PAWL__CON_RUN].text};
        pawl__row step = {.v[PAWL__STEP_RUN].text = conflict->v[PAWL__CON_RUN].text,
                .v[PAWL__STEP_ID].text = conflict->v[PAWL__CON_STEP].text};
        const bool signs = by && by->sign;
        pawl_status status = pawl__state_get(state, PAWL__RUNS, &run, arena, err);

        *out = (pawl__seal){.by = by};
        *sealed = signs;
        if (!status)
                status = pawl__signers_recorded(&out->signers, arena, log, &run, err);
        else if (status == PAWL_ENOTFOUND)
                status = PAWL_OK;
        if (!status && out->signers.recorded.data && !signs)
                status = pawl__fail(err, PAWL_EACCESS,
                        "conflict %.*s: its run takes signed answers alone (require_signed); sign "
                        "it: `pawl resolve %.*s %s --sign KEY`",
                        PAWL__FMT(conflict->v[PAWL__CON_ID].text),
                        PAWL__FMT(conflict->v[PAWL__CON_ID].text), way_to_answer(conflict));
        if (status || !signs)
                return status;
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
                signed_text(&text, actor, answer, conflict_id, pawl__text(seal->input_hash), err);

        if (!status)
                status = seal->by->sign(
                        &signature, pawl__buf_text(&text), actor, seal->by->user, err);
        if (!status)
                status = pawl__buf_check(&signature, err);
        if (!status && pawl__signers_required(&seal->signers)) {
                status = verify_by_all(&seal->signers, seal->by->verify, pawl__buf_text(&text),
                        pawl__buf_text(&signature), actor, err);
                if (status == PAWL_EACCESS) {
                        const pawl_error why = *err;
                        pawl__fail(err, status,
                                "conflict %.*s: %s; sign with a key that the file gives %.*s",
                                PAWL__FMT(conflict_id), why.message, PAWL__FMT(actor));
                }
        }
        if (!status) {
                pawl__json_member_string(w, "input_hash", seal->input_hash);
                pawl__json_member_text(w, "signature", pawl__buf_text(&signature));
        }
        pawl__buf_free(&signature);
        pawl__buf_free(&text);
        return status;
}

/* ---- Looking again --------------------------------------------------------------------------- */

/* The value of a member as it stands in the payload, which is canonical. */
static pawl_text raw_member(const pawl__json_tree *tree, const char *name)
{
        const pawl__node node = pawl__json_get(tree, 0, name);

        return node == PAWL__NO_NODE || pawl__json_at(tree, node)->type == PAWL__JSON_NULL
                       ? (pawl_text){NULL, 0}
                       : pawl__json_at(tree, node)->value;
}

static pawl_status answer_text(
        pawl__buf *out, const pawl_event *event, const pawl__json_tree *tree, pawl_error *err)
{
        const pawl_text sense = raw_member(tree, "selected_sense");
        pawl__buf quoted = PAWL__BUF_INIT;

        if (!sense.data)
                pawl__json_quote(&quoted, pawl__json_get_text(tree, 0, "answer"));
        pawl_status status = pawl__buf_check(&quoted, err);
        if (!status)
                status =
                        signed_text(out, event->actor, sense.data ? sense : pawl__buf_text(&quoted),
                                pawl__json_get_text(tree, 0, "conflict_id"),
                                pawl__json_get_text(tree, 0, "input_hash"), err);
        pawl__buf_free(&quoted);
        return status;
}

/* What the signature does not cover must be what the conflict says. */
static pawl_status fits(bool *out, const pawl__trust *trust, pawl__arena *arena,
        const pawl_event *event, const pawl__json_tree *tree, pawl_error *err)
{
        pawl__row row = {.v[PAWL__CON_ID].text = pawl__json_get_text(tree, 0, "conflict_id")};
        pawl__buf normal = PAWL__BUF_INIT;
        pawl_status status = pawl__state_get(trust->state, PAWL__CONFLICTS, &row, arena, err);

        *out = false;
        if (status)
                return status == PAWL_ENOTFOUND ? PAWL_OK : status;
        if (pawl__folded_form(&normal, row.v[PAWL__CON_TERM].text))
                status = pawl__nomem(err);
        const pawl_text said = pawl__json_get_text(tree, 0, "normal");
        *out = !status && pawl__text_eq(event->run_id, row.v[PAWL__CON_RUN].text) &&
               pawl__text_eq(event->step_id, row.v[PAWL__CON_STEP].text) &&
               pawl__text_eq(event->mission_id, row.v[PAWL__CON_MISSION].text) &&
               pawl__text_eq(
                       pawl__json_get_text(tree, 0, "term_surface"), row.v[PAWL__CON_TERM].text) &&
               (!raw_member(tree, "selected_sense").data ||
                       pawl__text_eq(said, pawl__buf_text(&normal)));
        pawl__buf_free(&normal);
        return status;
}

static pawl_status look(const pawl__trust *trust, pawl__arena *arena, const pawl_event *event,
        const pawl__json_tree *tree, pawl_error *err)
{
        const pawl_text signature = pawl__json_get_text(tree, 0, "signature");
        pawl__buf text = PAWL__BUF_INIT;
        bool good = false;

        if (!signature.data)
                return pawl__fail(err, PAWL_EACCESS, "it is not signed");
        pawl_status status = fits(&good, trust, arena, event, tree, err);
        if (!status && !good)
                status =
                        pawl__fail(err, PAWL_EACCESS, "it is about another conflict than it names");
        if (!status)
                status = answer_text(&text, event, tree, err);
        if (!status)
                status = verify_by_all(&trust->signers, trust->verify, pawl__buf_text(&text),
                        signature, event->actor, err);
        pawl__buf_free(&text);
        return status;
}

void pawl__trust_free(pawl__trust *trust)
{
        pawl__map_free(&trust->good);
        pawl__arena_free(&trust->arena);
}

pawl_status pawl__trust_answer(pawl__trust *trust, uint64_t seq, pawl_error *err)
{
        pawl__json_tree tree = PAWL__JSON_TREE_INIT;
        pawl__arena arena = PAWL__ARENA_INIT;
        pawl_error why = PAWL_ERROR_INIT;
        pawl_event event;
        char key[24];

        snprintf(key, sizeof key, "%" PRIu64, seq);
        if (pawl__map_get(&trust->good, pawl__text(key)) != PAWL__MAP_NONE)
                return PAWL_OK;
        pawl_status status =
                pawl__log_failed(trust->log, pawl__log_event(&event, &arena, trust->log, seq), err);
        if (!status)
                status = pawl__json_tree_read(&tree, event.payload.data, event.payload.len, err);
        if (!status && pawl__event_type_of(event.type) != PAWL__CLARIFICATION_RESOLVED)
                status = pawl__fail(err, PAWL_EDAMAGED,
                        "seq %" PRIu64 ": is no answer; run `eventlog replay --check`", seq);
        if (!status) {
                status = look(trust, &arena, &event, &tree, &why);
                if (status == PAWL_EACCESS)
                        pawl__fail(err, status, "the answer at seq %" PRIu64 " does not count: %s",
                                seq, why.message);
                else if (status && err)
                        *err = why;
        }
        if (!status && pawl__map_put_copy(&trust->good, &trust->arena, pawl__text(key), 1))
                status = pawl__nomem(err);
        pawl__json_tree_free(&tree);
        pawl__arena_free(&arena);
        return status;
}

/* ---- Senses ---------------------------------------------------------------------------------- */

/* The answer of this mission that a sense comes from: its own event, or, of one that was put into a
 * scope, the event right behind that. 0: none; what the glossary says otherwise is no answer. */
static pawl_status answer_of(uint64_t *seq, const pawl__trust *trust, pawl__arena *arena,
        const pawl__row *row, pawl_error *err)
{
        const bool written = pawl__text_is(row->v[PAWL__SENSE_SOURCE].text, "user_clarification");
        const bool local = pawl__text_is(row->v[PAWL__SENSE_SCOPE].text, "mission_local");
        pawl_event event;
        pawl_status status = PAWL_OK;

        *seq = 0;
        for (uint64_t i = !local; i < (written ? 2U : 1U) && !status && !*seq; i++) {
                const uint64_t at = (uint64_t)row->v[PAWL__SENSE_SEQ].integer + i;
                pawl__json_tree tree = PAWL__JSON_TREE_INIT;
                status = pawl__log_event(&event, arena, trust->log, at);
                if (status == PAWL_ENOTFOUND)
                        return PAWL_OK;
                if (status)
                        return pawl__log_failed(trust->log, status, err);
                if (pawl__event_type_of(event.type) != PAWL__CLARIFICATION_RESOLVED ||
                        !pawl__text_eq(event.mission_id, trust->mission_id))
                        continue;
                status = pawl__json_tree_read(&tree, event.payload.data, event.payload.len, err);
                const pawl_text normal = pawl__json_get_text(&tree, 0, "normal");
                if (!status && (i == 0 || !normal.data ||
                                       pawl__text_eq(normal, row->v[PAWL__SENSE_NORMAL].text)))
                        *seq = at;
                pawl__json_tree_free(&tree);
        }
        return status;
}

static pawl_status sense_counts(bool *counts, const pawl__row *row, void *user, pawl_error *err)
{
        pawl__trust *trust = user;
        const bool seeds = row->v[PAWL__SENSE_VERSION].text.len > 0;
        pawl__arena arena = PAWL__ARENA_INIT;
        pawl_error why = PAWL_ERROR_INIT;
        uint64_t seq = 0;
        pawl_status status = seeds ? PAWL_OK : answer_of(&seq, trust, &arena, row, &why);

        if (!status && seq)
                status = pawl__trust_answer(trust, seq, &why);
        pawl__arena_free(&arena);
        *counts = !status;
        if (status == PAWL_EACCESS)
                return PAWL_OK;
        if (status && err)
                *err = why;
        return status;
}

pawl__sense_filter pawl__trust_filter(pawl__trust *trust)
{
        return (pawl__sense_filter){sense_counts, trust};
}
