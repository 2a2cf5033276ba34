/**
 * @file service/request.h
 * @brief A request, parsed and checked, without a connection.
 *
 * Malformed input is refused here: a path with an encoded slash, a NUL or invalid UTF-8, "." and
 * ".." as segments, a broken escape, a parameter of the query or a known header given twice.
 */
#pragma once

#include "base/text.h"

#define SERVICE_BODY_MAX     (1024 * 1024) /* bytes, but for a route that says another number */
#define SERVICE_TARGET_MAX   8192          /* bytes of path and query, as sent */
#define SERVICE_SEGMENTS_MAX 12            /* of a path */
#define SERVICE_QUERY_MAX    16            /* parameters */
#define SERVICE_HEADER_MAX   1024          /* bytes of a known header */

/** The known headers. Any other is ignored. */
typedef enum service_header {
        SERVICE_HOST,
        SERVICE_ORIGIN,
        SERVICE_FETCH_SITE,
        SERVICE_FETCH_MODE,
        SERVICE_AUTHORIZATION,
        SERVICE_CONTENT_TYPE,
        SERVICE_ACTOR, /**< X-Pawl-Actor */
        SERVICE_IF_NONE_MATCH,
        SERVICE_LAST_EVENT_ID,
        SERVICE_MCP_VERSION, /**< MCP-Protocol-Version */
        SERVICE_MCP_METHOD,
        SERVICE_MCP_NAME,
        SERVICE_MCP_SESSION, /**< Mcp-Session-Id */
        SERVICE_HEADERS
} service_header;

/** A parameter of the query, decoded ("+" is a space). Without a "=" the value is empty. */
typedef struct service_parameter {
        pawl_text name, value;
} service_parameter;

/** Texts are the request's own, each ended by a NUL that its len does not count and holding none.
 */
typedef struct service_request {
        pawl_text method;                         /**< as sent: "GET" */
        pawl_text segments[SERVICE_SEGMENTS_MAX]; /**< of the path, decoded once; "/" has none */
        size_t n_segments;
        service_parameter query[SERVICE_QUERY_MAX];
        size_t n_query;
        pawl_text headers[SERVICE_HEADERS]; /**< absent: not sent */
        bool wants_events;                  /**< a header Accept names text/event-stream */
        pawl__buf body;
        size_t body_max; /**< 0: SERVICE_BODY_MAX */
        pawl__arena arena;
} service_request;

#define SERVICE_REQUEST_INIT                                                                       \
        {                                                                                          \
                .n_segments = 0                                                                    \
        }

/**
 * The method and the target ("/api/v1/runs?limit=3"), as they are in the request's first line.
 * @return PAWL_EINVAL for a target that is refused, PAWL_ETOOBIG beyond a limit, PAWL_ENOMEM.
 */
PAWL_MUST_CHECK pawl_status service_request_target(
        service_request *request, pawl_text method, pawl_text target, pawl_error *err);

/** The known header whose name @p name is or begins with; NULL: none. Static. */
const char *service_header_prefix(const char *name);
/** Any header, and Accept, which may be given several times. PAWL_EINVAL for a known one that is
 * given twice, or has a control character or invalid UTF-8; PAWL_ETOOBIG; PAWL_ENOMEM. */
PAWL_MUST_CHECK pawl_status service_request_header(
        service_request *request, const char *name, pawl_text value, pawl_error *err);

/** More of the body. PAWL_ETOOBIG past its bound, PAWL_ENOMEM: it is unchanged. */
PAWL_MUST_CHECK pawl_status service_request_body(
        service_request *request, const void *data, size_t len, pawl_error *err);

/** The most bytes of its body. */
size_t service_request_body_max(const service_request *request);

void service_request_free(service_request *request);

/** A parameter of the query, or the absent text. */
pawl_text service_query(const service_request *request, const char *name);
/** A parameter that is decimal digits alone, @p least to @p most; absent: *out is as it was.
 *  PAWL_EINVAL names it. */
PAWL_MUST_CHECK pawl_status service_query_number(uint64_t *out, const service_request *request,
        const char *name, uint64_t least, uint64_t most, pawl_error *err);
