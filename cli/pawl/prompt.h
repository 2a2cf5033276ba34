/**
 * @file cli/pawl/prompt.h
 * @brief Asking on a terminal: which sense a term has, and whether changed inputs are all right.
 */
#pragma once

#include "base/text.h"
#include <pawl/mission.h>
#include <stdbool.h>

/** Zero-initialise, then set the first three. Free with cli_prompt_free(). */
typedef struct cli_prompt {
        bool asks;       /**< false: every answer is the default, and nothing is asked */
        int signal_fd;   /**< readable: stop asking */
        pawl_log *log;   /**< whose claims are renewed while the person thinks */
        pawl__buf input; /**< what was read; its first `used` bytes were a line given out */
        size_t used;
        pawl__arena arena; /**< answers live as long as the prompt */
} cli_prompt;

/** pawl_clarify_fn: a number; c and a definition, which is shown once more and agreed to; n: no
 *  term; d, the default, end of input or three bad answers to defer. @p user is a cli_prompt.
 * PAWL_EINTERRUPTED when a signal came; PAWL_EFENCED when another process has the run now. */
pawl_status cli_prompt_clarify(pawl_answer *answer, const pawl_conflict *conflict, void *user);

/** pawl_clarify_terms_fn: one list of them. n: none is a term, n 1 4-6: these are none; c, a number
 *  and a definition, after which the rest is asked about; d as above. */
pawl_status cli_prompt_terms(
        pawl_answer *answers, const pawl_conflict *conflicts, size_t n, void *user);

/** pawl_confirm_fn: shows what changed; the default is no. */
pawl_status cli_prompt_confirm(bool *yes, const pawl_input_change *change, void *user);

/** pawl_confirm_mission_fn: shows what changed; the default is no. */
pawl_status cli_prompt_mission(bool *yes, const pawl_mission_change *changes, size_t n, void *user);

/** pawl_trouble_fn: retry, skip, stop; the default is to skip. Only where the prompt asks. */
pawl_trouble_answer cli_prompt_trouble(const char *line, void *user);

bool cli_is_answered(const pawl_answer *answer);
/** Of the questions that were answered here: say which another session answered first. */
void cli_print_answered_elsewhere(
        cli_prompt *prompt, const pawl_answer *answers, const pawl_conflict *conflicts, size_t n);

void cli_prompt_free(cli_prompt *prompt);
