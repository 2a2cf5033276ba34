/**
 * @file glossary/foreign_internal.h
 * @brief A line of another tool's log on its way to events of this one.
 */
#pragma once

#include "base/digest.h"
#include "base/json_write.h"
#include "base/map.h"
#include "events/types.h"
#include "glossary/foreign.h"
#include "state/apply.h"

/** In place of the hash and the token of a checkpoint that no line has. */
#define PAWL__FOREIGN_NO_HASH  "0000000000000000000000000000000000000000000000000000000000000000"
#define PAWL__FOREIGN_NO_TOKEN "00000000-0000-0000-0000-000000000000"

/** What a step's later events need of its earlier ones. */
typedef struct pawl__foreign_step {
        pawl_text token, input_hash; /**< of its newest checkpoint; absent: it has none */
} pawl__foreign_step;

struct pawl__foreign {
        pawl_text actor;
        pawl__batch batch;
        pawl__applier applier; /**< the events folded as they come: what it refuses is not taken */
        pawl__hasher *hasher;
        pawl__arena arena;
        pawl__map runs;      /**< by id */
        pawl__map steps;     /**< by run and step: index in items */
        pawl__map event_ids; /**< by id: line */
        pawl__map findings;  /**< by run, step and term: index in found */
        pawl__foreign_step *items;
        size_t n, cap;
        pawl_text *found; /**< findings, as JSON in this log's form */
        size_t n_found, cap_found;
        size_t n_lines;
        pawl__buf key;
        /* ---- The current line ---- */
        pawl__json_tree tree;
        pawl__node source; /**< where its members are: the root, or its payload */
        pawl_text file;
        size_t line;
        pawl_text mission; /**< named last in this file; absent: none was */
        pawl_event like;   /**< envelope */
};

/** A member of the event, in its payload or beside it; PAWL__NO_NODE. */
pawl__node pawl__foreign_member(const pawl__foreign *f, const char *name);
/** A text member of an object; that of a term may be {surface_text}. PAWL_EINVAL. */
PAWL_MUST_CHECK pawl_status pawl__foreign_text(pawl_text *out, const pawl__foreign *f,
        pawl__node object, const char *name, pawl_error *err);
/** The step's, made if there is none; absent step: NULL. */
PAWL_MUST_CHECK pawl_status pawl__foreign_step_of(
        pawl__foreign_step **out, pawl__foreign *f, pawl_error *err);

/** How an event of one type becomes ours. */
typedef struct pawl__foreign_type {
        pawl__event_type type;
        bool of_step;               /**< it belongs to a step of a run */
        const char *const *members; /**< what is taken of it; ended by NULL */
        /** Write the payload's members but `origin` into the open object. */
        pawl_status (*convert)(pawl__json_writer *w, pawl__foreign *f, pawl_error *err);
} pawl__foreign_type;

/** The mission whose log a file is: "041-mission.events.jsonl". Absent: it does not say. */
pawl_text pawl__foreign_mission_of(pawl_text file);
/** The SHA-256 of a node as Python writes it (base/json_python.h), in hex. */
PAWL_MUST_CHECK pawl_status pawl__foreign_hash(char hex[65], pawl__foreign *f, pawl__node of,
        const char *without, bool ascii, pawl_error *err);
/** PAWL_EDAMAGED: a hash that the event carries is not that of what it is over. */
PAWL_MUST_CHECK pawl_status pawl__foreign_check_hashes(pawl__foreign *f, pawl_error *err);
/** Its ids, actor and time into f->like. */
PAWL_MUST_CHECK pawl_status pawl__foreign_envelope(
        pawl__foreign *f, const pawl__foreign_type *type, pawl_error *err);

/** NULL: it is of no type that is taken. */
const pawl__foreign_type *pawl__foreign_type_of(pawl_text name);
