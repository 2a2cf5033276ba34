#include "state/answer_way.h"
#include "base/error.h"
#include "base/json_tree.h"
#include "base/printable.h"
#include "state/recorded_signers.h"
#include <stdio.h>

/* The first of those whom the request of a question names. */
static pawl_status read_actor(pawl_text *actor, pawl_log *log, const pawl__row *conflict,
        pawl__arena *arena, pawl_error *err)
{
        pawl__json_tree tree = PAWL__JSON_TREE_INIT;
        const uint64_t asked = (uint64_t)conflict->v[PAWL__CON_SEQ].integer;
        pawl_event event;

        TRY(pawl__log_failed(log, pawl__log_event(&event, arena, log, asked), err));
        if (!event.payload.data)
                return PAWL_OK;
        pawl_status status =
                pawl__json_tree_read(&tree, event.payload.data, event.payload.len, err);
        const pawl__node to = status ? PAWL__NO_NODE : pawl__json_get(&tree, 0, "to");
        if (to != PAWL__NO_NODE && pawl__json_at(&tree, to)->type == PAWL__JSON_ARRAY &&
                pawl__json_at(&tree, to)->count)
                *actor = pawl__arena_copy(
                        arena, pawl__json_at(&tree, pawl__json_first(&tree, to))->value);
        pawl__json_tree_free(&tree);
        return status ? status : pawl__arena_check(arena, err);
}

const char *pawl__answer_option(bool is_question, bool can_pick)
{
        return is_question ? "--answer TEXT" : can_pick ? "--pick N" : "--define TEXT";
}

static pawl_status read_signed(
        bool *is_signed, pawl_log *log, pawl_text run_id, pawl__arena *arena, pawl_error *err)
{
        pawl__row run = {.v[PAWL__RUN_ID].text = run_id};
        pawl__signers signers = {.file = {NULL, 0}};
        pawl__state *state;

        TRY(pawl__state_of(&state, log, err));
        pawl_status status = pawl__state_get(state, PAWL__RUNS, &run, arena, err);
        if (!status)
                status = pawl__signers_recorded(&signers, arena, log, &run, err);
        *is_signed = signers.recorded.data != NULL;
        return status == PAWL_ENOTFOUND || status == PAWL_EDAMAGED ? PAWL_OK : status;
}

pawl_status pawl__answer_way_of(pawl__answer_way *out, pawl_log *log, const pawl__row *conflict,
        const pawl__answer_way *other, pawl__arena *arena, pawl_error *err)
{
        const pawl__value *v = conflict->v;
        const bool asks = pawl__text_is(v[PAWL__CON_TYPE].text, "question");

        *out = (pawl__answer_way){.id = v[PAWL__CON_ID].text,
                .option = pawl__answer_option(asks, v[PAWL__CON_CANDIDATES].text.len > 2),
                .is_signed = other && other->is_signed};
        if (!other)
                TRY(read_signed(&out->is_signed, log, v[PAWL__CON_RUN].text, arena, err));
        return asks ? read_actor(&out->actor, log, conflict, arena, err) : PAWL_OK;
}

void pawl__answer_add(pawl__buf *out, const pawl__answer_way *way, const char *named)
{
        const bool is_option = way->id.len && way->id.data[0] == '-';

        pawl__buf_addf(out, "pawl resolve%s ", named);
        if (!is_option) {
                pawl__word_add(out, way->id);
                pawl__buf_addc(out, ' ');
        }
        pawl__buf_adds(out, way->option);
        if (way->actor.data) {
                pawl__buf_adds(out, " --actor ");
                pawl__word_add(out, way->actor);
        }
        pawl__buf_adds(out, way->is_signed ? " --sign KEY" : "");
        if (is_option) {
                pawl__buf_adds(out, " -- ");
                pawl__word_add(out, way->id);
        }
}

const char *pawl__answer_command(char out[PAWL__ANSWER_MAX], const pawl__answer_way *way)
{
        pawl__buf command = PAWL__BUF_INIT;

        pawl__answer_add(&command, way, "");
        snprintf(out, PAWL__ANSWER_MAX, "%s", command.data ? command.data : "");
        pawl__buf_free(&command);
        return out;
}
