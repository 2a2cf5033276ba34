#include "base/ids.h"
#include "base/error.h"
#include "base/text.h"

static pawl_status refuse(pawl_error *err, pawl_text id, const char *what, const char *why)
{
        return pawl__fail(err, PAWL_EINVAL,
                "%s \"%.*s\": %s; use 1 to %d bytes of text without control characters, slashes or "
                "white space at an end, nor - at its start",
                what, PAWL__FMT(id), why, PAWL__ID_MAX);
}

pawl_status pawl__id_check(pawl_text id, const char *what, pawl_error *err)
{
        if (!id.data || id.len == 0)
                return refuse(err, id, what, "is empty");
        if (id.len > PAWL__ID_MAX)
                return refuse(err, id, what, "is too long");
        if (!pawl__utf8_valid(id.data, id.len))
                return pawl__fail(
                        err, PAWL_EINVAL, "%s: is not valid UTF-8; write it in UTF-8", what);
        if (pawl__text_is(id, ".") || pawl__text_is(id, ".."))
                return refuse(err, id, what, "is the name of a directory");
        if (id.data[0] == '-')
                return refuse(err, id, what, "begins as an option does, with -");
        if (id.data[0] == ' ' || id.data[id.len - 1] == ' ')
                return refuse(err, id, what, "has white space at an end");
        for (size_t i = 0; i < id.len; i++) {
                unsigned char c = (unsigned char)id.data[i];
                if (c < 0x20 || c == 0x7f ||
                        (c == 0xc2 && i + 1 < id.len && (unsigned char)id.data[i + 1] < 0xa0))
                        return refuse(err, id, what, "holds a control character");
                if (c == '/' || c == '\\')
                        return refuse(err, id, what, "holds a slash");
        }
        return PAWL_OK;
}
