/**
 * @file base/json_write.h
 * @brief Building JSON text: what the project itself writes (payloads, --json, export).
 *
 * The writer adds commas and colons. Members are written in the order given. An append makes every
 * payload canonical; one whose members are written in the order of their names is so already, and
 * is only checked. A failed allocation is kept in the buffer, so that only pawl__json_end_writer()
 * need be checked.
 */
#pragma once

#include "base/json_tree.h"
#include "base/text.h"

typedef struct pawl__json_writer {
        pawl__buf buf;
        unsigned depth;
        bool need_comma, after_name;
} pawl__json_writer;

#define PAWL__JSON_WRITER_INIT                                                                     \
        {                                                                                          \
                PAWL__BUF_INIT, 0, false, false                                                    \
        }

void pawl__json_open_object(pawl__json_writer *w);
void pawl__json_close_object(pawl__json_writer *w);
void pawl__json_open_array(pawl__json_writer *w);
void pawl__json_close_array(pawl__json_writer *w);
void pawl__json_name(pawl__json_writer *w, const char *name);
void pawl__json_name_text(pawl__json_writer *w, pawl_text name);
/** A string; the absent text writes null. Must be valid UTF-8. */
void pawl__json_text(pawl__json_writer *w, pawl_text text);
void pawl__json_string(pawl__json_writer *w, const char *string);
void pawl__json_integer(pawl__json_writer *w, int64_t value);
void pawl__json_number(pawl__json_writer *w, double value);
void pawl__json_bool(pawl__json_writer *w, bool value);
void pawl__json_null(pawl__json_writer *w);
/** JSON text as it is; it must be one value. */
void pawl__json_raw(pawl__json_writer *w, pawl_text json);

/** A node of a tree, unchanged. */
void pawl__json_node_value(pawl__json_writer *w, const pawl__json_node *node);

/** A name and its value. The name needs no escape. */
void pawl__json_member_text(pawl__json_writer *w, const char *name, pawl_text text);
void pawl__json_member_string(pawl__json_writer *w, const char *name, const char *string);
/** 32 bytes as 64 hex digits. */
void pawl__json_member_hash(pawl__json_writer *w, const char *name, const unsigned char hash[32]);
void pawl__json_member_integer(pawl__json_writer *w, const char *name, int64_t value);
void pawl__json_member_number(pawl__json_writer *w, const char *name, double value);
void pawl__json_member_bool(pawl__json_writer *w, const char *name, bool value);
void pawl__json_member_raw(pawl__json_writer *w, const char *name, pawl_text json);

/** PAWL_ENOMEM if any call ran out of memory; every container must be closed. */
PAWL_MUST_CHECK pawl_status pawl__json_end_writer(pawl__json_writer *w);
void pawl__json_writer_free(pawl__json_writer *w);

/** Append @p text as a JSON string with RFC 8785's escapes, quotes included. */
pawl_status pawl__json_quote(pawl__buf *out, pawl_text text);
/** The text of a node that is no string; absent: it is one, which is kept decoded. */
pawl_text pawl__json_literal(const pawl__json_node *node);
/** Append the text of a node of a tree. */
void pawl__json_node_text(pawl__buf *out, const pawl__json_node *node);
