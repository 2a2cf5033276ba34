#include "support/document.h"

pawl__document document_parsed(const char *path, const char *text, size_t len)
{
        pawl__document document;
        pawl_error err = PAWL_ERROR_INIT;

        if (pawl__document_parse(&document, path, text, len, &err))
                print_error("%s\n", err.message);
        assert_string_equal(err.message, "");
        return document;
}

void document_refused(
        const char *path, const char *text, size_t len, pawl_status status, const char *message)
{
        pawl__document document;
        pawl_error err = PAWL_ERROR_INIT;

        memset(&document, 0x5a, sizeof document);
        pawl__document before = document;
        assert_int_equal(pawl__document_parse(&document, path, text, len, &err), status);
        assert_int_equal(err.status, status);
        assert_says(err.message, message);
        assert_memory_equal(err.message, path, strlen(path));
        assert_null(strchr(err.message, '\n'));
        assert_memory_equal(&document, &before, sizeof document);
        assert_int_equal(pawl__document_parse(&document, path, text, len, NULL), status);
}
