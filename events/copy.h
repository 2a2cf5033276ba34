/**
 * @file events/copy.h
 * @brief A log, whole, into another: between files and servers.
 */
#pragma once

#include "events/log.h"

/** Asked now and then: @p done of @p total events are there. False ends it. */
typedef bool (*pawl__copy_fn)(uint64_t done, uint64_t total, void *user);

/**
 * Copy @p from as it is now, events and contents with unchanged hashes, into @p to, which is
 * empty or a copy that was begun from the same log and is gone on with. Both chains are verified,
 * and the MACs where @p from was opened with a key.
 * Its derived tables are filled when its state is next asked for.
 *
 * @param[out] events  how many it has.
 * @param go_on        may be NULL.
 * @return PAWL_EEXISTS where @p to is something else, PAWL_EINTERRUPTED by go_on, PAWL_EDAMAGED for
 *         a chain that does not verify, and what reading and appending give.
 */
PAWL_MUST_CHECK pawl_status pawl__log_copy(uint64_t *events, pawl_log *to, pawl_log *from,
        pawl__copy_fn go_on, void *user, pawl_error *err);

/** pawl_log_backup() of a log on a server: copied into a file beside @p path, which is then named.
 */
PAWL_MUST_CHECK pawl_status pawl__log_backup_by_copy(
        pawl_backup *result, pawl_log *log, const char *path, pawl_backup_fn go_on, void *user);

/** One log of a server's database. */
typedef struct pawl__log_listed {
        pawl_text name;
        uint64_t head_seq;
        unsigned char head_hash[32];
        bool keyed;
} pawl__log_listed;
typedef pawl_status (*pawl__log_listed_fn)(
        const pawl__log_listed *log, void *user, pawl_error *err);

/** Each log of the database that the URL names, by name. The URL's own log need not be there. */
PAWL_MUST_CHECK pawl_status pawl__log_list(
        const char *url, pawl__log_listed_fn fn, void *user, pawl_error *err);
