#include "service/mcp_headers.h"
#include "events/log.h"
#include <stdio.h>
#include <string.h>

void service_mcp_name_session(char out[160], const mcp_server *server, pawl_log *log)
{
        const pawl_sources *sources = pawl__log_sources(log);
        char id[37], seal[MCP_SEAL_LEN + 1];
        pawl_error err = PAWL_ERROR_INIT;

        sources->uuid(id, sources->user);
        snprintf(out, 160, "%s.%c.%s", id,
                !server->can_elicit   ? '-'
                : server->takes_names ? 'n'
                                      : 'e',
                server->actor);
        if (mcp_seal(seal, server, "session", pawl__text(out), pawl__text(""), &err)) {
                *out = '\0';
                return;
        }
        const size_t len = strlen(out);
        snprintf(out + len, 160 - len, ".%s", seal);
}

bool service_mcp_read_session(mcp_server *server, pawl_text id)
{
        char seal[MCP_SEAL_LEN + 1];
        pawl_error err = PAWL_ERROR_INIT;

        if (id.len < 46 + MCP_SEAL_LEN + 1 ||
                id.len > 36 + 3 + sizeof server->actor - 1 + MCP_SEAL_LEN + 1)
                return false;
        const pawl_text said = {id.data, id.len - MCP_SEAL_LEN - 1};
        if (mcp_seal(seal, server, "session", said, pawl__text(""), &err) ||
                said.data[said.len] != '.' || !mcp_seal_same(said.data + said.len + 1, seal))
                return false;
        server->takes_names = id.data[37] == 'n';
        server->can_elicit = server->takes_names || id.data[37] == 'e';
        snprintf(server->actor, sizeof server->actor, "%.*s", (int)(said.len - 39), said.data + 39);
        return true;
}

/* The value of Mcp-Name: what a call, a prompt or a reading is of. Absent: it has none. */
static pawl_text name_of(const pawl__json_tree *tree, pawl_text method)
{
        const pawl__node params = mcp_get(tree, 0, "params");

        if (pawl__text_is(method, "tools/call") || pawl__text_is(method, "prompts/get"))
                return pawl__json_get_text(tree, params, "name");
        if (pawl__text_is(method, "resources/read"))
                return pawl__json_get_text(tree, params, "uri");
        return (pawl_text){NULL, 0};
}

/* Is the header this value: as it is, or in base64, as =?base64?VALUE?= ? */
static bool header_is(pawl_text header, pawl_text value)
{
        static const char digits[] =
                "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        static const char begin[] = "=?base64?";
        const size_t before = sizeof begin - 1, groups = (value.len + 2) / 3;

        if (header.len < before || memcmp(header.data, begin, before) != 0)
                return header.data && pawl__text_eq(header, value);
        if (header.len != before + 4 * groups + 2 ||
                memcmp(header.data + header.len - 2, "?=", 2) != 0)
                return false;
        for (size_t i = 0; i < 4 * groups; i++) {
                const size_t at = i / 4 * 3; /* of the group's three bytes */
                uint32_t bits = 0;
                for (size_t k = at; k < at + 3; k++)
                        bits = bits << 8 | (k < value.len ? (unsigned char)value.data[k] : 0U);
                const char digit =
                        at + i % 4 > value.len ? '=' : digits[bits >> (18 - 6 * (i % 4)) & 63];
                if (header.data[before + i] != digit)
                        return false;
        }
        return true;
}

const char *service_mcp_check_headers(
        int *code, const service_request *request, const pawl__json_tree *tree, bool *modern)
{
        const pawl_text version = request->headers[SERVICE_MCP_VERSION],
                        method = request->headers[SERVICE_MCP_METHOD],
                        name = request->headers[SERVICE_MCP_NAME],
                        asked = pawl__json_get_text(tree, 0, "method");
        const pawl__node params = mcp_get(tree, 0, "params");
        const pawl_text meta = pawl__json_get_text(
                tree, mcp_get(tree, params, "_meta"), MCP_META "protocolVersion");

        *modern = mcp_is_modern(tree) || (version.data && pawl__text_is(version, mcp_modern));
        *code = MCP_HEADERS;
        if (!*modern) {
                *code = MCP_VERSION;
                return version.data && !mcp_speaks(version)
                               ? "MCP-Protocol-Version: is not spoken here"
                               : NULL;
        }
        if (!asked.data)
                return NULL;
        if (!version.data)
                return "MCP-Protocol-Version: is missing; send the version of params._meta";
        if (meta.data && !pawl__text_eq(version, meta))
                return "MCP-Protocol-Version: is not the version of params._meta; send the same";
        if (!method.data || !pawl__text_eq(method, asked))
                return "Mcp-Method: is not the method of the body; send the same";
        const pawl_text wanted = name_of(tree, asked);
        if (wanted.data && !header_is(name, wanted))
                return "Mcp-Name: is not the name of the body; send the same";
        return NULL;
}

unsigned service_mcp_status_of(int error, bool modern)
{
        switch (error) {
        case MCP_PARSE:
        case MCP_REQUEST:
        case MCP_VERSION:
        case MCP_HEADERS:
                return 400;
        case MCP_METHOD:
                return modern ? 404 : 200;
        default:
                return 200;
        }
}
