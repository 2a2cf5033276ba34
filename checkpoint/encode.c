#include "base/error.h"
#include "base/json_write.h"
#include "checkpoint/model.h"

/* Members in RFC 8785's order, so that the text is canonical as it is written. */
static void write_payload(pawl__json_writer *w, const pawl__checkpoint *checkpoint)
{
        pawl__json_open_object(w);
        pawl__json_member_string(w, "cursor", pawl__cursor_name(checkpoint->cursor));
        pawl__json_member_string(w, "input_hash", checkpoint->input_hash);
        pawl__json_member_string(w, "input_hash_alg", PAWL__INPUT_HASH_ALG);
        if (checkpoint->output_hash[0])
                pawl__json_member_string(w, "output_hash", checkpoint->output_hash);
        pawl__json_member_string(w, "retry_token", checkpoint->retry_token);
        pawl__json_name(w, "scope_refs");
        pawl__json_open_array(w);
        for (size_t i = 0; i < checkpoint->n_scope_refs; i++) {
                pawl__json_open_object(w);
                pawl__json_member_text(w, "scope", checkpoint->scope_refs[i].scope);
                pawl__json_member_text(w, "version_id", checkpoint->scope_refs[i].version_id);
                pawl__json_close_object(w);
        }
        pawl__json_close_array(w);
        pawl__json_member_string(w, "strictness", pawl__strictness_name(checkpoint->strictness));
        pawl__json_close_object(w);
}

pawl_status pawl__checkpoint_encode(
        pawl__buf *out, const pawl__checkpoint *checkpoint, pawl_error *err)
{
        pawl__json_writer w = PAWL__JSON_WRITER_INIT;
        pawl_error why = PAWL_ERROR_INIT;

        if (pawl__checkpoint_check(checkpoint, &why))
                return pawl__fail(err, PAWL_EINVAL, "StepCheckpointed: %s", why.message);
        write_payload(&w, checkpoint);
        pawl_status status = pawl__json_end_writer(&w) ? pawl__nomem(err) : PAWL_OK;
        if (status == PAWL_OK && w.buf.len > PAWL__CHECKPOINT_MAX)
                status = pawl__fail(err, PAWL_ETOOBIG,
                        "StepCheckpointed: the payload would have %zu bytes, %d at most; use "
                        "shorter scope names",
                        w.buf.len, PAWL__CHECKPOINT_MAX);
        if (status == PAWL_OK && pawl__buf_add(out, w.buf.data, w.buf.len))
                status = pawl__nomem(err);
        pawl__json_writer_free(&w);
        return status;
}
