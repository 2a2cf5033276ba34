/**
 * @file glossary/seed.h
 * @brief Seed files: a team's senses, and how they get into the log.
 */
#pragma once

#include "base/json_write.h"
#include "document/fields.h"
#include "glossary/glossary.h"

typedef struct pawl__seed {
        pawl__scope scope;
        char version_id[65]; /**< SHA-256 of the file's bytes, hex */
        pawl__sense *senses;
        size_t n;
        pawl__arena arena;
} pawl__seed;

/**
 * Read `terms: [{surface, definition, confidence?, status?, aliases?, see_also?,
 * synonyms_to_avoid?}]`; introduced_in_mission, and keys that begin with "x-", are passed over. An
 * unknown key, a missing field, a confidence outside 0..1, an empty surface or definition, the same
 * sense twice: PAWL_EPARSE naming file, line and field.
 * @param problems  where the errors before the last go; NULL: the first ends the reading.
 */
PAWL_MUST_CHECK pawl_status pawl__seed_load(pawl__seed *out, const char *path, pawl__scope scope,
        pawl__problems *problems, pawl_error *err);
/** The same from memory; @p name stands for the path in messages. */
PAWL_MUST_CHECK pawl_status pawl__seed_parse(pawl__seed *out, const char *name, pawl_text text,
        pawl__scope scope, pawl__problems *problems, pawl_error *err);
/** The same for a log: of a version that it has, only the hash is taken (0.3 in place of 2.4
 * million instructions for 100 senses), and n is 0, as activating it would do nothing. */
PAWL_MUST_CHECK pawl_status pawl__seed_load_new(pawl__seed *out, const char *path,
        pawl__scope scope, pawl__state *state, pawl__problems *problems, pawl_error *err);
void pawl__seed_free(pawl__seed *seed);

/* In all below, like->time_us is the events' time and the provenance's, so it must be set;
 * like->actor absent is "program". On failure the batch may hold some of the events: clear it. */

/** GlossaryScopeActivated and a GlossarySenseUpdated a sense (source seed_file, with version_id),
 * if the log has not seen this version of the scope; else nothing. @p like gives the envelope's
 * ids. */
PAWL_MUST_CHECK pawl_status pawl__seed_activate(pawl__batch *batch, const pawl__seed *seed,
        pawl__state *state, const pawl_event *like, pawl_error *err);

/** What an import brought: the senses, and further surfaces of them; and the senses that it has
 *  but a person retired since. */
typedef struct pawl__imported {
        size_t added, updated, aliases_added, aliases_updated, retired;
} pawl__imported;

/** `pawl glossary import`: a GlossarySenseUpdated (source import, no version) for each sense, and
 * each alias of one, that is new or differs from what is there. What a person retired stays so.
 * What else it defines, active, is ignored in the scope no longer. */
PAWL_MUST_CHECK pawl_status pawl__seed_import(pawl__batch *batch, pawl__imported *out,
        const pawl__seed *seed, pawl__state *state, const pawl_event *like, pawl_error *err);

/** GlossarySenseUpdated. @p version_id absent: no seed. @p update false: create. */
PAWL_MUST_CHECK pawl_status pawl__sense_updated(pawl__batch *batch, const pawl__sense *sense,
        pawl_text version_id, const char *source, bool update, const pawl_event *like,
        pawl_error *err);

/** Where somebody said that what these senses, of one scope, define actively is no term, that is
 * deprecated: the later decision holds. Nothing in mission_local, where a definition takes its
 * place. */
PAWL_MUST_CHECK pawl_status pawl__ignored_lift(pawl__batch *batch, const pawl__sense *senses,
        size_t n, pawl__scope scope, pawl__state *state, pawl__arena *arena, const pawl_event *like,
        pawl_error *err);

/** The object {actor_id, actor_type, display_name}: "user:ana" is a user called ana; without a
 * colon it is a program. */
void pawl__actor_write(pawl__json_writer *w, pawl_text actor);
/** The object {source, timestamp, actor_id}. */
void pawl__provenance_write(
        pawl__json_writer *w, const char *source, int64_t time_us, pawl_text actor);
