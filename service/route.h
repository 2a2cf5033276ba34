/**
 * @file service/route.h
 * @brief Tables of routes, and the call of a route.
 *
 * A route runs in a worker's thread and uses its log; several run at once. It may wait for the
 * disk. It answers by the functions of service/answer.h; without an answer it is a 500.
 */
#pragma once

#include "service/answer.h"
#include "service/request.h"
#include <pawl/events.h>

#define SERVICE_PARAMS_MAX  4
#define SERVICE_ONE_OF_MOST 4
#define SERVICE_LARGE_MAX   ((size_t)16 << 20)

enum {
        SERVICE_OPEN = 1,      /**< needs no token, and shows nothing secret */
        SERVICE_CHANGES = 2,   /**< writes: 403 under --read-only */
        SERVICE_WORKSPACE = 4, /**< needs a workspace: 400 where the service has none */
        SERVICE_STREAM = 8,    /**< answers with a source: counted, and 503 beyond the limit */
        SERVICE_AGENTS = 64,   /**< the token of programs counts although an Origin is given */
        SERVICE_LARGE = 32,    /**< takes a body of SERVICE_LARGE_MAX */
        SERVICE_NO_LOG = 16    /**< uses no log, and never waits: answered immediately, on the
                                    thread of the connections; call->log is NULL */
};

typedef struct service_call service_call;

typedef enum service_type {
        SERVICE_TEXT,
        SERVICE_TEXTS, /**< an array, of a body */
        SERVICE_NUMBER,
        SERVICE_LIST, /**< an array of a body, which the command gets as JSON */
        SERVICE_FLAG, /**< "1" or "0" in a query, true or false in a body */
        SERVICE_HASH,
        SERVICE_ID
} service_type;

/** What a request may carry: a parameter of the query of a GET, a member of the body of a POST. */
typedef struct service_field {
        const char *name;
        service_type type;
        const char *about;    /**< its description */
        uint64_t least, most; /**< of a number, or of a text's length; most 0: no limit */
        uint64_t preset;      /**< of a number that is not given; 0: none */
        const char
                *values; /**< the only ones, separated by spaces; NULL: any. The command checks */
        const char *option;   /**< of the command, without the dashes; NULL: the name */
        const char *required; /**< where it must be given: how to get one */
        bool argument;        /**< the last argument of the command instead of an option */
        bool header;          /**< a header of a GET, described here and read elsewhere */
} service_field;

/** What a route does, for the OpenAPI document; and the command that does it, where it is one. */
typedef struct service_operation {
        const char *id, *tag, *summary;
        const char *description;
        const char *answer; /**< schema of the answer: "Run", "Step[]"; NULL: an object */
        const char *type;   /**< content type of an answer that is not JSON */
        const char *events; /**< what the same is as text/event-stream; NULL: it never is */
        const char
                *failing; /**< what a 503 that has the answer's schema says; NULL: there is none */
        const char *one_of[SERVICE_ONE_OF_MOST]; /**< exactly one of these fields is given */

        const char *command; /**< "glossary list" */
        const char *word;    /**< a word that it always gets: "--plan" */
        const char *first;   /**< an argument that it always gets, before the path's */
        bool process;        /**< it is a process of its own: service/process.c */
        const char
                *id_option; /**< what the path's parameter is given by: "--id="; NULL: arguments */
        const char *part;   /**< of its output (RFC 6901), the answer; NULL: the whole */
        const char *next;   /**< of a list: what `before` takes, a member of the answer, or of its
                                 elements, of which the oldest is at an end; NULL: no list */
        bool verdict;       /**< output of a command that fails with PAWL_EDAMAGED is an answer */
} service_operation;

typedef struct service_route {
        const char *method; /**< "GET" (which also answers HEAD) or "POST" */
        const char *path;   /**< "/api/v1/checkpoints/{n}/diff": "{x}" is any one segment */
        unsigned traits;
        const service_field *fields; /**< ended by a NULL name; any other is 400; NULL: none */
        void (*run)(service_answer *answer, service_call *call);
        const service_operation *operation; /**< NULL: not in the OpenAPI document */
} service_route;

#define SERVICE_FIELDS(...)                                                                        \
        (const service_field[])                                                                    \
        {                                                                                          \
                __VA_ARGS__,                                                                       \
                {                                                                                  \
                        .name = NULL                                                               \
                }                                                                                  \
        }
#define SERVICE_OPERATION(...)                                                                     \
        &(const service_operation)                                                                 \
        {                                                                                          \
                __VA_ARGS__                                                                        \
        }
#define SERVICE_ROUTES_END                                                                         \
        {                                                                                          \
                NULL, NULL, 0, NULL, NULL, NULL                                                    \
        }

typedef struct service_site service_site;     /**< service/site.h: what all requests share */
typedef struct service_worker service_worker; /**< service/worker.h: one thread's own */

/** One request of a route. Valid until the route returns. */
struct service_call {
        const service_route *route;
        const service_request *request;
        service_site *site;
        service_worker *worker;               /**< whose log this is; NULL for SERVICE_NO_LOG */
        pawl_log *log;                        /**< open; borrowed; read-only under --read-only */
        const char *workspace;                /**< the root directory, or NULL */
        const char *actor;                    /**< X-Pawl-Actor, or the owner of the service */
        pawl_text params[SERVICE_PARAMS_MAX]; /**< the value of each {x}, in order: never empty */
        size_t n_params;
};

/**
 * Run a command of the registry in this call: with its log, workspace and actor.
 *
 * @param[out] out  what it printed, one JSON value (an array for JSON Lines); also where it failed,
 *                  if it printed anything.
 * @param name      "checkpoints", "eventlog show".
 * @param args      of it; put "--" before values of the request. --json is added where it exists.
 * @return PAWL_OK; its failure with the message (wrong usage is PAWL_EINVAL); PAWL_ENOTFOUND for
 *         what is no command, or not served; PAWL_EREADONLY for one that changes under --read-only.
 */
PAWL_MUST_CHECK pawl_status service_command(pawl__buf *out, service_call *call, const char *name,
        const char *const *args, size_t n, pawl_error *err);

/** Start `pawl resume` in a process of its own, with these words, for the run that call->params has
 *  first; what it came to, once it has the run or has ended. */
PAWL_MUST_CHECK pawl_status service_resume(
        pawl__buf *out, service_call *call, const char *const *args, size_t n, pawl_error *err);

/** Each ended by a NULL method; searched in this order. */
extern const service_route service_core_routes[];
extern const service_route service_api_routes[];
extern const service_route service_page_routes[];
extern const service_route *const service_route_tables[]; /**< all of them, ended by NULL */

/** Search @p tables (ended by NULL) in their order for the route of call->request, whose path's
 *  values are then call->params. NULL: none has this path, or @p allow are the methods of those
 * that have it: "GET, HEAD, POST". */
void service_route_find(service_call *call, char allow[64], const service_route *const *tables);

static inline bool service_route_posts(const service_route *route)
{
        return strcmp(route->method, "POST") == 0;
}

/** Does the route know all parameters of the query? Else PAWL_EINVAL, naming one. */
PAWL_MUST_CHECK pawl_status service_route_query(
        const service_route *route, const service_request *request, pawl_error *err);

/** Does the route know a member of this name in the body, or else in the query? The same. */
PAWL_MUST_CHECK pawl_status service_route_knows(
        const service_route *route, bool body, pawl_text name, pawl_error *err);

/** Of all routes of the tables, this one's place; the number of them for NULL. */
size_t service_route_place(const service_route *const *tables, const service_route *route);

/* ---- What routes run ------------------------------------------------------------------------- */

/* Events (service/api_events.c). */
void service_api_events(service_answer *answer, service_call *call);
void service_api_event(service_answer *answer, service_call *call);
void service_api_stream(service_answer *answer, service_call *call);

/** Agents, by the Model Context Protocol (service/mcp.c). */
void service_mcp_post(service_answer *answer, service_call *call);
void service_mcp_get(service_answer *answer, service_call *call);

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
