/*
 * Any bytes as a mission or seed file. The first byte decides YAML or JSON. What is read must have
 * a line a node, be canonical JSON once more, and mean the same when the JSON made of it is read
 * again; what is refused must say so on one line.
 */
#include "base/json_canon.h"
#include "document/document.h"
#include "fuzz/fuzzing.h"

static void canonical(pawl__buf *out, const pawl__document *document)
{
        pawl_error err = PAWL_ERROR_INIT;

        require(pawl__json_canon(out, document->json.data, document->json.len, &err) == PAWL_OK);
}

/* JSON is YAML, but for what YAML wants escaped and keys that are too long: then it is refused. */
static void check_again(const pawl__document *document, const char *path, bool always)
{
        pawl__buf first = PAWL__BUF_INIT, second = PAWL__BUF_INIT;
        pawl__document again;
        pawl_error err = PAWL_ERROR_INIT;
        pawl_status status =
                pawl__document_parse(&again, path, document->json.data, document->json.len, &err);

        require(!always || status == PAWL_OK);
        if (status == PAWL_OK) {
                canonical(&first, document);
                canonical(&second, &again);
                require(pawl__text_eq(pawl__buf_text(&first), pawl__buf_text(&second)));
                pawl__document_free(&again);
        }
        pawl__buf_free(&first);
        pawl__buf_free(&second);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
        pawl__document document;
        pawl_error err = PAWL_ERROR_INIT;

        if (size == 0)
                return 0;
        const char *path = data[0] == '{' ? "f.json" : "f.yaml";
        pawl_status status =
                pawl__document_parse(&document, path, (const char *)data + 1, size - 1, &err);
        if (status) {
                require(err.status == status && strncmp(err.message, path, strlen(path)) == 0);
                require(!strchr(err.message, '\n') &&
                        pawl__utf8_valid(err.message, strlen(err.message)));
                return 0;
        }
        uint32_t last = 2; /* libyaml ends a text without a newline on the line after it */
        for (size_t i = 0; i < size; i++)
                last += data[i] == '\n' || data[i] == '\r';
        for (size_t i = 0; i < document.tree.n; i++) {
                uint32_t line = pawl__document_line(&document, (pawl__node)i);
                require(line >= 1 && line <= last);
        }
        check_again(&document, "again.json", true);
        check_again(&document, "again.yaml", false);
        pawl__document_free(&document);
        return 0;
}
