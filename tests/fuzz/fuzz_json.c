/*
 * Any bytes as JSON. The reader, the tree and the canonical writer accept the same texts, duplicate
 * names aside, which only the reader lets through; a refusal names a line and a column; canonical
 * text is its own canonical form, which the tree sees too, and the hash is its SHA-256.
 */
#include "base/json_canon.h"
#include "base/json_tree.h"
#include "fuzz/fuzzing.h"

static bool reads(const char *text, size_t len, pawl_error *err)
{
        pawl__json_reader reader;
        pawl__json_token token;

        pawl__json_reader_init(&reader, text, len);
        do {
                const pawl_status status = pawl__json_next(&reader, &token, err);
                if (status) {
                        require(status == PAWL_EPARSE);
                        return false;
                }
                require(pawl__json_offset(&token, text) <= len && reader.at <= len);
                if (token.type == PAWL__JSON_STRING || token.type == PAWL__JSON_NAME) {
                        char *decoded = malloc(token.raw_len + PAWL__LEX_SLACK);
                        require(decoded != NULL);
                        const size_t n = pawl__json_unescape(decoded, token.raw, token.raw_len);
                        require(n <= token.raw_len && pawl__utf8_valid(decoded, n));
                        free(decoded);
                }
        } while (token.type != PAWL__JSON_FINISHED);
        return true;
}

static void check_refusal(const pawl_error *err)
{
        require(err->status == PAWL_EPARSE && strncmp(err->message, "line ", 5) == 0 &&
                strstr(err->message, ", column ") && strstr(err->message, "; ") &&
                !strchr(err->message, '\n') &&
                pawl__utf8_valid(err->message, strlen(err->message)));
}

/* Every node lies inside its parent, and every number is a double. */
static void check_tree(const pawl__json_tree *tree)
{
        for (pawl__node i = 0; i < tree->n; i++) {
                const pawl__json_node *node = pawl__json_at(tree, i);
                uint32_t count = 0;
                require(node->next > i && node->next <= tree->n);
                for (pawl__node n = pawl__json_first(tree, i); n != PAWL__NO_NODE;
                        n = pawl__json_after(tree, i, n))
                        count++;
                require(count == node->count);
                if (node->type == PAWL__JSON_NUMBER) {
                        int64_t integer;
                        if (pawl__json_int(node, &integer))
                                require((double)integer == pawl__json_double(node));
                }
        }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
        const char *text = (const char *)data;
        pawl_error read_err = PAWL_ERROR_INIT, tree_err = PAWL_ERROR_INIT, err = PAWL_ERROR_INIT;
        pawl__json_tree tree = PAWL__JSON_TREE_INIT;
        pawl__buf canonical = PAWL__BUF_INIT, again = PAWL__BUF_INIT;
        unsigned char hash[PAWL__HASH_LEN] = {0}, plain[PAWL__HASH_LEN];
        pawl__hasher *hasher = NULL;

        require(pawl__hasher_new(&hasher, NULL) == PAWL_OK);
        const bool read = reads(text, size, &read_err);
        bool is_canonical;
        const bool in_tree = pawl__json_tree_read_canonical(
                                     &is_canonical, &tree, text, size, &tree_err) == PAWL_OK;
        const bool written = pawl__json_canon(&canonical, text, size, &err) == PAWL_OK;
        const bool hashed = pawl__json_canon_hash(hash, hasher, text, size, NULL) == PAWL_OK;
        require(in_tree == written && written == hashed);
        if (in_tree) {
                require(read);
                check_tree(&tree);
                require(is_canonical ==
                        pawl__text_eq(pawl__text_n(text, size), pawl__buf_text(&canonical)));
                require(pawl__json_canon(&again, canonical.data, canonical.len, NULL) == PAWL_OK);
                require(pawl__text_eq(pawl__buf_text(&again), pawl__buf_text(&canonical)));
                require(pawl__sha256(hasher, plain, canonical.data, canonical.len, NULL) ==
                        PAWL_OK);
                require(memcmp(hash, plain, sizeof hash) == 0);
        } else {
                check_refusal(&err);
                check_refusal(&tree_err);
                require(canonical.len == 0);
        }
        if (!read) {
                check_refusal(&read_err);
                /* a name that appears twice before may come first */
                require(strcmp(err.message, read_err.message) == 0 ||
                        strstr(err.message, " twice "));
        }
        pawl__buf_free(&canonical);
        pawl__buf_free(&again);
        pawl__json_tree_free(&tree);
        pawl__hasher_free(hasher);
        return 0;
}
