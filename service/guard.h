/**
 * @file service/guard.h
 * @brief Access: Host, Origin and the token, checked before anything else.
 */
#ifndef SERVICE_GUARD_H
#define SERVICE_GUARD_H

#include "service/site.h"

/**
 * May this request use a route of these traits? False: @p answer says why not: 421 for an unknown
 * Host, 403 for a page of another site and for the token of the other kind, 401 without a token or
 * with a wrong one.
 */
bool service_guard(service_answer *answer, service_site *site, const service_request *request,
        unsigned traits);

#endif
