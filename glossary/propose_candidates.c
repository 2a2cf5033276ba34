/* The candidates for a glossary: one for each normal form, and where in the text it is. */
#include "glossary/propose_internal.h"

pawl_status pawl__candidate_of(pawl__proposing *p, pawl__candidate **out, pawl_text normal)
{
        uint32_t index = pawl__map_get(&p->by_normal, normal);

        if (index == PAWL__MAP_NONE) {
                if (pawl__grow(&p->items, &p->cap, p->n + 1, sizeof *p->items))
                        return PAWL_ENOMEM;
                if (p->n >= PAWL__MAP_NONE - 1)
                        return PAWL_ETOOBIG;
                index = (uint32_t)p->n;
                const pawl_text copy = pawl__arena_copy(p->arena, normal);
                if (!copy.data || pawl__map_put(&p->by_normal, copy, index))
                        return PAWL_ENOMEM;
                p->items[p->n++] = (pawl__candidate){.normal = copy, .source = BY_DEFINITION};
        }
        *out = &p->items[index];
        return PAWL_OK;
}

bool pawl__candidate_known(pawl__proposing *p, pawl_text folded)
{
        return p->known && pawl__automaton_find(p->known, folded) != PAWL__NO_PATTERN;
}

const pawl__markup *pawl__candidate_markup(pawl__proposing *p, size_t byte)
{
        const pawl__markups *all = &p->markups;

        while (p->markup < all->n && all->items[p->markup].end <= byte)
                p->markup++;
        return p->markup < all->n && all->items[p->markup].start <= byte ? &all->items[p->markup]
                                                                         : NULL;
}
