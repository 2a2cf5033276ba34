/**
 * @file workspace/rollback/at_work.h
 * @brief Who was at work in a work tree between two of its checkpoints, by the events of the log.
 *
 * A step's command is at work from `StepStarted` until the step or the attempt ends, or until the
 * session of its process does; one that is blocked before its command ran was not. An agent is at
 * work from the checkpoint before a tool call until the end of its turn. In between, people are.
 */
#pragma once

#include "workspace/rollback/rollback_internal.h"

/** Somebody was at work after one event and until another. */
typedef struct pawl__work_span {
        uint64_t begin, end;         /**< seqs; end 0: not at all, UINT64_MAX: still */
        uint64_t reach;              /**< the highest end of this one and those before */
        pawl_text run_id, step_id;   /**< of a step's command; absent: of tool calls */
        pawl_text agent, session_id; /**< of tool calls: the actor, and its session */
        uint64_t call;               /**< the newest of them */
} pawl__work_span;

/** The workspace was as that checkpoint has it. */
typedef struct pawl__work_mark {
        uint64_t seq;
        int64_t n;
} pawl__work_mark;

typedef struct pawl__at_work {
        pawl__work_span *spans; /**< in the order of their beginnings */
        size_t n_spans, cap_spans;
        size_t *open; /**< those that have not ended yet, while events are read */
        size_t n_open, cap_open;
        pawl__work_mark *marks; /**< in the order of the log */
        size_t n_marks, cap_marks;
        const pawl__line *all;
        const pawl__workspace *ws;
        pawl__map elsewhere; /**< runs whose files are in other directories */
        pawl__arena *arena;
} pawl__at_work;

#define PAWL__AT_WORK_INIT                                                                         \
        {                                                                                          \
                .elsewhere = PAWL__MAP_INIT                                                        \
        }

/** Everybody who was at work after the checkpoint @p since (NULL: since the beginning). Texts lie
 *  in @p arena; @p all must live as long. */
PAWL_MUST_CHECK pawl_status pawl__at_work_read(pawl__at_work *out, pawl__workspace *ws,
        const pawl__line *all, const pawl__row *since, pawl__arena *arena, pawl_error *err);
void pawl__at_work_free(pawl__at_work *w);

/** Who was at work last between the checkpoint @p from (NULL: the beginning) and the event @p
 *  until, since the workspace was as @p from has it. NULL: nobody, so that changes are by hand. */
const pawl__work_span *pawl__at_work_between(
        const pawl__at_work *w, const pawl__row *from, uint64_t until);
