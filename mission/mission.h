/**
 * @file mission/mission.h
 * @brief A mission file, read and checked.
 */
#pragma once

#include "base/error.h"
#include "checkpoint/checkpoint.h"
#include "document/fields.h"
#include "glossary/glossary.h"
#include "workspace/retention.h"
#include <pawl/mission.h>

#define PAWL__OUTPUT_MAX_DEFAULT ((size_t)64 << 20) /* bytes of a command's standard output */

#define PAWL__LOG_MAX_DEFAULT ((size_t)64 << 10) /* of its standard error, what is kept */
#define PAWL__LOG_MAX_MOST    ((size_t)64 << 20)
#define PAWL__LOG_MAX_UNSET   SIZE_MAX

#define PAWL__RETRY_DELAY_MS 1000    /* before the second attempt */
#define PAWL__RETRY_MAX_MS   3600000 /* before any */

/** What may be set for a project, a mission or a step. */
typedef struct pawl__settings {
        pawl__strictness strictness;        /**< UNSET: not set here */
        bool check_disabled, check_enabled; /**< glossary_check, where it is set here */
        size_t output_max;                  /**< `max_output_bytes`; a step has the mission's */
        size_t log_max;                     /**< `max_log_bytes` likewise, or PAWL__LOG_MAX_UNSET */
} pawl__settings;

/** A variable of commands' environment. */
typedef struct pawl__variable {
        const char *name;
        char *value;      /**< "" for a parameter that has no value yet */
        const char *text; /**< the value with its parameters; NULL: it takes none */
} pawl__variable;

typedef struct pawl__env {
        pawl__variable *items;
        size_t n;
} pawl__env;

/** `retry`: whether a step whose attempt failed is tried again, and when. */
typedef struct pawl__retry_rule {
        int attempts; /**< in all; 0: not said, one */
        int64_t delay_ms, max_ms;
        bool any;            /**< whatever it failed by, else by */
        uint64_t on_exit[4]; /**< these exit codes, a bit each */
} pawl__retry_rule;

/** What most steps say nothing of, and then share. */
typedef struct pawl__step_how {
        pawl__env env;        /**< before the mission's */
        char *cwd;            /**< relative to the mission's directory, and below it; NULL: there */
        const char *cwd_text; /**< with its parameters; NULL: it takes none */
        int64_t timeout_ms;   /**< of an attempt; 0: none */
        const char *timeout;  /**< as the file says it */
        pawl__retry_rule retry;
} pawl__step_how;

typedef struct pawl__ask pawl__ask; /* mission/ask.h */

/** Bytes of a text. */
typedef struct pawl__span {
        uint32_t at, len;
} pawl__span;

typedef struct pawl__step {
        pawl_text id;
        bool critical;
        pawl__settings settings;
        pawl__node inputs;  /**< in the document's tree; PAWL__NO_NODE: {} */
        pawl_text metadata; /**< JSON; absent: none */
        pawl__ask *ask;     /**< what it asks people; NULL: nothing, it has a command */
        char **argv;        /**< ended by NULL; "" for a parameter that has no value yet; NULL: it
                                 has no command */
        const char **word_texts; /**< each word with its parameters; NULL: it takes none */
        pawl__step_how *how;
        pawl__node needs_at; /**< in the document's tree; PAWL__NO_NODE: it is the step before */
        pawl__node when;     /**< likewise: the $from object that says whether it runs */
        pawl__span inputs_at, when_at; /**< where the two stand in the document's text */
} pawl__step;

/** The steps that must be completed before one begins, by index. */
typedef struct pawl__needs {
        uint32_t *items;
        size_t n;
} pawl__needs;

/** When a run takes an automatic checkpoint of the workspace. */
typedef enum pawl__snapshots {
        PAWL__SNAPSHOT_EACH_STEP, /**< after each completed step, and at a session's end */
        PAWL__SNAPSHOT_MANUAL     /**< never */
} pawl__snapshots;

struct pawl_mission {
        pid_t process;           /* that loaded it: no other may use it */
        pawl__document document; /**< its tree is there until the steps of a run begin */
        pawl__arena arena;
        char *path;      /**< absolute */
        char *directory; /**< absolute: where its commands run and its seeds are */
        char hash[65];   /**< SHA-256 of the file's bytes, hex */
        pawl_text id;
        pawl__settings settings;
        bool store_inputs; /**< default true */
        struct pawl__seed_ref {
                pawl__scope scope;
                char *path; /**< absolute */
        } seeds[PAWL__SCOPES_N];
        size_t n_seeds;
        char *signers_path; /**< absolute: the file of `require_signed`; NULL: answers need not be
                                 signed */
        /** What the log is to keep of that: the file's name and what it said when the mission was
         *  read, or, until a change of it is accepted, when the run began. Absent: nothing. */
        struct pawl__signers_kept {
                pawl_text file, text;
        } signers, signers_now; /**< the second is what it says now */
        bool from_log;          /**< it was submitted: no file of it is here yet */
        char *handoff;          /**< absolute: where the handoff document goes; NULL: nowhere */
        pawl__snapshots snapshots;
        char *root; /**< absolute: of its workspace; NULL: as the log's, or its directory */
        const char **exclude; /**< patterns of what is no part of it */
        size_t n_exclude;
        const char *
                *include; /**< patterns of what is part of it although other rules leave it out */
        size_t n_include;
        char *tool_checkpoints; /**< "on" or "off", for its commands; NULL: not said */
        char *edit_tools;       /**< names with commas between them; NULL: not said */
        char *tool_files; /**< absolute: the directory of tool calls' documents; NULL: not said */
        pawl__step_how plain; /**< of the steps that say nothing of it */
        pawl__env env;
        char **notify;        /**< told how a run ends: its words, ended by NULL; NULL: nobody is */
        const char **secrets; /**< names of variables */
        size_t n_secrets;
        pawl_mission_param *params;
        size_t n_params;
        pawl__step *steps;
        size_t n_steps;
        pawl__needs *needs; /**< of each */
        unsigned parallel;  /**< so many of them at once */
        bool graph;         /**< one says what it needs: they are no mere sequence */
        uint32_t *order;    /**< all of them, each behind what it needs */
        size_t n_ordered;
};

/** The first line of every public function that takes a mission and can fail: PAWL_EINVAL for NULL,
 *  PAWL_ESTATE in another process than the one that loaded it. */
PAWL_MUST_CHECK static inline pawl_status pawl__mission_usable(
        const pawl_mission *mission, pawl_error *err)
{
        return pawl__handle_usable(mission, mission ? &mission->process : NULL, "mission", err);
}

/** A mission whose file the log keeps; @p path, absolute, is where it would be. As
 *  pawl_mission_load(). */
PAWL_MUST_CHECK pawl_status pawl__mission_parse(
        pawl_mission **out, const char *path, pawl_text text, pawl_error *err);

/** Let its document's tree be there, whatever run had the mission before. PAWL_ENOMEM. */
PAWL_MUST_CHECK pawl_status pawl__mission_whole(pawl_mission *mission, pawl_error *err);

/** The index of a step, or SIZE_MAX. */
size_t pawl__mission_find(const pawl_mission *mission, pawl_text step_id);

#define PAWL__KEEP_ALL UINT32_MAX

/** `.pawl/config.yaml` beside the log: `strictness`, `max_log_bytes`, `retention`. No
 *  file: all unset. Anything else in it is PAWL_EPARSE naming file, line and key. */
typedef struct pawl__config {
        pawl__settings settings;   /**< max_log_bytes: PAWL__LOG_MAX_DEFAULT */
        uint32_t keep_sessions;    /**< how many stay at a session's end; PAWL__KEEP_ALL: all */
        pawl__retention retention; /**< of checkpoints */
} pawl__config;

PAWL_MUST_CHECK pawl_status pawl__config_load(
        pawl__config *out, const char *log_path, pawl_error *err);

/** Lists of patterns of a workspace; items NULL: the settings have none. */
typedef struct pawl__patterns {
        const char **items;
        size_t n;
} pawl__patterns;

/** `include` and `exclude` of the same file, in @p arena; the rest of it is checked as well. */
PAWL_MUST_CHECK pawl_status pawl__config_patterns(pawl__patterns *include, pawl__patterns *exclude,
        const char *log_path, pawl__arena *arena, pawl_error *err);

/** `edit_tools` of the same file, in @p arena. */
PAWL_MUST_CHECK pawl_status pawl__config_edit_tools(
        pawl__patterns *out, const char *log_path, pawl__arena *arena, pawl_error *err);

/** At the end of a run or a session: prune old checkpoints as the limits say, or warn that there
 * are none. Failures are told, too: they harm nothing. */
void pawl__retention_at_end(pawl_log *log, const pawl__retention *limits, const char *actor,
        void (*tell)(const char *line, void *user), void *user);

/** What a run of it, or a submitted one, is refused for whatever the log says: its parameters, the
 * id (NULL: none is given), its seeds, and with @p here, as its commands run here, its secrets. */
PAWL_MUST_CHECK pawl_status pawl__mission_startable(const pawl_mission *mission, const char *run_id,
        bool here, pawl__problems *problems, pawl_error *err);

/** "mission M: run R is blocked at 3/6 steps, last active 2026-11-20 12:35:00 UTC" */
void pawl__unfinished_describe(
        char out[400], const pawl_unfinished *run, const pawl_mission *mission);
/** No run is begun beside it unless somebody wants that: PAWL_EHELD while it is at work, else
 * PAWL_ESTATE. */
pawl_status pawl__unfinished_fail(
        const pawl_unfinished *run, const pawl_mission *mission, pawl_error *err);

/** pawl_mission_check(), with the errors of a seed before the last told. */
PAWL_MUST_CHECK pawl_status pawl__mission_check(char **json, size_t *len, pawl_mission *mission,
        pawl_log *log, const char *step_id, pawl__problems *problems, pawl_error *err);
