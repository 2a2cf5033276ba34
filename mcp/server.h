/**
 * @file mcp/server.h
 * @brief A Model Context Protocol server: messages in, messages out, whatever carries them.
 *
 * Two eras of the protocol are spoken at once: with a handshake (to 2025-11-25), and without one
 * (2026-07-28), where each request says its version and what its client can do.
 *
 * Calls that start programs (run, resume) are processes of their own; the others are answered
 * before mcp_handle() returns. Threads: one at a time.
 * Source: modelcontextprotocol.io/specification, revisions 2025-11-25 and 2026-07-28.
 */
#pragma once

#include "mcp/pages.h"

/** The most bytes of a message. */
#define MCP_MESSAGE_MAX ((size_t)16 << 20)

typedef struct mcp_run mcp_run;                   /* mcp/run.h */
typedef struct mcp_subscription mcp_subscription; /* mcp/subscriptions.h */

typedef struct mcp_server mcp_server;
typedef struct mcp_request mcp_request;

/** Methods beside those of the server. */
typedef struct mcp_more {
        /** Take a request, before the server does; false: it is not one of these. Where it asks the
         *  client something before it answers, server->waits is the request's id until then. */
        bool (*take)(mcp_server *server, const mcp_request *request, pawl_text method);
        /** What the client said to that. */
        void (*answered)(mcp_server *server, const pawl__json_tree *tree);
} mcp_more;

struct mcp_server {
        const cli_registry *registry;
        mcp_log log;
        /** Sends one message, a line without its newline. */
        void (*send)(pawl_text message, void *user);
        void *send_user;

        char actor[80];     /**< "agent:NAME", by what the client of the handshake calls itself */
        bool modern;        /**< the carrier says that messages come without a handshake */
        const char *person; /**< whom a client that can elicit asks: "user:ana" */
        unsigned char key[32]; /**< which seals what clients are given to bring back */
        mcp_pages *pages;      /**< borrowed; NULL: nothing is kept */
        const char *tools;     /**< which tools are listed: mcp_tools_write() */
        bool can_elicit;       /**< that client can put questions to the person ... */
        bool takes_names;      /**< ... as those of 2025-06-18 do */
        mcp_run *runs;
        mcp_subscription *subscriptions;
        unsigned last_request; /**< the number of the last request of ours ... */
        char prefix[40];      /**< ... and what its id has before that, where several servers ask */
        const mcp_more *more; /**< NULL: none */
        char waits[64];       /**< see mcp_more; empty: nothing does */
        int error;            /**< the code of the last error that was sent; 0: none was */
};

/** A request of the client's. Texts live as long as the tree. */
struct mcp_request {
        const pawl__json_tree *tree;
        pawl__node params; /**< PAWL__NO_NODE: there are none */
        pawl_text id;      /**< JSON; absent: a notification */
        bool modern;       /**< without a handshake */
        bool can_elicit;
        const char *actor;
};

/** Take one message. What goes wrong is answered. */
void mcp_handle(mcp_server *server, pawl_text message);
/** The same of a message that was read. */
void mcp_handle_tree(mcp_server *server, const pawl__json_tree *tree);
/** Is it of the era without a handshake? */
bool mcp_is_modern(const pawl__json_tree *tree);
/** The newest version that is spoken there. */
extern const char mcp_modern[];
/** Is the version spoken? */
bool mcp_speaks(pawl_text version);
/** Answer a message that was too long to be taken. */
void mcp_refuse_long(mcp_server *server);
/** Look after processes and subscriptions. The milliseconds until it is due again; -1: it waits for
 *  messages alone. */
int mcp_tick(mcp_server *server);
/** End the processes, and free what the server holds. */
void mcp_stop(mcp_server *server);

/* ---- For the parts of the server ------------------------------------------------------------- */

enum {
        MCP_PARSE = -32700,
        MCP_REQUEST = -32600,
        MCP_METHOD = -32601,
        MCP_PARAMS = -32602,
        MCP_INTERNAL = -32603,
        MCP_HEADERS = -32020,
        MCP_VERSION = -32022
};

/** Begin a message with a result: an object is open, and in it `result`, with what every result of
 *  the request's era has. */
void mcp_begin_result(pawl__json_writer *w, const mcp_request *request);
/** End and send it. */
void mcp_send_result(mcp_server *server, pawl__json_writer *w);
/** Begin a notification, or with @p id a request of ours: an object is open, and in it `params`. */
void mcp_begin_message(pawl__json_writer *w, const char *method, const char *id);
void mcp_send_error(mcp_server *server, pawl_text id, int code, const char *message);
/** Begin one: an object is open, and in it `error`, for its `data`. */
void mcp_open_error(pawl__json_writer *w, pawl_text id, int code, const char *message);
/** The member @p name that says which server this is. */
void mcp_write_server_info(pawl__json_writer *w, const char *name);
/** What is complete says so, since 2026-07-28; what may be kept, for how long. */
void mcp_complete(pawl__json_writer *w, const mcp_request *request);
void mcp_cacheable(pawl__json_writer *w, const mcp_request *request, int64_t ms);
/** The members of params._meta that name a version. */
#define MCP_META "io.modelcontextprotocol/"

#define MCP_SEAL_LEN 32
/** Seal two texts for a purpose, in hex: nobody without the server's key can make another.
 *  PAWL_ENOTFOUND (without OpenSSL), PAWL_ENOMEM. */
PAWL_MUST_CHECK pawl_status mcp_seal(char out[MCP_SEAL_LEN + 1], const mcp_server *server,
        const char *purpose, pawl_text a, pawl_text b, pawl_error *err);
/** Are both the same? Takes the same time wherever they differ. */
bool mcp_seal_same(const char a[MCP_SEAL_LEN], const char b[MCP_SEAL_LEN]);

/** Cut the page of a result that the turn wants. @p next gets the text that leads to the page after
 *  it, and the output is then kept; a page that is an object has it as a member, too. @p twice: the
 *  page is sent as JSON and as text. As mcp_page_cut(). */
PAWL_MUST_CHECK pawl_status mcp_result_page(mcp_page *page, pawl__buf *next, mcp_server *server,
        const mcp_request *request, const mcp_outcome *outcome, mcp_turn *turn, bool twice,
        pawl_error *err);
/** Send a tool's result, or the page of it that the turn wants: content, structuredContent,
 *  isError, next. */
void mcp_send_outcome(
        mcp_server *server, const mcp_request *request, const mcp_outcome *outcome, mcp_turn *turn);

/** tools/call and resources/read (mcp/call.c). */
void mcp_tools_call(mcp_server *server, const mcp_request *request);
void mcp_resources_read(mcp_server *server, const mcp_request *request);
/** Send the error of a resource that cannot be read. */
void mcp_refuse_resource(
        mcp_server *server, const mcp_request *request, pawl_text uri, const pawl_error *err);

/* ---- Resources: each is what a command prints --------------------------------------------------
 */

/** Write {"resources": [...]} or {"resourceTemplates": [...]} as members of an object. */
void mcp_resources_write(pawl__json_writer *w);
void mcp_resource_templates_write(pawl__json_writer *w);

/** Read one. PAWL_ENOTFOUND: there is no such resource, or its command failed.
 *  @param[out] type  its media type. */
PAWL_MUST_CHECK pawl_status mcp_resource_read(pawl__buf *text, const char **type, pawl_text uri,
        mcp_log *log, const cli_registry *registry, pawl_error *err);

/* ---- Prompts (mcp/prompts.c): to hand off, and to resolve conflicts -----------------------------
 */

/** Write {"prompts": [...]} as members of an object. */
void mcp_prompts_write(pawl__json_writer *w);
/** Write {"description", "messages"} of the prompt that the request names. PAWL_ENOTFOUND. */
PAWL_MUST_CHECK pawl_status mcp_prompt_write(
        pawl__json_writer *w, mcp_server *server, const mcp_request *request, pawl_error *err);
