#include "command/json.h"
#include "base/error.h"
#include "base/json_read.h"
#include "base/unicode.h"
#include "command/printable.h"

pawl_status cli_print_json(const cli_call *cli, pawl__json_writer *w, pawl_error *err)
{
        pawl_status status = pawl__json_end_writer(w) ? pawl__nomem(err) : PAWL_OK;

        if (!status)
                cli_print_line(cli, pawl__buf_text(&w->buf));
        pawl__json_writer_free(w);
        return status;
}

void cli_print_line(const cli_call *cli, pawl_text line)
{
        fwrite(line.data, 1, line.len, cli->in->out);
        fputc('\n', cli->in->out);
}

/* A string's raw text between quotes, with whatever a terminal must not see as \u escapes. */
static pawl_status add_string(pawl__buf *out, pawl_text raw)
{
        pawl_status status = pawl__buf_addc(out, '"');
        size_t len;
        uint32_t c;

        for (size_t at = 0; !status && at < raw.len; at += len) {
                len = pawl__unicode_decode(&c, raw.data + at, raw.len - at);
                if (!pawl__unprintable(c))
                        status = pawl__buf_add(out, raw.data + at, len);
                else if (c < 0x10000)
                        status = pawl__buf_addf(out, "\\u%04x", (unsigned)c);
                else
                        status = pawl__buf_addf(out, "\\u%04x\\u%04x",
                                (unsigned)(0xd800 + ((c - 0x10000) >> 10)),
                                (unsigned)(0xdc00 + (c & 0x3ff)));
        }
        return status ? status : pawl__buf_addc(out, '"');
}

static pawl_status add_break(pawl__buf *out, unsigned depth)
{
        pawl_status status = pawl__buf_addc(out, '\n');

        for (unsigned i = 0; !status && i < depth; i++)
                status = pawl__buf_adds(out, "  ");
        return status;
}

/* What is before a token: a comma after a value, a new line inside a container that holds
 * something, nothing between a name and its value. */
struct layout {
        unsigned depth;
        bool fresh; /* the innermost container holds nothing yet */
        bool named; /* a name was just written */
};

static pawl_status lead_in(pawl__buf *out, const struct layout *at)
{
        if (at->named || at->depth == 0)
                return PAWL_OK;
        pawl_status status = at->fresh ? PAWL_OK : pawl__buf_addc(out, ',');
        return status ? status : add_break(out, at->depth);
}

static pawl_status add_token(
        pawl__buf *out, const pawl__json_token *token, struct layout *at, pawl__json_type opened)
{
        pawl_text raw = {token->raw, token->raw_len};
        pawl_status status = PAWL_OK;

        if (token->type == PAWL__JSON_END) {
                at->depth--;
                if (!at->fresh)
                        status = add_break(out, at->depth);
                at->fresh = false;
                return status ? status
                              : pawl__buf_addc(out, opened == PAWL__JSON_OBJECT ? '}' : ']');
        }
        status = lead_in(out, at);
        if (status)
                return status;
        at->fresh = at->named = false;
        switch (token->type) {
        case PAWL__JSON_NULL:
                return pawl__buf_adds(out, "null");
        case PAWL__JSON_FALSE:
                return pawl__buf_adds(out, "false");
        case PAWL__JSON_TRUE:
                return pawl__buf_adds(out, "true");
        case PAWL__JSON_NUMBER:
                return pawl__buf_add(out, raw.data, raw.len);
        case PAWL__JSON_STRING:
                return add_string(out, raw);
        case PAWL__JSON_NAME:
                at->named = true;
                status = add_string(out, raw);
                return status ? status : pawl__buf_adds(out, ": ");
        default:
                at->depth++;
                at->fresh = true;
                return pawl__buf_addc(out, token->type == PAWL__JSON_OBJECT ? '{' : '[');
        }
}

pawl_status cli_json_layout(pawl__buf *out, pawl_text json, pawl_error *err)
{
        pawl__json_type open[PAWL__JSON_DEPTH + 1] = {PAWL__JSON_NULL};
        struct layout at = {0, true, false};
        pawl__json_reader reader;
        pawl__json_token token;

        pawl__json_reader_init(&reader, json.data, json.len);
        for (;;) {
                pawl_status status = pawl__json_next(&reader, &token, err);
                if (status || token.type == PAWL__JSON_FINISHED)
                        return status;
                pawl__json_type opened =
                        token.type == PAWL__JSON_END ? open[at.depth] : PAWL__JSON_NULL;
                if (add_token(out, &token, &at, opened))
                        return pawl__nomem(err);
                if (token.type == PAWL__JSON_ARRAY || token.type == PAWL__JSON_OBJECT)
                        open[at.depth] = token.type;
        }
}
