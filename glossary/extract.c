#include "glossary/extract.h"
#include "base/error.h"
#include "glossary/extract_internal.h"
#include <stdlib.h>

/* For extractions without metadata. */
static const pawl__metadata no_metadata;

pawl_status pawl__extraction_new(pawl__extraction **out, pawl__glossary *glossary,
        const pawl__metadata *metadata, pawl_error *err)
{
        const pawl__automaton *surfaces = NULL;
        pawl__extraction *extraction = calloc(1, sizeof *extraction);

        if (!extraction)
                return pawl__nomem(err);
        extraction->glossary = glossary;
        extraction->metadata = metadata ? metadata : &no_metadata;
        pawl_status status = PAWL_OK;
        if (glossary) {
                status = pawl__glossary_automaton(&surfaces, glossary, err);
                if (status) {
                        pawl__extraction_free(extraction);
                        return status;
                }
        }
        status = pawl__term_table_prepare(extraction);
        if (status == PAWL_OK)
                status = pawl__extraction_match_by(extraction, PAWL__BY_GLOSSARY, surfaces);
        if (status == PAWL_OK)
                status = pawl__extraction_match_by(extraction, PAWL__BY_HINTS, extraction->hints);
        if (status) {
                pawl__extraction_free(extraction);
                return status == PAWL_ETOOBIG
                               ? pawl__fail(err, status,
                                         "metadata: too many glossary terms; leave some out")
                               : pawl__nomem(err);
        }
        *out = extraction;
        return PAWL_OK;
}

void pawl__extraction_free(pawl__extraction *extraction)
{
        if (!extraction)
                return;
        for (int by = 0; by < PAWL__WALKS; by++) {
                pawl__matcher_end(&extraction->walks[by]);
                free(extraction->exhausted[by]);
        }
        pawl__automaton_free(extraction->hints);
        pawl__words_free(&extraction->words);
        pawl__map_free(&extraction->term_table.by_normal);
        free(extraction->term_table.items);
        free(extraction->texts);
        pawl__buf_free(&extraction->buf);
        free(extraction->markups.items);
        pawl__arena_free(&extraction->arena);
        free(extraction);
}

pawl_status pawl__extraction_text(pawl__extraction *extraction, pawl_text text, pawl_error *err)
{
        if (text.len == 0)
                return PAWL_OK;
        if (extraction->n_texts >= PAWL__NOWHERE)
                return pawl__fail(
                        err, PAWL_ETOOBIG, "extraction: more than 4 billion texts; divide them");
        if (pawl__grow(&extraction->texts, &extraction->cap_texts, extraction->n_texts + 1,
                    sizeof *extraction->texts))
                return pawl__nomem(err);
        extraction->texts[extraction->n_texts++] = text;
        pawl_status status = pawl__extraction_scan(extraction);
        if (status == PAWL_ETOOBIG)
                return pawl__fail(
                        err, status, "extraction: more than 4 billion words; divide the text");
        return status ? pawl__nomem(err) : PAWL_OK;
}

/* ---- JSON ------------------------------------------------------------------------------------ */

/* Every string from @p node up to @p end; objects inside are passed over unless @p objects. Nodes
 * are in document order, so no descent is needed. */
static pawl_status read_strings(pawl__extraction *extraction, const pawl__json_tree *tree,
        pawl__node node, pawl__node end, bool objects, pawl_error *err)
{
        pawl_status status = PAWL_OK;

        while (node < end && status == PAWL_OK) {
                const pawl__json_node *at = pawl__json_at(tree, node);
                if (at->type == PAWL__JSON_STRING)
                        status = pawl__extraction_text(extraction, at->value, err);
                node = at->type == PAWL__JSON_OBJECT && !objects ? at->next : node + 1;
        }
        return status;
}

static bool is_field(const pawl__metadata *metadata, pawl_text name)
{
        static const char *const standard[] = {"description", "prompt", "requirements", "output"};

        for (size_t i = 0; i < sizeof standard / sizeof standard[0]; i++)
                if (pawl__text_is(name, standard[i]))
                        return true;
        for (size_t i = 0; i < metadata->n_fields; i++)
                if (pawl__text_eq(name, metadata->fields[i]))
                        return true;
        return false;
}

static bool reads_all(const pawl__metadata *metadata)
{
        for (size_t i = 0; i < metadata->n_fields; i++)
                if (pawl__text_is(metadata->fields[i], "*"))
                        return true;
        return false;
}

pawl_status pawl__extraction_json(
        pawl__extraction *extraction, const pawl__json_tree *tree, pawl_error *err)
{
        pawl_status status = PAWL_OK;

        if (tree->n == 0)
                return PAWL_OK;
        const pawl__json_node *root = pawl__json_at(tree, 0);
        if (reads_all(extraction->metadata))
                return read_strings(extraction, tree, 0, root->next, true, err);
        if (root->type != PAWL__JSON_OBJECT)
                return read_strings(extraction, tree, 0, root->next, false, err);
        for (pawl__node n = pawl__json_first(tree, 0); n != PAWL__NO_NODE && status == PAWL_OK;
                n = pawl__json_after(tree, 0, n)) {
                const pawl__json_node *member = pawl__json_at(tree, n);
                if (is_field(extraction->metadata, member->name))
                        status = read_strings(extraction, tree, n, member->next, false, err);
        }
        return status;
}
