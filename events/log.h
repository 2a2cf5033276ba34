/**
 * @file events/log.h
 * @brief The log as the modules above see it: batches, blobs, claims, and the projector's hook.
 *
 * What the database is, nobody here knows (see events/engine.h).
 */
#pragma once

#include "base/digest.h"
#include "base/json_write.h"
#include "base/text.h"
#include "events/types.h"

/** The first line of every public function that takes a log: PAWL_EINVAL for NULL, PAWL_ESTATE in
 *  another process than the one that opened it. @p err NULL: the message is the log's own. */
PAWL_MUST_CHECK pawl_status pawl__log_usable(pawl_log *log, pawl_error *err);

/** For our own programs, before the first log is opened: SQLite does not count the memory that it
 * takes, which it does under a lock of all handles. A library leaves that choice to the program. */
void pawl__log_start_lean(void);

/* ---- A batch: what is appended as one transaction ------------------------------------------- */

struct pawl__batch;

/**
 * A batch's prepare hook. It is called when the write transaction is open and the fence is checked,
 * before the batch's blobs and events are inserted. It may put and drop contents, read the log as
 * it is then, and add events and blobs to @p batch; it must not append to the log itself. If it
 * fails, or anything after it, the transaction is rolled back, what it added is removed from the
 * batch, and the status is passed on; the message is in @p err, which is the log's own. Such a
 * batch has a transaction of its own, so that its failure fails no other batch. Every writer waits
 * while the hook runs: read, hash and compress before.
 */
typedef pawl_status (*pawl__batch_prepare_fn)(
        pawl_log *log, struct pawl__batch *batch, void *user, pawl_error *err);

/**
 * Events and blobs on their way to one transaction. Copies what it is given. Zero-initialised is
 * empty. Events keep their order; blobs are stored before them.
 */
typedef struct pawl__batch {
        pawl__arena arena;
        pawl_event *events;
        size_t n, cap;
        struct pawl__batch_blob *blobs;
        size_t n_blobs, cap_blobs;
        uint64_t *prunes; /* events whose payloads go with the commit */
        size_t n_prunes, cap_prunes;
        pawl_text releases;             /* the run to release with the commit; absent: none */
        uint64_t after_fence;           /* see pawl__log_claim(); 0: any, UINT64_MAX: none */
        pawl__batch_prepare_fn prepare; /* the prepare hook; NULL: none */
        void *prepare_user;
        bool prepare_between; /**< what the hook adds goes behind the first n_before events, not the
                                 last */
        size_t n_before,
                n_prepared; /**< n_prepared: how many there were when the hook was called */
        bool takes_over;    /**< of a claim: from a live holder, too */
        bool into_empty;  /**< only as a log's first events, which no fence guards: PAWL_EEXISTS */
        uint64_t assumes; /**< it depends on the log up to that seq (pawl__log_assumed()): if an
                             event behind it changes senses, or is of the run of the first event,
                             PAWL_EBUSY, and overtaken is set; 0: on nothing */
        bool overtaken;
        const struct pawl__mask *mask; /**< of payloads: that of the log which it is committed to */
} pawl__batch;

#define PAWL__BATCH_INIT                                                                           \
        {                                                                                          \
                PAWL__ARENA_INIT, NULL, 0, 0, NULL, 0, 0, NULL, 0, 0, {NULL, 0}, 0, NULL, NULL,    \
                        false, 0, 0, false, false, 0, false, NULL                                  \
        }

PAWL_MUST_CHECK pawl_status pawl__batch_event(
        pawl__batch *batch, const pawl_event *event, pawl_error *err);
/** Add an event of @p type with the ids and the time of @p like. Its payload is what @p w holds:
 *  nothing stands for {}, and an object that is still open is closed. The writer is freed. */
PAWL_MUST_CHECK pawl_status pawl__batch_emit(pawl__batch *batch, pawl__event_type type,
        const pawl_event *like, pawl__json_writer *w, pawl_error *err);
/** Keep @p content under @p hash (its SHA-256), unless the log has it. */
PAWL_MUST_CHECK pawl_status pawl__batch_blob(
        pawl__batch *batch, const unsigned char hash[32], pawl_text content, pawl_error *err);
/** Release @p run_id in the same transaction, after its last events. The commit's fence must be the
 *  run's, and is not valid afterwards. */
PAWL_MUST_CHECK pawl_status pawl__batch_release(
        pawl__batch *batch, pawl_text run_id, pawl_error *err);
/** Remove the payload of the event @p seq, which is in the log, in the same transaction, and keep
 * its hash, so that the chain still verifies. A payload that is already removed is no failure. */
PAWL_MUST_CHECK pawl_status pawl__batch_prune(pawl__batch *batch, uint64_t seq, pawl_error *err);
void pawl__batch_clear(pawl__batch *batch);
void pawl__batch_free(pawl__batch *batch);

/**
 * Append the batch in one BEGIN IMMEDIATE transaction, durably, and clear it. An event with
 * time_us 0 gets the log's wall clock. Each payload is checked against its type's required fields
 * and made canonical. On failure nothing was written and the batch is as it was. An empty batch
 * appends nothing, but lets the projector catch up.
 * Every event that has a run_id and whose type needs_fence (events/types.h) needs the run's fence.
 * @return as pawl_log_append(), and what the prepare hook returned; the message is in the log's own
 * error too.
 */
PAWL_MUST_CHECK pawl_status pawl__log_commit(
        pawl_log *log, pawl__batch *batch, uint64_t fence, uint64_t *seq_out);
/** pawl_log_append() without the rules of state/, which a state that is attached checks all the
 * same. */
PAWL_MUST_CHECK pawl_status pawl__log_append(
        uint64_t *seq_out, pawl_log *log, const pawl_event *events, size_t n, uint64_t fence);

/**
 * Claim @p run_id as pawl_log_claim() does, with @p batch appended right after RunClaimed in the
 * same transaction (NULL or empty: nothing more). The batch is cleared on PAWL_OK.
 * session_id (may be absent) goes into RunClaimed's envelope.
 * If the batch has an after_fence, the claim holds only right after the one of that fence:
 * PAWL_EEXISTS if the run was claimed since, so that what the caller read before may be out of
 * date: read it again. PAWL_EHELD takes precedence.
 */
PAWL_MUST_CHECK pawl_status pawl__log_claim(uint64_t *fence, pawl_log *log, pawl_text mission_id,
        pawl_text run_id, pawl_text session_id, pawl_text actor, pawl__batch *batch,
        pawl_owner *owner);

/**
 * For work that may be longer than a lease and appends nothing meanwhile: renew what this handle
 * has claimed, each claim when a third of its lease is over. Called often, it mostly looks at the
 * clock. Inside of a transaction it does nothing: no process can claim a run meanwhile.
 * @return PAWL_EFENCED if another process has one of them now. Any other failed renewal is ignored
 * and retried soon.
 */
PAWL_MUST_CHECK pawl_status pawl__log_keep_claims(pawl_log *log);

/**
 * Let all reads of this handle see the log as it is now, whatever others commit, until
 * pawl__log_view_end(). Nothing is written in between, and the state is attached before
 * (pawl__state_of()). Of a log that is open for writing; a reader's own views are kept elsewhere.
 */
PAWL_MUST_CHECK pawl_status pawl__log_view_begin(pawl_log *log, pawl_error *err);
void pawl__log_view_end(pawl_log *log);
/** Are many reads cheaper in a view, even where they need not be of one state? */
bool pawl__log_view_saves(const pawl_log *log);
/** A view is over in which reading failed with @p status: was it lost with its connection, so that
 *  all of it may be read again, in another? */
bool pawl__log_view_again(pawl_log *log, pawl_status status);

/** Does this claim still hold the run? PAWL_EFENCED: another was made since, or the run was
 *  cancelled. */
PAWL_MUST_CHECK pawl_status pawl__log_holds(pawl_log *log, pawl_text run_id, uint64_t fence);
/** Does a live process have the run? PAWL_OK with *held and the present owner. */
PAWL_MUST_CHECK pawl_status pawl__log_holder(
        bool *held, pawl_owner *owner, pawl_log *log, pawl_text run_id);
/** Nobody holds the run: is that since its last owner died, and not because it was released? */
PAWL_MUST_CHECK pawl_status pawl__log_holder_died(bool *died, pawl_log *log, pawl_text run_id);
/** The same, as it was seen last, without asking the log: the live process that had the run then is
 *  still there, as far as the kernel knows, and its lease is not over yet. */
bool pawl__log_holder_seen(pawl_log *log, pawl_text run_id);

/**
 * Make sure that the log is at its path, as each append does: put it back if it was removed. Called
 * before a command reports success. Does nothing for a read-only log.
 * @return PAWL_EDAMAGED if something else is there: the log was saved beside it.
 */
PAWL_MUST_CHECK pawl_status pawl__log_keep(pawl_log *log);
/** After that failed: was the log saved elsewhere, so that this handle can be closed? */
bool pawl__log_saved(const pawl_log *log);

/* ---- Contents: what workspace checkpoints hold, by hash, in parts
 * --------------------------------
 *
 * The log keeps bytes as they come (compressed, by whom they are put): what their hash is of, and
 * whether they still are that, the module above knows. Putting and dropping are for a batch's
 * prepare hook only; elsewhere they are a caller's bug.
 */

/** Keep a part of a content, unless the log has it. @p size: of the whole content, not compressed.
 *  The same failures as an append's. */
PAWL_MUST_CHECK pawl_status pawl__log_content_put(pawl_log *log, const unsigned char hash[32],
        uint32_t part, uint64_t size, const void *data, size_t len);

/** A part, appended to @p out as it was put, and the size of the whole (may be NULL).
 * PAWL_ENOTFOUND (no such part), PAWL_EDAMAGED (a row that was not put by this). */
PAWL_MUST_CHECK pawl_status pawl__log_content_get(
        pawl__buf *out, uint64_t *size, pawl_log *log, const unsigned char hash[32], uint32_t part);

/** Is the content there? Every content that was put has a part 0. */
PAWL_MUST_CHECK pawl_status pawl__log_content_has(
        bool *has, pawl_log *log, const unsigned char hash[32]);

/** Remove every part of it. It is no failure if it was not there. */
PAWL_MUST_CHECK pawl_status pawl__log_content_drop(pawl_log *log, const unsigned char hash[32]);

/** A content: @p size of the whole, @p stored bytes in so many parts. Anything but PAWL_OK ends the
 *  listing and is passed on. It must neither put nor drop. */
typedef pawl_status (*pawl__content_fn)(
        const unsigned char hash[32], uint64_t size, uint64_t stored, uint64_t parts, void *user);

/** Every content once, in the order of hashes. PAWL_EDAMAGED. */
PAWL_MUST_CHECK pawl_status pawl__log_content_each(pawl_log *log, pawl__content_fn fn, void *user);

/* Packs: many contents to a row, in a form that the module above knows. A content is in one pack,
 * or in parts of its own as above. In a log of a version before packs there are none. */

/** Where a content is: which pack, and behind how many others. */
typedef struct pawl__pack_place {
        int64_t pack, at; /**< pack 0: in none */
} pawl__pack_place;

/** The greatest number of a pack, or 0. */
PAWL_MUST_CHECK pawl_status pawl__log_pack_last(int64_t *pack, pawl_log *log);
/** Keep a pack, of a number that none has. */
PAWL_MUST_CHECK pawl_status pawl__log_pack_put(
        pawl_log *log, int64_t pack, pawl_text heads, pawl_text data);
/** Its heads and, if @p data is not NULL, its data, each appended. PAWL_ENOTFOUND, PAWL_EDAMAGED.
 */
PAWL_MUST_CHECK pawl_status pawl__log_pack_get(
        pawl__buf *heads, pawl__buf *data, pawl_log *log, int64_t pack);
/** Remove a pack. It is no failure if it was not there. */
PAWL_MUST_CHECK pawl_status pawl__log_pack_drop(pawl_log *log, int64_t pack);

/** A content is there from now on, and nowhere else. */
PAWL_MUST_CHECK pawl_status pawl__log_packed_put(
        pawl_log *log, const unsigned char hash[32], pawl__pack_place place);
/** Where is it? PAWL_EDAMAGED. */
PAWL_MUST_CHECK pawl_status pawl__log_packed_get(
        pawl__pack_place *out, pawl_log *log, const unsigned char hash[32]);
/** A content, in a pack or in parts, by the first half of its hash. PAWL_ENOTFOUND, PAWL_EDAMAGED.
 */
PAWL_MUST_CHECK pawl_status pawl__log_content_find(unsigned char hash[32], pawl__pack_place *place,
        pawl_log *log, const unsigned char half[16]);
/** It is in no pack any more; its bytes stay there. */
PAWL_MUST_CHECK pawl_status pawl__log_packed_drop(pawl_log *log, const unsigned char hash[32]);

/** As pawl__content_fn, of a content in a pack. */
typedef pawl_status (*pawl__packed_fn)(
        const unsigned char hash[32], pawl__pack_place place, void *user);

/** Every content in a pack, in the order of places. PAWL_EDAMAGED. */
PAWL_MUST_CHECK pawl_status pawl__log_packed_each(pawl_log *log, pawl__packed_fn fn, void *user);

/** Bytes of the log's files, and how many of them are free for later appends: what
 *  pawl_log_shrink() would free. */
PAWL_MUST_CHECK pawl_status pawl__log_space(uint64_t *files, uint64_t *free, pawl_log *log);

/* ---- Reading -------------------------------------------------------------------------------- */

/** pawl_cursor_open() for who wants @p most events and no more: a cursor reads ahead. */
PAWL_MUST_CHECK pawl_status pawl__cursor_open(
        pawl_cursor **out, pawl_log *log, uint64_t since, uint64_t most);

/** Which events: those after @p since and before @p before (0: to the end), of this type, run and
 *  step (absent: of any). */
typedef struct pawl__event_filter {
        uint64_t since, before;
        pawl_text type, run_id, step_id;
        bool back; /**< the last one first */
} pawl__event_filter;

/** A cursor over those alone; it copies the filter's texts. Where all pass, one that is missing
 *  is seen. No index is used but that of seq: it costs what the range has. */
PAWL_MUST_CHECK pawl_status pawl__cursor_find(
        pawl_cursor **out, pawl_log *log, const pawl__event_filter *filter);

typedef pawl_status (*pawl__event_fn)(
        const pawl_event *event, pawl__event_type type, void *user, pawl_error *err);

/** Each event after @p since, in order, until @p fn returns other than PAWL_OK; PAWL_DONE of it
 * ends the walk well. Texts are valid during that call. */
PAWL_MUST_CHECK pawl_status pawl__log_each(
        pawl_log *log, uint64_t since, pawl__event_fn fn, void *user, pawl_error *err);
/** The same of those that pass. */
PAWL_MUST_CHECK pawl_status pawl__log_each_of(pawl_log *log, const pawl__event_filter *filter,
        pawl__event_fn fn, void *user, pawl_error *err);
/** pawl_log_verify() without the rules: @p judge is called for each event whose hash is right, and
 * fails with PAWL_EDAMAGED for one that is not to be there; may be NULL. */
PAWL_MUST_CHECK pawl_status pawl__chain_verify(pawl_verify_result *result, pawl_log *log,
        uint64_t anchor_seq, const unsigned char *anchor_hash, pawl__event_fn judge, void *user);

/** A log that is not there: tables in a temporary file of SQLite's, which goes when it is closed,
 * in a transaction that never ends. For a fold that needs more room than memory should give it. */
PAWL_MUST_CHECK pawl_status pawl__log_scratch(pawl_log **out, pawl_error *err);

/** The same up to @p until, but where the rows are, without a copy: @p fn is to be brief, and asks
 *  the log nothing. */
PAWL_MUST_CHECK pawl_status pawl__log_walk(pawl_log *log, uint64_t since, uint64_t until,
        pawl__event_fn fn, void *user, pawl_error *err);

/** One event by seq into @p arena. PAWL_ENOTFOUND. */
PAWL_MUST_CHECK pawl_status pawl__log_event(
        pawl_event *out, pawl__arena *arena, pawl_log *log, uint64_t seq);

/** Does an event read back say what was hashed when it was appended? PAWL_EDAMAGED naming its seq.
 *  Its payload must be there; the chain around it is pawl_log_verify()'s matter. */
PAWL_MUST_CHECK pawl_status pawl__log_event_intact(pawl_log *log, const pawl_event *event);

/** The same, and does the chain go on with it, and, with the key, does its MAC fit? */
PAWL_MUST_CHECK pawl_status pawl__log_event_sound(
        pawl_log *log, const pawl_event *event, pawl_error *err);

/**
 * Verify the events behind those that this handle verified by this before: each hash, the chain
 * from the first event on and, with the key, each MAC. @p fn is called for each, in order, where
 * the rows are, as pawl__log_walk() does. Their hashes are kept, 32 bytes an event.
 * @return PAWL_EDAMAGED for an event that does not verify, and for a log that does not have the
 *         events any more that were verified; what @p fn returned.
 */
PAWL_MUST_CHECK pawl_status pawl__log_verified_walk(
        pawl_log *log, pawl__event_fn fn, void *user, pawl_error *err);
/** From now on an event that was verified so is PAWL_EDAMAGED when it is read and does not say what
 *  it said then; or that is not looked at any more. */
void pawl__log_verified_guard(pawl_log *log, bool on);
/** The hash of an event that was verified so; NULL: it was not. */
const unsigned char *pawl__log_verified_hash(const pawl_log *log, uint64_t seq);

/** SHA-256 of an event's payload; of one that was pruned, as it was written down then.
 * PAWL_EDAMAGED. */
PAWL_MUST_CHECK pawl_status pawl__log_payload_hash(
        unsigned char out[32], pawl_log *log, const pawl_event *event, pawl_error *err);

/** Verify the last event by itself, as each append does: its hash, its prev and, with the key, its
 * MAC. Nothing when this handle appended or verified it. PAWL_EDAMAGED naming its seq. */
PAWL_MUST_CHECK pawl_status pawl__log_check_head(pawl_log *log, pawl_error *err);

/** What the chain has for an event: SHA-256(prev, payload_hash, envelope). @p scratch is
 * overwritten. Running out of memory is its only failure. */
PAWL_MUST_CHECK pawl_status pawl__chain_hash(unsigned char out[32], pawl__hasher *hasher,
        pawl__buf *scratch, const pawl_event *event, const unsigned char payload_hash[32]);

/** The stored MAC of an event, not verified, if there is one, of 32 bytes. */
PAWL_MUST_CHECK pawl_status pawl__log_mac(
        bool *there, unsigned char out[32], pawl_log *log, uint64_t seq);

/** A blob by its hash, appended to @p out, re-hashed on the way. PAWL_ENOTFOUND, PAWL_EDAMAGED. */
PAWL_MUST_CHECK pawl_status pawl__log_blob(
        pawl__buf *out, pawl_log *log, const unsigned char hash[32]);
/** As pawl__log_blob(), without the content, of which little is in memory at a time. */
PAWL_MUST_CHECK pawl_status pawl__log_blob_check(pawl_log *log, const unsigned char hash[32]);

/** For loops that are long without asking the log: PAWL_OK, or PAWL_EINTERRUPTED while
 *  pawl_log_interrupt() is on. By the log's own thread. */
PAWL_MUST_CHECK pawl_status pawl__log_interrupted(const pawl_log *log, pawl_error *err);
/** From now on a server that refuses is an error at once, and one that says nothing within seconds:
 *  for who asks it again later. */
void pawl__log_impatient(pawl_log *log);
/** Is there a server, and no connection to it? */
bool pawl__log_is_away(const pawl_log *log);
/** Did this handle make the log, which was not on its server before? */
bool pawl__log_was_made(const pawl_log *log);
/** From the moment that @p fd has something to read, which is left there, a server that says
 *  nothing is given up within a second (PAWL_EINTERRUPTED); one that answers does all that is asked
 *  of it. -1: no more. */
void pawl__log_watch_signals(pawl_log *log, int fd);
/** The same from now on. */
void pawl__log_hurry(pawl_log *log);

/**
 * The seq of the last event as far as this handle knows, without asking for it; 0: that is to be
 * asked (pawl_log_head()). Others may have appended since: what depends on it is to be proven by a
 * commit whose batch assumes it. Of a log in a file, whose head is read at once, always 0.
 */
uint64_t pawl__log_assumed(pawl_log *log);

/* ---- Parts of the log for the modules above -------------------------------------------------- */

/** An appender of event after event reads little of the log again: keep few of its pages in memory
 *  from now on, or as many as it was opened with. */
void pawl__log_keep_few(pawl_log *log, bool few);
const pawl_sources *pawl__log_sources(const pawl_log *log);
/** The log's clocks: microseconds since 1970, UTC, and milliseconds since the machine started. */
int64_t pawl__wall_us(const pawl_log *log);
int64_t pawl__boot_ms(const pawl_log *log);
pawl__hasher *pawl__log_hasher(pawl_log *log);
pawl_error *pawl__log_error(pawl_log *log);
bool pawl__log_readonly(const pawl_log *log);
/** Was it opened with a key? */
bool pawl__log_has_key(const pawl_log *log);
/** The schema version of a log that is read only, which may be an older one; of any other, today's.
 */
int pawl__log_version(const pawl_log *log);
/** Does it name a log on a server? */
bool pawl__log_is_url(const char *name);
/** What people are shown of a name, a URL without its password, appended. PAWL_EINVAL: no such URL.
 */
PAWL_MUST_CHECK pawl_status pawl__log_shown(pawl__buf *out, const char *name, pawl_error *err);
/**
 * Beside which path the files lie, on this machine, that belong to the log and are not in it: its
 * settings, the workspace's index, what steps wrote to stderr. Of a log in a file, its own; of one
 * on a server, .pawl/events.db in the nearest directory above the working directory that has a
 * .pawl, else in the working directory itself, where it need not be. Lives as long as the log.
 */
const char *pawl__log_place(const pawl_log *log);
/** As it was named when it was opened: of one on a server with its password. */
const char *pawl__log_name(const pawl_log *log);
/** The same by its name, appended. */
PAWL_MUST_CHECK pawl_status pawl__log_place_find(pawl__buf *out, const char *name, pawl_error *err);
/** Make the directory of that place, where there is none: before a file is put there. */
PAWL_MUST_CHECK pawl_status pawl__log_place_make(const pawl_log *log, pawl_error *err);
/** What people are shown, and commands are given: the absolute path of the file, or the URL without
 *  its password. Lives as long as the log. */
const char *pawl__log_path(const pawl_log *log);
/** What the log has now counts as acknowledged to this handle, which others wrote for: a server
 * that comes back without it has lost it (PAWL_EDAMAGED, from then on). Nothing for a log in a
 * file. */
void pawl__log_acknowledge(pawl_log *log);
/** The status of a call on the log, which is returned: of a failure the message becomes @p err. */
pawl_status pawl__log_failed(const pawl_log *log, pawl_status status, pawl_error *err);
unsigned pawl__log_lease_ms(const pawl_log *log);
/** The descriptor by which the kernel knows that this process holds the run: kept open by whoever
 * is to hold it too. 0: there is none. */
int pawl__log_lock_fd(const pawl_log *log, pawl_text run_id);

/**
 * What keeps derived tables in step with the log. begin() runs inside the write transaction before
 * the first event (to catch up with events that others appended), apply() once an event after its
 * row is in, with the tree of its payload, which was checked against the event's type, flush()
 * after the last event, just before COMMIT (cached rows are written into the tables once an
 * append), abandon() when the transaction was rolled back after begin(). A failure of begin(),
 * apply() or flush() rolls the whole append back and is passed on.
 */
typedef struct pawl__projector {
        pawl_status (*begin)(void *user, pawl_error *err);
        pawl_status (*apply)(void *user, const pawl_event *event, pawl__event_type type,
                const pawl__json_tree *payload, pawl_error *err);
        pawl_status (*flush)(void *user, pawl_error *err);
        void (*abandon)(void *user);
        void (*close)(void *user); /**< the log is being closed, its database still open */
        void *user;
        void (*release)(
                void *user); /**< another connection comes: finalize what is kept; or NULL */
        /** Before begin: prefetch the rows that an event of this kind reads; or NULL. Without a
         * payload, and of one that may be refused. */
        pawl_status (*prefetch)(void *user, const pawl_event *event, pawl_error *err);
} pawl__projector;

/** One a log; setting it twice is a caller's bug. */
void pawl__log_set_projector(pawl_log *log, const pawl__projector *projector);
/** The user pointer of the projector, or NULL: how a module finds its state from a log. */
void *pawl__log_projector(pawl_log *log);

/* ---- An event as JSON ------------------------------------------------------------------------ */

/** One envelope as contract section 6 shows it, payload included, as one line without newline:
 *  what `eventlog export` and `show` print. @p mac, 32 bytes, may be NULL. PAWL_EDAMAGED naming the
 *  seq when the payload of an event read back is not one line of JSON. */
PAWL_MUST_CHECK pawl_status pawl__event_json(
        pawl__buf *out, const pawl_event *event, const unsigned char *mac, pawl_error *err);

/** The same of an event of @p log, with all that it takes to verify it: its MAC, if there is one,
 * and "payload_hash" where the payload was pruned. PAWL_EDAMAGED also when that hash is missing. */
PAWL_MUST_CHECK pawl_status pawl__log_event_json(
        pawl__buf *out, pawl_log *log, const pawl_event *event, pawl_error *err);
