#include "checkpoint/resume.h"

/* Did the gate, since the asked checkpoint, let the step pass over the same inputs? */
static bool passed_since(const pawl__checkpoint *asked, const pawl__checkpoint *newest)
{
        return newest && newest->seq > asked->seq &&
               (newest->cursor == PAWL__AT_POST_GATE ||
                       newest->cursor == PAWL__AT_POST_GENERATION) &&
               strcmp(newest->input_hash, asked->input_hash) == 0;
}

pawl__resume_decision pawl__resume_decide(const pawl__checkpoint *asked,
        const pawl__checkpoint *newest, pawl_text step_status, const char *input_hash)
{
        const pawl__checkpoint *from = passed_since(asked, newest) ? newest : asked;

        if (pawl__text_is(step_status, "completed"))
                return (pawl__resume_decision){PAWL__RESUME_DONE, from->cursor, from};
        if (strcmp(asked->input_hash, input_hash) != 0)
                return (pawl__resume_decision){PAWL__RESUME_CHANGED, PAWL__AT_START, asked};
        return (pawl__resume_decision){PAWL__RESUME_AT_CURSOR, from->cursor, from};
}
