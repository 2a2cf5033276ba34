/*
 * Any bytes as the file of an index: as they are, and as what is between a right head and a
 * right sum, since no fuzzer finds a SHA-256. What is refused is refused on one line; what is read
 * can be gone through from directory to directory, each of which encodes to what reads back with
 * the same names, and is sealed to the same bytes again.
 */
#include "fuzz/fuzzing.h"
#include "workspace/scan/index.h"

/* Each directory is met once, and lies behind the one that names it. */
static void check_directories(const pawl__index *index)
{
        pawl__buf encoded = PAWL__BUF_INIT;

        for (size_t at = PAWL__INDEX_HEAD; at < index->bytes.len;) {
                pawl__index_cursor cursor = pawl__index_open(index, at);
                const pawl__index_entry *entry;
                pawl__tree_reader reader;
                pawl__entry read;
                require(pawl__index_encode(&encoded, index, at, NULL) == PAWL_OK);
                require(pawl__tree_open(&reader, pawl__buf_text(&encoded), NULL) == PAWL_OK);
                while ((entry = pawl__index_next(index, &cursor))) {
                        require(entry->kind != PAWL__ENTRY_DIRECTORY ||
                                (entry->size > at && entry->size < index->bytes.len));
                        if (entry->kind == PAWL__INDEX_GONE)
                                continue;
                        require(pawl__tree_next(&read, &reader, NULL) == PAWL_OK);
                        require(pawl__text_eq(read.name, pawl__index_name(entry)));
                        require(read.target.len == entry->target_len);
                }
                require(pawl__tree_next(&read, &reader, NULL) == PAWL_DONE);
                at = cursor.at;
        }
        pawl__buf_free(&encoded);
}

static void check_file(pawl__buf *file, pawl__hasher *hasher)
{
        pawl__index index = PAWL__INDEX_INIT;
        pawl_error err = PAWL_ERROR_INIT;
        pawl__buf before = PAWL__BUF_INIT;

        require(pawl__buf_add(&before, file->data, file->len) == PAWL_OK);
        const pawl_status status = pawl__index_decode(&index, file, hasher, &err);
        require(!file->data);
        if (status) {
                require(status == PAWL_EDAMAGED);
                require_message(&err, status);
        } else {
                check_directories(&index);
                index.summed = false;
                require(pawl__index_seal(&index, hasher, NULL) == PAWL_OK);
                require(pawl__text_eq(pawl__buf_text(&index.bytes), pawl__buf_text(&before)));
        }
        pawl__index_free(&index);
        pawl__buf_free(&before);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
        static const char buf[PAWL__INDEX_HEAD];
        pawl__index index = PAWL__INDEX_INIT;
        pawl__buf file = PAWL__BUF_INIT;
        pawl__hasher *hasher;

        require(pawl__hasher_new(&hasher, NULL) == PAWL_OK);
        require(pawl__buf_add(&file, data, size) == PAWL_OK);
        check_file(&file, hasher);

        require(pawl__buf_add(&index.bytes, buf, sizeof buf) == PAWL_OK);
        require(pawl__buf_add(&index.bytes, data, size) == PAWL_OK);
        require(pawl__index_seal(&index, hasher, NULL) == PAWL_OK);
        check_file(&index.bytes, hasher);
        pawl__hasher_free(hasher);
        return 0;
}
