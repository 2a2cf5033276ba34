/**
 * @file service/api_argv.h
 * @brief A request of the resource API as an invocation of a command: its words, and its answer.
 */
#ifndef SERVICE_API_WORDS_H
#define SERVICE_API_WORDS_H

#include "base/json_tree.h"
#include "service/route.h"

#define SERVICE_WORDS_MAX 16

/** The words of one invocation. Texts from outside go in as "--option=TEXT", or after a "--". A
 *  failure is kept, and told by the answer. */
typedef struct service_argv {
        service_call *call;
        const char *command; /**< static */
        const char *at[SERVICE_WORDS_MAX];
        size_t n;
        const char *actor; /**< who does it; NULL: as the call says */
        pawl__arena arena;
        pawl_error err; /**< status PAWL_OK: none yet */
} service_argv;

/** Start with the command's name: "glossary list". */
void service_argv_begin(service_argv *words, service_call *call, const char *command);
/** A word that is ours. */
void service_argv_add(service_argv *words, const char *word);
/** "--NAME=VALUE"; nothing for the absent text. One that holds a NUL is refused. */
void service_argv_option(service_argv *words, const char *name, pawl_text value);
/** An argument, from outside: the first and last of the words, and one more. */
void service_argv_argument(service_argv *words, pawl_text value);
void service_argv_more(service_argv *words, pawl_text value);
/** A parameter of the query as the option of its name, if it was given. */
void service_argv_query(service_argv *words, const char *name);
/** The same of a number, @p least to @p most. */
void service_argv_number(
        service_argv *words, const char *name, const char *option, uint64_t least, uint64_t most);
/** A parameter of the query that is "1" or "0": the flag "--NAME" where it is 1. */
void service_argv_flag(service_argv *words, const char *name);

/** Run it. PAWL_OK: @p out is one JSON value, the caller's. The words are freed. */
PAWL_MUST_CHECK pawl_status service_argv_run(pawl__buf *out, service_argv *words, pawl_error *err);
/** Run it, and answer with what it printed, or with its failure. The words are freed. */
void service_argv_answer(service_answer *answer, service_argv *words);

/** The body of a request, one JSON object. */
typedef struct service_object {
        pawl__json_tree tree;
        pawl_error err; /**< the first thing that is wrong with it */
} service_object;

/** Read it; one with other members than @p known, by spaces, is refused. An empty body is {}. */
void service_object_read(service_object *object, const service_call *call, const char *known);
void service_object_free(service_object *object);
/** A member that is a string; the absent text: it is not there, or null. Anything else is refused.
 */
pawl_text service_object_text(service_object *object, const char *name);
/** A member that is a number from 1 up, as its digits. */
pawl_text service_object_number(service_object *object, const char *name);
/** A member that is true. */
bool service_object_true(service_object *object, const char *name);

#endif
