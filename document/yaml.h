/**
 * @file document/yaml.h
 * @brief YAML as JSON text, with the line of each value.
 */
#pragma once

#include "base/text.h"

#define PAWL__DOCUMENT_MAX   ((size_t)64 << 20) /* bytes of a file, and of its JSON text */
#define PAWL__YAML_REWRITTEN (UINT32_C(1) << 31)

/** Where a value is, from 1. */
typedef struct pawl__yaml_line {
        uint32_t value;
        uint32_t key; /**< of its name, where it is a mapping's member */
} pawl__yaml_line;

/**
 * Append @p text, one YAML document, to @p json as JSON text that the strict reader takes.
 *
 * @param[out] lines    the lines of each value in document order, the order of a JSON tree's nodes;
 * values that an alias repeats have the lines they were written on. A number or word whose JSON
 * form differs from what the file says has PAWL__YAML_REWRITTEN set in its line. free().
 * @param[out] n_lines  how many.
 * @return PAWL_EPARSE "line L, column C: ..."; PAWL_ETOOBIG naming the line of the alias that makes
 *         more than 64 MiB of JSON text; PAWL_ENOMEM. On failure @p json is as it was.
 */
PAWL_MUST_CHECK pawl_status pawl__yaml_to_json(pawl__buf *json, pawl__yaml_line **lines,
        size_t *n_lines, const char *text, size_t len, pawl_error *err);

/**
 * Refuse what libyaml would read in another way than YAML 1.2 does, or with a part of it lost: a
 * text that is not UTF-8, and the line breaks of YAML 1.1 that 1.2 has no more. PAWL_EPARSE as
 * above.
 */
PAWL_MUST_CHECK pawl_status pawl__yaml_check_text(const char *text, size_t len, pawl_error *err);

/** What a scalar can be by the core schema (YAML 1.2.2, section 10.3.2). */
typedef enum pawl__yaml_kind {
        PAWL__YAML_STRING,
        PAWL__YAML_NULL,
        PAWL__YAML_BOOL,
        PAWL__YAML_INT,
        PAWL__YAML_FLOAT,
        PAWL__YAML_NOT_FINITE /**< .inf, .nan: JSON cannot say it */
} pawl__yaml_kind;

/** What a scalar is. @p plain: unquoted; @p tag: the whole tag, NULL without one. False: a tag that
 *  is not YAML's own, or that the scalar does not fit. */
bool pawl__yaml_kind_of(pawl__yaml_kind *kind, pawl_text scalar, bool plain, const char *tag);

/**
 * Append the JSON literal of a scalar of any kind but the first and the last. Integers keep every
 * digit. PAWL_EPARSE, without a message, for one that is out of range: a float beyond a double, 0x
 * and 0o beyond 1,024 bits.
 */
PAWL_MUST_CHECK pawl_status pawl__yaml_literal(
        pawl__buf *json, pawl__yaml_kind kind, pawl_text scalar);

/** What a message shows of a key: the key, if it is a name of letters, digits, `_`, `-` and `.`.
 *  Else it may be a line of a file that was taken for another, and is not shown. */
pawl_text pawl__yaml_shown_key(pawl_text key);
