/* The pipeline object: its construction, its layers and its seeds. */
#include "base/error.h"
#include "base/ids.h"
#include "pipeline/layers.h"
#include "pipeline/object.h"
#include <stdlib.h>

/* ---- The object ----------------------------------------------------------------------------- */

static pawl_status insert(pawl_pipeline *pipeline, size_t at, const pawl_layer *layer)
{
        bool ok = true;
        pawl_text name = pawl__arena_text(&pipeline->arena, pawl__text(layer->name), &ok);

        if (!ok || pawl__grow(&pipeline->layers, &pipeline->cap_layers, pipeline->n_layers + 1,
                           sizeof *pipeline->layers))
                return pawl__nomem(&pipeline->error);
        memmove(&pipeline->layers[at + 1], &pipeline->layers[at],
                (pipeline->n_layers - at) * sizeof *pipeline->layers);
        pipeline->layers[at] = *layer;
        pipeline->layers[at].name = name.data;
        pipeline->n_layers++;
        return PAWL_OK;
}

static pawl_status build(pawl_pipeline *pipeline)
{
        const pawl_layer *const standard[] = {&pawl__layer_extraction, &pawl__layer_check,
                &pawl__layer_gate, &pawl__layer_clarification, &pawl__layer_resume};
        const char *actor = pipeline->options.actor ? pipeline->options.actor : "program";
        bool ok = true;
        pawl_status status = pawl__id_check(pawl__text(actor), "actor", &pipeline->error);

        if (status)
                return status;
        pipeline->actor = pawl__arena_text(&pipeline->arena, pawl__text(actor), &ok);
        if (!ok ||
                pawl__grow(&pipeline->claims, &pipeline->cap_claims, 1, sizeof *pipeline->claims))
                return pawl__nomem(&pipeline->error);
        for (size_t i = 0; i < sizeof standard / sizeof standard[0] && !status; i++)
                status = insert(pipeline, i, standard[i]);
        if (!status)
                status = pawl__state_of(&pipeline->state, pipeline->log, &pipeline->error);
        return status;
}

pawl_status pawl_pipeline_new(
        pawl_pipeline **out, pawl_log *log, const pawl_pipeline_options *options, pawl_error *err)
{
        TRY(pawl__log_usable(log, err));

        const pawl_pipeline_options defaults = PAWL_PIPELINE_OPTIONS_INIT;

        if (options && options->version != PAWL_PIPELINE_OPTIONS_VERSION)
                return pawl__fail(err, PAWL_EINVAL,
                        "pipeline options: version %u is not known; start from "
                        "PAWL_PIPELINE_OPTIONS_INIT",
                        options->version);
        pawl_pipeline *pipeline = calloc(1, sizeof *pipeline);
        if (!pipeline)
                return pawl__nomem(err);
        pipeline->log = log;
        pipeline->options = options ? *options : defaults;
        pawl_status status = build(pipeline);
        if (status) {
                if (err)
                        *err = pipeline->error;
                pawl_pipeline_free(pipeline);
        } else {
                *out = pipeline;
        }
        return status;
}

void pawl_pipeline_free(pawl_pipeline *pipeline)
{
        if (!pipeline)
                return;
        while (pipeline->n_claims) {
                pawl__claim *claim = &pipeline->claims[pipeline->n_claims - 1];
                if (claim->own)
                        (void)pawl__claim_release(pipeline, claim);
                else
                        pawl__claim_drop(pipeline, claim);
        }
        for (size_t i = 0; i < pipeline->n_seeds; i++)
                pawl__seed_free(&pipeline->seeds[i]);
        pawl__batch_free(&pipeline->batch);
        free(pipeline->claims);
        free(pipeline->layers);
        pawl__arena_free(&pipeline->arena);
        free(pipeline);
}

const char *pawl_pipeline_errmsg(const pawl_pipeline *pipeline)
{
        return pipeline ? pipeline->error.message : PAWL__NO_HANDLE;
}

pawl_error *pawl__pipeline_error(pawl_pipeline *pipeline)
{
        return &pipeline->error;
}

size_t pawl__pipeline_index(const pawl_pipeline *pipeline, const char *name)
{
        size_t i = 0;

        while (i < pipeline->n_layers && strcmp(pipeline->layers[i].name, name) != 0)
                i++;
        return i;
}

static pawl_status add(
        pawl_pipeline *pipeline, const char *name, const pawl_layer *layer, size_t after)
{
        if (!name || !layer || !layer->name || !layer->process)
                return pawl__fail(&pipeline->error, PAWL_EINVAL,
                        "layer: a name or its function is NULL; set both");
        size_t at = pawl__pipeline_index(pipeline, name);
        if (pipeline->running)
                return pawl__fail(&pipeline->error, PAWL_ESTATE,
                        "layer %s: a pass is under way; add layers before it", layer->name);
        if (at == pipeline->n_layers)
                return pawl__fail(&pipeline->error, PAWL_ENOTFOUND,
                        "layer %s: there is none; the standard ones are extraction, "
                        "semantic_check, "
                        "generation_gate, clarification and resume",
                        name);
        if (pawl__pipeline_index(pipeline, layer->name) < pipeline->n_layers)
                return pawl__fail(&pipeline->error, PAWL_EEXISTS,
                        "layer %s: is there already; give it a name of its own", layer->name);
        return insert(pipeline, at + after, layer);
}

pawl_status pawl_pipeline_add_before(
        pawl_pipeline *pipeline, const char *name, const pawl_layer *layer)
{
        TRY(pawl__pipeline_usable(pipeline));

        return add(pipeline, name, layer, 0);
}

pawl_status pawl_pipeline_add_after(
        pawl_pipeline *pipeline, const char *name, const pawl_layer *layer)
{
        TRY(pawl__pipeline_usable(pipeline));

        return add(pipeline, name, layer, 1);
}

pawl_status pawl_pipeline_seed(pawl_pipeline *pipeline, const char *scope, const char *path)
{
        TRY(pawl__pipeline_usable(pipeline));

        pawl__scope at;
        pawl_status status = pawl__scope_read(&at, pawl__text(scope), &pipeline->error);

        if (status)
                return status;
        for (size_t i = 0; i < pipeline->n_seeds; i++)
                if (pipeline->seeds[i].scope == at)
                        return pawl__fail(&pipeline->error, PAWL_EEXISTS,
                                "scope %s: has a seed already; put all its terms into one file",
                                pawl__scope_name(at));
        status = pawl__seed_load(
                &pipeline->seeds[pipeline->n_seeds], path, at, NULL, &pipeline->error);
        if (!status)
                pipeline->n_seeds++;
        return status;
}
