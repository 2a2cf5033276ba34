#include "base/json_tree.h"
#include "base/error.h"
#include "base/json_order.h"
#include "base/json_read.h"
#include "base/number.h"
#include <stdlib.h>

/* Names that come in canonical order need only be compared with the one before. In an object where
 * they do not, each new name is compared with all before it up to so many members. Above that, the
 * names are sorted when the object ends, so that no document takes quadratic time. */
enum { FEW_MEMBERS = 32, MANY_NODES = 4096 };

/* An object or array that is still open. */
struct level {
        pawl_text last; /* name */
        pawl__node node;
        uint32_t count; /* of what it holds so far */
        bool unsorted;
};

struct reading {
        pawl__json_tree *tree;
        struct level *level; /* that is open */
        pawl_text name;      /* of the member whose value comes next */
        size_t written;      /* bytes of all tokens, if canonical */
        bool canonical;      /* as far as it was read; false if nobody asks */
        pawl_error *err;
        struct level levels[PAWL__JSON_DEPTH + 1];
};

static pawl_status decode(struct reading *r, const pawl__json_token *token, pawl_text *out)
{
        char *decoded = pawl__arena_alloc(&r->tree->arena, token->raw_len + PAWL__LEX_SLACK);
        if (!decoded)
                return pawl__nomem(r->err);
        *out = pawl__text_n(decoded, pawl__json_unescape(decoded, token->raw, token->raw_len));
        return PAWL_OK;
}

static pawl_status refuse_twice(const struct reading *r, size_t name_offset)
{
        return pawl__json_refuse_twice(r->tree->text, r->tree->len, name_offset, r->err);
}

/* Does a name come after another in canonical order? Mostly the first character tells. */
static inline bool comes_after(pawl_text name, pawl_text last)
{
        if (name.len && last.len && *name.data != *last.data &&
                ((unsigned char)*name.data | (unsigned char)*last.data) < 0x80)
                return *name.data > *last.data;
        return pawl__utf16_cmp(last.data, last.len, name.data, name.len) < 0;
}

/* Compare a new name with those of the members before it, all of them closed. */
static inline pawl_status check_name(struct reading *r, const pawl__json_token *token)
{
        struct level *const level = r->level;
        const pawl__json_node *nodes = r->tree->nodes;
        const pawl_text name = r->name, last = level->last;

        level->last = name;
        if (!level->unsorted && (level->count == 0 || comes_after(name, last)))
                return PAWL_OK;
        level->unsorted = true;
        for (pawl__node i = level->node + 1; i < r->tree->n && level->count < FEW_MEMBERS;
                i = nodes[i].next)
                if (pawl__text_eq(nodes[i].name, name))
                        return refuse_twice(r, pawl__json_offset(token, r->tree->text));
        return PAWL_OK;
}

struct place {
        pawl_text name;
        uint32_t index; /* among the object's members */
};

static int compare_places(const void *a, const void *b)
{
        const struct place *x = a, *y = b;
        const int order = pawl__text_cmp(x->name, y->name);

        return order ? order : (x->index > y->index) - (x->index < y->index);
}

/* The same for an object of many members, when it ends: sort them, and compare neighbours. */
static pawl_status check_many(struct reading *r, const struct level *level)
{
        /* NOLINTNEXTLINE(clang-analyzer-core.uninitialized.ArraySubscript): it was opened */
        const pawl__json_node *nodes = r->tree->nodes, *object = &nodes[level->node];
        struct place *places = pawl__arena_array(&r->tree->arena, object->count, sizeof *places);
        uint32_t n = 0, second = UINT32_MAX;

        if (!places)
                return pawl__nomem(r->err);
        for (pawl__node i = level->node + 1; i < r->tree->n; i = nodes[i].next, n++)
                places[n] = (struct place){nodes[i].name, n};
        qsort(places, n, sizeof *places, compare_places);
        for (uint32_t i = 1; i < n; i++)
                if (pawl__text_eq(places[i - 1].name, places[i].name) && places[i].index < second)
                        second = places[i].index;
        if (second == UINT32_MAX)
                return PAWL_OK;
        return refuse_twice(
                r, pawl__json_name_offset(r->tree->text, r->tree->len, object->offset, second));
}

PAWL__LEX_INLINE pawl_status add_node(struct reading *r, const pawl__json_token *token)
{
        pawl__json_tree *const tree = r->tree;
        const bool container = token->type == PAWL__JSON_OBJECT || token->type == PAWL__JSON_ARRAY;

        if (tree->n == tree->cap &&
                pawl__grow(&tree->nodes, &tree->cap, tree->n + 1, sizeof *tree->nodes))
                return pawl__nomem(r->err);
        const pawl__node index = (pawl__node)tree->n;
        pawl__json_node *node = &tree->nodes[index];
        node->type = (uint8_t)token->type;
        node->next = index + 1;
        node->count = 0;
        node->offset = (uint32_t)pawl__json_offset(token, tree->text);
        node->name = r->name;
        node->value = pawl__text_n(token->raw, token->raw_len);
        r->name = (pawl_text){NULL, 0};
        if (token->type == PAWL__JSON_STRING && token->escaped && decode(r, token, &node->value))
                return PAWL_ENOMEM;
        tree->n++;
        r->level->count++;
        if (container) {
                *++r->level = (struct level){.node = index};
                const unsigned depth = (unsigned)(r->level - r->levels);
                tree->depth = depth > tree->depth ? depth : tree->depth;
        }
        return PAWL_OK;
}

static pawl_status end_container(struct reading *r, const pawl__json_token *token)
{
        pawl__json_tree *tree = r->tree;
        const struct level *const level = r->level--;
        /* NOLINTNEXTLINE(clang-analyzer-core.uninitialized.ArraySubscript): it was opened */
        pawl__json_node *node = &tree->nodes[level->node];

        node->next = (pawl__node)tree->n;
        node->count = level->count;
        node->value.len = (size_t)(token->raw + 1 - node->value.data);
        r->written += node->count > 1 ? node->count - 1 : 0; /* the commas */
        if (node->type != PAWL__JSON_OBJECT || !level->unsorted)
                return PAWL_OK;
        r->canonical = false;
        return node->count > FEW_MEMBERS ? check_many(r, level) : PAWL_OK;
}

/* Is a token written as the canonical form has it? White space shows in the sum of the lengths. */
static bool is_canonical(struct reading *r, const pawl__json_token *t)
{
        char number[32];

        r->written += t->raw_len;
        switch (t->type) {
        case PAWL__JSON_NAME:
                r->written++; /* the colon */
                /* fall through */
        case PAWL__JSON_STRING:
                r->written += 2;
                return !t->escaped || pawl__lex_canonical(t->raw, t->raw_len);
        case PAWL__JSON_NUMBER:
                if (t->marks.point == t->raw_len)
                        return t->raw_len != 2 || memcmp(t->raw, "-0", 2) != 0;
                return pawl__number_canon(number, t->raw, t->raw_len, t->marks.point,
                               t->marks.exponent) == t->raw_len &&
                       memcmp(number, t->raw, t->raw_len) == 0;
        default:
                return true;
        }
}

/* What one large text needed is not kept for small ones: a value has a byte at least. */
static void fit_nodes(pawl__json_tree *tree)
{
        void *fewer = NULL;

        if (tree->cap > MANY_NODES && tree->cap / 8 > tree->len)
                fewer = realloc(tree->nodes, MANY_NODES * sizeof *tree->nodes);
        if (!fewer)
                return;
        tree->nodes = fewer;
        tree->cap = MANY_NODES;
}

PAWL__LEX_INLINE pawl_status read_token(void *user, const pawl__json_token *t, pawl_error *err)
{
        struct reading *const r = user;
        pawl_status status;

        (void)err;
        if (r->canonical)
                r->canonical = is_canonical(r, t);
        switch (t->type) {
        case PAWL__JSON_NAME:
                r->name = pawl__text_n(t->raw, t->raw_len);
                status = t->escaped ? decode(r, t, &r->name) : PAWL_OK;
                return status ? status : check_name(r, t);
        case PAWL__JSON_END:
                return end_container(r, t);
        case PAWL__JSON_FINISHED:
                return PAWL_OK;
        default:
                return add_node(r, t);
        }
}

pawl_status pawl__json_tree_read_canonical(
        bool *canonical, pawl__json_tree *tree, const char *text, size_t len, pawl_error *err)
{
        pawl__json_reader reader;
        struct reading r;

        if (len > UINT32_MAX)
                return pawl__fail(
                        err, PAWL_ETOOBIG, "a JSON text of %zu bytes; keep it below 4 GiB", len);
        tree->text = text;
        tree->len = len;
        tree->n = 0;
        tree->depth = 0;
        pawl__arena_clear(&tree->arena);
        fit_nodes(tree);
        r.tree = tree;
        r.level = r.levels;
        r.levels[0].count = 0;
        r.name = (pawl_text){NULL, 0};
        r.written = 0;
        r.canonical = canonical != NULL;
        r.err = err;
        pawl__json_reader_init(&reader, text, len);
        pawl_status status = pawl__json_walk(&reader, read_token, &r, NULL, err);
        if (status)
                tree->n = 0;
        if (canonical)
                *canonical = !status && r.canonical && r.written == len;
        return status;
}

pawl_status pawl__json_tree_read(
        pawl__json_tree *tree, const char *text, size_t len, pawl_error *err)
{
        return pawl__json_tree_read_canonical(NULL, tree, text, len, err);
}

void pawl__json_tree_free(pawl__json_tree *tree)
{
        free(tree->nodes);
        pawl__arena_free(&tree->arena);
        *tree = (pawl__json_tree)PAWL__JSON_TREE_INIT;
}

pawl__node pawl__json_first(const pawl__json_tree *tree, pawl__node parent)
{
        if (parent >= tree->n || tree->nodes[parent].count == 0)
                return PAWL__NO_NODE;
        return parent + 1;
}

pawl__node pawl__json_after(const pawl__json_tree *tree, pawl__node parent, pawl__node node)
{
        if (parent >= tree->n || node >= tree->n ||
                tree->nodes[node].next >= tree->nodes[parent].next)
                return PAWL__NO_NODE;
        return tree->nodes[node].next;
}

pawl__node pawl__json_get_n(const pawl__json_tree *tree, pawl__node object, pawl_text name)
{
        if (object >= tree->n || tree->nodes[object].type != PAWL__JSON_OBJECT)
                return PAWL__NO_NODE;
        const pawl__json_node *const nodes = tree->nodes;
        const pawl__node end = nodes[object].next;
        for (pawl__node i = object + 1; i < end; i = nodes[i].next)
                if (nodes[i].name.len == name.len &&
                        pawl__same_bytes(nodes[i].name.data, name.data, name.len))
                        return i;
        return PAWL__NO_NODE;
}

pawl_text pawl__json_get_text(const pawl__json_tree *tree, pawl__node object, const char *name)
{
        const pawl__node node = pawl__json_get(tree, object, name);

        if (node == PAWL__NO_NODE || tree->nodes[node].type != PAWL__JSON_STRING)
                return (pawl_text){NULL, 0};
        return tree->nodes[node].value;
}

/* The element that a pointer's token names: "0", or digits without a leading zero (RFC 6901,
 * section 4). */
static pawl__node element(const pawl__json_tree *tree, pawl__node array, pawl_text token)
{
        uint64_t index = 0;

        if (token.len == 0 || token.len > 10 || (token.len > 1 && token.data[0] == '0'))
                return PAWL__NO_NODE;
        for (size_t i = 0; i < token.len; i++) {
                if (token.data[i] < '0' || token.data[i] > '9')
                        return PAWL__NO_NODE;
                index = index * 10 + (uint64_t)(token.data[i] - '0');
        }
        if (index >= tree->nodes[array].count)
                return PAWL__NO_NODE;
        pawl__node node = array + 1;
        while (index-- > 0)
                node = tree->nodes[node].next;
        return node;
}

/* Is the pointer's token, its ~0 and ~1 read as '~' and '/', this name? */
static bool token_is(pawl_text token, pawl_text name)
{
        size_t at = 0;

        for (size_t i = 0; i < token.len; i++, at++) {
                char c = token.data[i];
                if (c == '~')
                        c = token.data[++i] == '0' ? '~' : '/';
                if (at == name.len || name.data[at] != c)
                        return false;
        }
        return at == name.len;
}

static pawl__node member(const pawl__json_tree *tree, pawl__node object, pawl_text token)
{
        for (size_t i = 0; i < token.len; i++)
                if (token.data[i] == '~' &&
                        (i + 1 == token.len ||
                                (token.data[i + 1] != '0' && token.data[i + 1] != '1')))
                        return PAWL__NO_NODE;
        pawl__node node = pawl__json_first(tree, object);
        while (node != PAWL__NO_NODE && !token_is(token, tree->nodes[node].name))
                node = pawl__json_after(tree, object, node);
        return node;
}

pawl__node pawl__json_pointer(const pawl__json_tree *tree, pawl_text pointer)
{
        const char *p = pointer.data ? pointer.data : "", *const end = p + pointer.len;
        pawl__node node = 0;

        if (tree->n == 0 || (pointer.len > 0 && *p != '/'))
                return PAWL__NO_NODE;
        while (node != PAWL__NO_NODE && p < end) {
                const char *slash = memchr(p + 1, '/', (size_t)(end - p - 1));
                const char *const stop = slash ? slash : end;
                const pawl_text token = pawl__text_n(p + 1, (size_t)(stop - p - 1));
                if (tree->nodes[node].type == PAWL__JSON_ARRAY)
                        node = element(tree, node, token);
                else
                        node = member(tree, node, token);
                p = stop;
        }
        return node;
}

bool pawl__json_int(const pawl__json_node *node, int64_t *out)
{
        const pawl_text raw = node->value;
        const bool negative = node->type == PAWL__JSON_NUMBER && raw.data[0] == '-';
        uint64_t value = 0;

        if (node->type != PAWL__JSON_NUMBER || raw.len > 20)
                return false;
        for (size_t i = negative; i < raw.len; i++) {
                if (raw.data[i] < '0' || raw.data[i] > '9' || value > UINT64_MAX / 20)
                        return false;
                value = value * 10 + (uint64_t)(raw.data[i] - '0');
        }
        if (value > (uint64_t)INT64_MAX + negative)
                return false;
        *out = negative ? (int64_t)-value : (int64_t)value;
        return true;
}

double pawl__json_double(const pawl__json_node *node)
{
        const pawl__decimal decimal = pawl__decimal_read(node->value.data, node->value.len);

        return pawl__decimal_double(&decimal, node->value.data, node->value.len);
}
