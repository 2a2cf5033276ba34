#include "checkpoint/model.h"
#include "base/digest.h"
#include "base/error.h"
#include "base/ids.h"
#include "base/sources.h"

bool pawl__hash_valid(pawl_text text)
{
        unsigned char bytes[PAWL__HASH_LEN];

        return text.data && pawl__unhex32(bytes, text);
}

static pawl_status check_id(pawl_text id, const char *field, pawl_error *err)
{
        pawl_error why = PAWL_ERROR_INIT;

        if (!pawl__id_check(id, "id", &why))
                return PAWL_OK;
        return pawl__fail(err, PAWL_EINVAL, "%s: %s", field, why.message);
}

static pawl_status check_refs(const pawl__checkpoint *checkpoint, pawl_error *err)
{
        if (checkpoint->n_scope_refs > PAWL__SCOPE_REFS_MAX)
                return pawl__fail(err, PAWL_EINVAL,
                        "scope_refs: there are %zu; name each scope once, %d at most",
                        checkpoint->n_scope_refs, PAWL__SCOPE_REFS_MAX);
        for (size_t i = 0; i < checkpoint->n_scope_refs; i++) {
                const pawl__scope_ref *ref = &checkpoint->scope_refs[i];
                pawl_status status = check_id(ref->scope, "scope_refs[].scope", err);
                if (status)
                        return status;
                if (!pawl__hash_valid(ref->version_id))
                        return pawl__fail(err, PAWL_EINVAL,
                                "scope_refs[].version_id: \"%.*s\" is no content hash; give 64 "
                                "lower-case hex digits",
                                PAWL__FMT(ref->version_id));
                for (size_t j = 0; j < i; j++)
                        if (pawl__text_eq(checkpoint->scope_refs[j].scope, ref->scope))
                                return pawl__fail(err, PAWL_EINVAL,
                                        "scope_refs: scope %.*s stands there twice; name each "
                                        "once",
                                        PAWL__FMT(ref->scope));
        }
        return PAWL_OK;
}

pawl_status pawl__checkpoint_check(const pawl__checkpoint *checkpoint, pawl_error *err)
{
        pawl_text output_hash = pawl__text(checkpoint->output_hash);
        pawl_status status = check_id(checkpoint->mission_id, "mission_id", err);

        if (status == PAWL_OK)
                status = check_id(checkpoint->run_id, "run_id", err);
        if (status == PAWL_OK)
                status = check_id(checkpoint->step_id, "step_id", err);
        if (status == PAWL_OK)
                status = check_refs(checkpoint, err);
        if (status)
                return status;
        if (!pawl__strictness_name(checkpoint->strictness))
                return pawl__fail(
                        err, PAWL_EINVAL, "strictness: is not set; use off, medium or max");
        if (!pawl__cursor_name(checkpoint->cursor))
                return pawl__fail(err, PAWL_EINVAL,
                        "cursor: is not set; use pre_generation_gate, post_clarification, "
                        "post_gate or post_generation");
        if (!pawl__hash_valid(pawl__text(checkpoint->input_hash)))
                return pawl__fail(
                        err, PAWL_EINVAL, "input_hash: is no hash; give 64 lower-case hex digits");
        if (!pawl__uuid_valid(pawl__text(checkpoint->retry_token)))
                return pawl__fail(err, PAWL_EINVAL,
                        "retry_token: is no UUID; give one in lower case, 8-4-4-4-12 digits");
        if (output_hash.len ? !pawl__hash_valid(output_hash)
                            : checkpoint->cursor == PAWL__AT_POST_GENERATION)
                return pawl__fail(err, PAWL_EINVAL,
                        "output_hash: is no hash; give the 64 lower-case hex digits of the output "
                        "that is kept");
        return PAWL_OK;
}
