/**
 * @file workspace/store/checkpoint_event.h
 * @brief What the event of a checkpoint of the workspace says.
 */
#pragma once

#include "base/json_tree.h"
#include "events/log.h"

/** A checkpoint as its event says. Texts are in the arena. */
typedef struct pawl__checkpoint_event {
        uint64_t n, seq;
        unsigned char event_hash[32]; /**< of that event in the log it was exported from */
        unsigned char identity[32];   /**< of the event that took it, in whichever log that was */
        pawl_event event;             /**< with its payload */
        unsigned char tree[32], state[32], outputs[32]; /**< zeros: none */
        bool has_state, has_outputs;
        bool has_history;          /**< its state is its run's, by a document: */
        unsigned char history[32]; /**< (workspace/store/history.h) */
        uint64_t history_seq;      /**< at that event */
        bool in_manifest;          /**< the manifest says so, and not the event */
        uint64_t files, bytes;
} pawl__checkpoint_event;

/** What a checkpoint's event says of it: sets all but identity's default of @p out from @p event,
 * whose texts are borrowed. PAWL_EDAMAGED naming the seq. */
PAWL_MUST_CHECK pawl_status pawl__checkpoint_event_read(
        pawl__checkpoint_event *out, const pawl_event *event, pawl__arena *arena, pawl_error *err);

/* Members of such objects; false: it is missing or not of its form. */

/** 64 hex digits. */
bool pawl__event_hash_member(
        unsigned char out[32], const pawl__json_tree *tree, pawl__node at, const char *name);
/** The same, or *has false where there is none. */
bool pawl__event_optional_hash(bool *has, unsigned char out[32], const pawl__json_tree *tree,
        pawl__node at, const char *name);
/** A whole number from 0. */
bool pawl__event_count_member(
        uint64_t *out, const pawl__json_tree *tree, pawl__node at, const char *name);
