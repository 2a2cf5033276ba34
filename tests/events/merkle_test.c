/* The tree of small logs, by RFC 6962 as it is written: every root, every proof. Whole logs are
 * checked by tests/cli/evidence.py. */
#include "events/merkle.h"
#include "support/event_log.h"

enum { MOST = 70 };

static unsigned char leaves[MOST][PAWL__HASH_LEN];
static pawl__hasher *hasher;

static void hash_pair(unsigned char *out, const unsigned char *left, const unsigned char *right)
{
        unsigned char both[1 + 2 * PAWL__HASH_LEN] = {1};

        memcpy(both + 1, left, PAWL__HASH_LEN);
        memcpy(both + 1 + PAWL__HASH_LEN, right, PAWL__HASH_LEN);
        assert_ok(pawl__sha256(hasher, out, both, sizeof both, NULL));
}

/* MTH of section 2.1 over the leaves from start to before end. */
static void mth(unsigned char out[PAWL__HASH_LEN], uint64_t start, uint64_t end)
{
        unsigned char left[PAWL__HASH_LEN], right[PAWL__HASH_LEN];
        uint64_t k = 1;

        if (end == start) {
                assert_ok(pawl__sha256(hasher, out, "", 0, NULL));
                return;
        }
        if (end - start == 1) {
                memcpy(out, leaves[start], PAWL__HASH_LEN);
                return;
        }
        while (k * 2 < end - start)
                k *= 2;
        mth(left, start, start + k);
        mth(right, start + k, end);
        hash_pair(out, left, right);
}

static void start(void)
{
        if (!hasher)
                assert_ok(pawl__hasher_new(&hasher, NULL));
        for (unsigned i = 0; i < MOST; i++)
                assert_ok(pawl__merkle_leaf(
                        leaves[i], hasher, pawl__text_n((const char *)&i, sizeof i), NULL));
}

UNIT_TEST(a_leaf_is_hashed_behind_a_zero)
{
        char hex[65];
        unsigned char hash[PAWL__HASH_LEN];

        start();
        assert_ok(pawl__merkle_leaf(hash, hasher, pawl__text(""), NULL));
        pawl__hex(hex, hash, sizeof hash); /* printf '\0' | sha256sum */
        assert_string_equal(
                hex, "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d");
}

UNIT_TEST(every_root_is_that_of_the_definition)
{
        pawl__merkle tree = {0};
        unsigned char root[PAWL__HASH_LEN], wanted[PAWL__HASH_LEN];

        start();
        for (uint64_t n = 0; n <= MOST; n++) {
                assert_ok(pawl__merkle_root(root, &tree, hasher, NULL));
                mth(wanted, 0, n);
                assert_memory_equal(root, wanted, sizeof root);
                if (n < MOST)
                        assert_ok(pawl__merkle_add(&tree, hasher, leaves[n], NULL));
        }
}

/* RFC 9162, section 2.1.3.2 */
static void check_inclusion(uint64_t index, uint64_t size)
{
        pawl__merkle_part parts[PAWL__PROOF_MAX];
        unsigned char hash[PAWL__HASH_LEN], root[PAWL__HASH_LEN];
        uint64_t fn = index, sn = size - 1;
        const size_t n = pawl__merkle_inclusion(parts, index, size);

        memcpy(hash, leaves[index], sizeof hash);
        for (size_t i = 0; i < n; i++) {
                mth(parts[i].hash, parts[i].start, parts[i].end);
                assert_true(sn != 0);
                if (fn % 2 || fn == sn) {
                        hash_pair(hash, parts[i].hash, hash);
                        for (; fn && fn % 2 == 0; fn /= 2)
                                sn /= 2;
                } else {
                        hash_pair(hash, hash, parts[i].hash);
                }
                fn /= 2;
                sn /= 2;
        }
        assert_int_equal(sn, 0);
        mth(root, 0, size);
        assert_memory_equal(hash, root, sizeof root);
}

UNIT_TEST(every_leaf_is_proved_in_every_tree)
{
        start();
        for (uint64_t size = 1; size <= MOST; size++)
                for (uint64_t index = 0; index < size; index++)
                        check_inclusion(index, size);
}

/* RFC 9162, section 2.1.4.2 */
static void check_growth(uint64_t old, uint64_t size)
{
        pawl__merkle_part parts[PAWL__PROOF_MAX];
        unsigned char fr[PAWL__HASH_LEN], sr[PAWL__HASH_LEN], first[PAWL__HASH_LEN],
                second[PAWL__HASH_LEN];
        uint64_t fn = old - 1, sn = size - 1;
        const size_t n = pawl__merkle_consistency(parts, old, size);
        size_t at = 0;

        mth(first, 0, old);
        mth(second, 0, size);
        for (size_t i = 0; i < n; i++)
                mth(parts[i].hash, parts[i].start, parts[i].end);
        memcpy(fr, (old & (old - 1)) == 0 ? first : parts[at++].hash, sizeof fr);
        for (; fn % 2; fn /= 2)
                sn /= 2;
        memcpy(sr, fr, sizeof sr);
        for (; at < n; at++) {
                assert_true(sn != 0);
                if (fn % 2 || fn == sn) {
                        hash_pair(fr, parts[at].hash, fr);
                        hash_pair(sr, parts[at].hash, sr);
                        for (; fn && fn % 2 == 0; fn /= 2)
                                sn /= 2;
                } else {
                        hash_pair(sr, sr, parts[at].hash);
                }
                fn /= 2;
                sn /= 2;
        }
        assert_int_equal(sn, 0);
        assert_memory_equal(fr, first, sizeof fr);
        assert_memory_equal(sr, second, sizeof sr);
}

UNIT_TEST(every_tree_is_proved_to_have_grown_from_each_before_it)
{
        pawl__merkle_part parts[PAWL__PROOF_MAX];

        start();
        for (uint64_t size = 1; size <= MOST; size++) {
                assert_int_equal(pawl__merkle_consistency(parts, 0, size), 0);
                assert_int_equal(pawl__merkle_consistency(parts, size, size), 0);
                for (uint64_t old = 1; old < size; old++)
                        check_growth(old, size);
        }
}

UNIT_TEST(the_largest_tree_has_room_in_a_proof)
{
        pawl__merkle_part parts[PAWL__PROOF_MAX];

        assert_true(pawl__merkle_inclusion(parts, UINT64_MAX - 1, UINT64_MAX) <= PAWL__PROOF_MAX);
        assert_true(pawl__merkle_consistency(parts, UINT64_MAX - 1, UINT64_MAX) <= PAWL__PROOF_MAX);
}

OPEN_LOG_TEST(a_log_whose_event_was_changed_has_no_tree)
{
        pawl__merkle_reading reading = {.size = 2};
        pawl_error err = PAWL_ERROR_INIT;
        pawl_event event = event_scope(NULL);

        assert_ok(append_one(f->log, event, 0));
        assert_int_equal(pawl__merkle_read(&reading, f->log, &err), PAWL_EDAMAGED);
        assert_says(err.message, "seq 2: is missing");
        reading.size = 1;
        assert_ok(pawl__merkle_read(&reading, f->log, &err));
        event_log_unguard(f);
        event_log_sql(f, "UPDATE events SET actor = 'x'");
        assert_int_equal(pawl__merkle_read(&reading, f->log, &err), PAWL_EDAMAGED);
        assert_says(err.message, "seq 1: its hash does not fit");
}
