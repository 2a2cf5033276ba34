/**
 * @file service/api.h
 * @brief The routes of the resource API, and the handlers that are more than one command.
 */
#ifndef SERVICE_API_H
#define SERVICE_API_H

#include "service/route.h"

extern const service_route service_api_routes[];

/* Events (service/api_events.c). */
void service_api_events(service_answer *answer, service_call *call);
void service_api_event(service_answer *answer, service_call *call);
void service_api_stream(service_answer *answer, service_call *call);

/* What changes something (service/api_changes.c). */
void service_api_answer_conflict(service_answer *answer, service_call *call);
void service_api_take_checkpoint(service_answer *answer, service_call *call);
void service_api_roll_back(service_answer *answer, service_call *call);
void service_api_undo(service_answer *answer, service_call *call);

/** service/openapi.json, which is in the program. */
void service_api_document(service_answer *answer, service_call *call);

#endif
