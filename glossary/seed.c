#include "glossary/seed.h"
#include "base/error.h"
#include "base/map.h"
#include "document/fields.h"
#include "glossary/normal.h"
#include <stdio.h>

#define FIELDS(table) (table), sizeof(table) / sizeof(table)[0]

/* What the setters fill. */
struct loader {
        pawl__seed *seed;
        pawl__sense *sense; /* the one at hand */
        pawl__node surface; /* the node of its surface */
        pawl__node aliases; /* of the list of its aliases, or PAWL__NO_NODE */
        pawl__map seen;     /* that node of each sense, by what makes senses the same */
        pawl__buf key;      /* for looking one up */
};

static const pawl__json_node *value_at(const pawl__place *place, pawl__node node)
{
        return pawl__json_at(&place->document->tree, node);
}

static pawl_status keep(const pawl__place *place, pawl_text *out, pawl_text text)
{
        const struct loader *loader = place->target;
        bool ok = true;
        pawl_text copy = pawl__arena_text(&loader->seed->arena, text, &ok);

        if (!ok)
                return pawl__nomem(place->err);
        *out = copy;
        return PAWL_OK;
}

static pawl_status set_surface(const pawl__place *place, pawl__node node)
{
        struct loader *loader = place->target;
        pawl_text surface = value_at(place, node)->value;

        loader->surface = node;
        pawl__buf_clear(&loader->key);
        if (pawl__normal_form(&loader->key, surface))
                return pawl__nomem(place->err);
        if (loader->key.len == 0)
                return pawl__field_fail(place, node, "is empty; write the term");
        pawl_status status = keep(place, &loader->sense->normal, pawl__buf_text(&loader->key));
        return status ? status : keep(place, &loader->sense->surface, surface);
}

static pawl_status set_definition(const pawl__place *place, pawl__node node)
{
        struct loader *loader = place->target;
        pawl_text definition = value_at(place, node)->value;

        if (pawl__text_blank(definition))
                return pawl__field_fail(place, node, "is empty; write what the term means");
        return keep(place, &loader->sense->definition, definition);
}

static pawl_status set_confidence(const pawl__place *place, pawl__node node)
{
        struct loader *loader = place->target;
        double confidence = pawl__json_double(value_at(place, node));

        if (!(confidence >= 0 && confidence <= 1))
                return pawl__field_fail(place, node, "%.*s is out of range; write 0 to 1",
                        PAWL__FMT(value_at(place, node)->value));
        loader->sense->confidence = confidence;
        return PAWL_OK;
}

static pawl_status set_status(const pawl__place *place, pawl__node node)
{
        struct loader *loader = place->target;
        pawl_text status = value_at(place, node)->value;

        if (!pawl__sense_status_of(&loader->sense->status, status))
                return pawl__field_fail(place, node,
                        "\"%.*s\" is not known; write active, draft, deprecated or ignored",
                        PAWL__FMT(status));
        return PAWL_OK;
}

/* Each a sense of its own, with the surface of the term and the normal form of the alias. They are
 * made when the term is whole. */
static pawl_status set_aliases(const pawl__place *place, pawl__node node)
{
        struct loader *loader = place->target;

        loader->aliases = node;
        return PAWL_OK;
}

static const pawl__field term_fields[] = {
        {"surface", PAWL__ENTRY_TEXT, "write the term: surface: TERM", set_surface},
        {"definition", PAWL__ENTRY_TEXT, "write what it means: definition: TEXT", set_definition},
        {"confidence", PAWL__ENTRY_NUMBER, NULL, set_confidence},
        {"status", PAWL__ENTRY_TEXT, NULL, set_status},
        {"aliases", PAWL__ENTRY_LIST, NULL, set_aliases},
};

/* One sense is a normal form and a definition. */
static pawl_status refuse_twice(const pawl__place *place, const char *where)
{
        struct loader *loader = place->target;
        const pawl__sense *sense = loader->sense;
        bool ok = true;

        pawl__buf_clear(&loader->key);
        if (pawl__buf_addf(&loader->key, "%zu:", sense->normal.len) ||
                pawl__buf_add(&loader->key, sense->normal.data, sense->normal.len) ||
                pawl__buf_add(&loader->key, sense->definition.data, sense->definition.len))
                return pawl__nomem(place->err);
        pawl_text key = pawl__buf_text(&loader->key);
        uint32_t first = pawl__map_get(&loader->seen, key);
        if (first != PAWL__MAP_NONE)
                return pawl__document_fail(place->document, loader->surface, place->err,
                        "%ssurface: \"%.*s\" has the same definition on line %u; remove one", where,
                        PAWL__FMT(sense->surface),
                        (unsigned)pawl__document_line(place->document, first));
        key = pawl__arena_text(&loader->seed->arena, key, &ok);
        return ok && !pawl__map_put(&loader->seen, key, loader->surface) ? PAWL_OK
                                                                         : pawl__nomem(place->err);
}

/* An alias that is the term itself, or one that was named before, adds nothing. */
static pawl_status add_aliases(const pawl__place *place, const pawl__sense *of)
{
        struct loader *loader = place->target;
        const pawl__json_tree *tree = &place->document->tree;
        const pawl__sense *first = &loader->seed->senses[loader->seed->n];

        for (pawl__node m = pawl__json_first(tree, loader->aliases); m != PAWL__NO_NODE;
                m = pawl__json_after(tree, loader->aliases, m)) {
                if (value_at(place, m)->type != PAWL__JSON_STRING)
                        return pawl__field_fail(
                                place, m, "is no text; write the aliases as a list of texts");
                pawl__buf_clear(&loader->key);
                if (pawl__normal_form(&loader->key, value_at(place, m)->value))
                        return pawl__nomem(place->err);
                const pawl_text normal = pawl__buf_text(&loader->key);
                if (normal.len == 0)
                        return pawl__field_fail(place, m, "is empty; write the alias");
                bool new = !pawl__text_eq(normal, of->normal);
                for (const pawl__sense *s = first; s < &loader->seed->senses[loader->seed->n]; s++)
                        new = new && !pawl__text_eq(normal, s->normal);
                if (!new)
                        continue;
                pawl__sense *sense = &loader->seed->senses[loader->seed->n];
                *sense = *of;
                pawl_status status = keep(place, &sense->normal, normal);
                if (status)
                        return status;
                loader->seed->n++;
        }
        return PAWL_OK;
}

static pawl_status read_term(const pawl__place *place, pawl__node node, size_t index)
{
        struct loader *loader = place->target;
        pawl__place inside = *place;
        char where[40];

        snprintf(where, sizeof where, "terms[%zu].", index);
        if (value_at(place, node)->type != PAWL__JSON_OBJECT)
                return pawl__document_fail(place->document, node, place->err,
                        "terms[%zu]: must be a mapping; write surface: and definition:", index);
        loader->sense = &loader->seed->senses[loader->seed->n];
        loader->aliases = PAWL__NO_NODE;
        loader->sense->scope = loader->seed->scope;
        loader->sense->confidence = 1;
        loader->sense->status = PAWL__ACTIVE;
        inside.where = where;
        pawl_status status = pawl__fields_read(FIELDS(term_fields), &inside, node);
        if (!status)
                status = refuse_twice(place, where);
        if (status)
                return status;
        loader->seed->n++;
        return loader->aliases == PAWL__NO_NODE ? PAWL_OK : add_aliases(&inside, loader->sense);
}

static pawl_status set_terms(const pawl__place *place, pawl__node node)
{
        struct loader *loader = place->target;
        pawl__seed *seed = loader->seed;
        const pawl__json_tree *tree = &place->document->tree;

        size_t index = 0, n = value_at(place, node)->count;
        for (pawl__node m = pawl__json_first(tree, node); m != PAWL__NO_NODE;
                m = pawl__json_after(tree, node, m)) {
                const pawl__node list = pawl__json_get(tree, m, "aliases");
                n += list == PAWL__NO_NODE ? 0 : value_at(place, list)->count;
        }
        seed->senses = pawl__arena_array(&seed->arena, n, sizeof *seed->senses);
        if (!seed->senses)
                return pawl__nomem(place->err);
        for (pawl__node m = pawl__json_first(tree, node); m != PAWL__NO_NODE;
                m = pawl__json_after(tree, node, m)) {
                pawl_status status = read_term(place, m, index++);
                if (status)
                        return status;
        }
        return PAWL_OK;
}

static const pawl__field seed_fields[] = {
        {"terms", PAWL__ENTRY_LIST, "list the senses: terms: [{surface, definition}]", set_terms},
};

pawl_status pawl__seed_load(pawl__seed *out, const char *path, pawl__scope scope, pawl_error *err)
{
        pawl__seed seed = {scope, "", NULL, 0, PAWL__ARENA_INIT};
        struct loader loader = {
                &seed, NULL, PAWL__NO_NODE, PAWL__NO_NODE, PAWL__MAP_INIT, PAWL__BUF_INIT};
        pawl__document document;
        pawl__place place = {&document, "", "", &loader, err};
        pawl_status status = pawl__document_load(&document, path, err);

        if (status)
                return status;
        pawl__hex(seed.version_id, document.hash, PAWL__HASH_LEN);
        if (value_at(&place, 0)->type == PAWL__JSON_OBJECT)
                status = pawl__fields_read(FIELDS(seed_fields), &place, 0);
        else
                status = pawl__document_fail(&document, 0, err,
                        "terms: is missing; write terms: [{surface, definition}]");
        pawl__map_free(&loader.seen);
        pawl__buf_free(&loader.key);
        pawl__document_free(&document);
        if (status)
                pawl__seed_free(&seed);
        else
                *out = seed;
        return status;
}

void pawl__seed_free(pawl__seed *seed)
{
        pawl__arena_free(&seed->arena);
        seed->senses = NULL;
        seed->n = 0;
}
