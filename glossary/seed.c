#include "glossary/seed.h"
#include "base/error.h"
#include "base/map.h"
#include "document/fields.h"
#include "glossary/normal.h"
#include <stdio.h>

#define LIST_THEM     "list the senses: terms: [{surface, definition}]"
#define FIELDS(table) (table), sizeof(table) / sizeof(table)[0]

/* What the setters fill. */
struct loader {
        pawl__seed *seed;
        pawl__sense *sense; /* the current one */
        pawl__node surface; /* the node of its surface */
        pawl__node aliases; /* of the list of its aliases, or PAWL__NO_NODE */
        pawl__sense_notes notes;
        pawl__map seen; /* that node of each sense, by what makes senses the same */
        pawl__buf key;  /* for looking one up */
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

/* A list as it is written. Other tools write null where there is none. */
static pawl_status read_note(pawl_text *out, const pawl__place *place, pawl__node node)
{
        struct loader *loader = place->target;

        if (value_at(place, node)->type == PAWL__JSON_NULL)
                return PAWL_OK;
        if (value_at(place, node)->type != PAWL__JSON_ARRAY)
                return pawl__field_fail(
                        place, node, "must be a list; write [A, B], or a dash before each element");
        pawl__buf_clear(&loader->key);
        pawl__json_node_text(&loader->key, value_at(place, node));
        return loader->key.failed ? pawl__nomem(place->err)
                                  : keep(place, out, pawl__buf_text(&loader->key));
}

static pawl_status set_see_also(const pawl__place *place, pawl__node node)
{
        struct loader *loader = place->target;

        return read_note(&loader->notes.see_also, place, node);
}

static pawl_status set_synonyms(const pawl__place *place, pawl__node node)
{
        struct loader *loader = place->target;
        const pawl__json_tree *tree = &place->document->tree;
        pawl_status status = read_note(&loader->notes.synonyms_to_avoid, place, node);

        for (pawl__node m = status ? PAWL__NO_NODE : pawl__json_first(tree, node);
                m != PAWL__NO_NODE && !status; m = pawl__json_after(tree, node, m))
                if (value_at(place, m)->type != PAWL__JSON_STRING)
                        status = pawl__problem(place,
                                pawl__field_fail(place, m,
                                        "is no text; write the synonyms as a list of texts"));
        return status;
}

/* What others keep in their glossaries. */
static pawl_status pass_over(const pawl__place *place, pawl__node node)
{
        (void)place, (void)node;
        return PAWL_OK;
}

static const pawl__field term_fields[] = {
        {"surface", PAWL__ENTRY_TEXT, "write the term: surface: TERM", set_surface},
        {"definition", PAWL__ENTRY_TEXT, "write what it means: definition: TEXT", set_definition},
        {"confidence", PAWL__ENTRY_NUMBER, NULL, set_confidence},
        {"status", PAWL__ENTRY_TEXT, NULL, set_status},
        {"aliases", PAWL__ENTRY_LIST, NULL, set_aliases},
        {"see_also", PAWL__ENTRY_ANY, NULL, set_see_also},
        {"synonyms_to_avoid", PAWL__ENTRY_ANY, NULL, set_synonyms},
        {"introduced_in_mission", PAWL__ENTRY_ANY, NULL, pass_over},
        {"x-", PAWL__ENTRY_ANY, NULL, pass_over},
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
static pawl_status add_alias(const pawl__place *place, const pawl__sense *of, pawl__node node)
{
        struct loader *loader = place->target;
        pawl__sense *sense = &loader->seed->senses[loader->seed->n];

        if (value_at(place, node)->type != PAWL__JSON_STRING)
                return pawl__field_fail(
                        place, node, "is no text; write the aliases as a list of texts");
        pawl__buf_clear(&loader->key);
        if (pawl__normal_form(&loader->key, value_at(place, node)->value))
                return pawl__nomem(place->err);
        const pawl_text normal = pawl__buf_text(&loader->key);
        if (normal.len == 0)
                return pawl__field_fail(place, node, "is empty; write the alias");
        for (const pawl__sense *s = of; s < sense; s++)
                if (pawl__text_eq(normal, s->normal))
                        return PAWL_OK;
        *sense = *of;
        const pawl_status status = keep(place, &sense->normal, normal);
        loader->seed->n += !status;
        return status;
}

static pawl_status add_aliases(const pawl__place *place, const pawl__sense *of)
{
        struct loader *loader = place->target;
        const pawl__json_tree *tree = &place->document->tree;
        pawl_status status = PAWL_OK;

        for (pawl__node m = pawl__json_first(tree, loader->aliases); m != PAWL__NO_NODE && !status;
                m = pawl__json_after(tree, loader->aliases, m))
                status = pawl__problem(place, add_alias(place, of, m));
        return status;
}

static pawl_status keep_notes(const pawl__place *place)
{
        struct loader *loader = place->target;

        if (!loader->notes.see_also.data && !loader->notes.synonyms_to_avoid.data)
                return PAWL_OK;
        pawl__sense_notes *notes = pawl__arena_alloc(&loader->seed->arena, sizeof *notes);
        if (!notes)
                return pawl__nomem(place->err);
        *notes = loader->notes;
        loader->sense->notes = notes;
        return PAWL_OK;
}

static pawl_status read_term(const pawl__place *place, pawl__node node, size_t index)
{
        struct loader *loader = place->target;
        const size_t n_before = place->problems ? place->problems->n : 0;
        pawl__place inside = *place;
        char where[40];

        snprintf(where, sizeof where, "terms[%zu].", index);
        if (value_at(place, node)->type != PAWL__JSON_OBJECT)
                return pawl__document_fail(place->document, node, place->err,
                        "terms[%zu]: must be a mapping; write surface: and definition:", index);
        loader->sense = &loader->seed->senses[loader->seed->n];
        loader->aliases = PAWL__NO_NODE;
        loader->notes = (pawl__sense_notes){.see_also = pawl__text(NULL)};
        *loader->sense = (pawl__sense){
                .scope = loader->seed->scope, .confidence = 1, .status = PAWL__ACTIVE};
        inside.where = where;
        inside.key = "aliases";
        pawl_status status = pawl__fields_read(FIELDS(term_fields), &inside, node);
        if (!status && place->problems && place->problems->n > n_before)
                return PAWL_OK;
        if (!status)
                status = refuse_twice(place, where);
        if (!status)
                status = keep_notes(place);
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
        pawl_status status = PAWL_OK;

        if (value_at(place, node)->type == PAWL__JSON_NULL)
                return PAWL_OK;
        if (value_at(place, node)->type != PAWL__JSON_ARRAY)
                return pawl__field_fail(place, node, "must be a list; " LIST_THEM);
        size_t index = 0, n = value_at(place, node)->count;
        for (pawl__node m = pawl__json_first(tree, node); m != PAWL__NO_NODE;
                m = pawl__json_after(tree, node, m)) {
                const pawl__node list = pawl__json_get(tree, m, "aliases");
                n += list == PAWL__NO_NODE ? 0 : value_at(place, list)->count;
        }
        seed->senses = pawl__arena_array(&seed->arena, n, sizeof *seed->senses);
        if (!seed->senses)
                return pawl__nomem(place->err);
        for (pawl__node m = pawl__json_first(tree, node); m != PAWL__NO_NODE && !status;
                m = pawl__json_after(tree, node, m))
                status = pawl__problem(place, read_term(place, m, index++));
        return status;
}

static const pawl__field seed_fields[] = {
        {"terms", PAWL__ENTRY_ANY, LIST_THEM, set_terms},
        {"x-", PAWL__ENTRY_ANY, NULL, pass_over},
};

/* The document is freed. */
static pawl_status read_seed(pawl__seed *out, pawl__document *document, pawl__scope scope,
        pawl__problems *problems, pawl_error *err)
{
        pawl__seed seed = {scope, "", NULL, 0, PAWL__ARENA_INIT};
        struct loader loader = {.seed = &seed, .surface = PAWL__NO_NODE, .aliases = PAWL__NO_NODE};
        pawl__place place = {document, "", "", &loader, err, problems};
        pawl_status status;

        pawl__hex(seed.version_id, document->hash, PAWL__HASH_LEN);
        if (value_at(&place, 0)->type == PAWL__JSON_OBJECT)
                status = pawl__fields_read(FIELDS(seed_fields), &place, 0);
        else
                status = pawl__document_fail(document, 0, err,
                        "terms: is missing; write terms: [{surface, definition}]");
        status = pawl__problems_end(&place, status);
        pawl__map_free(&loader.seen);
        pawl__buf_free(&loader.key);
        pawl__document_free(document);
        if (status)
                pawl__seed_free(&seed);
        else
                *out = seed;
        return status;
}

pawl_status pawl__seed_load(pawl__seed *out, const char *path, pawl__scope scope,
        pawl__problems *problems, pawl_error *err)
{
        pawl__document document;
        const pawl_status status = pawl__document_load(&document, path, err);

        return status ? status : read_seed(out, &document, scope, problems, err);
}

pawl_status pawl__seed_parse(pawl__seed *out, const char *name, pawl_text text, pawl__scope scope,
        pawl__problems *problems, pawl_error *err)
{
        pawl__document document;
        const pawl_status status = pawl__document_parse(&document, name, text.data, text.len, err);

        return status ? status : read_seed(out, &document, scope, problems, err);
}

void pawl__seed_free(pawl__seed *seed)
{
        pawl__arena_free(&seed->arena);
        seed->senses = NULL;
        seed->n = 0;
}
