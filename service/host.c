#include "service/host.h"
#include <arpa/inet.h>
#include <string.h>
#include <strings.h>

/* An address, of either kind. */
typedef struct address {
        int family; /* 0: none */
        unsigned char bytes[16];
        size_t len;
} address;

static address address_of(const char *text)
{
        address a = {.family = 0};

        if (inet_pton(AF_INET, text, a.bytes) == 1) {
                a.family = AF_INET;
                a.len = 4;
        } else if (inet_pton(AF_INET6, text, a.bytes) == 1) {
                static const unsigned char mapped[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
                a.family = AF_INET6;
                a.len = 16;
                if (memcmp(a.bytes, mapped, sizeof mapped) == 0) {
                        memmove(a.bytes, a.bytes + 12, 4);
                        a.family = AF_INET;
                        a.len = 4;
                }
        }
        return a;
}

static bool is_loopback(const address *a)
{
        static const unsigned char one[16] = {[15] = 1};

        return (a->family == AF_INET && a->bytes[0] == 127) ||
               (a->family == AF_INET6 && memcmp(a->bytes, one, sizeof one) == 0);
}

static bool is_wildcard(const address *a)
{
        static const unsigned char none[16] = {0};

        return a->family && memcmp(a->bytes, none, a->len) == 0;
}

/* A port, or -1. */
static int port_of(const char *text, size_t len)
{
        int port = 0;

        for (size_t i = 0; i < len; i++) {
                if (text[i] < '0' || text[i] > '9' || len > 5)
                        return -1;
                port = port * 10 + text[i] - '0';
        }
        return len > 0 && port <= 65535 ? port : -1;
}

/* The name in "NAME", "NAME:PORT", "[ADDR]" or "[ADDR]:PORT", without brackets; its port, or -1.
 * False: it is none of them. */
static bool split(char *name, size_t size, int *port, pawl_text text)
{
        const char *end, *start = text.data;
        size_t len;

        if (text.len == 0)
                return false;
        if (*start == '[') {
                start++;
                end = memchr(start, ']', text.len - 1);
                if (!end || !memchr(start, ':', (size_t)(end - start)))
                        return false;
                len = (size_t)(end - start);
                end++;
        } else {
                end = memchr(start, ':', text.len);
                if (!end)
                        end = start + text.len;
                len = (size_t)(end - start);
        }
        *port = -1;
        if (end < text.data + text.len) {
                *port = port_of(end + 1, (size_t)(text.data + text.len - end - 1));
                if (*end != ':' || *port < 0)
                        return false;
        }
        if (len == 0 || len >= size || memchr(start, '\0', len))
                return false;
        memcpy(name, start, len);
        name[len] = '\0';
        return true;
}

bool service_host_ours(const service_hosts *hosts, pawl_text host)
{
        char name[256];
        int port;

        if (!split(name, sizeof name, &port, host))
                return false;
        const address asked = address_of(name);
        if (asked.family) {
                const address ours = address_of(hosts->address);
                if (is_loopback(&asked) || is_wildcard(&ours))
                        return true;
                if (asked.family == ours.family && memcmp(asked.bytes, ours.bytes, ours.len) == 0)
                        return true;
        } else if (strcasecmp(name, "localhost") == 0) {
                return true;
        }
        for (size_t i = 0; i < hosts->n_names; i++)
                if (strcasecmp(name, hosts->names[i]) == 0)
                        return true;
        return false;
}

static bool same_letters(pawl_text a, pawl_text b)
{
        return a.len == b.len && strncasecmp(a.data, b.data, a.len) == 0;
}

bool service_origin_ours(const service_hosts *hosts, pawl_text origin, pawl_text host)
{
        static const char *const schemes[] = {"https://", "http://"};

        if (!host.data)
                return false;
        /* a name may be that of a proxy in front of us, which speaks TLS where we do not */
        for (size_t i = 0; i < (hosts->tls ? 1U : 2U); i++) {
                const size_t len = strlen(schemes[i]);
                if (origin.len > len && memcmp(origin.data, schemes[i], len) == 0 &&
                        same_letters(pawl__text_n(origin.data + len, origin.len - len), host))
                        return true;
        }
        return false;
}

bool service_listen_parse(char out[64], uint16_t *port, const char *listen)
{
        char name[64];
        int number;

        if (!split(name, sizeof name, &number, pawl__text(listen)) || number < 0)
                return false;
        if (strcasecmp(name, "localhost") == 0)
                strcpy(name, "127.0.0.1");
        if (!address_of(name).family)
                return false;
        memcpy(out, name, strlen(name) + 1);
        *port = (uint16_t)number;
        return true;
}

bool service_address_loopback(const char *text)
{
        const address a = address_of(text);

        return is_loopback(&a);
}
