/**
 * @file service/api.h
 * @brief The handlers of routes.
 */
#ifndef SERVICE_API_H
#define SERVICE_API_H

#include "service/route.h"

/* Events (service/api_events.c). */
void service_api_events(service_answer *answer, service_call *call);
void service_api_event(service_answer *answer, service_call *call);
void service_api_stream(service_answer *answer, service_call *call);

/** Commands by their names (service/execute.c). */
void service_execute_command(service_answer *answer, service_call *call);
void service_list_commands(service_answer *answer, service_call *call);

/** The operation's command, with the words that the path and the fields make
 * (service/api_command.c).
 */
void service_api_command(service_answer *answer, service_call *call);

/** The OpenAPI document: the routes of the tables, and service/openapi.json with the schemas of
 *  answers (service/api_document.c). */
void service_api_document(service_answer *answer, service_call *call);
PAWL_MUST_CHECK pawl_status service_api_document_write(
        pawl__buf *out, const service_route *const *tables);

#endif
