/**
 * @file mission/loader.h
 * @brief What the readers of a mission file share: what they fill, and how a value is kept.
 */
#pragma once

#include "base/map.h"
#include "document/fields.h"
#include "mission/mission.h"

/** What the setters fill. */
typedef struct pawl__loader {
        pawl__settings *settings;  /**< of the project, the mission or the current step */
        pawl__config *config;      /**< NULL for a mission file, */
        pawl_mission *mission;     /**< and NULL for a project's settings */
        pawl__step *step;          /**< the current one */
        pawl_mission_param *param; /**< likewise */
        pawl__map ids;             /**< of the steps so far */
        pawl__node *id_at;         /**< of each step */
        pawl__patterns *include, *exclude,
                *edit_tools; /**< of a project's settings, in the arena; NULL: not kept */
        pawl__arena *arena;
} pawl__loader;

/** A table of fields and how many they are, as pawl__fields_read() takes them. */
#define PAWL__FIELDS(table) (table), sizeof(table) / sizeof(table)[0]

static inline const pawl__json_node *pawl__value_at(const pawl__place *place, pawl__node node)
{
        return pawl__json_at(&place->document->tree, node);
}

/** A copy that lives as long as the mission. */
PAWL_MUST_CHECK pawl_status pawl__keep(const pawl__place *place, pawl_text *out, pawl_text text);
/** A word that the system will take as a C string: `run: [sleep, 5]` is as good as "5". */
PAWL_MUST_CHECK pawl_status pawl__keep_c_string(
        const pawl__place *place, char **out, pawl__node node);
/** Is it no path below the mission's directory? */
bool pawl__cwd_leads_out(const char *path);
/** A path, absolute: what is relative is so to the mission file. */
PAWL_MUST_CHECK pawl_status pawl__keep_path(const pawl__place *place, char **out, pawl__node node);

/** `strictness` and `max_log_bytes`, wherever they stand. */
PAWL_MUST_CHECK pawl_status pawl__set_strictness(const pawl__place *place, pawl__node node);
PAWL_MUST_CHECK pawl_status pawl__set_log_max(const pawl__place *place, pawl__node node);

/** `env` of the mission or the step, `cwd`, `timeout`, `retry`, `secrets` (mission/file_command.c).
 */
PAWL_MUST_CHECK pawl_status pawl__env_read(const pawl__place *place, pawl__node node);
PAWL_MUST_CHECK pawl_status pawl__cwd_read(const pawl__place *place, pawl__node node);
PAWL_MUST_CHECK pawl_status pawl__timeout_read(const pawl__place *place, pawl__node node);
PAWL_MUST_CHECK pawl_status pawl__retry_rule_read(const pawl__place *place, pawl__node node);
PAWL_MUST_CHECK pawl_status pawl__secrets_read(const pawl__place *place, pawl__node node);

/** `require_signed` (mission/signed.c). */
PAWL_MUST_CHECK pawl_status pawl__require_signed_read(const pawl__place *place, pawl__node node);

/** "90s": a whole number and its unit, up to a year. */
PAWL_MUST_CHECK pawl_status pawl__duration_read(
        const pawl__place *place, int64_t *ms, pawl__node node);

/** The mapping `workspace:` (mission/file_workspace.c). */
PAWL_MUST_CHECK pawl_status pawl__workspace_settings_read(
        const pawl__place *place, pawl__node node);
