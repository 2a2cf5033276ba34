/* The page: its files, built into the program, at "/" and "/page/NAME". They are the same for
 * everybody and tell nothing of the log, so no token is asked for. Each has the hash of its content
 * as its ETag. */
#include "page_files.h"
#include "service/route.h"
#include <string.h>

typedef struct page_file {
        const char *name, *type;
        const void *data;
        size_t len;
        const char *etag; /* with its quotes */
} page_file;

static const page_file files[] = {EMBED_PAGE_FILES};

/* Does the browser have it? If-None-Match is "*" or a list of tags, some of them weak. */
static bool has_it(const service_request *request, const char *etag)
{
        pawl_text given = request->headers[SERVICE_IF_NONE_MATCH];

        return given.data && (strcmp(given.data, "*") == 0 || strstr(given.data, etag));
}

static void give(service_answer *answer, const service_call *call, const char *name)
{
        for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
                const page_file *file = &files[i];
                if (strcmp(file->name, name) != 0)
                        continue;
                bool same = has_it(call->request, file->etag);
                service_answer_fixed(
                        answer, same ? 304 : 200, file->type, file->data, same ? 0 : file->len);
                answer->etag = file->etag;
                answer->cache = "no-cache";
                return;
        }
        service_answer_refuse(answer, 404, PAWL_ENOTFOUND,
                "%s: the page has no such file; open the address that `pawl serve` printed", name);
}

static void index_run(service_answer *answer, service_call *call)
{
        give(answer, call, "index.html");
}

static void file_run(service_answer *answer, service_call *call)
{
        give(answer, call, call->params[0].data);
}

const service_route service_page_routes[] = {
        {"GET", "/", SERVICE_OPEN | SERVICE_NO_LOG, NULL, index_run, NULL},
        {"GET", "/page/{name}", SERVICE_OPEN | SERVICE_NO_LOG, NULL, file_run, NULL},
        SERVICE_ROUTES_END,
};
