/* Of what was asked on a terminal: what another session answered meanwhile. */
#include "cli/pawl/prompt.h"
#include "command/printable.h"
#include "events/log.h"
#include "state/state.h"
#include <stdio.h>

bool cli_is_answered(const pawl_answer *answer)
{
        return answer->pick || answer->define.data || answer->dismiss || answer->answer.data;
}

/* Who answered it in another session while the person here thought; absent: nobody. The pipeline
 * looks again, and fails where the log cannot be read. */
static pawl_text answered_by(cli_prompt *prompt, const pawl_conflict *conflict)
{
        pawl__row row = {.v[PAWL__CON_ID].text = conflict->conflict_id};
        pawl_error err = PAWL_ERROR_INIT;
        pawl__state *state;
        pawl_event event;

        if (pawl__state_of(&state, prompt->log, &err) ||
                pawl__state_get(state, PAWL__CONFLICTS, &row, &prompt->arena, &err) ||
                !pawl__text_is(row.v[PAWL__CON_STATUS].text, "resolved") ||
                pawl__log_event(&event, &prompt->arena, prompt->log,
                        (uint64_t)row.v[PAWL__CON_RESOLVED_SEQ].integer))
                return pawl__text(NULL);
        return event.actor;
}

/* The first answer counts: say so where that is another's. */
void cli_print_answered_elsewhere(
        cli_prompt *prompt, const pawl_answer *answers, const pawl_conflict *conflicts, size_t n)
{
        const pawl_conflict *first = NULL;
        pawl_text actor = {NULL, 0};
        size_t others = 0;

        for (size_t i = 0; i < n; i++) {
                const pawl_text by = cli_is_answered(&answers[i])
                                             ? answered_by(prompt, &conflicts[i])
                                             : pawl__text(NULL);
                if (by.data && others++ == 0) {
                        first = &conflicts[i];
                        actor = by;
                }
        }
        if (!first)
                return;
        cli_putf(stderr, "\"%.*s\"", CLI_FMT(first->term));
        if (others > 1)
                fprintf(stderr, " and %zu more", others - 1);
        cli_putf(stderr, " %s answered meanwhile by %.*s; the first answer counts\n",
                others > 1 ? "were" : "was", CLI_FMT(actor));
}
