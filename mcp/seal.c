#include "base/digest.h"
#include "base/error.h"
#include "base/mac.h"
#include "mcp/server.h"

pawl_status mcp_seal(char out[MCP_SEAL_LEN + 1], const mcp_server *server, const char *purpose,
        pawl_text a, pawl_text b, pawl_error *err)
{
        unsigned char code[PAWL__MAC_LEN];
        pawl__buf text = PAWL__BUF_INIT;
        pawl__mac *mac;

        /* of texts without a NUL: clients' names and ids */
        pawl__buf_add(&text, purpose, strlen(purpose) + 1);
        pawl__buf_add_text(&text, a);
        pawl__buf_add(&text, "", 1);
        pawl__buf_add_text(&text, b);
        pawl_status status = pawl__buf_check(&text, err);
        if (!status)
                status = pawl__mac_new(&mac, server->key, sizeof server->key, err);
        if (!status) {
                status = pawl__mac_of(mac, code, text.data, text.len);
                pawl__mac_free(mac);
        }
        if (!status)
                pawl__hex(out, code, MCP_SEAL_LEN / 2);
        pawl__buf_free(&text);
        return status;
}

bool mcp_seal_same(const char a[MCP_SEAL_LEN], const char b[MCP_SEAL_LEN])
{
        unsigned char differs = 0;

        for (size_t i = 0; i < MCP_SEAL_LEN; i++)
                differs |= (unsigned char)(a[i] ^ b[i]);
        return !differs;
}
