#include "workspace/store/run_state.h"
#include "base/error.h"
#include "base/json_canon.h"
#include "base/json_write.h"

void pawl__run_state_step(pawl__json_writer *w, pawl_text id, pawl_text input, pawl_text output)
{
        pawl__json_name_text(w, id);
        pawl__json_open_object(w);
        pawl__json_member_string(w, "status", "completed");
        pawl__json_member_text(w, "input_hash", input);
        pawl__json_member_text(w, "output_hash", output);
        pawl__json_close_object(w);
}

void pawl__run_state_open(pawl__json_writer *w, pawl_text mission_id, pawl_text run_id)
{
        pawl__json_open_object(w);
        pawl__json_member_text(w, "mission_id", mission_id);
        pawl__json_member_text(w, "run_id", run_id);
        pawl__json_name(w, "steps");
        pawl__json_open_object(w);
}

pawl_status pawl__document_end(pawl__buf *out, pawl__json_writer *w, pawl_error *err)
{
        pawl_status status = pawl__json_end_writer(w) ? pawl__nomem(err) : PAWL_OK;

        if (!status)
                status = pawl__json_canon(out, w->buf.data, w->buf.len, err);
        pawl__json_writer_free(w);
        return status;
}

pawl_status pawl__run_state_close(pawl__buf *out, pawl__json_writer *w, pawl_error *err)
{
        pawl__json_close_object(w);
        pawl__json_close_object(w);
        return pawl__document_end(out, w, err);
}

pawl_status pawl__run_state(
        pawl__buf *out, pawl__state *state, pawl_text run_id, uint64_t seq, pawl_error *err)
{
        pawl__arena arena = PAWL__ARENA_INIT;
        pawl__json_writer w = PAWL__JSON_WRITER_INIT;
        pawl__row run, *steps = NULL;
        size_t n = 0;
        pawl_status status =
                pawl__state_steps_at(&run, &steps, &n, state, run_id, seq, &arena, err);

        if (!status) {
                pawl__run_state_open(&w, run.v[PAWL__RUN_MISSION].text, run_id);
                for (size_t i = 0; i < n; i++) {
                        const pawl__value *v = steps[i].v;
                        if (pawl__text_is(v[PAWL__STEP_STATUS].text, "completed"))
                                pawl__run_state_step(&w, v[PAWL__STEP_ID].text,
                                        v[PAWL__STEP_INPUT_HASH].text,
                                        v[PAWL__STEP_OUTPUT_HASH].text);
                }
                status = pawl__run_state_close(out, &w, err);
        }
        pawl__arena_free(&arena);
        return status;
}

bool pawl__run_state_is(pawl_text document, pawl_text run_id)
{
        pawl__json_tree tree = PAWL__JSON_TREE_INIT;

        if (!document.data || !run_id.data ||
                pawl__json_tree_read(&tree, document.data, document.len, NULL))
                return false;
        bool is = pawl__text_eq(pawl__json_get_text(&tree, 0, "run_id"), run_id) &&
                  pawl__json_get(&tree, 0, "steps") != PAWL__NO_NODE;
        pawl__json_tree_free(&tree);
        return is;
}

static pawl_status write_output(
        pawl__json_writer *w, pawl_log *log, pawl_text name, pawl_text hex, pawl_error *err)
{
        pawl__buf text = PAWL__BUF_INIT, step = PAWL__BUF_INIT;
        unsigned char hash[32];

        if (!hex.data || !pawl__unhex32(hash, hex))
                return PAWL_OK;
        pawl_status status = pawl__log_blob(&text, log, hash);
        if (status && status != PAWL_ENOTFOUND)
                status = pawl__log_failed(log, status, err);
        if (!status && pawl__buf_add_text(&step, name))
                status = pawl__nomem(err);
        if (!status)
                pawl__json_member_raw(w, step.data, pawl__buf_text(&text));
        pawl__buf_free(&text);
        pawl__buf_free(&step);
        return status == PAWL_ENOTFOUND ? PAWL_OK : status;
}

pawl_status pawl__run_outputs(pawl__buf *out, pawl_log *log, pawl_text document, pawl_error *err)
{
        pawl__json_tree tree = PAWL__JSON_TREE_INIT;
        pawl__json_writer w = PAWL__JSON_WRITER_INIT;
        pawl_status status = pawl__json_tree_read(&tree, document.data, document.len, err);

        if (status)
                return status;
        pawl__node steps = pawl__json_get(&tree, 0, "steps");
        pawl__json_open_object(&w);
        for (pawl__node step = steps == PAWL__NO_NODE ? steps : pawl__json_first(&tree, steps);
                step != PAWL__NO_NODE && !status; step = pawl__json_after(&tree, steps, step))
                status = write_output(&w, log, pawl__json_at(&tree, step)->name,
                        pawl__json_get_text(&tree, step, "output_hash"), err);
        pawl__json_close_object(&w);
        if (status)
                pawl__json_writer_free(&w);
        else
                status = pawl__document_end(out, &w, err);
        pawl__json_tree_free(&tree);
        return status;
}
