#include "events/note.h"
#include "base/error.h"
#include "base/text.h"
#include "base/unicode.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { ED25519 = 1, ID_LEN = 4 };

/* ---- Keys ------------------------------------------------------------------------------------ */

static pawl_status key_id(unsigned char out[ID_LEN], pawl_text name,
        const unsigned char public_key[32], pawl_error *err)
{
        pawl__buf text = PAWL__BUF_INIT;
        unsigned char hash[PAWL__HASH_LEN];

        pawl__buf_add_text(&text, name);
        pawl__buf_addc(&text, '\n');
        pawl__buf_addc(&text, ED25519);
        pawl__buf_add(&text, (const char *)public_key, 32);
        pawl_status status = pawl__buf_check(&text, err);
        if (!status)
                status = pawl__sha256(NULL, hash, text.data, text.len, err);
        if (!status)
                memcpy(out, hash, ID_LEN);
        pawl__buf_free(&text);
        return status;
}

/* What is in front of the next "+", which is passed. */
static pawl_text next_field(pawl_text *rest)
{
        const char *plus = rest->len ? memchr(rest->data, '+', rest->len) : NULL;
        const pawl_text field =
                pawl__text_n(rest->data, plus ? (size_t)(plus - rest->data) : rest->len);
        const size_t passed = plus ? field.len + 1 : field.len;

        *rest = pawl__text_n(rest->data + passed, rest->len - passed);
        return field;
}

static pawl_status read_named(pawl__note_key *out, pawl_text rest, pawl_error *err)
{
        static const char wrong[] =
                "not \"PRIVATE+KEY+NAME+ID+BASE64\" of an Ed25519 key whose ID is "
                "that of its name; give the whole line, or PEM";
        unsigned char bytes[33], id[ID_LEN];
        char hex[2 * ID_LEN + 1];
        bool good;
        const pawl_text name = next_field(&rest), shown = next_field(&rest);

        if (pawl__note_check_origin(name, NULL))
                return pawl__fail(err, PAWL_EPARSE, "%s", wrong);
        pawl_status status = pawl__base64_read(&good, bytes, sizeof bytes, rest, err);
        if (!status && (!good || bytes[0] != ED25519))
                status = pawl__fail(err, PAWL_EPARSE, "%s", wrong);
        if (!status)
                status = pawl__signer_seed(&out->signer, bytes + 1, err);
        if (!status)
                status = key_id(id, name, out->signer.public_key, err);
        if (!status) {
                pawl__hex(hex, id, sizeof id);
                if (!pawl__text_is(shown, hex))
                        status = pawl__fail(err, PAWL_EPARSE, "%s", wrong);
        }
        out->name = name;
        if (status)
                pawl__note_key_free(out);
        return status;
}

pawl_status pawl__note_key_read(pawl__note_key *out, pawl_text text, pawl_error *err)
{
        static const char named[] = "PRIVATE+KEY+";
        const size_t len = sizeof named - 1;

        *out = (pawl__note_key){0};
        if (text.len <= len || memcmp(text.data, named, len) != 0)
                return pawl__signer_pem(&out->signer, text, err);
        while (text.len && strchr("\r\n ", text.data[text.len - 1]))
                text.len--;
        return read_named(out, pawl__text_n(text.data + len, text.len - len), err);
}

void pawl__note_key_free(pawl__note_key *key)
{
        pawl__signer_free(&key->signer);
}

static pawl_text name_of(const pawl__note_key *key, pawl_text origin)
{
        return key->name.data ? key->name : origin;
}

pawl_status pawl__note_verifier(
        pawl__buf *out, const pawl__note_key *key, pawl_text origin, pawl_error *err)
{
        const pawl_text name = name_of(key, origin);
        unsigned char bytes[33] = {ED25519}, id[ID_LEN];
        char hex[2 * ID_LEN + 1];
        pawl_status status = key_id(id, name, key->signer.public_key, err);

        if (status)
                return status;
        memcpy(bytes + 1, key->signer.public_key, 32);
        pawl__hex(hex, id, sizeof id);
        pawl__buf_add_text(out, name);
        if (pawl__buf_addf(out, "+%s+", hex))
                return pawl__nomem(err);
        status = pawl__base64_add(out, bytes, sizeof bytes, err);
        return status ? status : pawl__buf_addc(out, '\n') ? pawl__nomem(err) : PAWL_OK;
}

/* ---- Notes ----------------------------------------------------------------------------------- */

pawl_status pawl__note_check_origin(pawl_text origin, pawl_error *err)
{
        bool good = origin.len > 0;
        uint32_t character;

        for (size_t at = 0; at < origin.len && good;) {
                const size_t n =
                        pawl__unicode_decode(&character, origin.data + at, origin.len - at);
                good = n && character > ' ' && character != '+' && character != 0x7f &&
                       character != 0xfffd && !(pawl__unicode_class(character) & PAWL__SPACE);
                at += n;
        }
        return good ? PAWL_OK
                    : pawl__fail(err, PAWL_EINVAL,
                              "origin: is no name without spaces, \"+\" and control characters, "
                              "such as example.com/log; give one as the origin");
}

pawl_status pawl__note_write(
        pawl__buf *out, const pawl__note *note, const pawl__note_key *key, pawl_error *err)
{
        unsigned char bytes[ID_LEN + PAWL__SIGNATURE_LEN];
        const size_t start = out->len;

        pawl__buf_add_text(out, note->origin);
        pawl__buf_addf(out, "\n%" PRIu64 "\n", note->size);
        pawl_status status = pawl__base64_add(out, note->root, sizeof note->root, err);
        if (!status && pawl__buf_addc(out, '\n'))
                status = pawl__nomem(err);
        if (status || !key)
                return status;
        const pawl_text name = name_of(key, note->origin);
        status = key_id(bytes, name, key->signer.public_key, err);
        if (!status)
                status = pawl__sign(bytes + ID_LEN, &key->signer,
                        pawl__text_n(out->data + start, out->len - start), err);
        if (status)
                return status;
        pawl__buf_adds(out, "\n\xe2\x80\x94 ");
        pawl__buf_add_text(out, name);
        pawl__buf_addc(out, ' ');
        status = pawl__base64_add(out, bytes, sizeof bytes, err);
        return status ? status : pawl__buf_addc(out, '\n') ? pawl__nomem(err) : PAWL_OK;
}

static bool next_line(pawl_text *line, pawl_text *rest)
{
        const char *end = rest->len ? memchr(rest->data, '\n', rest->len) : NULL;

        if (!end)
                return false;
        *line = pawl__text_n(rest->data, (size_t)(end - rest->data));
        *rest = pawl__text_n(end + 1, rest->len - line->len - 1);
        return true;
}

/* Without leading zeros. */
static bool read_size(uint64_t *out, pawl_text digits)
{
        uint64_t size = 0;

        if (!digits.len || digits.len > 18 || (digits.len > 1 && digits.data[0] == '0'))
                return false;
        for (size_t i = 0; i < digits.len; i++) {
                if (digits.data[i] < '0' || digits.data[i] > '9')
                        return false;
                size = size * 10 + (uint64_t)(digits.data[i] - '0');
        }
        *out = size;
        return true;
}

pawl_status pawl__note_read(pawl__note *out, pawl_text text, pawl_error *err)
{
        pawl_text digits, root, rest = text;
        pawl__note note;
        bool good = next_line(&note.origin, &rest) && next_line(&digits, &rest) &&
                    next_line(&root, &rest) && read_size(&note.size, digits) &&
                    !pawl__note_check_origin(note.origin, NULL);
        pawl_status status =
                good ? pawl__base64_read(&good, note.root, sizeof note.root, root, err) : PAWL_OK;

        if (status)
                return status;
        if (!good)
                return pawl__fail(err, PAWL_EPARSE,
                        "not a note of a log: its lines are origin, size and root; give what "
                        "`eventlog note` printed");
        *out = note;
        return PAWL_OK;
}

pawl_status pawl__note_verify(
        const pawl__note *note, pawl_text text, const pawl__note_key *key, pawl_error *err)
{
        const pawl_text name = name_of(key, note->origin);
        pawl__buf wanted = PAWL__BUF_INIT;
        pawl_status status = pawl__note_write(&wanted, note, key, err);
        bool body = false, signature = false;

        /* A signature by Ed25519 is the same each time. Witnesses may have added theirs. */
        const pawl_text whole = pawl__buf_text(&wanted);
        const char *line = status ? NULL : memmem(whole.data, whole.len, "\n\n", 2);
        if (line) {
                const size_t len = (size_t)(line + 2 - whole.data);
                const pawl_text last = {line + 2, whole.len - len};
                pawl_text one, rest = text;
                body = text.len > len && memcmp(text.data, whole.data, len) == 0;
                while (body && !signature && next_line(&one, &rest))
                        signature = one.len + 1 == last.len &&
                                    memcmp(one.data, last.data, one.len) == 0;
        }
        pawl__buf_free(&wanted);
        if (status || signature)
                return status;
        return pawl__fail(err, PAWL_EACCESS,
                "has no good signature by %.*s; name the key that signed it, or take the note "
                "from whoever keeps it",
                PAWL__FMT(name));
}
