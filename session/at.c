/* A session as it was at a checkpoint: its own events folded up to there, from its start on. */
#include "base/error.h"
#include "session/session.h"
#include "state/apply.h"
#include <inttypes.h>

static pawl_status not_there(const pawl__row *session, uint64_t seq, pawl_error *err)
{
        return pawl__fail(err, PAWL_ENOTFOUND,
                "session %.*s: has no checkpoint at seq %" PRIu64
                "; `eventlog list --type SessionCheckpointed` lists them",
                PAWL__FMT(session->v[PAWL__SES_ID].text), seq);
}

typedef struct folding {
        pawl__applier applier;
        pawl_text session_id;
        uint64_t seq;
        bool is_checkpoint;
} folding;

static pawl_status fold(const pawl_event *event, pawl__event_type type, void *user, pawl_error *err)
{
        folding *f = user;

        if (event->seq > f->seq)
                return PAWL_DONE;
        if (type < PAWL__SESSION_STARTED || type > PAWL__SESSION_ENDED ||
                !pawl__text_eq(event->session_id, f->session_id))
                return PAWL_OK;
        f->is_checkpoint = event->seq == f->seq && type == PAWL__SESSION_CHECKPOINTED;
        return pawl__apply(&f->applier, event, err);
}

pawl_status pawl__session_at(pawl__row *out, pawl_log *log, const pawl__row *session, uint64_t seq,
        pawl__arena *arena, pawl_error *err)
{
        folding f = {.applier = {.store = NULL},
                .session_id = session->v[PAWL__SES_ID].text,
                .seq = seq};
        bool ok = true;
        uint64_t start = (uint64_t)session->v[PAWL__SES_SEQ].integer;
        pawl_status status;

        if (seq <= start || seq > (uint64_t)session->v[PAWL__SES_CHECKPOINT_SEQ].integer)
                return not_there(session, seq, err);
        status = pawl__store_memory(&f.applier.store, err);
        if (status)
                return status;
        status = pawl__log_each(log, start - 1, fold, &f, err);
        if (!status && !f.is_checkpoint)
                status = not_there(session, seq, err);
        if (!status) {
                *out = (pawl__row){.v[PAWL__SES_ID] = session->v[PAWL__SES_ID]};
                status = f.applier.store->get(f.applier.store, PAWL__SESSIONS, out, err);
        }
        for (int c = 0; c < PAWL__SES_COLUMNS && !status; c++)
                if (pawl__tables[PAWL__SESSIONS].column[c].type == PAWL__TEXT)
                        out->v[c].text = pawl__arena_text(arena, out->v[c].text, &ok);
        f.applier.store->free(f.applier.store);
        pawl__json_tree_free(&f.applier.tree);
        pawl__arena_free(&f.applier.arena);
        return !status && !ok ? pawl__nomem(err) : status;
}
