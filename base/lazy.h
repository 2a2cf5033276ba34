/**
 * @file base/lazy.h
 * @brief Libraries that are loaded when they are first used.
 *
 * libgit2 and libarchive bring some forty shared objects with them, which every start of a program
 * would have to load; few commands use them. OpenSSL's libcrypto has 21,000 relocations. The
 * headers are those of the build, so is the soname: a library of that name has these functions,
 * with these types.
 */
#pragma once

#include <pawl/base.h>
#include <pthread.h>
#include <stdbool.h>

/** One function, and where its pointer goes. */
typedef struct pawl__lazy_symbol {
        const char *name;
        size_t at; /**< offset in the table of pointers */
} pawl__lazy_symbol;

/** A library: one a process, static, and kept loaded until the process ends. */
typedef struct pawl__lazy {
        const char *soname; /**< "libgit2.so.1.5" */
        const char *name;   /**< "libgit2": what to install where it is missing */
        const pawl__lazy_symbol *symbols;
        size_t n;
        void *table;         /**< a struct of function pointers, filled by the first load */
        bool (*start)(void); /**< called once, after the table was filled; NULL: nothing to start */
        pthread_mutex_t lock;
        bool ready;
} pawl__lazy;

/** A row of a table of symbols, for X-macros: the field of @p type is called as the function. */
#define PAWL__LAZY_SYMBOL(type, name)                                                              \
        {                                                                                          \
#name, offsetof(type, name)                                                        \
        }
/** The field: a pointer to the function of that name, with the type that its header gives it. */
#define PAWL__LAZY_FIELD(name) __typeof__ (&(name))(name);

/**
 * Tells those who make packages, in the ELF file itself, what is loaded late and what for
 * (uapi-group.org, "ELF dlopen() metadata"). @p priority is "required", "recommended" or
 * "suggested". All of them are string literals.
 */
#define PAWL__LAZY_NOTE(feature, description, priority, soname)                                    \
        PAWL__LAZY_NOTE_OF("[{\"feature\":\"" feature "\",\"description\":\"" description          \
                           "\",\"priority\":\"" priority "\",\"soname\":[\"" soname "\"]}]")
#define PAWL__LAZY_NOTE_OF(json)                                                                   \
        __attribute__((used, section(".note.dlopen"), aligned(4))) static const struct {           \
                _Alignas(4) uint32_t owner_len, json_len, type;                                    \
                char owner[4];                                                                     \
                _Alignas(4) char text[sizeof(json)];                                               \
        } dlopen_note = {4, sizeof(json), 0x407c0c0a, "FDO", json}

/**
 * Load the library unless it is. From any thread. A load that failed is tried again by the next
 * call.
 * @return PAWL_ENOTFOUND where there is no such library, or it lacks a function: the message names
 *         the library; PAWL_ESTATE where it does not start; PAWL_ENOMEM.
 */
PAWL_MUST_CHECK pawl_status pawl__lazy_load(pawl__lazy *library, pawl_error *err);
