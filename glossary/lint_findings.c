/* What the checks of a glossary found. */
#include "glossary/lint_internal.h"

static const char *const kind_names[PAWL__LINT_KINDS] = {
        "unused", "near_duplicate", "undefined_term", "circle"};

const char *pawl__lint_kind_name(pawl__lint_kind kind)
{
        return kind_names[kind];
}

pawl_status pawl__lint_put(pawl__linting *l, pawl__lint_kind kind, const pawl__lint_sense *sense,
        pawl_text term, const pawl_text *others, size_t n, const char *why)
{
        pawl_text *copy = pawl__arena_array(l->arena, n, sizeof *copy);

        if (!copy || pawl__grow(&l->items, &l->cap_items, l->n_items + 1, sizeof *l->items))
                return PAWL_ENOMEM;
        for (size_t i = 0; i < n; i++)
                copy[i] = others[i];
        l->items[l->n_items++] = (pawl__lint_finding){kind, sense, term, copy, n, why};
        return PAWL_OK;
}
