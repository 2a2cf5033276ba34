/**
 * @file session/handoff_text.h
 * @brief A handoff document as people left it: what was understood, and the notes in it.
 */
#pragma once

#include "session/handoff.h"

/** A document is no longer than this, bytes. */
#define PAWL__HANDOFF_MAX ((size_t)1 << 20)

/** An item of a list, or a paragraph. */
typedef struct pawl__handoff_entry {
        pawl__section section;
        pawl_text heading; /**< the section's, as it is there; "" before the first one */
        pawl_text text;    /**< without bullet; its lines parted by '\n', without indent or "> " */
        bool ticked;       /**< it had "[x]" */
} pawl__handoff_entry;

/** Zero-initialised is empty. */
typedef struct pawl__handoff_text {
        pawl_text session_id; /**< of the title; absent: it has none */
        bool present[PAWL__SECTIONS];
        pawl__handoff_entry *list;
        size_t n, cap;
        pawl__arena arena; /**< all texts */
} pawl__handoff_text;

/** Read a document: sections in any order, any bullets, whatever else people do to a text. Valid
 *  UTF-8 is understood somehow. PAWL_ENOMEM. */
PAWL_MUST_CHECK pawl_status pawl__handoff_read(
        pawl__handoff_text *out, pawl_text text, pawl_error *err);
/** The same of any bytes. PAWL_EPARSE for what is no text: not UTF-8, a NUL byte, more than
 *  PAWL__HANDOFF_MAX. @p name is for messages. */
PAWL_MUST_CHECK pawl_status pawl__handoff_parse(
        pawl__handoff_text *out, const char *name, const char *data, size_t len, pawl_error *err);
/** A file, as pawl__handoff_parse(). PAWL_ENOTFOUND when there is none. */
PAWL_MUST_CHECK pawl_status pawl__handoff_load(
        pawl__handoff_text *out, const char *path, pawl_error *err);
void pawl__handoff_text_free(pawl__handoff_text *text);
/** As members of an object that is open: session_id and sections. @p fresh: whether each entry is
 *  new; NULL: not said. */
void pawl__handoff_text_json(
        pawl__json_writer *w, const pawl__handoff_text *text, const bool *fresh);

/** What people wrote into a document. Texts lie in the arena that was given. */
typedef struct pawl__edits {
        pawl__notes in_force; /**< of the mission, as the log has them */
        bool *is_done;        /**< of each in force: it was ticked off */
        pawl__notes fresh;    /**< new ones, in the order of the document */
        size_t *entry;        /**< of each new one: which entry of the document it was */
        size_t n_done;
} pawl__edits;

/**
 * The notes of a document that are neither in force nor were done since.
 * @param session  whose document it is; NULL: nobody's.
 */
PAWL_MUST_CHECK pawl_status pawl__handoff_edits(pawl__edits *out, const pawl__handoff_text *text,
        pawl_log *log, pawl__state *state, const pawl__row *session, pawl_text mission_id,
        pawl__arena *arena, pawl_error *err);

/** The session that a document is of: the title's, or else the latest of that mission (absent: of
 *  any). PAWL_ENOTFOUND. */
PAWL_MUST_CHECK pawl_status pawl__handoff_session(pawl__row *session,
        const pawl__handoff_text *text, pawl__state *state, pawl_text mission_id,
        pawl__arena *arena, pawl_error *err);

/** The first line of @p text without its end (LF, CRLF or CR), which @p len counts too. */
pawl_text pawl__first_line(pawl_text text, size_t *len);

/** Append @p text with every run of white space made one space, and none at its ends. */
void pawl__collapse(pawl__buf *out, pawl_text text);
