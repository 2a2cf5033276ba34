/* What a run requires of answers, by the document of the mission that it began with. */
#include "state/recorded_signers.h"
#include "base/error.h"
#include "base/json_tree.h"
#include "state/forked.h"

static pawl_status lost(const pawl__row *run, const char *what, pawl_error *err)
{
        return pawl__fail(err, PAWL_EDAMAGED,
                "run %.*s: %s; put back a copy of the log that has it, or start a new run",
                PAWL__FMT(run->v[PAWL__RUN_ID].text), what);
}

/* The hash of the document that the run's first event names; absent: it names none. */
static pawl_status named_document(
        pawl_text *out, pawl__arena *arena, pawl_log *log, const pawl__row *run, pawl_error *err)
{
        pawl__json_tree tree = PAWL__JSON_TREE_INIT;
        const pawl__value *v = run->v;
        uint64_t seq;
        pawl_event event;
        pawl_status status = pawl__run_began(&seq, log, v[PAWL__RUN_ID].text, err);

        *out = (pawl_text){NULL, 0};
        if (!status && !seq && !v[PAWL__RUN_SCOPE_REFS].text.data &&
                !v[PAWL__RUN_MISSION_PATH].text.data)
                return PAWL_OK; /* it was claimed, and never started */
        if (!status && (!seq || seq != (uint64_t)v[PAWL__RUN_STARTED_SEQ].integer))
                return lost(run, "the event that it began with is another", err);
        if (!status)
                status = pawl__log_failed(log, pawl__log_event(&event, arena, log, seq), err);
        if (status)
                return status;
        status = pawl__log_event_sound(log, &event, err);
        if (!status && event.payload.data)
                status = pawl__json_tree_read(&tree, event.payload.data, event.payload.len, err);
        else if (!status)
                status = lost(run, "what it began with was pruned", err);
        if (!status)
                *out = pawl__arena_copy(arena, pawl__json_get_text(&tree, 0, "mission_document"));
        pawl__json_tree_free(&tree);
        return status ? status : pawl__arena_check(arena, err);
}

pawl_status pawl__signers_recorded(pawl__signers *out, pawl__arena *arena, pawl_log *log,
        const pawl__row *run, pawl_error *err)
{
        static const char member[] = "\"require_signed\":";
        pawl__json_tree tree = PAWL__JSON_TREE_INIT;
        pawl__buf document = PAWL__BUF_INIT;
        unsigned char hash[PAWL__HASH_LEN];
        pawl_text hex;
        pawl_status status = named_document(&hex, arena, log, run, err);

        *out = (pawl__signers){.file = {NULL, 0}};
        if (status || !hex.data)
                return status;
        status = pawl__unhex32(hash, hex) ? pawl__log_blob(&document, log, hash) : PAWL_ENOTFOUND;
        if (status == PAWL_ENOTFOUND) /* or what hashes is not there */
                status = pawl__sha256(pawl__log_hasher(log), hash, "", 0, err);
        if (status == PAWL_OK && !document.data)
                status =
                        lost(run, "the mission that it began with is not in the log any more", err);
        else
                status = pawl__log_failed(log, status, err);
        /* Most missions do not have it, and some are long. */
        if (!status && document.data &&
                memmem(document.data, document.len, member, sizeof member - 1))
                status = pawl__json_tree_read(&tree, document.data, document.len, err);
        const pawl__node node =
                !status && tree.n ? pawl__json_get(&tree, 0, "require_signed") : PAWL__NO_NODE;
        if (node != PAWL__NO_NODE) {
                out->file = pawl__arena_copy(arena, pawl__json_get_text(&tree, node, "file"));
                out->recorded =
                        pawl__arena_copy(arena, pawl__json_get_text(&tree, node, "signers"));
                status = pawl__arena_check(arena, err);
        }
        pawl__json_tree_free(&tree);
        pawl__buf_free(&document);
        return status;
}
