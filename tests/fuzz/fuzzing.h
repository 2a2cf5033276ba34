/**
 * @file tests/fuzz/fuzzing.h
 * @brief What the fuzz targets share: ending the program where a promise is broken, and taking the
 *        input apart into values.
 */
#pragma once

#include "base/json_tree.h"
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/** End the program, saying where, unless this holds. */
#define require(holds) ((holds) ? (void)0 : promise_broken(#holds, __FILE__, __LINE__))

static inline void promise_broken(const char *what, const char *file, int line)
{
        fprintf(stderr, "%s:%d: does not hold: %s\n", file, line, what);
        abort();
}

/** The message of a refusal: "WHERE: WHAT; HOW TO FIX", one line of UTF-8 without control
 *  characters. One that was cut may have lost its end. */
static inline bool is_message(const pawl_error *err, pawl_status status)
{
        const size_t len = strlen(err->message);
        bool plain = len < PAWL_ERROR_MAX && pawl__utf8_valid(err->message, len);

        for (size_t i = 0; i < len; i++)
                plain = plain && (unsigned char)err->message[i] >= 0x20 && err->message[i] != 0x7f;
        if (!plain || status >= 0 || status == PAWL_ENOMEM || err->status != status)
                return false;
        return len > PAWL_ERROR_MAX - 16 ||
               (strstr(err->message, ": ") && strstr(err->message, "; "));
}

#define require_message(err, status)                                                               \
        (is_message((err), (status)) ? (void)0 : promise_broken((err)->message, __FILE__, __LINE__))

/** The line of an event, which must be JSON. False where its payload is none that was appended:
 *  it names a member twice, or is nested too deep. */
static inline bool is_line(pawl__json_tree *tree, const char *line, size_t len)
{
        pawl_error err = PAWL_ERROR_INIT;

        require(!memchr(line, '\n', len));
        if (pawl__json_tree_read(tree, line, len, &err) == PAWL_OK)
                return true;
        require(strstr(err.message, " twice ") || strstr(err.message, "nested"));
        return false;
}

/** The input as it is taken apart: each value takes bytes from its start; where there are no more,
 *  values are 0 and texts empty. */
typedef struct bytes {
        const uint8_t *at;
        size_t left;
} bytes;

static inline uint64_t take_number(bytes *input, size_t size)
{
        uint64_t number = 0;

        if (size > input->left)
                size = input->left;
        for (size_t i = 0; i < size; i++)
                number |= (uint64_t)input->at[i] << 8 * i;
        input->at += size;
        input->left -= size;
        return number;
}

static inline unsigned take_byte(bytes *input)
{
        return (unsigned)take_number(input, 1);
}

/** One of @p n. */
static inline size_t take_choice(bytes *input, size_t n)
{
        return take_byte(input) % n;
}

/** @p len bytes, or what is left. Borrowed. */
static inline pawl_text take_bytes(bytes *input, size_t len)
{
        if (len > input->left)
                len = input->left;
        pawl_text text = {(const char *)input->at, len};
        input->at += len;
        input->left -= len;
        return text;
}
