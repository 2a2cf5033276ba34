/**
 * @file state/apply.h
 * @brief What each event means: one function a type, the same when appending and when replaying.
 */
#pragma once

#include "base/json_tree.h"
#include "events/types.h"
#include "state/store.h"

struct pawl__apply_ctx;
struct pawl__past;

/** What events that are in the log already are held against: state/past.h. */
typedef struct pawl__past_rules {
        pawl_status (*restored)(const struct pawl__apply_ctx *a, const pawl__row *target);
        pawl_status (*forked)(const struct pawl__apply_ctx *a);
        void (*free)(struct pawl__past *past);
} pawl__past_rules;

/** What an apply works in; kept from event to event so that its memory is reused. */
typedef struct pawl__applier {
        pawl__store *store;
        pawl_log *log; /**< where the rules look earlier events up; may be NULL */
        bool judges;   /**< it folds a log from its first event on, so that rules can be checked */
        pawl__json_tree tree;
        const pawl__past_rules *past_rules; /**< with a log that it judges; may be NULL */
        struct pawl__past *past;
        bool canonical;    /**< the last payload that pawl__apply() read was in canonical form */
        pawl__arena arena; /**< cleared before each event */
} pawl__applier;

/**
 * Fold one event into the store. Types that are not known, or that change nothing, are checked and
 * passed over.
 * @return PAWL_EINVAL or PAWL_ENEWER naming seq and field for a payload that is not of its form;
 *         PAWL_EEXISTS for a second answer to a conflict or a second start of a run;
 *         PAWL_ESTATE for an event about a run, step or conflict that there is not.
 */
PAWL_MUST_CHECK pawl_status pawl__apply(
        pawl__applier *applier, const pawl_event *event, pawl_error *err);

/** Do events of that type change what is? */
bool pawl__applies(pawl__event_type type);

/** The same for an event whose payload was read and checked against its type (events/types.h), as
 *  an append has it already: reading it again cost 1 us of an event of 700 bytes. */
PAWL_MUST_CHECK pawl_status pawl__apply_checked(pawl__applier *applier, const pawl_event *event,
        pawl__event_type type, const pawl__json_tree *payload, pawl_error *err);

void pawl__applier_free(pawl__applier *applier);
