/* service/openapi.json, as it was when the program was built. */
#include "api_document.h" /* by cmake/embed.cmake */
#include "service/api.h"

typedef struct embedded {
        const char *name, *content_type;
        const unsigned char *data;
        size_t len;
        const char *etag;
} embedded;

static const embedded documents[] = {EMBED_API_DOCUMENT};

void service_api_document(service_answer *answer, service_call *call)
{
        (void)call;
        service_answer_fixed(
                answer, 200, documents[0].content_type, documents[0].data, documents[0].len);
}
