#include "glossary/glossary.h"
#include "base/error.h"
#include "base/map.h"
#include "glossary/normal.h"
#include "glossary/surfaces.h"
#include <stdlib.h>

static const char *const scope_names[] = {
        "mission_local", "team_domain", "audience_domain", "core"};
static const char *const status_names[] = {"active", "draft", "deprecated", "ignored"};

const char *pawl__scope_name(pawl__scope scope)
{
        return scope_names[scope];
}

bool pawl__scope_of(pawl__scope *out, pawl_text name)
{
        size_t i = pawl__text_index(name, scope_names, PAWL__SCOPES_N);

        if (pawl__text_is(name, "spec_kitty_core"))
                i = PAWL__CORE;
        if (i == PAWL__SCOPES_N)
                return false;
        *out = (pawl__scope)i;
        return true;
}

pawl_status pawl__scope_read(pawl__scope *out, pawl_text name, pawl_error *err)
{
        if (pawl__scope_of(out, name))
                return PAWL_OK;
        return pawl__fail(err, PAWL_EINVAL,
                "scope \"%.*s\": is not known; use mission_local, team_domain, audience_domain or "
                "core",
                PAWL__FMT(name));
}

const char *pawl__sense_status_name(pawl__sense_status status)
{
        return status_names[status];
}

bool pawl__sense_status_of(pawl__sense_status *out, pawl_text name)
{
        const size_t i = pawl__text_index(name, status_names, PAWL__IGNORED + 1);

        if (i > PAWL__IGNORED)
                return false;
        *out = (pawl__sense_status)i;
        return true;
}

/* A sense as it is kept. The sense comes first: a pointer to one is a pointer to the other. */
struct kept {
        pawl__sense sense;
        uint32_t order, entry;
};

/* All senses of one normal form. The active ones of the deciding scope come first, sorted, or what
 * says there that the term is none; they are sorted when they are first needed. */
struct entry {
        pawl_text normal;
        const pawl__sense **senses;
        uint32_t n, cap, n_resolved;
        bool sorted, name;
        pawl_text plural; /* the surface of a sense as it is folded, where that is another text */
};

/* A further surface of an entry. */
struct alias {
        pawl_text normal;
        uint32_t entry;
};

/* What changes while the glossary is only looked into: the entries' order. */
struct pawl__glossary {
        pawl__arena arena;
        pawl__map by_normal; /* normal form: entry */
        pawl__map by_self;   /* what makes two senses one: sense */
        struct entry *entries;
        size_t n_entries, cap_entries;
        struct alias *aliases;
        size_t n_aliases, cap_aliases;
        pawl__map by_alias; /* normal form: alias */
        struct kept **senses;
        size_t n_senses, cap_senses;
        pawl__buf key, normal; /* room for looking up */
        pawl__automaton *automaton;
        size_t n_searched; /* so many entries and aliases, the first, are in the automaton */
        pawl__sense_filter filter;
};

pawl_status pawl__glossary_new(pawl__glossary **out, pawl_error *err)
{
        pawl__glossary *glossary = calloc(1, sizeof *glossary);

        if (!glossary)
                return pawl__nomem(err);
        *out = glossary;
        return PAWL_OK;
}

void pawl__glossary_free(pawl__glossary *glossary)
{
        if (!glossary)
                return;
        pawl__automaton_free(glossary->automaton);
        pawl__map_free(&glossary->by_normal);
        pawl__map_free(&glossary->by_self);
        pawl__map_free(&glossary->by_alias);
        free(glossary->aliases);
        free(glossary->entries);
        free(glossary->senses);
        pawl__buf_free(&glossary->key);
        pawl__buf_free(&glossary->normal);
        pawl__arena_free(&glossary->arena);
        free(glossary);
}

size_t pawl__glossary_count(const pawl__glossary *glossary)
{
        return glossary->n_senses;
}

/* What makes two senses one: scope, normal form and definition; of an answer, that it is one and
 * its normal form. The byte between is none of UTF-8's. */
static pawl_status key_of(pawl__buf *key, const pawl__sense *sense, pawl_text normal)
{
        const int kind = sense->answered ? PAWL__SCOPES_N : (int)sense->scope;

        pawl__buf_clear(key);
        pawl__buf_addc(key, (char)('0' + kind));
        pawl__buf_add_text(key, normal);
        pawl__buf_addc(key, '\xff');
        if (!sense->answered)
                pawl__buf_add_text(key, sense->definition);
        return key->failed ? PAWL_ENOMEM : PAWL_OK;
}

/* The entry of a normal form, made if there is none; an empty one is a term without a meaning. */
static pawl_status entry_of(pawl__glossary *glossary, uint32_t *out, pawl_text normal)
{
        uint32_t found = pawl__map_get(&glossary->by_normal, normal);
        bool ok = true;

        if (found == PAWL__MAP_NONE) {
                found = (uint32_t)glossary->n_entries;
                pawl_text copy = pawl__arena_text(&glossary->arena, normal, &ok);
                if (!ok ||
                        pawl__grow(&glossary->entries, &glossary->cap_entries, found + (size_t)1,
                                sizeof *glossary->entries) ||
                        pawl__map_put(&glossary->by_normal, copy, found))
                        return PAWL_ENOMEM;
                glossary->entries[found] = (struct entry){.normal = copy, .sorted = true};
                glossary->n_entries++;
        }
        *out = found;
        return PAWL_OK;
}

static pawl_status grow_entry(pawl__glossary *glossary, struct entry *entry)
{
        if (entry->n < entry->cap)
                return PAWL_OK;
        uint32_t cap = entry->cap ? entry->cap * 2 : 1;
        const pawl__sense **senses =
                pawl__arena_array(&glossary->arena, cap, sizeof *entry->senses);
        if (!senses)
                return PAWL_ENOMEM;
        for (uint32_t i = 0; i < entry->n; i++)
                senses[i] = entry->senses[i];
        entry->senses = senses;
        entry->cap = cap;
        return PAWL_OK;
}

/* A new sense in the place prepared for it: what can fail comes first. */
static pawl_status insert(pawl__glossary *glossary, const pawl__sense *copy, uint32_t entry_index)
{
        struct entry *entry = &glossary->entries[entry_index];
        struct kept *kept = pawl__arena_alloc(&glossary->arena, sizeof *kept);
        bool ok = true;
        pawl_text key = pawl__arena_text(&glossary->arena, pawl__buf_text(&glossary->key), &ok);
        const uint32_t order = (uint32_t)glossary->n_senses;

        if (!kept || !ok || grow_entry(glossary, entry) ||
                pawl__grow(&glossary->senses, &glossary->cap_senses, order + (size_t)1,
                        sizeof(struct kept *)) ||
                pawl__map_put(&glossary->by_self, key, order))
                return PAWL_ENOMEM;
        *kept = (struct kept){*copy, order, entry_index};
        glossary->senses[glossary->n_senses++] = kept;
        entry->senses[entry->n++] = &kept->sense;
        return PAWL_OK;
}

/* What a person retired is not brought back by a file that still has it. */
static bool stays_retired(const pawl__sense *known, const pawl__sense *sense)
{
        return known->written && known->status != PAWL__ACTIVE && !sense->written;
}

/* What the automaton is made of beside the normal form. */
static pawl_status keep_spelling(pawl__glossary *glossary, struct entry *entry, pawl_text surface)
{
        bool ok = true;

        entry->name |= pawl__is_name(surface);
        if (entry->plural.data)
                return PAWL_OK;
        pawl__buf_clear(&glossary->key);
        if (pawl__folded_form(&glossary->key, surface))
                return PAWL_ENOMEM;
        const pawl_text folded = pawl__buf_text(&glossary->key);
        if (!pawl__text_eq(folded, entry->normal))
                entry->plural = pawl__arena_text(&glossary->arena, folded, &ok);
        return ok ? PAWL_OK : PAWL_ENOMEM;
}

static pawl_status add(pawl__glossary *glossary, const pawl__sense *sense, pawl_text normal)
{
        pawl__sense copy = *sense;
        uint32_t entry_index;
        bool ok = true;

        if (key_of(&glossary->key, sense, normal) || entry_of(glossary, &entry_index, normal))
                return PAWL_ENOMEM;
        uint32_t known = pawl__map_get(&glossary->by_self, pawl__buf_text(&glossary->key));
        copy.normal = glossary->entries[entry_index].normal;
        copy.surface = pawl__arena_text(&glossary->arena, sense->surface, &ok);
        copy.definition = pawl__arena_text(&glossary->arena, sense->definition, &ok);
        if (!ok)
                return PAWL_ENOMEM;
        if (known != PAWL__MAP_NONE && stays_retired(&glossary->senses[known]->sense, sense))
                return PAWL_OK;
        if (known != PAWL__MAP_NONE)
                glossary->senses[known]->sense = copy;
        else if (insert(glossary, &copy, entry_index))
                return PAWL_ENOMEM;
        glossary->entries[entry_index].sorted = false;
        return keep_spelling(glossary, &glossary->entries[entry_index], sense->surface);
}

/* An alias matches as the surface does; of two with one normal form the first counts. */
static pawl_status add_alias(pawl__glossary *glossary, pawl_text alias, pawl_text normal)
{
        uint32_t entry_index;
        bool ok = true;

        if (pawl__map_get(&glossary->by_alias, alias) != PAWL__MAP_NONE)
                return PAWL_OK;
        const pawl_text copy = pawl__arena_text(&glossary->arena, alias, &ok);
        if (!ok || entry_of(glossary, &entry_index, normal) ||
                pawl__grow(&glossary->aliases, &glossary->cap_aliases, glossary->n_aliases + 1,
                        sizeof *glossary->aliases) ||
                pawl__map_put(&glossary->by_alias, copy, (uint32_t)glossary->n_aliases))
                return PAWL_ENOMEM;
        glossary->aliases[glossary->n_aliases++] = (struct alias){copy, entry_index};
        return PAWL_OK;
}

pawl_status pawl__glossary_add(pawl__glossary *glossary, const pawl__sense *sense, pawl_error *err)
{
        pawl_text normal = sense->normal;

        if (glossary->n_senses >= UINT32_MAX / 2)
                return pawl__fail(
                        err, PAWL_ETOOBIG, "glossary: more than 2 billion senses; leave some out");
        if (!normal.data) {
                pawl__buf_clear(&glossary->normal);
                if (pawl__normal_form(&glossary->normal, sense->surface))
                        return pawl__nomem(err);
                normal = pawl__buf_text(&glossary->normal);
        }
        if (normal.len == 0)
                return pawl__fail(err, PAWL_EINVAL,
                        "sense: its surface is empty; name the term that it defines");
        if (add(glossary, sense, normal) ||
                (sense->alias.data && add_alias(glossary, sense->alias, normal)))
                return pawl__nomem(err);
        return PAWL_OK;
}

static bool decides(const struct kept *kept)
{
        return kept->sense.status == PAWL__ACTIVE || kept->sense.status == PAWL__IGNORED;
}

/* Is the sense of a kind that decides, and before which others? */
static int compare_senses(const void *left, const void *right)
{
        const struct kept *a = *(const struct kept *const *)left;
        const struct kept *b = *(const struct kept *const *)right;

        if (decides(a) != decides(b))
                return decides(a) ? -1 : 1;
        if (a->sense.scope != b->sense.scope)
                return a->sense.scope < b->sense.scope ? -1 : 1;
        if (a->sense.answered != b->sense.answered)
                return a->sense.answered ? -1 : 1;
        if ((a->sense.status == PAWL__IGNORED) != (b->sense.status == PAWL__IGNORED))
                return a->sense.status == PAWL__IGNORED ? -1 : 1;
        if (a->sense.confidence < b->sense.confidence || a->sense.confidence > b->sense.confidence)
                return a->sense.confidence > b->sense.confidence ? -1 : 1;
        return (a->order > b->order) - (a->order < b->order);
}

static void sort_entry(struct entry *entry)
{
        if (entry->n > 1)
                qsort(entry->senses, entry->n, sizeof *entry->senses, compare_senses);
        entry->n_resolved = 0;
        while (entry->n_resolved < entry->n &&
                entry->senses[entry->n_resolved]->status == PAWL__ACTIVE &&
                entry->senses[entry->n_resolved]->scope == entry->senses[0]->scope &&
                (entry->n_resolved == 0 || !entry->senses[0]->answered))
                entry->n_resolved++;
        entry->sorted = true;
}

static pawl__resolution resolve_entry(struct entry *entry)
{
        if (!entry->sorted)
                sort_entry(entry);
        return (pawl__resolution){entry->senses, entry->n_resolved,
                entry->n > 0 && entry->senses[0]->status == PAWL__IGNORED};
}

pawl__resolution pawl__glossary_resolve(const pawl__glossary *glossary, pawl_text normal)
{
        uint32_t found = pawl__map_get(&glossary->by_normal, normal);

        if (found == PAWL__MAP_NONE) {
                const uint32_t alias = pawl__map_get(&glossary->by_alias, normal);
                if (alias == PAWL__MAP_NONE)
                        return (pawl__resolution){NULL, 0, false};
                found = glossary->aliases[alias].entry;
        }
        return resolve_entry(&glossary->entries[found]);
}

pawl__resolution pawl__glossary_resolve_number(const pawl__glossary *glossary, uint32_t number)
{
        return resolve_entry(&glossary->entries[number]);
}

/* ---- From the state tables ------------------------------------------------------------------- */

pawl_status pawl__sense_is_alias(bool *is, pawl__buf *buf, const pawl__row *row, pawl_error *err)
{
        const pawl_text normal = row->v[PAWL__SENSE_NORMAL].text;
        const pawl_text surface = row->v[PAWL__SENSE_SURFACE].text;

        *is = false;
        pawl__buf_clear(buf);
        if (pawl__normal_form(buf, surface))
                return pawl__nomem(err);
        const size_t formed = buf->len;
        if (pawl__text_eq(normal, pawl__buf_text(buf)))
                return PAWL_OK;
        if (pawl__folded_form(buf, surface))
                return pawl__nomem(err);
        const size_t both = buf->len;
        if (pawl__folded_form(buf, normal))
                return pawl__nomem(err);
        const pawl_text own = pawl__text_n(buf->data + both, buf->len - both);
        *is = own.len && !pawl__text_eq(own, pawl__text_n(buf->data, formed)) &&
              !pawl__text_eq(own, pawl__text_n(buf->data + formed, both - formed));
        return PAWL_OK;
}

/* A scope that is not known here is none of ours; a status that is not known makes no sense active.
 */
void pawl__glossary_filter(pawl__glossary *glossary, const pawl__sense_filter *filter)
{
        glossary->filter = *filter;
}

pawl_status pawl__glossary_add_row(const pawl__row *row, void *user, pawl_error *err)
{
        pawl__glossary *glossary = user;
        const pawl__sense_filter *filter = &glossary->filter;
        pawl__sense sense = {0};
        bool counts = true;
        const pawl_status looked =
                filter->look ? filter->look(&counts, row, filter->user, err) : PAWL_OK;

        if (looked || !counts)
                return looked;
        if (!pawl__scope_of(&sense.scope, row->v[PAWL__SENSE_SCOPE].text))
                return PAWL_OK;
        if (!pawl__sense_status_of(&sense.status, row->v[PAWL__SENSE_STATUS].text))
                sense.status = PAWL__DRAFT;
        sense.surface = row->v[PAWL__SENSE_SURFACE].text;
        sense.definition = row->v[PAWL__SENSE_DEFINITION].text;
        sense.confidence = row->v[PAWL__SENSE_CONFIDENCE].real;
        sense.answered =
                sense.scope == PAWL__MISSION_LOCAL && row->v[PAWL__SENSE_VERSION].text.len == 0;
        sense.written = pawl__text_is(row->v[PAWL__SENSE_SOURCE].text, "user_clarification");
        sense.seq = (uint64_t)row->v[PAWL__SENSE_SEQ].integer;
        bool alias;
        const pawl_status status = pawl__sense_is_alias(&alias, &glossary->key, row, err);
        if (status)
                return status;
        if (alias)
                sense.alias = row->v[PAWL__SENSE_NORMAL].text;
        else if (pawl__text_eq(pawl__buf_text(&glossary->key), row->v[PAWL__SENSE_NORMAL].text) ||
                 ((sense.answered || sense.written) &&
                         pawl__text_eq(sense.surface, row->v[PAWL__SENSE_NORMAL].text)))
                /* the surface's, or of a conflict's term, which is a normal form */
                sense.normal = row->v[PAWL__SENSE_NORMAL].text;
        return pawl__glossary_add(glossary, &sense, err);
}

pawl_status pawl__glossary_load(pawl__glossary *glossary, pawl__state *state, pawl_text mission_id,
        const pawl__scope_ref *refs, size_t n_refs, pawl_error *err)
{
        return pawl__state_senses(
                NULL, state, mission_id, refs, n_refs, pawl__glossary_add_row, glossary, err);
}

/* ---- Finding them ---------------------------------------------------------------------------- */

/* Surfaces go first. */
static pawl_status add_unless_there(pawl__automaton *automaton, pawl_text pattern, uint32_t number)
{
        return pawl__automaton_find(automaton, pattern) == PAWL__NO_PATTERN
                       ? pawl__automaton_add(automaton, pattern, number)
                       : PAWL_OK;
}

static pawl_status add_forms(pawl__automaton *automaton, const struct entry *entry, uint32_t number)
{
        pawl_status status =
                pawl__automaton_add_forms(automaton, entry->normal, number, entry->name);

        return !status && entry->plural.data
                       ? pawl__automaton_add_forms(automaton, entry->plural, number, entry->name)
                       : status;
}

static pawl_status build(pawl__glossary *glossary)
{
        pawl__automaton *automaton;
        pawl_status status = pawl__automaton_new(&automaton);

        if (status)
                return status;
        for (uint32_t i = 0; i < glossary->n_entries && status == PAWL_OK; i++)
                status = pawl__automaton_add(automaton, glossary->entries[i].normal, i);
        for (size_t i = 0; i < glossary->n_aliases && status == PAWL_OK; i++)
                status = add_unless_there(
                        automaton, glossary->aliases[i].normal, glossary->aliases[i].entry);
        for (uint32_t i = 0; i < glossary->n_entries && status == PAWL_OK; i++)
                if (glossary->entries[i].plural.data)
                        status = add_unless_there(automaton, glossary->entries[i].plural, i);
        for (uint32_t i = 0; i < glossary->n_entries && status == PAWL_OK; i++)
                status = add_forms(automaton, &glossary->entries[i], i);
        for (size_t i = 0; i < glossary->n_aliases && status == PAWL_OK; i++)
                status = pawl__automaton_add_forms(
                        automaton, glossary->aliases[i].normal, glossary->aliases[i].entry, true);
        if (status == PAWL_OK)
                status = pawl__automaton_build(automaton);
        if (status) {
                pawl__automaton_free(automaton);
                return status;
        }
        pawl__automaton_free(glossary->automaton);
        glossary->automaton = automaton;
        glossary->n_searched = glossary->n_entries + glossary->n_aliases;
        return PAWL_OK;
}

pawl_status pawl__glossary_automaton(
        const pawl__automaton **out, pawl__glossary *glossary, pawl_error *err)
{
        const size_t n = glossary->n_entries + glossary->n_aliases;
        pawl_status status = glossary->n_searched < n ? build(glossary) : PAWL_OK;

        if (status == PAWL_ETOOBIG)
                return pawl__fail(err, status,
                        "glossary: its surfaces are more than can be"
                        " searched for at once; leave some out");
        if (status)
                return pawl__nomem(err);
        *out = glossary->automaton;
        return PAWL_OK;
}

pawl_text pawl__glossary_surface(const pawl__glossary *glossary, uint32_t number)
{
        return glossary->entries[number].normal;
}
