/**
 * @file pawl/base.h
 * @brief What every other header depends on: status, error, text, sources of time and ids, and the
 *        canonical form and hash of JSON.
 *
 * Threads: every function here may be called from any thread.
 * Ownership: an out parameter that is allocated says so, and is freed with pawl_free().
 */
#ifndef PAWL_BASE_H
#define PAWL_BASE_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define PAWL_EXTERN       __attribute__((visibility("default")))
#define PAWL_MUST_CHECK   __attribute__((warn_unused_result))
#define PAWL_PRINTF(f, a) __attribute__((format(printf, f, a)))
#else
#define PAWL_EXTERN
#define PAWL_MUST_CHECK
#define PAWL_PRINTF(f, a)
#endif

#ifdef __cplusplus
extern "C" {
#endif

/**
 * What a call came to: zero is success, verdicts are positive, failures negative. A number, once
 * given, is never reused.
 */
typedef enum pawl_status {
        PAWL_OK = 0,
        PAWL_DONE = 1,        /**< An iterator has nothing more; a step or run was done before. */
        PAWL_BLOCKED = 2,     /**< The gate holds generation; nothing was lost. */
        PAWL_JUMP = 3,        /**< A layer's verdict: go on at the context's cursor. */
        PAWL_ENOMEM = -1,     /**< Out of memory. */
        PAWL_EINVAL = -2,     /**< A value from outside is not of its form (an id, an option). */
        PAWL_EPARSE = -3,     /**< A text is refused; the message has line and column. */
        PAWL_ENOTFOUND = -4,  /**< There is no such file, token, run, conflict or member. */
        PAWL_EIO = -5,        /**< Reading or writing failed. */
        PAWL_EFULL = -6,      /**< The disk, or the log's size limit, is full. */
        PAWL_EBUSY = -7,      /**< The log stayed locked for longer than busy_ms. */
        PAWL_EHELD = -8,      /**< Another live process holds the run. */
        PAWL_EFENCED = -9,    /**< A newer claim on the run exists: this owner is a former one. */
        PAWL_EINPUTS = -10,   /**< The inputs changed since the checkpoint and nobody confirmed. */
        PAWL_EDAMAGED = -11,  /**< The log or a checkpoint does not verify. */
        PAWL_ENEWER = -12,    /**< The log was written by a newer schema. */
        PAWL_EFORMAT = -13,   /**< The file is not a Pawl log. */
        PAWL_EREADONLY = -14, /**< The log, or its directory, cannot be written. */
        PAWL_EEXISTS = -15,   /**< It is there already (a run id, an answer to a conflict). */
        PAWL_ESTEP = -16,     /**< A step's command failed. */
        PAWL_EINTERRUPTED = -17, /**< A signal ended the run. */
        PAWL_ETOOBIG = -18,      /**< A stated limit is exceeded. */
        PAWL_EACCESS = -19,      /**< Permission denied. */
        PAWL_ESTATE = -20,       /**< The call does not fit what came before it. */
        PAWL_EKEY = -21          /**< The log's key was not given, is another, or there is none. */
} pawl_status;

/** The status's name, such as "PAWL_EINPUTS"; "unknown status" for any other number. Static. */
PAWL_EXTERN const char *pawl_status_name(pawl_status status);

/** Room for any message, its closing NUL included. A longer one is cut at a character. */
#define PAWL_ERROR_MAX 512

/** Why a call failed: one line, "WHERE: WHAT; REMEDY". Untouched by calls that succeed. */
typedef struct pawl_error {
        pawl_status status;
        char message[PAWL_ERROR_MAX];
} pawl_error;

#define PAWL_ERROR_INIT                                                                            \
        {                                                                                          \
                PAWL_OK, ""                                                                        \
        }

/** Bytes with their length, in UTF-8 where they are text; need not end in NUL. data NULL: absent.
 */
typedef struct pawl_text {
        const char *data;
        size_t len; /**< bytes */
} pawl_text;

/** Where time and ids come from. Any member may be NULL: then the system's own is used. */
typedef struct pawl_sources {
        int64_t (*wall_us)(void *user);         /**< microseconds since 1970-01-01 UTC */
        int64_t (*boot_ms)(void *user);         /**< milliseconds by a clock that never steps */
        void (*uuid)(char out[37], void *user); /**< a fresh UUID, lower case, with its NUL */
        void *user;
} pawl_sources;

/** The library's version, such as "0.1.0". Static. */
PAWL_EXTERN const char *pawl_version(void);

/** Free what a function of this library allocated for its caller. NULL is allowed. */
PAWL_EXTERN void pawl_free(void *memory);

/**
 * The canonical form of a JSON text by RFC 8785 (JCS), with two rules where that leaves JSON
 * outside I-JSON undefined: an integer literal beyond +-(2^53-1) keeps every digit, and whatever
 * could be read in two ways is refused (duplicate names, invalid UTF-8, lone surrogates, numbers
 * that overflow a double, nesting deeper than 512, anything that RFC 8259 refuses).
 *
 * @param[out] out      the canonical text, ended by a NUL that out_len does not count; the
 *                      caller's, freed with pawl_free().
 * @return PAWL_EPARSE with line, column and what to do; PAWL_ENOMEM; PAWL_ETOOBIG from 4 GiB on.
 */
PAWL_EXTERN PAWL_MUST_CHECK pawl_status pawl_json_canonical(
        char **out, size_t *out_len, const char *text, size_t len, pawl_error *err);

/** The input hash: SHA-256 over the canonical form, as 64 lower-case hex digits and a NUL. */
PAWL_EXTERN PAWL_MUST_CHECK pawl_status pawl_json_hash(
        char out_hex[65], const char *text, size_t len, pawl_error *err);

#ifdef __cplusplus
}
#endif

#endif
