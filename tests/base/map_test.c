#include "base/map.h"
#include "support/test.h"

UNIT_TEST(keys_are_found_as_the_map_grows)
{
        enum { KEYS = 50000 };
        static char keys[KEYS][12];
        pawl__map map = PAWL__MAP_INIT;

        assert_int_equal(pawl__map_get(&map, pawl__text("a")), PAWL__MAP_NONE);
        for (uint32_t i = 0; i < KEYS; i++) {
                snprintf(keys[i], sizeof keys[i], "%s%u", i % 3 ? "" : "longer", i);
                assert_ok(pawl__map_put(&map, pawl__text(keys[i]), i));
        }
        assert_int_equal(map.count, KEYS);
        for (uint32_t i = 0; i < KEYS; i++)
                assert_int_equal(pawl__map_get(&map, pawl__text(keys[i])), i);
        assert_int_equal(pawl__map_get(&map, pawl__text("50000x")), PAWL__MAP_NONE);
        pawl__map_free(&map);
        assert_int_equal(map.cap, 0);
}

UNIT_TEST(a_key_is_its_bytes_and_length)
{
        static const struct {
                const char *data;
                size_t len;
        } keys[] = {{"", 0}, {"\0", 1}, {"\0\0", 2}, {"a", 1}, {"a\0", 2}, {"abcdefgh", 8},
                {"abcdefgh\0", 9}, {"abcdefghi", 9}, {"abcdefgh", 7}};
        pawl__map map = PAWL__MAP_INIT;

        for (uint32_t i = 0; i < 9; i++)
                assert_ok(pawl__map_put(&map, pawl__text_n(keys[i].data, keys[i].len), i));
        assert_int_equal(map.count, 9);
        for (uint32_t i = 0; i < 9; i++)
                assert_int_equal(pawl__map_get(&map, pawl__text_n(keys[i].data, keys[i].len)), i);
        assert_int_equal(pawl__map_get(&map, (pawl_text){NULL, 0}), 0);
        pawl__map_free(&map);
}

/* Each length takes its own loads: no byte is left out, and none beside the text is read. */
UNIT_TEST(texts_differ_by_any_of_their_bytes)
{
        for (size_t n = 0; n <= 33; n++) {
                char *a = malloc(n ? n : 1), *b = malloc(n ? n : 1);
                assert_non_null(a);
                assert_non_null(b);
                memset(a, 'x', n);
                memset(b, 'x', n);
                assert_true(pawl__text_eq(pawl__text_n(a, n), pawl__text_n(b, n)));
                for (size_t i = 0; i < n; i++) {
                        b[i] ^= 1;
                        assert_false(pawl__text_eq(pawl__text_n(a, n), pawl__text_n(b, n)));
                        b[i] ^= 1;
                }
                free(a);
                free(b);
        }
}

UNIT_TEST(a_later_value_takes_the_place_of_the_former)
{
        pawl__map map = PAWL__MAP_INIT;

        assert_ok(pawl__map_put(&map, pawl__text("k"), 0));
        assert_ok(pawl__map_put(&map, pawl__text("k"), UINT32_MAX - 1));
        assert_int_equal(map.count, 1);
        assert_int_equal(pawl__map_get(&map, pawl__text("k")), UINT32_MAX - 1);
        pawl__map_free(&map);
}

UNIT_TEST(what_is_met_is_numbered_once)
{
        enum { KEYS = 100 }; /* over the first growth */
        char keys[KEYS][12];
        pawl__map map = PAWL__MAP_INIT;
        uint32_t number = 99;

        for (uint32_t i = 0; i < KEYS; i++) {
                snprintf(keys[i], sizeof keys[i], "%u", i);
                pawl_text key = pawl__text(keys[i]);
                assert_ok(pawl__map_number(&number, &map, key, i));
                assert_int_equal(number, i);
                assert_ok(pawl__map_number(&number, &map, key, 1000));
                assert_int_equal(number, i);
        }
        assert_int_equal(map.count, KEYS);
        assert_int_equal(pawl__map_get(&map, pawl__text("42")), 42);
        assert_int_equal(pawl__map_get(&map, pawl__text("1000")), PAWL__MAP_NONE);
        pawl__map_free(&map);
}
