/**
 * @file command/owner.h
 * @brief Whose a log is that was found and not named.
 *
 * A user of a log runs what it says, by the rules of its config.yaml: one that somebody else has
 * put above the working directory must not be used by accident.
 */
#pragma once

#include <pawl/events.h>
#include <sys/types.h>

/** Is that this process's user, or, for root, $SUDO_UID's? */
bool cli_is_own(uid_t uid);

/**
 * As root by sudo: give the log at @p path, and what lies beside it that is a log's, to the user of
 * $SUDO_UID, where its directory is that user's already, or @p made: this call made the log. Who
 * cannot be given something keeps going: the next command by that user says what is wrong.
 */
void cli_give_to_sudo_user(const char *path, bool made);

/**
 * May the log at @p path, which need not be there yet, be used unnamed? Only if the directories on
 * the way to it that are the log's own, the log, what SQLite keeps beside it, and config.yaml
 * belong to this process's user (for root, also to $SUDO_UID's), and nobody else may write them. A
 * symbolic link must belong to them as well as what it leads to.
 * @return PAWL_EACCESS, saying whose it is.
 */
PAWL_MUST_CHECK pawl_status cli_check_owner(const char *path, pawl_error *err);
