/**
 * @file service/guard.h
 * @brief Who may ask: Host, Origin and the token, before anything else is looked at.
 */
#ifndef SERVICE_GUARD_H
#define SERVICE_GUARD_H

#include "service/site.h"

/**
 * May this request go on to a route of these traits? False: @p answer says why not: 421 for a Host
 * that is not ours, 403 for a page of another site and for the token of the other kind, 401 without
 * a token or with one that is none.
 */
bool service_guard(service_answer *answer, service_site *site, const service_request *request,
        unsigned traits);

#endif
