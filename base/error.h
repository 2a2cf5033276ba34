/**
 * @file base/error.h
 * @brief Failing with one line that says where, what, and how to fix it.
 */
#pragma once

#include "base/text.h"
#include <sys/types.h>

/**
 * Write the message into @p err (may be NULL) and return @p status, so that a failing path is one
 * line. Of a message too long the middle of its longest part is left out, a name that is empty is
 * ''. A pawl_text goes in with "%.*s" and PAWL__FMT(). What would break the line, and bytes that
 * are no text, become escapes: \x0a, \u2028.
 */
pawl_status pawl__fail(pawl_error *err, pawl_status status, const char *format, ...)
        PAWL_PRINTF(3, 4);

/** The same for running out of memory, which must need none: "out of memory". Here, so that a
 *  compiler and an analyzer see that it is never PAWL_OK. */
static inline pawl_status pawl__nomem(pawl_error *err)
{
        (void)pawl__fail(err, PAWL_ENOMEM, "out of memory; free some and try again");
        return PAWL_ENOMEM;
}

/** PAWL_ENOMEM, and the message, if any call for the buffer ran out of memory. */
PAWL_MUST_CHECK static inline pawl_status pawl__buf_check(const pawl__buf *buf, pawl_error *err)
{
        return buf->failed ? pawl__nomem(err) : PAWL_OK;
}

/** The same of an arena, since the last check. */
PAWL_MUST_CHECK static inline pawl_status pawl__arena_check(pawl__arena *arena, pawl_error *err)
{
        const bool failed = arena->failed;

        arena->failed = false;
        return failed ? pawl__nomem(err) : PAWL_OK;
}

/** Put "PREFIX: " before the message that a lower call left; return the status that it gave. */
pawl_status pawl__fail_prefix(pawl_error *err, pawl_status status, const char *format, ...)
        PAWL_PRINTF(3, 4);

/** Pass a failure on: return the status of the call, unless it is PAWL_OK. */
#define TRY(call)                                                                                  \
        do {                                                                                       \
                const pawl_status tried_ = (call);                                                 \
                if (tried_)                                                                        \
                        return tried_;                                                             \
        } while (0)

/** Of a handle that the process @p opened_by opened (NULL: @p handle is NULL, too): PAWL_EINVAL for
 *  none, PAWL_ESTATE in a child of that process. @p what: "log", for the message. */
PAWL_MUST_CHECK pawl_status pawl__handle_usable(
        const void *handle, const pid_t *opened_by, const char *what, pawl_error *err);
/** What errmsg() of a NULL handle says. */
#define PAWL__NO_HANDLE "the handle is NULL; open it first"

/** The two arguments of "%.*s"; at most 200 bytes of the text are shown, whole characters. */
#define PAWL__FMT(text)                                                                            \
        ((int)pawl__utf8_cut((text).data, (text).len, 200)), ((text).data ? (text).data : "")
