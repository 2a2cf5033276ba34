/*
 * Appending: one write transaction of the engine that holds blobs, events and what the projector
 * derives from them, durable when its commit returns. What a failure leaves: nothing.
 *
 * Handles of one process on one file share transactions (events/group.h): the leader adds the
 * batches of the waiters. If one of them fails, the transaction is rolled back and repeated without
 * that batch, which its own handle then appends alone, to report the error. So no batch fails
 * because of another, and no events are seen before they are on disk. Only a failed COMMIT fails
 * all batches in it. A batch with a prepare hook has a transaction of its own: the hook may take
 * long, and fail for reasons outside of the log.
 */
#include "base/json_canon.h"
#include "events/group.h"
#include "events/handle.h"
#include "events/mask.h"
#include <inttypes.h>

/* Bytes that one transaction adds to its own batch: enough for many to share a sync, few enough
 * that none waits long for others. */
enum { ROOM = 1 << 20 };

static pawl_status begin_for(pawl_log *log, const pawl__batch *batch, bool again)
{
        log->expected = batch;
        const pawl_status status = pawl__tx_begin(log, again);
        log->expected = NULL;
        return status;
}

/* Those that are where the ids of the batch's event before are were checked with it. */
static pawl_status check_ids(const pawl_event *event, const pawl_event *before, pawl_error *err)
{
        const struct {
                pawl_text id, checked;
                const char *what;
        } ids[] = {
                {event->mission_id, before->mission_id, "mission id"},
                {event->run_id, before->run_id, "run id"},
                {event->step_id, before->step_id, "step id"},
                {event->session_id, before->session_id, "session id"},
                {event->actor, before->actor, "actor"},
        };

        for (size_t i = 0; i < sizeof ids / sizeof ids[0]; i++) {
                if (!ids[i].id.data || (ids[i].id.data == ids[i].checked.data &&
                                               ids[i].id.len == ids[i].checked.len))
                        continue;
                pawl_status status = pawl__id_check(ids[i].id, ids[i].what, err);
                if (status)
                        return status;
        }
        return PAWL_OK;
}

/* An event is printed as an object, and events as an array of them: with those around it, what is
 * appended must still be JSON that our own reader takes. */
enum { PAYLOAD_DEPTH = PAWL__JSON_DEPTH - 12 };

/* The payload in canonical form, checked against its type. Our own writers' is that already; that
 * of others is made so in log->payload. */
static pawl_status take_payload(pawl_log *log, pawl_event *e, pawl__event_type type)
{
        const pawl_text given = e->payload.data ? e->payload : pawl__text("{}");
        bool canonical;
        pawl_status status = pawl__json_tree_read_canonical(
                &canonical, &log->tree, given.data, given.len, &log->err);

        e->payload = given;
        if (!status && !canonical) {
                pawl__buf_clear(&log->payload);
                status = pawl__json_canon(&log->payload, given.data, given.len, &log->err);
                e->payload = pawl__buf_text(&log->payload);
                if (!status)
                        status = pawl__json_tree_read(
                                &log->tree, e->payload.data, e->payload.len, &log->err);
        }
        if (status)
                return pawl__fail_prefix(&log->err, status, "%.*s: payload", PAWL__FMT(e->type));
        if (log->tree.depth > PAYLOAD_DEPTH)
                return pawl__fail(&log->err, PAWL_EINVAL,
                        "%.*s: payload: is nested deeper than %d; make it flatter",
                        PAWL__FMT(e->type), PAYLOAD_DEPTH);
        return pawl__event_check(e, type, &log->tree, &log->err);
}

static pawl_status insert(pawl_log *log, const pawl_event *e)
{
        return pawl__log_run(log, PAWL__STMT_INSERT, "append", "itiitttttthh", (int64_t)e->seq,
                e->type, (int64_t)e->v, e->time_us, e->mission_id, e->run_id, e->step_id,
                e->session_id, e->actor, e->payload, e->prev, e->hash);
}

pawl_status pawl__tx_event(pawl_log *log, const pawl_event *event, const pawl_event *before)
{
        pawl_event e = *event;
        pawl__event_type type = pawl__event_type_of(e.type);
        unsigned char payload_hash[32];
        pawl_status status;

        if (type == PAWL__EVENT_OTHER)
                return pawl__fail(&log->err, PAWL_EINVAL,
                        "event type \"%.*s\": is not known; use one of the event log's types",
                        PAWL__FMT(e.type));
        e.seq = 0; /* until it has one, messages go without */
        if (e.v == 0)
                e.v = log->event_v ? log->event_v : pawl__event_def_of(type)->v;
        if (e.time_us == 0)
                e.time_us = log->now_us;
        if (!pawl__time_writable(e.time_us))
                return pawl__fail(&log->err, PAWL_EINVAL,
                        "%.*s: time: is outside of the years 1 to 9999; set the clock right",
                        PAWL__FMT(e.type));
        status = check_ids(&e, before, &log->err);
        if (!status)
                status = take_payload(log, &e, type);
        if (!status && log->head_seq >= INT64_MAX)
                status = pawl__damaged(
                        log, &log->err, log->head_seq, "no seq can follow the last event's");
        if (status)
                return status;
        e.seq = log->head_seq + 1;
        memcpy(e.prev, log->head_hash, 32);
        status = pawl__sha256(log->hasher, payload_hash, e.payload.data, e.payload.len, &log->err);
        if (status)
                return status;
        if (pawl__chain_hash(e.hash, log->hasher, &log->envelope, &e, payload_hash))
                return pawl__nomem(&log->err);
        status = insert(log, &e);
        if (!status && log->key)
                status = pawl__key_seal(log, &e);
        if (!status && log->projecting)
                status = log->projector.apply(log->projector.user, &e, type, &log->tree, &log->err);
        if (status)
                return status;
        log->head_seq = e.seq;
        memcpy(log->head_hash, e.hash, 32);
        return PAWL_OK;
}

/* The fence is asked for once a run of events with the same run and need. */
static pawl_status check_fences(pawl_log *log, const pawl__batch *batch, uint64_t fence)
{
        pawl_text last = {NULL, 0};
        bool last_needs = false;

        for (size_t i = 0; i < batch->n; i++) {
                const pawl_event *e = &batch->events[i];
                if (last.data && last_needs && pawl__text_eq(last, e->run_id))
                        continue;
                pawl__event_type type = pawl__event_type_of(e->type);
                bool needs_fence =
                        type != PAWL__EVENT_OTHER && pawl__event_def_of(type)->needs_fence;

                if (!e->run_id.data || (!needs_fence && fence == 0))
                        continue;
                if (last.data && last_needs >= needs_fence && pawl__text_eq(last, e->run_id))
                        continue;
                pawl_status status = pawl__fence_check(log, e->run_id, fence, !needs_fence);
                if (status)
                        return status;
                last = e->run_id;
                last_needs = needs_fence;
        }
        return PAWL_OK;
}

/* The event that is the i-th to be appended. */
static const pawl_event *in_order(const pawl__batch *batch, size_t i)
{
        if (batch->prepare_between && i >= batch->n_before) {
                const size_t added = batch->n - batch->n_prepared;
                i = i < batch->n_before + added ? batch->n_prepared + i - batch->n_before
                                                : i - added;
        }
        return &batch->events[i];
}

static pawl_status check_empty(pawl_log *log)
{
        return log->head_seq == 0
                       ? PAWL_OK
                       : pawl__fail(&log->err, PAWL_EEXISTS,
                                 "%s: has %" PRIu64 " events already; name a log that has none",
                                 log->path, log->head_seq);
}

/* May it be appended where the log ends now? */
static pawl_status check_place(pawl_log *log, pawl__batch *batch, uint64_t fence)
{
        if (batch->into_empty)
                return check_empty(log);
        const pawl_status status = batch->assumes && batch->assumes != log->head_seq
                                           ? pawl__tx_overtaken(log, batch)
                                           : PAWL_OK;
        return status ? status : check_fences(log, batch, fence);
}

pawl_status pawl__tx_batch(pawl_log *log, pawl__batch *batch, uint64_t fence)
{
        static const pawl_event none;
        const pawl_event *before = &none;
        pawl_status status = check_place(log, batch, fence);

        for (size_t i = 0; i < batch->n_blobs && !status; i++)
                status = pawl__tx_blob(log, batch->blobs[i].hash, batch->blobs[i].content);
        for (size_t i = 0; i < batch->n && batch->mask && !status; i++)
                if (pawl__payload_mask(&batch->events[i], batch->mask, &batch->arena))
                        status = pawl__nomem(&log->err);
        for (size_t i = 0; i < batch->n && !status; i++) {
                const pawl_event *event = in_order(batch, i);
                status = pawl__tx_event(log, event, before);
                before = event;
        }
        for (size_t i = 0; i < batch->n_prunes && !status; i++)
                status = pawl__tx_prune(log, batch->prunes[i]);
        if (!status && batch->releases.data)
                status = pawl__tx_release(log, batch->releases, fence);
        return status;
}

pawl_status pawl__tx_prepared(pawl_log *log, pawl__batch *batch, uint64_t fence)
{
        pawl_status status;

        batch->mask = log->mask;
        if (batch->prepare) {
                status = check_place(log, batch, fence); /* before work that may be long */
                if (status)
                        return status;
                batch->n_prepared = batch->n;
                log->preparing = true;
                status = batch->prepare(log, batch, batch->prepare_user, &log->err);
                log->preparing = false;
                if (status)
                        return status;
        }
        return pawl__tx_batch(log, batch, fence);
}

/* ---- One transaction for all that wait ------------------------------------------------------- */

/* A batch into the transaction that is open, its times by its own handle's clock: read now if that
 * is ours too, so that times stand in the order of seq. */
static pawl_status add(pawl_log *log, pawl__waiter *waiter, int64_t began_us)
{
        const pawl_sources *theirs = &waiter->log->sources, *ours = &log->sources;
        bool one_clock = theirs->wall_us == ours->wall_us && theirs->user == ours->user;

        log->now_us = one_clock ? began_us : waiter->wall_us;
        pawl_status status = pawl__tx_batch(log, waiter->batch, waiter->fence);
        waiter->seq = log->head_seq;
        return status;
}

/* Add every batch from @p own on to the open transaction, then those of the queue. On failure
 * *failed is the waiter whose batch failed. */
static pawl_status add_all(pawl__waiter **failed, pawl_log *log, pawl__waiter *own)
{
        int64_t began_us = log->now_us;
        size_t space_left = ROOM;
        pawl__waiter *waiter = own;

        for (;;) {
                pawl_status status = add(log, waiter, began_us);
                if (status) {
                        *failed = waiter;
                        return status;
                }
                if (!waiter->next)
                        waiter->next = pawl__waiter_next(own, &space_left);
                if (!waiter->next)
                        return PAWL_OK;
                waiter = waiter->next;
        }
}

/* Cut the list that begins with @p own before @p waiter; the rest goes back to the queue. */
static void leave_out(pawl__waiter *own, pawl__waiter *waiter)
{
        pawl__waiter *last = own;

        waiter->refused = true;
        while (last->next != waiter)
                last = last->next;
        last->next = NULL;
        pawl__waiter_put_back(own, waiter);
}

/* One try. *failed: the waiter whose batch failed; *whole: all batches were in it, so that its
 * status is that of all of them. */
static pawl_status try_lead(pawl__waiter **failed, bool *whole, pawl_log *log, pawl__waiter *own)
{
        pawl_status status = begin_for(log, own->batch, true);

        *failed = NULL;
        *whole = false;
        if (!status && (status = add_all(failed, log, own)))
                return pawl__tx_rollback(log, status, false);
        *whole = !status;
        return status ? status : pawl__tx_commit(log);
}

/* Commit the leader's batch and those of the queue. On return they follow it in its list; the
 * returned status is that of all of them. */
static pawl_status lead(pawl_log *log, pawl__waiter *own)
{
        pawl__waiter *failed;
        pawl_status status;
        bool whole;

        for (;;) {
                status = try_lead(&failed, &whole, log, own);
                if (pawl__tx_again(log, status))
                        continue;
                if (!failed || failed == own)
                        break;
                leave_out(own, failed);
        }
        if (!whole) { /* its own failure, not theirs */
                pawl__waiter_put_back(own, own->next);
                own->next = NULL;
                return status;
        }
        for (pawl__waiter *waiter = own->next; waiter; waiter = waiter->next) {
                waiter->status = status;
                if (status)
                        waiter->log->err = log->err;
        }
        return status;
}

/* A batch with a prepare hook: in a transaction of its own. */
static pawl_status commit_alone(pawl_log *log, pawl__waiter *waiter, pawl__batch *batch)
{
        const pawl__batch_mark mark = pawl__batch_marked(batch);
        pawl_status status;

        do {
                status = begin_for(log, batch, false); /* the hook's work may be long */
                if (status)
                        continue;
                status = pawl__tx_prepared(log, batch, waiter->fence);
                waiter->seq = log->head_seq;
                status = status ? pawl__tx_rollback(log, status, true) : pawl__tx_commit(log);
                if (status)
                        pawl__batch_cut(batch, &mark);
        } while (pawl__tx_again(log, status));
        return status;
}

pawl_status pawl__log_commit(pawl_log *log, pawl__batch *batch, uint64_t fence, uint64_t *seq_out)
{
        pawl__waiter waiter = {.log = log, .batch = batch->prepare ? NULL : batch, .fence = fence};
        pawl_status status = pawl__tx_may_begin(log);

        batch->overtaken = false;
        batch->mask = log->mask;
        if (status)
                return status;
        status = pawl__waiter_take(&waiter, "append");
        if (status)
                return status;
        if (waiter.state == PAWL__WAITER_LEADER) {
                waiter.status =
                        batch->prepare ? commit_alone(log, &waiter, batch) : lead(log, &waiter);
                pawl__waiter_end(&waiter, waiter.next, waiter.status);
        }
        if (waiter.status)
                return waiter.status;
        if (waiter.state == PAWL__WAITER_COMMITTED && log->engine->follow)
                log->engine->follow(log);
        if (batch->releases.data)
                pawl__lease_forget(log, batch->releases, fence);
        pawl__batch_clear(batch);
        if (seq_out)
                *seq_out = waiter.seq;
        return PAWL_OK;
}

pawl_status pawl__log_append(
        uint64_t *seq_out, pawl_log *log, const pawl_event *events, size_t n, uint64_t fence)
{
        TRY(pawl__log_usable(log, NULL));

        pawl__batch batch = PAWL__BATCH_INIT;
        pawl_status status = PAWL_OK;

        if (!log->mask || !log->mask->n) {
                /* A batch that borrows: nothing of it is changed, and it owns no memory. */
                batch.events = (pawl_event *)(uintptr_t)events;
                batch.n = n;
                return pawl__log_commit(log, &batch, fence, seq_out);
        }
        for (size_t i = 0; i < n && !status; i++)
                status = pawl__batch_event(&batch, &events[i], &log->err);
        if (!status)
                status = pawl__log_commit(log, &batch, fence, seq_out);
        pawl__batch_free(&batch);
        return status;
}
