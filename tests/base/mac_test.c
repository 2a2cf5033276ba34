/* HMAC-SHA-256 by the test cases of RFC 4231, one key used again and again. */
#include "base/digest.h"
#include "base/mac.h"
#include "support/test.h"

typedef struct vector {
        char key_byte, data_byte; /* 0: the text stands for it */
        const char *key, *data;
        size_t key_len, data_len; /* of so many such bytes */
        const char *mac;
} vector;

static const vector vectors[] = {
        {0x0b, 0, NULL, "Hi There", 20, 8,
                "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"},
        {0, 0, "Jefe", "what do ya want for nothing?", 4, 28,
                "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"},
        {'\xaa', '\xdd', NULL, NULL, 20, 50,
                "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"},
        {'\xaa', 0, NULL, "Test Using Larger Than Block-Size Key - Hash Key First", 131, 54,
                "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"},
};

static void fill(char *out, char byte, const char *text, size_t len)
{
        if (byte)
                memset(out, byte, len);
        else
                memcpy(out, text, len);
}

UNIT_TEST(the_macs_are_those_of_the_rfc)
{
        for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++) {
                const vector *v = &vectors[i];
                char key[256], data[256], hex[65];
                unsigned char mac[32];
                pawl__mac *m;
                fill(key, v->key_byte, v->key, v->key_len);
                fill(data, v->data_byte, v->data, v->data_len);
                assert_ok(pawl__mac_new(&m, key, v->key_len, NULL));
                pawl__cleanse(key, sizeof key); /* it was copied */
                for (int again = 0; again < 3; again++) {
                        assert_ok(pawl__mac_of(m, mac, data, v->data_len));
                        pawl__hex(hex, mac, 32);
                        assert_string_equal(hex, v->mac);
                        assert_ok(pawl__mac_of(m, mac, "other", 5));
                        pawl__hex(hex, mac, 32);
                        assert_string_not_equal(hex, v->mac);
                }
                pawl__mac_free(m);
        }
}

UNIT_TEST(any_bit_that_differs_is_seen)
{
        unsigned char a[32] = {0}, b[32] = {0};

        assert_true(pawl__mac_same(a, b));
        for (int bit = 0; bit < 256; bit++) {
                b[bit / 8] = (unsigned char)(1 << bit % 8);
                assert_false(pawl__mac_same(a, b));
                b[bit / 8] = 0;
        }
}

UNIT_TEST(a_secret_is_overwritten)
{
        char secret[] = "0123456789", zero[sizeof secret] = {0};

        pawl__cleanse(secret, sizeof secret);
        assert_memory_equal(secret, zero, sizeof secret);
}
