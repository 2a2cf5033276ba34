/**
 * @file document/document.h
 * @brief YAML and JSON files as one thing: a JSON tree that knows each value's line.
 *
 * Seeds and missions are read through here. YAML is read by the 1.2 core schema (yes, no, on and
 * dates are strings; true, null, 0x1F and 0o17 are not); what JSON has no form for (NaN, tags, keys
 * that are no strings, several documents, merge keys) is refused, as is whatever contract section 7
 * refuses: the YAML becomes JSON text and passes through the same strict reader. Aliases are
 * expanded, up to 64 MiB of text in all.
 */
#pragma once

#include "base/json_tree.h"
#include "document/yaml.h"

typedef struct pawl__document {
        char *path;     /**< as given, for messages */
        pawl__buf json; /**< the tree's text */
        pawl__json_tree tree;
        pawl__yaml_line *lines; /**< per node */
        unsigned char hash[32]; /**< SHA-256 of the file's bytes */
} pawl__document;

/** Read a file: JSON when its name ends in .json, else YAML. PAWL_ENOTFOUND, PAWL_EACCESS,
 * PAWL_EIO, PAWL_ETOOBIG, PAWL_EPARSE "PATH: line L, column C: ...". */
PAWL_MUST_CHECK pawl_status pawl__document_load(
        pawl__document *out, const char *path, pawl_error *err);
/** Only the hash of a file, refused where pawl__document_load() would not read it. */
PAWL_MUST_CHECK pawl_status pawl__document_hash(
        unsigned char hash[32], const char *path, pawl_error *err);
/** A document from memory; @p path names it in messages and decides JSON or YAML. */
PAWL_MUST_CHECK pawl_status pawl__document_parse(
        pawl__document *out, const char *path, const char *text, size_t len, pawl_error *err);
void pawl__document_free(pawl__document *document);

/** Let go of the tree and the lines. The text's bytes stay where they are. */
void pawl__document_drop_tree(pawl__document *document);
/** Read the tree again where it was dropped: it is as it was. The lines are not. PAWL_ENOMEM. */
PAWL_MUST_CHECK pawl_status pawl__document_reread(pawl__document *document, pawl_error *err);

/** The line of a value, from 1. */
uint32_t pawl__document_line(const pawl__document *document, pawl__node node);
/** The line of its name, where it is a member. */
uint32_t pawl__document_key_line(const pawl__document *document, pawl__node node);

/** A string, or a number, true or false whose JSON form is just what the file says: its text.
 * Absent for anything else, such as YAML's 007 or 0x1F, whose text is not in the tree any more. */
pawl_text pawl__document_word(const pawl__document *document, pawl__node node);

/** Fail at a node: "PATH: line L: WHAT". Returns PAWL_EPARSE. */
pawl_status pawl__document_fail(const pawl__document *document, pawl__node node, pawl_error *err,
        const char *format, ...) PAWL_PRINTF(4, 5);
