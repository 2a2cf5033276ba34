/* Which members of state and outputs differ. */
#include "base/error.h"
#include "workspace/diff/compare.h"
#include "workspace/diff/members.h"
#include "workspace/documents.h"

static pawl_status add_member(const pawl__member_change *change, void *user)
{
        pawl__comparing *c = user;
        pawl__arena *arena = &c->ws.arena;
        bool ok = true;

        if (pawl__grow(&c->members, &c->cap_members, c->n_members + 1, sizeof *c->members))
                return PAWL_ENOMEM;
        c->members[c->n_members] = (pawl_member_change){pawl__arena_text(arena, change->path, &ok),
                pawl__arena_text(arena, change->before, &ok),
                pawl__arena_text(arena, change->after, &ok)};
        c->n_members += ok;
        return ok ? PAWL_OK : PAWL_ENOMEM;
}

/* A document of one side; PAWL_DONE: it has none. The workspace's state is that of the run at a, as
 * the run stands now. */
static pawl_status document_of(
        pawl__buf *out, pawl__comparing *c, int side, pawl__document_kind kind, pawl_error *err)
{
        pawl__buf state = PAWL__BUF_INIT;
        pawl_status status;

        if (side == 0 || c->has_b)
                return pawl__checkpoint_document(out, c->ws.log, &c->rows[side], kind, err);
        status = pawl__run_state(
                &state, c->ws.state, c->rows[0].v[PAWL__WCP_RUN].text, UINT64_MAX, err);
        if (!status && kind == PAWL__DOCUMENT_OUTPUTS)
                status = pawl__run_outputs(out, c->ws.log, pawl__buf_text(&state), err);
        else if (!status && pawl__buf_add(out, state.data, state.len))
                status = pawl__nomem(err);
        pawl__buf_free(&state);
        return status == PAWL_ENOTFOUND ? PAWL_DONE : status;
}

/* Has the workspace a document of this kind to be compared with? Only that of a run: what was given
 * by hand is nowhere but in checkpoints. */
static pawl_status comparable(
        bool *out, pawl__comparing *c, pawl__document_kind kind, pawl_error *err)
{
        pawl_text run_id = c->rows[0].v[PAWL__WCP_RUN].text;
        pawl__buf state = PAWL__BUF_INIT;

        *out = c->has_b;
        if (c->has_b || !run_id.data)
                return PAWL_OK;
        if (kind == PAWL__DOCUMENT_OUTPUTS && c->rows[0].v[PAWL__WCP_OUTPUTS_HASH].text.data)
                return PAWL_OK;
        pawl_status status = pawl__checkpoint_document(
                &state, c->ws.log, &c->rows[0], PAWL__DOCUMENT_STATE, err);
        *out = !status && pawl__run_state_is(pawl__buf_text(&state), run_id);
        pawl__buf_free(&state);
        return status == PAWL_DONE ? PAWL_OK : status;
}

static pawl_status compare_documents(
        pawl__comparing *c, pawl__document_kind kind, const char *root, pawl_error *err)
{
        pawl__buf text[2] = {PAWL__BUF_INIT, PAWL__BUF_INIT};
        pawl_text side[2] = {{NULL, 0}, {NULL, 0}};
        bool yes;
        pawl_status status = comparable(&yes, c, kind, err);

        for (int i = 0; i < 2 && !status && yes; i++) {
                status = document_of(&text[i], c, i, kind, err);
                if (!status)
                        side[i] = pawl__buf_text(&text[i]);
                else if (status == PAWL_DONE)
                        status = PAWL_OK;
        }
        if (!status && yes && (side[0].data || side[1].data))
                status = pawl__members_diff(root, side[0], side[1], add_member, c, err);
        pawl__buf_free(&text[0]);
        pawl__buf_free(&text[1]);
        return status == PAWL_ENOMEM ? pawl__nomem(err) : status;
}

pawl_status pawl__compare_members(pawl__comparing *c, pawl_error *err)
{
        pawl_status status = compare_documents(c, PAWL__DOCUMENT_STATE, "state", err);

        return status ? status : compare_documents(c, PAWL__DOCUMENT_OUTPUTS, "outputs", err);
}
