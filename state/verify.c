/*
 * Verifying a log: the chain of hashes, and that each event may follow the ones before it. The
 * rules are checked by folding the events once more, into tables in a temporary file: rows that
 * changed are kept in memory until there are many, so that a log of any length takes a few
 * megabytes.
 */
#include "base/error.h"
#include "events/log.h"
#include "state/past.h"
#include "state/projection.h"
#include <inttypes.h>

enum { ROWS_MAX = 1024 }; /* changed rows in memory */

struct judging {
        pawl__applier applier;
        bool under_rules; /* an event with v 2 was there */
};

/* The rules that apply functions check: by what they say no to. */
static const char *rule_of(pawl__event_type type, pawl_status status)
{
        if (pawl__as_damage(status) != status || status == PAWL_ENEWER)
                return "form";
        switch (type) {
        case PAWL__RUN_STARTED:
        case PAWL__RUN_SUBMITTED:
                return "run-phase";
        case PAWL__CLARIFICATION_RESOLVED:
                return status == PAWL_EEXISTS ? "answered-once" : "asked-first";
        case PAWL__SESSION_STARTED:
        case PAWL__SESSION_UPDATED:
        case PAWL__SESSION_CHECKPOINTED:
        case PAWL__SESSION_NOTED:
        case PAWL__SESSION_ENDED:
                return "session-known";
        case PAWL__WORKSPACE_CHECKPOINTED:
        case PAWL__CHECKPOINT_INVALIDATED:
        case PAWL__CHECKPOINT_UPDATED:
        case PAWL__PRUNED:
                return "checkpoint-number";
        case PAWL__TOOL_CALL_CHECKPOINTED:
                return "call-behind-checkpoint";
        case PAWL__ROLLBACK_STARTED:
        case PAWL__ROLLED_BACK:
                return "rollback-order";
        case PAWL__THREAD_CHECKPOINTED:
        case PAWL__THREAD_WRITES_PUT:
        case PAWL__RUN_CLAIMED:
                return "thread";
        default:
                return "state";
        }
}

static pawl_status found_illegal(
        const pawl_event *event, pawl_status status, const pawl_error *why, pawl_error *err)
{
        if (strstr(why->message, "): rule "))
                return pawl__fail(err, PAWL_EDAMAGED, "%s", why->message);
        return pawl__fail(err, PAWL_EDAMAGED, "seq %" PRIu64 " (%.*s): rule %s: %s", event->seq,
                PAWL__FMT(event->type), rule_of(pawl__event_type_of(event->type), status),
                why->message);
}

/* Of an event that its type alone does not refuse: nobody reads an unknown one. */
static pawl_status check_canonical(
        struct judging *j, const pawl_event *event, pawl__event_type type, pawl_error *err)
{
        pawl__applier *applier = &j->applier;
        pawl_status status = PAWL_OK;

        if (!event->payload.data)
                return PAWL_OK;
        if (type == PAWL__EVENT_OTHER)
                status = pawl__json_tree_read_canonical(&applier->canonical, &applier->tree,
                        event->payload.data, event->payload.len, NULL);
        if (status == PAWL_ENOMEM)
                return pawl__nomem(err);
        if (!status && applier->canonical &&
                pawl__json_at(&applier->tree, 0)->type == PAWL__JSON_OBJECT)
                return PAWL_OK;
        return pawl__fail(err, PAWL_EDAMAGED,
                "seq %" PRIu64
                " (%.*s): rule form: its payload is no object in canonical JSON; put "
                "back a copy from before it",
                event->seq, PAWL__FMT(event->type));
}

static pawl_status judge(
        const pawl_event *event, pawl__event_type type, void *user, pawl_error *err)
{
        struct judging *j = user;
        pawl_error why = PAWL_ERROR_INIT;
        const bool judged = event->v > 1;
        pawl_status status;

        if (j->under_rules && !judged)
                return pawl__fail(err, PAWL_EDAMAGED,
                        "seq %" PRIu64
                        " (%.*s): rule version: its v is %d, behind events with v 2; put "
                        "back a copy from before it",
                        event->seq, PAWL__FMT(event->type), event->v);
        j->under_rules |= judged;
        status = pawl__apply(&j->applier, event, &why);
        if (status == PAWL_ENOMEM || status == PAWL_EIO || status == PAWL_EFULL) {
                *err = why;
                return status;
        }
        if (status)
                return judged ? found_illegal(event, status, &why, err) : PAWL_OK;
        if (judged && (status = check_canonical(j, event, type, err)))
                return status;
        return pawl__store_spill(j->applier.store, ROWS_MAX, err);
}

static pawl_status begin(struct judging *j, pawl_log *log, pawl_error *err)
{
        TRY(pawl__store_scratch(&j->applier.store, err));
        j->applier.log = log;
        j->applier.judges = true;
        j->applier.past_rules = &pawl__past;
        return PAWL_OK;
}

pawl_status pawl_log_verify(pawl_verify_result *result, pawl_log *log, uint64_t anchor_seq,
        const unsigned char *anchor_hash)
{
        struct judging j = {.applier = {.store = NULL}};

        TRY(pawl__log_usable(log, NULL));
        pawl_status status = begin(&j, log, pawl__log_error(log));

        if (!status)
                status = pawl__chain_verify(result, log, anchor_seq, anchor_hash, judge, &j);
        if (j.applier.store)
                j.applier.store->free(j.applier.store);
        pawl__applier_free(&j.applier);
        return status;
}
