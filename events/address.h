/**
 * @file events/address.h
 * @brief The URL of a log on a server: "postgresql://user@host/db?option=value#LOG".
 *
 * What is before the # is libpq's; LOG, percent-encoded, names one of the database's logs. A
 * password may be in the URL; nobody is shown it.
 */
#pragma once

#include "base/error.h"

#define PAWL__LOG_NAME_DEFAULT "default"
enum { PAWL__SECRETS = 8 };

typedef struct pawl__address {
        char *server; /**< the URL without # and what follows */
        char *log;    /**< the log's name */
        char *shown;  /**< the URL without its secrets: it connects where the password is known
                           otherwise */
        char *secret[PAWL__SECRETS]; /**< what is never shown, as it is and as it is written */
        size_t n_secrets;
} pawl__address;

/** Free it with pawl__address_free(), also if it fails. PAWL_EINVAL: it is not of that form; the
 *  message shows no secret. */
PAWL_MUST_CHECK pawl_status pawl__address_parse(
        pawl__address *out, const char *url, pawl_error *err);
void pawl__address_free(pawl__address *address);

/** Whatever of a message is a secret becomes "***", in place. */
void pawl__address_strike(const pawl__address *address, char *message);
