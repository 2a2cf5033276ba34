/**
 * @file service/router.h
 * @brief Which route a request is for.
 */
#ifndef SERVICE_ROUTER_H
#define SERVICE_ROUTER_H

#include "service/route.h"

/** What was found. */
typedef struct service_match {
        const service_route *route; /**< NULL: no route has this path, or none this method */
        bool path_known;
        char allow[64]; /**< the methods of this path: "GET, HEAD, POST" */
        pawl_text params[SERVICE_PARAMS_MAX];
        size_t n_params;
} service_match;

/** Search @p tables (ended by NULL) in their order. */
void service_route_find(
        service_match *match, const service_route *const *tables, const service_request *request);

/** Does the route know all parameters of the query? Else PAWL_EINVAL, naming one. */
PAWL_MUST_CHECK pawl_status service_route_query(
        const service_route *route, const service_request *request, pawl_error *err);

/** Does the route know a member of this name in the body, or else in the query? The same. */
PAWL_MUST_CHECK pawl_status service_route_knows(
        const service_route *route, bool body, pawl_text name, pawl_error *err);

/** Of all routes of the tables, this one's place; the number of them for NULL. */
size_t service_route_place(const service_route *const *tables, const service_route *route);

#endif
