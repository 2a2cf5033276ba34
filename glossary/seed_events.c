/* How senses from files get into the log. */
#include "base/error.h"
#include "base/json_write.h"
#include "base/map.h"
#include "base/sources.h"
#include "events/types.h"
#include "glossary/seed.h"

void pawl__actor_write(pawl__json_writer *w, pawl_text actor)
{
        const char *colon = actor.len ? memchr(actor.data, ':', actor.len) : NULL;
        size_t type_len = colon ? (size_t)(colon - actor.data) : 0;
        pawl_text type = pawl__text("program"), name = actor;

        if (type_len)
                type = pawl__text_n(actor.data, type_len);
        if (type_len && type_len + 1 < actor.len)
                name = pawl__text_n(colon + 1, actor.len - type_len - 1);
        pawl__json_open_object(w);
        pawl__json_member_text(w, "actor_id", actor);
        pawl__json_member_text(w, "actor_type", type);
        pawl__json_member_text(w, "display_name", name);
        pawl__json_close_object(w);
}

void pawl__provenance_write(
        pawl__json_writer *w, const char *source, int64_t time_us, pawl_text actor)
{
        char timestamp[28];

        pawl__time_format(timestamp, time_us);
        pawl__json_open_object(w);
        pawl__json_member_text(w, "actor_id", actor);
        pawl__json_member_string(w, "source", source);
        pawl__json_member_string(w, "timestamp", timestamp);
        pawl__json_close_object(w);
}

pawl_status pawl__sense_updated(pawl__batch *batch, const pawl__sense *sense, pawl_text version_id,
        const char *source, bool update, const pawl_event *like, pawl_error *err)
{
        const char *scope = pawl__scope_name(sense->scope);
        pawl_text actor = like->actor.data ? like->actor : pawl__text("program");
        pawl__json_writer w = PAWL__JSON_WRITER_INIT;

        pawl__json_open_object(&w);
        pawl__json_name(&w, "actor");
        pawl__actor_write(&w, actor);
        pawl__json_name(&w, "new_sense");
        pawl__json_open_object(&w);
        pawl__json_member_number(&w, "confidence", sense->confidence);
        pawl__json_member_text(&w, "definition", sense->definition);
        pawl__json_member_string(&w, "scope", scope);
        if (sense->notes && sense->notes->see_also.data)
                pawl__json_member_raw(&w, "see_also", sense->notes->see_also);
        pawl__json_member_string(&w, "status", pawl__sense_status_name(sense->status));
        pawl__json_member_text(&w, "surface", sense->surface);
        if (sense->notes && sense->notes->synonyms_to_avoid.data)
                pawl__json_member_raw(&w, "synonyms_to_avoid", sense->notes->synonyms_to_avoid);
        pawl__json_close_object(&w);
        pawl__json_member_text(&w, "normal", sense->normal);
        pawl__json_name(&w, "provenance");
        pawl__provenance_write(&w, source, like->time_us, actor);
        pawl__json_member_string(&w, "scope", scope);
        pawl__json_member_text(&w, "term_surface", sense->surface);
        pawl__json_member_string(&w, "update_type", update ? "update" : "create");
        if (version_id.data)
                pawl__json_member_text(&w, "version_id", version_id);
        return pawl__batch_emit(batch, PAWL__SENSE_UPDATED, like, &w, err);
}

/* The sense of the state that this one would replace, if any. */
static pawl_status present_sense(pawl__row *row, bool *there, const pawl__sense *sense,
        pawl_text mission_id, pawl_text version_id, pawl__state *state, pawl__arena *arena,
        pawl_error *err)
{
        bool local = sense->scope == PAWL__MISSION_LOCAL;

        *row = (pawl__row){0};
        row->v[PAWL__SENSE_MISSION].text = local ? mission_id : pawl__text("");
        row->v[PAWL__SENSE_SCOPE].text = pawl__text(pawl__scope_name(sense->scope));
        row->v[PAWL__SENSE_VERSION].text = version_id;
        row->v[PAWL__SENSE_NORMAL].text = sense->normal;
        row->v[PAWL__SENSE_IDENTITY].text =
                local && !version_id.len ? pawl__text("") : sense->definition;
        pawl_status status = pawl__state_get(state, PAWL__SENSES, row, arena, err);
        *there = status == PAWL_OK;
        return status == PAWL_ENOTFOUND ? PAWL_OK : status;
}

static pawl_status has_version(bool *known, pawl__scope scope, const char *version_id,
        pawl__state *state, pawl__arena *arena, pawl_error *err)
{
        pawl__row row = {0};

        row.v[PAWL__SCOPE_ID].text = pawl__text(pawl__scope_name(scope));
        row.v[PAWL__SCOPE_VERSION].text = pawl__text(version_id);
        pawl_status status = pawl__state_get(state, PAWL__SCOPES, &row, arena, err);
        *known = status == PAWL_OK;
        return status == PAWL_ENOTFOUND ? PAWL_OK : status;
}

/* Has the log this version of the scope? One of mission_local is each mission's own, so that its
 * first sense must be there for this mission too. */
static pawl_status is_known(bool *known, const pawl__seed *seed, pawl__state *state,
        const pawl_event *like, pawl_error *err)
{
        pawl__arena arena = PAWL__ARENA_INIT;
        pawl__row row;
        pawl_status status = has_version(known, seed->scope, seed->version_id, state, &arena, err);

        if (!status && *known && seed->scope == PAWL__MISSION_LOCAL && seed->n > 0)
                status = present_sense(&row, known, &seed->senses[0], like->mission_id,
                        pawl__text(seed->version_id), state, &arena, err);
        pawl__arena_free(&arena);
        return status;
}

pawl_status pawl__seed_load_new(pawl__seed *out, const char *path, pawl__scope scope,
        pawl__state *state, pawl__problems *problems, pawl_error *err)
{
        pawl__seed seed = {scope, "", NULL, 0, PAWL__ARENA_INIT};
        pawl__arena arena = PAWL__ARENA_INIT;
        unsigned char hash[PAWL__HASH_LEN];
        bool known = false;
        pawl_status status = pawl__document_hash(hash, path, err);

        if (!status && scope != PAWL__MISSION_LOCAL) {
                pawl__hex(seed.version_id, hash, sizeof hash);
                status = has_version(&known, scope, seed.version_id, state, &arena, err);
        }
        pawl__arena_free(&arena);
        if (status)
                return status;
        if (!known)
                return pawl__seed_load(out, path, scope, problems, err);
        *out = seed;
        return PAWL_OK;
}

static bool differs(const pawl__sense *sense, const pawl__row *row)
{
        return !pawl__text_eq(row->v[PAWL__SENSE_SURFACE].text, sense->surface) ||
               !pawl__text_eq(row->v[PAWL__SENSE_DEFINITION].text, sense->definition) ||
               !pawl__text_is(
                       row->v[PAWL__SENSE_STATUS].text, pawl__sense_status_name(sense->status)) ||
               row->v[PAWL__SENSE_CONFIDENCE].real < sense->confidence ||
               row->v[PAWL__SENSE_CONFIDENCE].real > sense->confidence;
}

static pawl_status lift(pawl__batch *batch, const pawl__row *ignored, pawl__state *state,
        pawl__scope scope, pawl__arena *arena, const pawl_event *like, pawl_error *err)
{
        const pawl__sense sense = {.surface = ignored->v[PAWL__SENSE_SURFACE].text,
                .normal = ignored->v[PAWL__SENSE_NORMAL].text,
                .definition = ignored->v[PAWL__SENSE_DEFINITION].text,
                .confidence = ignored->v[PAWL__SENSE_CONFIDENCE].real,
                .scope = scope,
                .status = PAWL__DEPRECATED};
        pawl_event at = *like;
        pawl__row row;
        bool there = false;
        pawl_status status = PAWL_OK;

        if (ignored->v[PAWL__SENSE_VERSION].text.len) /* a seed's: was it lifted before? */
                status = present_sense(
                        &row, &there, &sense, pawl__text(NULL), pawl__text(""), state, arena, err);
        at.mission_id = pawl__text(NULL);
        return status || there ? status
                               : pawl__sense_updated(batch, &sense, pawl__text(NULL),
                                         "user_clarification", true, &at, err);
}

static bool defines(const pawl__sense *senses, size_t n, pawl_text normal)
{
        for (size_t i = 0; i < n; i++)
                if (senses[i].status == PAWL__ACTIVE && pawl__text_eq(senses[i].normal, normal))
                        return true;
        return false;
}

pawl_status pawl__ignored_lift(pawl__batch *batch, const pawl__sense *senses, size_t n,
        pawl__scope scope, pawl__state *state, pawl__arena *arena, const pawl_event *like,
        pawl_error *err)
{
        pawl__row *rows;
        size_t n_rows = 0;
        pawl_status status = pawl__state_ignored(
                &rows, &n_rows, state, pawl__text(pawl__scope_name(scope)), arena, err);

        for (size_t i = 0; i < n_rows && !status; i++)
                if (defines(senses, n, rows[i].v[PAWL__SENSE_NORMAL].text))
                        status = lift(batch, &rows[i], state, scope, arena, like, err);
        return status;
}

/* ---- A new version --------------------------------------------------------------------------- */

enum { FREE_COST = 64 };

enum news { CREATED, UPDATED, SAME };

/* A seed against the version of its scope that is in force. */
struct change {
        const pawl__seed *seed;
        pawl_text base;      /* absent: there is none, or all senses are recorded again */
        pawl__map senses;    /* of the seed, by normal form and definition */
        unsigned char *news; /* beside the seed's senses */
        size_t n_same;
        pawl__json_writer removed;
        size_t n_removed;
        pawl__buf key;
        pawl__arena arena;
};

static void change_free(struct change *c)
{
        pawl__map_free(&c->senses);
        pawl__json_writer_free(&c->removed);
        pawl__buf_free(&c->key);
        pawl__arena_free(&c->arena);
}

/* The byte between is none of UTF-8's. */
static bool make_key(struct change *c, pawl_text normal, pawl_text definition)
{
        pawl__buf_clear(&c->key);
        return !pawl__buf_add(&c->key, normal.data, normal.len) &&
               !pawl__buf_addc(&c->key, '\xff') &&
               !pawl__buf_add(&c->key, definition.data, definition.len);
}

static pawl_status compare_row(const pawl__row *row, void *user, pawl_error *err)
{
        struct change *c = user;
        const pawl_text normal = row->v[PAWL__SENSE_NORMAL].text;
        const pawl_text definition = row->v[PAWL__SENSE_DEFINITION].text;

        if (row->v[PAWL__SENSE_VERSION].text.len == 0)
                return PAWL_OK; /* of no seed */
        if (!make_key(c, normal, definition))
                return pawl__nomem(err);
        const uint32_t at = pawl__map_get(&c->senses, pawl__buf_text(&c->key));
        if (at != PAWL__MAP_NONE) {
                /* the tables do not have what is for people alone: it is recorded again */
                const bool same = !differs(&c->seed->senses[at], row) && !c->seed->senses[at].notes;
                c->news[at] = same ? SAME : UPDATED;
                c->n_same += same;
                return PAWL_OK;
        }
        pawl__json_open_object(&c->removed);
        pawl__json_member_text(&c->removed, "definition", definition);
        pawl__json_member_text(&c->removed, "normal", normal);
        pawl__json_close_object(&c->removed);
        c->n_removed++;
        return PAWL_OK;
}

static pawl_status key_senses(struct change *c, pawl_error *err)
{
        const pawl__seed *seed = c->seed;

        c->news = pawl__arena_array(&c->arena, seed->n + 1, sizeof *c->news);
        if (!c->news)
                return pawl__nomem(err);
        memset(c->news, CREATED, seed->n + 1);
        for (size_t i = 0; i < seed->n; i++) {
                bool ok = make_key(c, seed->senses[i].normal, seed->senses[i].definition);
                const pawl_text key = pawl__arena_text(&c->arena, pawl__buf_text(&c->key), &ok);
                if (!ok || pawl__map_put(&c->senses, key, (uint32_t)i))
                        return pawl__nomem(err);
        }
        return PAWL_OK;
}

/* What differs from the version in force. All senses are recorded again where that is not much
 * more, or where a reader would have to read more than twice of what there is: so the cost of
 * reading is bounded. */
static pawl_status find_change(struct change *c, pawl__state *state, pawl_error *err)
{
        const pawl_text scope = pawl__text(pawl__scope_name(c->seed->scope));
        pawl__row in_force;
        size_t cost = 0;
        pawl_status status = key_senses(c, err);

        if (status || c->seed->scope == PAWL__MISSION_LOCAL)
                return status;
        status = pawl__state_scope_in_force(&in_force, state, scope, &c->arena, err);
        if (status)
                return status == PAWL_ENOTFOUND ? PAWL_OK : status;
        const pawl__scope_ref ref = {scope, in_force.v[PAWL__SCOPE_VERSION].text};
        pawl__json_open_array(&c->removed);
        status = pawl__state_senses(&cost, state, pawl__text(NULL), &ref, 1, compare_row, c, err);
        pawl__json_close_array(&c->removed);
        const size_t n = c->seed->n, changes = n - c->n_same + c->n_removed;
        if (!status && changes < n && cost + changes + PAWL__VERSION_COST <= 2 * n + FREE_COST)
                c->base = ref.version_id;
        else if (!status)
                memset(c->news, CREATED, n + 1);
        return status;
}

static pawl_status scope_activated(
        pawl__batch *batch, struct change *c, const pawl_event *like, pawl_error *err)
{
        pawl__json_writer w = PAWL__JSON_WRITER_INIT;

        if (c->base.data && pawl__json_end_writer(&c->removed))
                return pawl__nomem(err);
        pawl__json_open_object(&w);
        if (c->base.data)
                pawl__json_member_text(&w, "base_version_id", c->base);
        pawl__json_member_string(&w, "glossary_version_id", c->seed->version_id);
        if (c->base.data && c->n_removed)
                pawl__json_member_raw(&w, "removed", pawl__buf_text(&c->removed.buf));
        pawl__json_member_string(&w, "scope_id", pawl__scope_name(c->seed->scope));
        pawl__json_close_object(&w);
        return pawl__batch_emit(batch, PAWL__SCOPE_ACTIVATED, like, &w, err);
}

pawl_status pawl__seed_activate(pawl__batch *batch, const pawl__seed *seed, pawl__state *state,
        const pawl_event *like, pawl_error *err)
{
        struct change c = {.seed = seed, .removed = PAWL__JSON_WRITER_INIT};
        bool known;
        pawl_status status = is_known(&known, seed, state, like, err);

        if (status || known)
                return status;
        status = find_change(&c, state, err);
        if (!status)
                status = scope_activated(batch, &c, like, err);
        for (size_t i = 0; i < seed->n && !status; i++)
                if (c.news[i] != SAME)
                        status = pawl__sense_updated(batch, &seed->senses[i],
                                pawl__text(seed->version_id), "seed_file", c.news[i] == UPDATED,
                                like, err);
        change_free(&c);
        return status;
}

/* What is in the state of a sense of an import. */
enum present { ABSENT, OTHER, ALIKE };

/* By a person: a seed that still has it says nothing new. */
static bool is_retired(const pawl__row *row)
{
        return pawl__text_is(row->v[PAWL__SENSE_STATUS].text, "deprecated") &&
               pawl__text_is(row->v[PAWL__SENSE_SOURCE].text, "user_clarification");
}

/* Those senses of a seed that an import says something of. */
struct import {
        pawl__sense *senses;
        unsigned char *present; /* beside the senses */
        size_t n;
        pawl__imported counts;
        pawl__arena arena;
};

/* An alias comes as its sense once more. */
static pawl_status count_imported(pawl__imported *counts, pawl__buf *scratch,
        const pawl__sense *sense, bool there, pawl_error *err)
{
        pawl__row row = {.v[PAWL__SENSE_SURFACE] = {.text = sense->surface},
                .v[PAWL__SENSE_NORMAL] = {.text = sense->normal}};
        bool alias = false;
        const pawl_status status = pawl__sense_is_alias(&alias, scratch, &row, err);

        counts->added += !alias && !there;
        counts->updated += !alias && there;
        counts->aliases_added += alias && !there;
        counts->aliases_updated += alias && there;
        return status;
}

static pawl_status find_present(struct import *i, const pawl__seed *seed, pawl__state *state,
        const pawl_event *like, pawl_error *err)
{
        pawl__arena arena = PAWL__ARENA_INIT;
        pawl__buf scratch = PAWL__BUF_INIT;
        pawl_status status = PAWL_OK;

        i->senses = pawl__arena_array(&i->arena, seed->n + 1, sizeof *i->senses);
        i->present = pawl__arena_array(&i->arena, seed->n + 1, sizeof *i->present);
        if (!i->senses || !i->present)
                return pawl__nomem(err);
        for (size_t k = 0; k < seed->n && !status; k++) {
                const pawl__sense *sense = &seed->senses[k];
                pawl__row row;
                bool there = false, alias = false;
                pawl__arena_clear(&arena);
                status = present_sense(
                        &row, &there, sense, like->mission_id, pawl__text(""), state, &arena, err);
                if (!status && there && is_retired(&row)) {
                        status = pawl__sense_is_alias(&alias, &scratch, &row, err);
                        i->counts.retired += !alias;
                        continue;
                }
                i->present[i->n] = !there ? ABSENT : differs(sense, &row) ? OTHER : ALIKE;
                i->senses[i->n++] = *sense;
        }
        pawl__arena_free(&arena);
        pawl__buf_free(&scratch);
        return status;
}

pawl_status pawl__seed_import(pawl__batch *batch, pawl__imported *out, const pawl__seed *seed,
        pawl__state *state, const pawl_event *like, pawl_error *err)
{
        struct import i = {.n = 0};
        pawl__buf scratch = PAWL__BUF_INIT;

        if (seed->scope == PAWL__MISSION_LOCAL && !like->mission_id.data)
                return pawl__fail(err, PAWL_EINVAL,
                        "scope mission_local: belongs to a mission, not to an import; import into "
                        "team_domain, audience_domain or core");
        pawl_status status = find_present(&i, seed, state, like, err);
        if (!status)
                status = pawl__ignored_lift(
                        batch, i.senses, i.n, seed->scope, state, &i.arena, like, err);
        for (size_t k = 0; k < i.n && !status; k++) {
                const bool there = i.present[k] != ABSENT;
                if (i.present[k] == ALIKE)
                        continue;
                status = pawl__sense_updated(
                        batch, &i.senses[k], pawl__text(NULL), "import", there, like, err);
                if (!status)
                        status = count_imported(&i.counts, &scratch, &i.senses[k], there, err);
        }
        pawl__arena_free(&i.arena);
        pawl__buf_free(&scratch);
        if (!status)
                *out = i.counts;
        return status;
}
