/**
 * @file state/tables.h
 * @brief The state tables: their columns, defined once for SQL, memory, comparison and JSON.
 *
 * A row is an array of values, one a column. The key columns come first: texts, or one integer.
 * schema.sql has the same tables, with comments; a test compares the two.
 */
#pragma once

#include "base/text.h"

typedef enum pawl__table {
        PAWL__RUNS,
        PAWL__STEPS,
        PAWL__CHECKPOINTS,
        PAWL__CONFLICTS,
        PAWL__SENSES,
        PAWL__SCOPES,
        PAWL__SESSIONS,
        PAWL__WORKSPACE, /* checkpoints of the workspace */
        PAWL__ROLLBACKS,
        PAWL__TABLES
} pawl__table;

typedef enum pawl__column_type { PAWL__TEXT, PAWL__INT, PAWL__REAL } pawl__column_type;

#define PAWL__COLUMNS_MAX 27

typedef struct pawl__column {
        const char *name;
        pawl__column_type type;
        int since; /**< the first schema version that has it; 0: all */
} pawl__column;

typedef struct pawl__table_def {
        const char *name;
        int keys; /**< the first so many columns are the primary key */
        int columns;
        int stored; /**< the first so many columns are in the database; the others repeat what
                         the row's event says and are kept in memory by a replay alone */
        int order;  /**< the column that gives the order of listings: an integer seq, rising */
        int then;   /**< the integer column that orders rows of one seq, or -1: the key does */
        int since;  /**< the first schema version that has the table; 0: all */
        pawl__column column[PAWL__COLUMNS_MAX];
} pawl__table_def;

extern const pawl__table_def pawl__tables[PAWL__TABLES];

/** A text may be absent (NULL in SQL); numbers never are. Zero-initialised is all absent and 0. */
typedef union pawl__value {
        pawl_text text;
        int64_t integer;
        double real;
} pawl__value;

typedef struct pawl__row {
        pawl__value v[PAWL__COLUMNS_MAX];
} pawl__row;

/* The columns of each table in order: index, name, type, first schema version that has it. */
#define PAWL__ENUM(id, name, type, since) id,

#define PAWL__RUN_LIST(X)                                                                          \
        X(PAWL__RUN_ID, run_id, TEXT, 0)                                                           \
        X(PAWL__RUN_MISSION, mission_id, TEXT, 0)                                                  \
        X(PAWL__RUN_STATUS, status, TEXT, 0)                                                       \
        X(PAWL__RUN_STARTED_SEQ, started_seq, INT, 0)                                              \
        X(PAWL__RUN_UPDATED_SEQ, updated_seq, INT, 0)                                              \
        X(PAWL__RUN_UPDATED_US, updated_us, INT, 0)                                                \
        /* of the mission's document, or, without one, of its file */                              \
        X(PAWL__RUN_MISSION_HASH, mission_hash, TEXT, 0)                                           \
        X(PAWL__RUN_MISSION_PATH, mission_path, TEXT, 0)                                           \
        X(PAWL__RUN_STRICTNESS, strictness, TEXT, 0)                                               \
        X(PAWL__RUN_REASON, reason, TEXT, 0)                                                       \
        X(PAWL__RUN_FENCE, fence, INT, 0)                                                          \
        X(PAWL__RUN_SESSION, session_id, TEXT, 0)                                                  \
        /* canonical JSON array [{scope, version_id}]; absent until RunStarted */                  \
        X(PAWL__RUN_SCOPE_REFS, scope_refs, TEXT, 0)                                               \
        X(PAWL__RUN_STEPS, steps, INT, 0) /* how many steps it has */                              \
        X(PAWL__RUN_DONE, done, INT, 3)   /* how many of them are completed */                     \
        /* the step that started last and is not completed, or absent */                           \
        X(PAWL__RUN_CURRENT, current_step, TEXT, 3)                                                \
        /* 0: nobody is told of it; -1: of all; else of all but the event of this seq */           \
        X(PAWL__RUN_UNTOLD, untold, INT, 5)                                                        \
        /* PAWL__RULES_...: how its next event is judged; from the fifth bit on, the seq of its    \
         * first event that broke a rule, or 0 */                                                  \
        X(PAWL__RUN_RULES, rules, INT, 6)                                                          \
        /* its first event and its last, whatever their types: others are read by this range */    \
        X(PAWL__RUN_FIRST_SEQ, first_seq, INT, 6)                                                  \
        X(PAWL__RUN_LAST_SEQ, last_seq, INT, 6)                                                    \
        X(PAWL__RUN_IN_MISSION, in_mission, INT, 6) /* how many steps its mission has now */
enum { PAWL__RUN_LIST(PAWL__ENUM) PAWL__RUN_COLUMNS };

#define PAWL__STEP_LIST(X)                                                                         \
        X(PAWL__STEP_RUN, run_id, TEXT, 0)                                                         \
        X(PAWL__STEP_ID, step_id, TEXT, 0)                                                         \
        /* RunStarted's seq: steps of a run stay together */                                       \
        X(PAWL__STEP_ORDER_SEQ, order_seq, INT, 0)                                                 \
        /* from 1, in mission order; those that left it are behind all others */                   \
        X(PAWL__STEP_NUMBER, number, INT, 0)                                                       \
        X(PAWL__STEP_STATUS, status, TEXT, 0)                                                      \
        X(PAWL__STEP_INPUT_HASH, input_hash, TEXT, 0)                                              \
        X(PAWL__STEP_OUTPUT_HASH, output_hash, TEXT, 0)                                            \
        X(PAWL__STEP_TOKEN, retry_token, TEXT, 0)                                                  \
        X(PAWL__STEP_CURSOR, cursor, TEXT, 0)                                                      \
        /* or of the WorkspaceRolledBack that gave it up since */                                  \
        X(PAWL__STEP_CHECKPOINT_SEQ, checkpoint_seq, INT, 0)                                       \
        X(PAWL__STEP_EVALUATED_SEQ, evaluated_seq, INT, 0)                                         \
        /* -1 until the command ended; 128 + signal when killed */                                 \
        X(PAWL__STEP_EXIT_CODE, exit_code, INT, 0)                                                 \
        /* those below in one, as more than 13 columns make SQLite compare keys another way */     \
        X(PAWL__STEP_JOINED, gate, TEXT, 6)                                                        \
        X(PAWL__STEP_GATE, gate_passed, INT, 6) /* 1: the gate let it pass, and it is at work */   \
        /* with which it started last, or more: 0 off (or not known), 1 medium, 2 max */           \
        X(PAWL__STEP_STRICTNESS, strictness, INT, 6)                                               \
        X(PAWL__STEP_PLAN, plan, TEXT, 6) /* state/step_plan.h; absent: not known */               \
        /* ids of the conflicts that block it, a space between two; "": not named yet */           \
        X(PAWL__STEP_BLOCKERS, open_conflicts, TEXT, 6)                                            \
        X(PAWL__STEP_QUESTION, question, TEXT, 6) /* the conflict whose answer is its output */    \
        X(PAWL__STEP_HELD, held_output, TEXT, 6)  /* the hash of the output that was blocked */
enum { PAWL__STEP_LIST(PAWL__ENUM) PAWL__STEP_COLUMNS };

#define PAWL__CP_LIST(X)                                                                           \
        X(PAWL__CP_TOKEN, retry_token, TEXT, 0)                                                    \
        X(PAWL__CP_SEQ, seq, INT, 0)                                                               \
        X(PAWL__CP_EVALUATED_SEQ, evaluated_seq, INT, 0) /* stored up to here */                   \
        X(PAWL__CP_RUN, run_id, TEXT, 0)                                                           \
        X(PAWL__CP_STEP, step_id, TEXT, 0)                                                         \
        X(PAWL__CP_CURSOR, cursor, TEXT, 0)                                                        \
        X(PAWL__CP_INPUT_HASH, input_hash, TEXT, 0)                                                \
        X(PAWL__CP_STRICTNESS, strictness, TEXT, 0)
enum { PAWL__CP_LIST(PAWL__ENUM) PAWL__CP_COLUMNS };

#define PAWL__CON_LIST(X)                                                                          \
        X(PAWL__CON_ID, conflict_id, TEXT, 0)                                                      \
        X(PAWL__CON_SEQ, seq, INT, 0)                                                              \
        X(PAWL__CON_RUN, run_id, TEXT, 0)                                                          \
        X(PAWL__CON_STEP, step_id, TEXT, 0)                                                        \
        X(PAWL__CON_MISSION, mission_id, TEXT, 0)                                                  \
        X(PAWL__CON_TOKEN, retry_token, TEXT, 0)                                                   \
        X(PAWL__CON_TERM, term, TEXT, 0)                                                           \
        X(PAWL__CON_TYPE, conflict_type, TEXT, 0)                                                  \
        X(PAWL__CON_SEVERITY, severity, TEXT, 0)                                                   \
        X(PAWL__CON_CONFIDENCE, confidence, REAL, 0)                                               \
        X(PAWL__CON_CONTEXT, context, TEXT, 0)                                                     \
        X(PAWL__CON_CANDIDATES, candidates, TEXT, 0) /* canonical JSON array */                    \
        X(PAWL__CON_STATUS, status, TEXT, 0)                                                       \
        X(PAWL__CON_REQUESTED_US, requested_us, INT, 0)                                            \
        X(PAWL__CON_RESOLVED_SEQ, resolved_seq, INT, 0)                                            \
        /* of a question: when it expires (0: never), the answer then, and the answer's hash */    \
        X(PAWL__CON_DUE_US, due_us, INT, 6)                                                        \
        X(PAWL__CON_OTHERWISE, otherwise, TEXT, 6)                                                 \
        X(PAWL__CON_ANSWER_HASH, answer_hash, TEXT, 6)
enum { PAWL__CON_LIST(PAWL__ENUM) PAWL__CON_COLUMNS };

/** The flags of a run's `rules`, and where the seq of its illegal event begins. */
enum {
        PAWL__RULES_JUDGED = 1,   /**< its first event was written under the rules */
        PAWL__RULES_CLAIMED = 2,  /**< claimed since it ended last */
        PAWL__RULES_FORKING = 4,  /**< it takes over completed steps of another run */
        PAWL__RULES_IMPORTED = 8, /**< its events are another program's, and it has no others */
        PAWL__RULES_PLANNED = 16, /**< an event said what its steps need */
        PAWL__RULES_BITS = 5
};

/* A sense's identity: mission (for mission_local; else ""), scope, seed version (else ""), normal
 * form of the surface, definition (for an answer, which is mission_local and of no version: "", so
 * that there is one a surface). */
#define PAWL__SENSE_LIST(X)                                                                        \
        X(PAWL__SENSE_MISSION, mission_id, TEXT, 0)                                                \
        X(PAWL__SENSE_SCOPE, scope, TEXT, 0)                                                       \
        X(PAWL__SENSE_VERSION, version_id, TEXT, 0)                                                \
        X(PAWL__SENSE_NORMAL, normal, TEXT, 0)                                                     \
        X(PAWL__SENSE_IDENTITY, identity, TEXT, 0)                                                 \
        X(PAWL__SENSE_SEQ, seq, INT, 0)                                                            \
        X(PAWL__SENSE_SURFACE, surface, TEXT, 0)                                                   \
        X(PAWL__SENSE_DEFINITION, definition, TEXT, 0)                                             \
        X(PAWL__SENSE_CONFIDENCE, confidence, REAL, 0)                                             \
        X(PAWL__SENSE_STATUS, status, TEXT, 0)                                                     \
        X(PAWL__SENSE_SOURCE, source, TEXT, 0)                                                     \
        X(PAWL__SENSE_ACTOR, actor, TEXT, 0)
enum { PAWL__SENSE_LIST(PAWL__ENUM) PAWL__SENSE_COLUMNS };

/* Each version of a scope's seed ever activated; "in force" is the one with the highest used_seq.
 */
#define PAWL__SCOPE_LIST(X)                                                                        \
        X(PAWL__SCOPE_ID, scope_id, TEXT, 0)                                                       \
        X(PAWL__SCOPE_VERSION, version_id, TEXT, 0)                                                \
        X(PAWL__SCOPE_SEQ, seq, INT, 0)                                                            \
        X(PAWL__SCOPE_USED_SEQ, used_seq, INT, 0)
enum { PAWL__SCOPE_LIST(PAWL__ENUM) PAWL__SCOPE_COLUMNS };

#define PAWL__SES_LIST(X)                                                                          \
        X(PAWL__SES_ID, session_id, TEXT, 0)                                                       \
        X(PAWL__SES_SEQ, seq, INT, 0)                                                              \
        X(PAWL__SES_MISSION, mission_id, TEXT, 0)                                                  \
        /* absent: an agent's session, which says itself what it does */                           \
        X(PAWL__SES_RUN, run_id, TEXT, 0)                                                          \
        X(PAWL__SES_ACTOR, actor, TEXT, 3)                                                         \
        X(PAWL__SES_STATUS, status, TEXT, 0)                                                       \
        X(PAWL__SES_STARTED_US, started_us, INT, 0)                                                \
        X(PAWL__SES_UPDATED_US, updated_us, INT, 3)                                                \
        X(PAWL__SES_ENDED_US, ended_us, INT, 0) /* 0: active */                                    \
        X(PAWL__SES_REASON, reason, TEXT, 0)                                                       \
        X(PAWL__SES_CURRENT, current_step, TEXT, 3) /* the current step */                         \
        /* an agent's steps: canonical JSON arrays of texts, or absent */                          \
        X(PAWL__SES_COMPLETED, completed, TEXT, 3)                                                 \
        X(PAWL__SES_PENDING, pending, TEXT, 3)                                                     \
        X(PAWL__SES_FILES, files, TEXT, 3)                                                         \
        X(PAWL__SES_DONE, done, INT, 3) /* steps completed ... */                                  \
        /* ... of so many; of a run's session as they were when it ended */                        \
        X(PAWL__SES_TOTAL, total, INT, 3)                                                          \
        X(PAWL__SES_SUMMARY, summary, TEXT, 3)                                                     \
        /* how many SessionCheckpointed events it has */                                           \
        X(PAWL__SES_CHECKPOINTS, checkpoints, INT, 3)                                              \
        X(PAWL__SES_CHECKPOINT_SEQ, checkpoint_seq, INT, 3) /* the last of them, or 0 */           \
        X(PAWL__SES_NOTES_SEQ, notes_seq, INT, 3)           /* the last SessionNoted, or 0 */      \
        X(PAWL__SES_PINNED, pinned, INT, 3)                 /* 1: prune leaves it alone */         \
        /* JSON array [[checkpoint, seq of SessionUpdated]], one a turn that has ended */          \
        X(PAWL__SES_TURNS, turns, TEXT, 6)                                                         \
        /* the id of the linked work tree that it began in, and the top; absent: the log's own */  \
        X(PAWL__SES_WORKTREE, worktree, TEXT, 6)                                                   \
        X(PAWL__SES_ROOT, worktree_root, TEXT, 6)
enum { PAWL__SES_LIST(PAWL__ENUM) PAWL__SES_COLUMNS };

/* Bytes of a work tree's id. */
enum { PAWL__WORKTREE_ID_MAX = 64 };

/* Checkpoints of the workspace; n counts 1, 2, 3, ... without a gap. */
#define PAWL__WCP_LIST(X)                                                                          \
        X(PAWL__WCP_N, n, INT, 4)                                                                  \
        X(PAWL__WCP_SEQ, seq, INT, 4)                                                              \
        X(PAWL__WCP_ID, id, TEXT, 4) /* "cp-04-implement-20260120-143000" */                       \
        X(PAWL__WCP_MISSION, mission_id, TEXT, 4)                                                  \
        X(PAWL__WCP_RUN, run_id, TEXT, 4)                                                          \
        X(PAWL__WCP_STEP, step_id, TEXT, 4)                                                        \
        X(PAWL__WCP_SESSION, session_id, TEXT, 4)                                                  \
        X(PAWL__WCP_TRIGGER, trigger, TEXT, 4) /* auto, manual */                                  \
        X(PAWL__WCP_DESCRIPTION, description, TEXT, 4)                                             \
        /* absent: it was imported, or is of a run in a worker's directory */                      \
        X(PAWL__WCP_ROOT, root, TEXT, 4)                                                           \
        X(PAWL__WCP_TREE, tree, TEXT, 4)                                                           \
        X(PAWL__WCP_FILES, files, INT, 4)                                                          \
        X(PAWL__WCP_BYTES, bytes, INT, 4)                                                          \
        X(PAWL__WCP_SKIPPED, skipped, INT, 4)                                                      \
        X(PAWL__WCP_STATE_HASH, state_hash, TEXT, 4) /* blobs, or absent */                        \
        X(PAWL__WCP_OUTPUTS_HASH, outputs_hash, TEXT, 4)                                           \
        X(PAWL__WCP_GIT_HEAD, git_head, TEXT, 4)                                                   \
        X(PAWL__WCP_GIT_BRANCH, git_branch, TEXT, 4)                                               \
        /* the n that the workspace was at before; 0: none */                                      \
        X(PAWL__WCP_BASE, base, INT, 4)                                                            \
        X(PAWL__WCP_SAFETY, safety, INT, 4) /* 1: taken before a rollback */                       \
        X(PAWL__WCP_CREATED_US, created_us, INT, 4)                                                \
        /* of the event that made it invalid; 0: it is valid */                                    \
        X(PAWL__WCP_INVALID_SEQ, invalid_seq, INT, 4)                                              \
        X(PAWL__WCP_INVALID_REASON, invalid_reason, TEXT, 4)                                       \
        X(PAWL__WCP_PINNED, pinned, INT, 4)         /* 1: prune leaves it alone */                 \
        X(PAWL__WCP_PRUNED_SEQ, pruned_seq, INT, 4) /* 0: its contents are kept */                 \
        /* of a safety copy: the seq of the rollback it was taken for; of one in a worker's        \
         * directory: of the rollback that was under way then; or 0 */                             \
        X(PAWL__WCP_ROLLBACK, rollback_seq, INT, 4)                                                \
        X(PAWL__WCP_WORKTREE, worktree, TEXT, 6) /* a linked work tree's id; "": the log's own */
enum { PAWL__WCP_LIST(PAWL__ENUM) PAWL__WCP_COLUMNS };

#define PAWL__RB_LIST(X)                                                                           \
        X(PAWL__RB_SEQ, seq, INT, 4) /* of WorkspaceRollbackStarted */                             \
        X(PAWL__RB_TARGET, target, INT, 4)                                                         \
        X(PAWL__RB_SAFETY, safety, INT, 4)                                                         \
        X(PAWL__RB_UNDO, undo, INT, 4) /* PAWL__RB_IS_UNDO and the others, or'ed */                \
        X(PAWL__RB_TREE, tree, TEXT, 4)                                                            \
        X(PAWL__RB_PLAN_HASH, plan_hash, TEXT, 4)                                                  \
        X(PAWL__RB_STATUS, status, TEXT, 4) /* started, done, abandoned, undone */                 \
        X(PAWL__RB_ENDED_SEQ, ended_seq, INT, 4)                                                   \
        X(PAWL__RB_GIT_FROM, git_from, TEXT, 4)                                                    \
        X(PAWL__RB_GIT_TO, git_to, TEXT, 4)                                                        \
        X(PAWL__RB_REASON, reason, TEXT, 4)                                                        \
        X(PAWL__RB_ACTOR, actor, TEXT, 4)                                                          \
        /* JSON: the run and the steps that it gave up, as they were (state/steps_before.h);       \
         * absent: none */                                                                         \
        X(PAWL__RB_STEPS_BEFORE, steps_before, TEXT, 4)                                            \
        X(PAWL__RB_WORKTREE, worktree, TEXT, 6) /* that of its safety copy */
enum { PAWL__RB_LIST(PAWL__ENUM) PAWL__RB_COLUMNS };

/** A rollback that undoes another; one of some paths alone, which moves neither steps nor the place
 *  of the workspace. */
enum { PAWL__RB_IS_UNDO = 1, PAWL__RB_IN_PART = 2, PAWL__RB_FINISHES = 4 };

/** What the reason of a checkpoint that a rollback gave up begins with; its number follows. */
#define PAWL__GIVEN_UP "rolled back to "
/** Was the checkpoint given up by a rollback, and nothing worse (as far as is known)? */
bool pawl__row_given_up(const pawl__row *checkpoint);
/** Was the run submitted, to be carried out in a worker's directory? Its mission's path is
 *  relative. */
bool pawl__run_submitted(const pawl__row *run);
/** Was it taken in the directory of a worker: of its run alone, and no position of the workspace?
 */
bool pawl__row_of_run(const pawl__row *checkpoint);

/** A step's status as it is shown: one that is completed without having been done, since its `when`
 *  said no or somebody went past it, is skipped. */
pawl_text pawl__row_step_status(const pawl__row *step);

/**
 * The column `gate` of a step: absent if those that it joins are; else '!' if open_conflicts is
 * there and '-' if not, a digit (gate_passed + 2 * strictness), plan, ' ', question, ' ',
 * held_output, ' ', open_conflicts. Ids have no spaces: a question or an output that has one counts
 * as absent.
 */
void pawl__step_split(pawl__row *step);
PAWL_MUST_CHECK pawl_status pawl__step_join(pawl__row *step, pawl__arena *arena, pawl_error *err);

/** The seq of the run's first event that broke a rule, or 0. */
static inline int64_t pawl__run_illegal(const pawl__row *run)
{
        return run->v[PAWL__RUN_RULES].integer >> PAWL__RULES_BITS;
}

/** Is the conflict among those that the gate named last as blocking the step? */
bool pawl__step_has_blocker(const pawl__row *step, pawl_text conflict_id);

/** Order of two rows by their key columns (texts by bytes, absent first; integers as such). */
int pawl__row_cmp_key(pawl__table table, const pawl__row *a, const pawl__row *b);

/** Order of two rows in a listing: by the order column, then `then`, then the key. */
int pawl__row_cmp_order(pawl__table table, const pawl__row *a, const pawl__row *b);

/** The first column in which two rows differ, or -1. */
int pawl__row_diff(pawl__table table, const pawl__row *a, const pawl__row *b);
