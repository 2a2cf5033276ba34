#include "events/address.h"
#include "base/ids.h"
#include <stdlib.h>

static int hex_digit(char c)
{
        if (c >= '0' && c <= '9')
                return c - '0';
        if (c >= 'a' && c <= 'f')
                return c - 'a' + 10;
        return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* Percent-decoded, malloc'd. False: it is malformed, or memory ran out. */
static bool decode(char **out, const char *text, size_t len)
{
        char *decoded = malloc(len + 1);
        size_t n = 0;

        *out = decoded;
        for (size_t i = 0; decoded && i < len; i++) {
                if (text[i] != '%') {
                        decoded[n++] = text[i];
                        continue;
                }
                const int high = len - i > 2 ? hex_digit(text[i + 1]) : -1;
                const int low = high < 0 ? -1 : hex_digit(text[i + 2]);
                if (low < 0 || high + low == 0)
                        return false;
                decoded[n++] = (char)(high << 4 | low);
                i += 2;
        }
        if (decoded)
                decoded[n] = '\0';
        return decoded != NULL;
}

static pawl_status malformed(pawl_error *err, const char *what)
{
        return pawl__fail(err, PAWL_EINVAL,
                "the log's URL: %s; write postgresql://USER@HOST/DATABASE#LOG", what);
}

static bool keep_secret(pawl__address *address, char *secret)
{
        if (!secret || !*secret || address->n_secrets == PAWL__SECRETS) {
                const bool ok = secret && !*secret;
                free(secret);
                return ok;
        }
        address->secret[address->n_secrets++] = secret;
        return true;
}

/* As it is written, and as it is meant. */
static bool keep_secrets(pawl__address *address, const char *text, size_t len)
{
        char *plain = NULL;

        if (decode(&plain, text, len))
                return keep_secret(address, plain) && keep_secret(address, strndup(text, len));
        free(plain);
        return false;
}

static bool is_secret(const char *key, size_t len)
{
        static const char *const secret[] = {"password", "sslpassword", "oauth_client_secret",
                "scram_client_key", "scram_server_key"};
        char *plain = NULL;
        bool found = !decode(&plain, key, len);

        for (size_t i = 0; !found && i < sizeof secret / sizeof secret[0]; i++)
                found = strcmp(plain, secret[i]) == 0;
        free(plain);
        return found;
}

/* "?key=value&..." without secrets. */
static bool take_options(pawl__address *address, pawl__buf *shown, const char *options, size_t len)
{
        bool ok = true, first = true;

        for (size_t at = 1; at < len && ok;) {
                const char *option = options + at;
                const char *end = memchr(option, '&', len - at);
                const size_t n = end ? (size_t)(end - option) : len - at;
                const char *equals = memchr(option, '=', n);
                const size_t key = equals ? (size_t)(equals - option) : n;

                at += n + 1;
                if (equals && is_secret(option, key)) {
                        ok = keep_secrets(address, equals + 1, n - key - 1);
                        continue;
                }
                pawl__buf_addc(shown, first ? '?' : '&');
                pawl__buf_add(shown, option, n);
                first = false;
        }
        return ok;
}

/* What libpq takes for user and password ends at the first @, unless a / comes first. One that
 * comes later belongs to a password that nobody encoded, and libpq would show parts of it. */
static pawl_status take_server(
        pawl__address *address, pawl__buf *shown, const char *url, size_t len, pawl_error *err)
{
        const char *after = strstr(url, "://") + 3;
        const char *options = memchr(after, '?', (size_t)(url + len - after));
        const char *end = options ? options : url + len;
        const char *at = memchr(after, '@', (size_t)(end - after));
        const char *slash = memchr(after, '/', (size_t)(end - after));
        bool ok = true;

        if (at && ((slash && slash < at) || memchr(at + 1, '@', (size_t)(end - at - 1))))
                return malformed(err, "an @ or / in a password is written as %40 or %2F");
        const char *colon = at ? memchr(after, ':', (size_t)(at - after)) : NULL;
        if (colon) {
                pawl__buf_add(shown, url, (size_t)(colon - url));
                ok = keep_secrets(address, colon + 1, (size_t)(at - colon - 1));
        }
        pawl__buf_add(shown, colon ? at : url, (size_t)(end - (colon ? at : url)));
        if (ok && options)
                ok = take_options(address, shown, options, (size_t)(url + len - options));
        return ok ? PAWL_OK : malformed(err, "a password in it is not percent-encoded");
}

pawl_status pawl__address_parse(pawl__address *out, const char *url, pawl_error *err)
{
        pawl__buf shown = PAWL__BUF_INIT;
        const char *hash = strchr(url, '#');
        const size_t len = hash ? (size_t)(hash - url) : strlen(url);

        memset(out, 0, sizeof *out);
        if (strncmp(url, "postgresql://", 13) != 0 && strncmp(url, "postgres://", 11) != 0)
                return malformed(err, "is not a PostgreSQL server's");
        pawl_status status = take_server(out, &shown, url, len, err);
        if (!status && hash)
                pawl__buf_adds(&shown, hash);
        if (!status && hash && hash[1] && !decode(&out->log, hash + 1, strlen(hash + 1)))
                status = malformed(err, "the log's name behind # is not percent-encoded");
        if (!status && !out->log)
                out->log = strdup(PAWL__LOG_NAME_DEFAULT);
        out->server = strndup(url, len);
        out->shown = pawl__buf_take(&shown, NULL);
        pawl__buf_free(&shown);
        if (!status && (!out->server || !out->log || !out->shown))
                return pawl__nomem(err);
        return status ? status : pawl__id_check(pawl__text(out->log), "the log's name", err);
}

void pawl__address_free(pawl__address *address)
{
        for (size_t i = 0; i < address->n_secrets; i++) {
                explicit_bzero(address->secret[i], strlen(address->secret[i]));
                free(address->secret[i]);
        }
        if (address->server)
                explicit_bzero(address->server, strlen(address->server));
        free(address->server);
        free(address->log);
        free(address->shown);
        memset(address, 0, sizeof *address);
}

void pawl__address_strike(const pawl__address *address, char *message)
{
        for (size_t i = 0; i < address->n_secrets; i++) {
                const size_t len = strlen(address->secret[i]);
                for (char *at = message; (at = strstr(at, address->secret[i])) != NULL;) {
                        const size_t stars = len < 3 ? len : 3;
                        memset(at, '*', stars);
                        memmove(at + stars, at + len, strlen(at + len) + 1);
                        at += stars;
                }
        }
}
