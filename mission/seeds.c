#include "mission/seeds.h"
#include "base/error.h"

pawl_status pawl__seeds_load(pawl__seeds *out, const pawl_mission *mission, pawl__state *state,
        pawl__problems *problems, pawl_error *err)
{
        pawl_status status = PAWL_OK;

        for (out->n = 0; out->n < mission->n_seeds && !status; out->n += !status) {
                pawl__seed *seed = &out->seed[out->n];
                const struct pawl__seed_ref *from = &mission->seeds[out->n];
                status = state ? pawl__seed_load_new(
                                         seed, from->path, from->scope, state, problems, err)
                               : pawl__seed_load(seed, from->path, from->scope, problems, err);
                if (status == PAWL_ENOTFOUND)
                        pawl__fail_prefix(
                                err, status, "glossary.%s", pawl__scope_name(from->scope));
        }
        return status;
}

void pawl__seeds_free(pawl__seeds *seeds)
{
        for (size_t i = 0; i < seeds->n; i++)
                pawl__seed_free(&seeds->seed[i]);
}
