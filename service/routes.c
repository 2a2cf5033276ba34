/* All that the service answers to. */
#include "service/api.h"

const service_route *const service_route_tables[] = {
        service_core_routes,
        service_api_routes,
        service_page_routes,
        NULL,
};
