/* All that the service answers to. */
#include "service/route.h"

const service_route *const service_route_tables[] = {
        service_core_routes,
        NULL,
};
