/*
 * Values made of the bytes: numbers of any bits, strings of any characters, members in any order,
 * deep nesting. Each is spelled twice, once by the project's own writer and once with escapes,
 * blanks and orders that the bytes choose. Both have one canonical text and one hash; read again
 * that text is itself and holds the same value; its numbers are the shortest that read back, its
 * members in the order of RFC 8785. Two values that differ have two texts.
 */
#include "base/json_canon.h"
#include "base/json_tree.h"
#include "support/json_values.h"

/* ---- The canonical text, looked at by other means -------------------------------------------- */

static size_t significant(const char *literal, size_t len)
{
        size_t n = 0, zeros = 0;

        for (size_t i = 0; i < len && literal[i] != 'e'; i++) {
                if (literal[i] < '0' || literal[i] > '9' || (n == 0 && literal[i] == '0'))
                        continue;
                zeros = literal[i] == '0' ? zeros + 1 : 0;
                n++;
        }
        return n - zeros;
}

/* The shortest digits that read back, as the C library prints and reads them. */
static void check_number(const pawl__json_node *node, double number)
{
        char literal[64], shortest[64];
        int digits = 0;

        require(node->value.len < sizeof literal);
        memcpy(literal, node->value.data, node->value.len);
        literal[node->value.len] = '\0';
        require(strtod(literal, NULL) == number);
        do
                snprintf(shortest, sizeof shortest, "%.*e", digits, number);
        while (strtod(shortest, NULL) != number && ++digits < 17);
        require(significant(literal, strlen(literal)) <= significant(shortest, strlen(shortest)));
        require(number != 0 || strcmp(literal, "0") == 0);
}

/* Big-endian UTF-16, of which the bytes sort as the code units do. */
static void to_utf16(pawl__buf *out, pawl_text text)
{
        for (size_t at = 0; at < text.len;) {
                const unsigned char *p = (const unsigned char *)text.data + at;
                const size_t n = *p < 0x80 ? 1 : *p < 0xe0 ? 2 : *p < 0xf0 ? 3 : 4;
                uint32_t c = n == 1 ? *p : *p & (0x7fu >> n);
                for (size_t i = 1; i < n; i++)
                        c = c << 6 | (p[i] & 0x3fu);
                const uint32_t units[2] = {
                        c < 0x10000 ? c : 0xd800 + ((c - 0x10000) >> 10), 0xdc00 + (c & 0x3ff)};
                for (int i = 0; i < (c < 0x10000 ? 1 : 2); i++) {
                        const char pair[2] = {(char)(units[i] >> 8), (char)(units[i] & 0xff)};
                        require(pawl__buf_add(out, pair, 2) == PAWL_OK);
                }
                at += n;
        }
}

static void check_order(pawl_text before, pawl_text after)
{
        pawl__buf a = PAWL__BUF_INIT, b = PAWL__BUF_INIT;

        to_utf16(&a, before);
        to_utf16(&b, after);
        require(pawl__text_cmp(pawl__buf_text(&a), pawl__buf_text(&b)) < 0);
        pawl__buf_free(&a);
        pawl__buf_free(&b);
}

static void check_tree(const pawl__json_tree *tree, pawl__node at, const json_value *v)
{
        static const uint8_t type_of[] = {[NOTHING] = PAWL__JSON_NULL,
                [DOUBLE] = PAWL__JSON_NUMBER,
                [DIGITS] = PAWL__JSON_NUMBER,
                [STRING] = PAWL__JSON_STRING,
                [ARRAY] = PAWL__JSON_ARRAY,
                [OBJECT] = PAWL__JSON_OBJECT};
        const pawl__json_node *node = pawl__json_at(tree, at);
        pawl_text last = {NULL, 0};
        size_t i = 0;

        if (v->kind == TRUTH)
                require(node->type == (v->truth ? PAWL__JSON_TRUE : PAWL__JSON_FALSE));
        else
                require(node->type == type_of[v->kind]);
        if (v->kind == DOUBLE)
                check_number(node, v->number);
        if (v->kind == STRING || v->kind == DIGITS)
                require(pawl__text_eq(node->value, v->text));
        if (v->kind < ARRAY)
                return;
        require(node->count == v->n);
        for (pawl__node n = pawl__json_first(tree, at); n != PAWL__NO_NODE;
                n = pawl__json_after(tree, at, n)) {
                const pawl_text name = pawl__json_at(tree, n)->name;
                const json_value *item =
                        v->kind == ARRAY ? &v->items[i++] : json_value_member(v, name);
                require(item != NULL);
                if (v->kind == OBJECT && last.data)
                        check_order(last, name);
                last = name;
                check_tree(tree, n, item);
        }
}

/* ---- The promises ---------------------------------------------------------------------------- */

static void check_canonical(pawl__buf *canonical, const json_value *v, bytes choices)
{
        pawl__buf first = PAWL__BUF_INIT, second = PAWL__BUF_INIT, again = PAWL__BUF_INIT;
        pawl__json_tree tree = PAWL__JSON_TREE_INIT;
        unsigned char hash[3][PAWL__HASH_LEN];
        pawl__hasher *hasher = NULL;

        json_value_write(&first, v);
        require(pawl__json_canon(canonical, first.data, first.len, NULL) == PAWL_OK);
        json_value_spell(&second, v, choices);
        require(pawl__json_canon(&again, second.data, second.len, NULL) == PAWL_OK);
        require(pawl__text_eq(pawl__buf_text(canonical), pawl__buf_text(&again)));
        pawl__buf_clear(&again);
        require(pawl__json_canon(&again, canonical->data, canonical->len, NULL) == PAWL_OK);
        require(pawl__text_eq(pawl__buf_text(canonical), pawl__buf_text(&again)));
        require(pawl__json_tree_read(&tree, canonical->data, canonical->len, NULL) == PAWL_OK);
        check_tree(&tree, 0, v);

        require(pawl__hasher_new(&hasher, NULL) == PAWL_OK);
        require(pawl__json_canon_hash(hash[0], hasher, first.data, first.len, NULL) == PAWL_OK);
        require(pawl__json_canon_hash(hash[1], hasher, second.data, second.len, NULL) == PAWL_OK);
        require(pawl__sha256(hasher, hash[2], canonical->data, canonical->len, NULL) == PAWL_OK);
        require(memcmp(hash[0], hash[1], sizeof hash[0]) == 0);
        require(memcmp(hash[0], hash[2], sizeof hash[0]) == 0);
        pawl__hasher_free(hasher);
        pawl__json_tree_free(&tree);
        pawl__buf_free(&first);
        pawl__buf_free(&second);
        pawl__buf_free(&again);
}

/* A double from 2^53 on and the integer of the same digits are one text, as they should be. */
static bool same(const json_value *a, const json_value *b)
{
        if (a->kind != b->kind)
                return (a->kind == DOUBLE && b->kind == DIGITS) ||
                       (a->kind == DIGITS && b->kind == DOUBLE);
        if (a->kind == DOUBLE)
                return a->number == b->number;
        if (a->truth != b->truth || !pawl__text_eq(a->text, b->text) || a->n != b->n)
                return false;
        for (size_t i = 0; i < a->n; i++) {
                const json_value *other =
                        a->kind == ARRAY ? &b->items[i] : json_value_member(b, a->items[i].name);
                if (!other || !same(&a->items[i], other))
                        return false;
        }
        return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
        pawl__arena arena = PAWL__ARENA_INIT;
        pawl__buf one = PAWL__BUF_INIT, two = PAWL__BUF_INIT;
        bytes input = {data, size};
        json_value first, second;

        /* The second value starts inside the first one's bytes: they are alike, or even the same.
         */
        const size_t from = take_byte(&input);
        bytes later = input;
        (void)take_bytes(&later, from);
        json_value_make(&first, &arena, &input);
        json_value_make(&second, &arena, &later);
        check_canonical(&one, &first, (bytes){data, size});
        check_canonical(&two, &second, (bytes){data + size / 2, size - size / 2});
        if (pawl__text_eq(pawl__buf_text(&one), pawl__buf_text(&two)))
                require(same(&first, &second));
        pawl__buf_free(&one);
        pawl__buf_free(&two);
        pawl__arena_free(&arena);
        return 0;
}
