/* SHA-256, by a hasher and without OpenSSL. */
#include "base/digest.h"
#include "base/sha256.h"
#include "support/test.h"
#include <openssl/evp.h>

enum { LONG = 300 << 10 };

static void expect(const char *hex, const void *data, size_t len)
{
        unsigned char wanted[32], hash[32];
        pawl__sha256_state state;

        assert_true(pawl__unhex32(wanted, pawl__text(hex)));
        assert_int_equal(pawl__sha256(NULL, hash, data, len, NULL), PAWL_OK);
        assert_memory_equal(hash, wanted, 32);
        pawl__sha256_begin(&state);
        pawl__sha256_add(&state, data, len);
        pawl__sha256_end(&state, hash);
        assert_memory_equal(hash, wanted, 32);
}

/* FIPS 180-4 points to these: "SHA Test Vectors for Hashing Byte-Oriented Messages". */
UNIT_TEST(known_messages_have_their_hashes)
{
        expect("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855", "", 0);
        expect("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad", "abc", 3);
        expect("248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1",
                "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 56);
        char *million = malloc(1000000);
        assert_non_null(million);
        memset(million, 'a', 1000000);
        expect("cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0", million,
                1000000);
        free(million);
}

/* Each length around the ends of blocks, in two pieces: as OpenSSL has it, before a hasher uses
 * that and after. */
UNIT_TEST(hashes_are_those_of_openssl)
{
        unsigned char *data = malloc(LONG), hash[32], wanted[32];
        pawl__hasher *hasher;

        assert_non_null(data);
        for (size_t i = 0; i < LONG; i++)
                data[i] = (unsigned char)(i * 31 + i / 256);
        assert_int_equal(pawl__hasher_new(&hasher, NULL), PAWL_OK);
        for (int pass = 0; pass < 2; pass++) {
                for (size_t len = 0; len < 200; len++) {
                        const size_t first = len * 7 % (len + 1);
                        assert_int_equal(pawl__hasher_begin(hasher, NULL), PAWL_OK);
                        assert_int_equal(pawl__hasher_add(hasher, data, first), PAWL_OK);
                        assert_int_equal(
                                pawl__hasher_add(hasher, data + first, len - first), PAWL_OK);
                        assert_int_equal(pawl__hasher_end(hasher, hash), PAWL_OK);
                        assert_int_equal(
                                EVP_Digest(data, len, wanted, NULL, EVP_sha256(), NULL), 1);
                        assert_memory_equal(hash, wanted, 32);
                }
                assert_int_equal(pawl__sha256(hasher, hash, data, LONG, NULL), PAWL_OK);
                assert_int_equal(EVP_Digest(data, LONG, wanted, NULL, EVP_sha256(), NULL), 1);
                assert_memory_equal(hash, wanted, 32);
        }
        pawl__hasher_free(hasher);
        free(data);
}
