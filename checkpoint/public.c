#include "base/error.h"
#include "checkpoint/checkpoint.h"
#include <pawl/checkpoint.h>
#include <stdlib.h>

/* Its texts end in NUL: ids hold none, and copies in an arena end in one. */
struct pawl_checkpoint {
        pawl__arena arena;
        pawl__checkpoint it;
};

pawl_status pawl_checkpoint_load(
        pawl_checkpoint **out, pawl_log *log, const char *retry_token, pawl_error *err)
{
        pawl_checkpoint *checkpoint = calloc(1, sizeof *checkpoint);

        if (!checkpoint)
                return pawl__nomem(err);
        pawl_status status = pawl__checkpoint_load(
                &checkpoint->it, &checkpoint->arena, log, pawl__text(retry_token), err);
        if (status) {
                pawl_checkpoint_free(checkpoint);
                return status;
        }
        *out = checkpoint;
        return PAWL_OK;
}

void pawl_checkpoint_free(pawl_checkpoint *checkpoint)
{
        if (!checkpoint)
                return;
        pawl__arena_free(&checkpoint->arena);
        free(checkpoint);
}

const char *pawl_checkpoint_mission_id(const pawl_checkpoint *checkpoint)
{
        return checkpoint->it.mission_id.data;
}

const char *pawl_checkpoint_run_id(const pawl_checkpoint *checkpoint)
{
        return checkpoint->it.run_id.data;
}

const char *pawl_checkpoint_step_id(const pawl_checkpoint *checkpoint)
{
        return checkpoint->it.step_id.data;
}

const char *pawl_checkpoint_retry_token(const pawl_checkpoint *checkpoint)
{
        return checkpoint->it.retry_token;
}

const char *pawl_checkpoint_input_hash(const pawl_checkpoint *checkpoint)
{
        return checkpoint->it.input_hash;
}

const char *pawl_checkpoint_cursor(const pawl_checkpoint *checkpoint)
{
        return pawl__cursor_name(checkpoint->it.cursor);
}

const char *pawl_checkpoint_strictness(const pawl_checkpoint *checkpoint)
{
        return pawl__strictness_name(checkpoint->it.strictness);
}

uint64_t pawl_checkpoint_seq(const pawl_checkpoint *checkpoint)
{
        return checkpoint->it.seq;
}

pawl_status pawl_checkpoint_verify(bool *same, const pawl_checkpoint *checkpoint,
        const char *inputs, size_t len, pawl_error *err)
{
        char hash[65];
        pawl_status status = pawl_json_hash(hash, inputs, len, err);

        if (status == PAWL_OK)
                *same = strcmp(hash, checkpoint->it.input_hash) == 0;
        return status;
}
