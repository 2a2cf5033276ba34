/**
 * @file state/tables.h
 * @brief The state tables: their columns, defined once for SQL, memory, comparison and JSON.
 *
 * A row is an array of values, one a column. The key columns come first: texts, or one integer.
 * schema.sql has the same tables, with comments; a test compares the two.
 */
#ifndef PAWL_STATE_TABLES_H
#define PAWL_STATE_TABLES_H

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

#define PAWL__COLUMNS_MAX 26

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

enum {
        PAWL__RUN_ID,
        PAWL__RUN_MISSION,
        PAWL__RUN_STATUS,
        PAWL__RUN_STARTED_SEQ,
        PAWL__RUN_UPDATED_SEQ,
        PAWL__RUN_UPDATED_US,
        PAWL__RUN_MISSION_HASH, /* of the mission's document, or, without one, of its file */
        PAWL__RUN_MISSION_PATH,
        PAWL__RUN_STRICTNESS,
        PAWL__RUN_REASON,
        PAWL__RUN_FENCE,
        PAWL__RUN_SESSION,
        PAWL__RUN_SCOPE_REFS, /* canonical JSON array [{scope, version_id}]; absent until RunStarted
                               */
        PAWL__RUN_STEPS,      /* how many steps it has */
        PAWL__RUN_DONE,       /* how many of them are completed */
        PAWL__RUN_CURRENT,    /* the step that started last and is not completed, or absent */
        PAWL__RUN_COLUMNS
};

enum {
        PAWL__STEP_RUN,
        PAWL__STEP_ID,
        PAWL__STEP_ORDER_SEQ, /* RunStarted's seq: steps of a run stay together */
        PAWL__STEP_NUMBER, /* from 1, in mission order; those that left it are behind all others */
        PAWL__STEP_STATUS,
        PAWL__STEP_INPUT_HASH,
        PAWL__STEP_OUTPUT_HASH,
        PAWL__STEP_TOKEN,
        PAWL__STEP_CURSOR,
        PAWL__STEP_CHECKPOINT_SEQ, /* or of the WorkspaceRolledBack that gave it up since */
        PAWL__STEP_EVALUATED_SEQ,
        PAWL__STEP_EXIT_CODE, /* -1 until the command ended; 128 + signal when killed */
        PAWL__STEP_COLUMNS
};

enum {
        PAWL__CP_TOKEN,
        PAWL__CP_SEQ,
        PAWL__CP_EVALUATED_SEQ, /* stored up to here */
        PAWL__CP_RUN,
        PAWL__CP_STEP,
        PAWL__CP_CURSOR,
        PAWL__CP_INPUT_HASH,
        PAWL__CP_STRICTNESS,
        PAWL__CP_COLUMNS
};

enum {
        PAWL__CON_ID,
        PAWL__CON_SEQ,
        PAWL__CON_RUN,
        PAWL__CON_STEP,
        PAWL__CON_MISSION,
        PAWL__CON_TOKEN,
        PAWL__CON_TERM,
        PAWL__CON_TYPE,
        PAWL__CON_SEVERITY,
        PAWL__CON_CONFIDENCE,
        PAWL__CON_CONTEXT,
        PAWL__CON_CANDIDATES, /* canonical JSON array */
        PAWL__CON_STATUS,
        PAWL__CON_REQUESTED_US,
        PAWL__CON_RESOLVED_SEQ,
        PAWL__CON_COLUMNS
};

/* A sense's identity: mission (for mission_local; else ""), scope, seed version (else ""), normal
 * form of the surface, definition (for an answer, which is mission_local and of no version: "", so
 * that there is one a surface). */
enum {
        PAWL__SENSE_MISSION,
        PAWL__SENSE_SCOPE,
        PAWL__SENSE_VERSION,
        PAWL__SENSE_NORMAL,
        PAWL__SENSE_IDENTITY,
        PAWL__SENSE_SEQ,
        PAWL__SENSE_SURFACE,
        PAWL__SENSE_DEFINITION,
        PAWL__SENSE_CONFIDENCE,
        PAWL__SENSE_STATUS,
        PAWL__SENSE_SOURCE,
        PAWL__SENSE_ACTOR,
        PAWL__SENSE_COLUMNS
};

/* Each version of a scope's seed ever activated; "in force" is the one with the highest used_seq.
 */
enum {
        PAWL__SCOPE_ID,
        PAWL__SCOPE_VERSION,
        PAWL__SCOPE_SEQ,
        PAWL__SCOPE_USED_SEQ,
        PAWL__SCOPE_COLUMNS
};

enum {
        PAWL__SES_ID,
        PAWL__SES_SEQ,
        PAWL__SES_MISSION,
        PAWL__SES_RUN, /* absent: an agent's session, which says itself what it does */
        PAWL__SES_ACTOR,
        PAWL__SES_STATUS,
        PAWL__SES_STARTED_US,
        PAWL__SES_UPDATED_US,
        PAWL__SES_ENDED_US, /* 0: active */
        PAWL__SES_REASON,
        PAWL__SES_CURRENT,   /* the step at hand */
        PAWL__SES_COMPLETED, /* an agent's steps: canonical JSON arrays of texts, or absent */
        PAWL__SES_PENDING,
        PAWL__SES_FILES,
        PAWL__SES_DONE,  /* steps completed ... */
        PAWL__SES_TOTAL, /* ... of so many; of a run's session as they stood when it ended */
        PAWL__SES_SUMMARY,
        PAWL__SES_CHECKPOINTS,    /* how many SessionCheckpointed events it has */
        PAWL__SES_CHECKPOINT_SEQ, /* the last of them, or 0 */
        PAWL__SES_NOTES_SEQ,      /* the last SessionNoted, or 0 */
        PAWL__SES_PINNED,         /* 1: prune leaves it alone */
        PAWL__SES_COLUMNS
};

/* Checkpoints of the workspace; n counts 1, 2, 3, ... without a gap. */
enum {
        PAWL__WCP_N,
        PAWL__WCP_SEQ,
        PAWL__WCP_ID, /* "cp-04-implement-20260120-143000" */
        PAWL__WCP_MISSION,
        PAWL__WCP_RUN,
        PAWL__WCP_STEP,
        PAWL__WCP_SESSION,
        PAWL__WCP_TRIGGER, /* auto, manual */
        PAWL__WCP_DESCRIPTION,
        PAWL__WCP_ROOT, /* absent: it was imported, and belongs to none */
        PAWL__WCP_TREE,
        PAWL__WCP_FILES,
        PAWL__WCP_BYTES,
        PAWL__WCP_SKIPPED,
        PAWL__WCP_STATE_HASH, /* blobs, or absent */
        PAWL__WCP_OUTPUTS_HASH,
        PAWL__WCP_GIT_HEAD,
        PAWL__WCP_GIT_BRANCH,
        PAWL__WCP_BASE,   /* the n that the workspace was at before; 0: none */
        PAWL__WCP_SAFETY, /* 1: taken before a rollback */
        PAWL__WCP_CREATED_US,
        PAWL__WCP_INVALID_SEQ, /* of the event that made it invalid; 0: it is valid */
        PAWL__WCP_INVALID_REASON,
        PAWL__WCP_PINNED,     /* 1: prune leaves it alone */
        PAWL__WCP_PRUNED_SEQ, /* 0: its contents are kept */
        PAWL__WCP_ROLLBACK,   /* of a safety copy: the seq of the rollback it was taken for, or 0 */
        PAWL__WCP_COLUMNS
};

enum {
        PAWL__RB_SEQ, /* of WorkspaceRollbackStarted */
        PAWL__RB_TARGET,
        PAWL__RB_SAFETY,
        PAWL__RB_UNDO, /* PAWL__RB_IS_UNDO, PAWL__RB_IN_PART, or'ed */
        PAWL__RB_TREE,
        PAWL__RB_PLAN_HASH,
        PAWL__RB_STATUS, /* started, done, abandoned, undone */
        PAWL__RB_ENDED_SEQ,
        PAWL__RB_GIT_FROM,
        PAWL__RB_GIT_TO,
        PAWL__RB_REASON,
        PAWL__RB_ACTOR,
        PAWL__RB_STEPS_BEFORE, /* JSON: the run and the steps that it gave up, as they were
                                  (state/steps_before.h); absent: none */
        PAWL__RB_COLUMNS
};

/** A rollback that undoes another; one of some paths alone, which moves neither steps nor the place
 *  of the workspace. */
enum { PAWL__RB_IS_UNDO = 1, PAWL__RB_IN_PART = 2 };

/** What the reason of a checkpoint that a rollback gave up begins with; its number follows. */
#define PAWL__GIVEN_UP "rolled back to "
/** Was the checkpoint given up by a rollback, and nothing worse (as far as is known)? */
bool pawl__row_given_up(const pawl__row *checkpoint);

/** Order of two rows by their key columns (texts by bytes, absent first; integers as such). */
int pawl__row_cmp_key(pawl__table table, const pawl__row *a, const pawl__row *b);

/** Order of two rows in a listing: by the order column, then `then`, then the key. */
int pawl__row_cmp_order(pawl__table table, const pawl__row *a, const pawl__row *b);

/** The first column in which two rows differ, or -1. */
int pawl__row_diff(pawl__table table, const pawl__row *a, const pawl__row *b);

#endif
