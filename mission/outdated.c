/* Steps that completed with what the glossary says no more. */
#include "base/error.h"
#include "base/map.h"
#include "glossary/normal.h"
#include "glossary/terms.h"
#include "mission/runner.h"

/* An answer names its term as it was asked about, a seed as it writes it. */
static pawl_status same_term(bool *same, pawl__buf *buf, pawl_text a, pawl_text b)
{
        pawl__buf_clear(buf);
        if (pawl__normal_form(buf, a))
                return PAWL_ENOMEM;
        const size_t len = buf->len;
        if (pawl__normal_form(buf, b))
                return PAWL_ENOMEM;
        *same = buf->len == 2 * len && memcmp(buf->data, buf->data + len, len) == 0;
        return PAWL_OK;
}

/* Was it told a definition that its term does not have any more? */
pawl_status pawl__terms_changed(bool *changed, pawl__buf *buf, const pawl_glossary_terms *told,
        const pawl_glossary_terms *now)
{
        for (size_t i = 0; i < told->n; i++) {
                bool holds = false;
                for (size_t k = 0; k < now->n && !holds; k++)
                        if (pawl__text_eq(told->items[i].definition, now->items[k].definition) &&
                                same_term(&holds, buf, told->items[i].term, now->items[k].term))
                                return PAWL_ENOMEM;
                *changed |= !holds;
        }
        return PAWL_OK;
}

/* The completed steps that the mission has, one behind the other, with where they are in it. */
static pawl_status completed(pawl__steps_query *of, size_t *places, pawl__runner *r,
        const pawl__row *rows, size_t n_rows)
{
        pawl__row *steps = pawl__arena_array(&r->arena, n_rows, sizeof *steps);
        pawl__metadata *metadata = pawl__arena_array(&r->arena, n_rows, sizeof *metadata);
        pawl__map by_id = PAWL__MAP_INIT;
        pawl_status status = pawl__arena_check(&r->arena, &r->error);

        for (size_t i = 0; i < r->mission->n_steps && !status; i++)
                if (pawl__map_put(&by_id, r->mission->steps[i].id, (uint32_t)i))
                        status = pawl__nomem(&r->error);
        for (size_t i = 0; i < n_rows && !status; i++) {
                const uint32_t at = pawl__map_get(&by_id, rows[i].v[PAWL__STEP_ID].text);
                if (at == PAWL__MAP_NONE ||
                        !pawl__text_is(rows[i].v[PAWL__STEP_STATUS].text, "completed"))
                        continue;
                steps[of->n] = rows[i];
                places[of->n] = at;
                status = pawl__metadata_read(
                        &metadata[of->n++], &r->arena, r->mission->steps[at].metadata, &r->error);
        }
        pawl__map_free(&by_id);
        of->steps = steps;
        of->metadata = metadata;
        return status;
}

pawl_status pawl__runner_outdated(
        bool **out, pawl__runner *r, const pawl__row *run, const pawl__row *rows, size_t n_rows)
{
        const size_t n = r->mission->n_steps;
        bool *outdated = pawl__arena_array(&r->arena, n, sizeof *outdated);
        size_t *places = pawl__arena_array(&r->arena, n_rows, sizeof *places);
        pawl_glossary_terms *told = NULL, *now = NULL;
        pawl__steps_query of = {.run = run};
        pawl__buf buf = PAWL__BUF_INIT;
        pawl_status status = pawl__arena_check(&r->arena, &r->error);

        if (!status)
                status = completed(&of, places, r, rows, n_rows);
        if (!status)
                status = pawl__terms_of_steps(&told, &r->arena, r->log, &of, &r->error);
        of.now = true;
        if (!status)
                status = pawl__terms_of_steps(&now, &r->arena, r->log, &of, &r->error);
        for (size_t i = 0; i < of.n && !status; i++)
                if (pawl__terms_changed(&outdated[places[i]], &buf, &told[i], &now[i]))
                        status = pawl__nomem(&r->error);
        pawl__buf_free(&buf);
        if (!status)
                *out = outdated;
        return status;
}
