#include "mission/ready.h"
#include "base/error.h"
#include <stdlib.h>

#define TAKEN UINT32_MAX

pawl_status pawl__ready_make(pawl__ready_steps *steps, const pawl_mission *mission, pawl_error *err)
{
        const size_t n = mission->n_steps;
        size_t edges = 0;

        for (size_t i = 0; i < n; i++)
                edges += mission->needs[i].n;
        *steps = (pawl__ready_steps){.n = n,
                .waits = calloc(n + 1, sizeof *steps->waits),
                .next = calloc(edges + 1, sizeof *steps->next),
                .first = calloc(n + 2, sizeof *steps->first)};
        if (!steps->waits || !steps->first || !steps->next)
                return pawl__nomem(err);
        /* first[i + 2] counts them, then first[i + 1] is where the next of them goes. */
        for (size_t i = 0; i < n; i++)
                for (size_t k = 0; k < mission->needs[i].n; k++)
                        steps->first[mission->needs[i].items[k] + 2]++;
        for (size_t i = 2; i < n + 2; i++)
                steps->first[i] += steps->first[i - 1];
        for (size_t i = 0; i < n; i++) {
                steps->waits[i] = (uint32_t)mission->needs[i].n;
                for (size_t k = 0; k < mission->needs[i].n; k++)
                        steps->next[steps->first[mission->needs[i].items[k] + 1]++] = (uint32_t)i;
        }
        return PAWL_OK;
}

void pawl__ready_free(pawl__ready_steps *steps)
{
        free(steps->waits);
        free(steps->next);
        free(steps->first);
}

size_t pawl__ready_take(pawl__ready_steps *steps)
{
        while (steps->from < steps->n && steps->waits[steps->from])
                steps->from++;
        if (steps->from < steps->n)
                steps->waits[steps->from] = TAKEN;
        return steps->from;
}

void pawl__ready_again(pawl__ready_steps *steps, size_t step)
{
        steps->waits[step] = 0;
        if (step < steps->from)
                steps->from = step;
}

void pawl__ready_completed(pawl__ready_steps *steps, size_t step)
{
        steps->done++;
        for (uint32_t i = steps->first[step]; i < steps->first[step + 1]; i++)
                if (--steps->waits[steps->next[i]] == 0)
                        pawl__ready_again(steps, steps->next[i]);
}
