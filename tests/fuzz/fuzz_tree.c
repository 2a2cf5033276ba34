/*
 * Any bytes as the encoding of a directory. What is refused is refused on one line, and stays
 * refused; what is read has entries of their form, in order, and encodes to the same bytes: a
 * directory has one encoding, so its hash is its own.
 */
#include "fuzz/fuzzing.h"
#include "workspace/store/tree.h"

static void require_entry(const pawl__entry *entry)
{
        require(pawl__tree_name_valid(entry->name) ||
                pawl__tree_listed(entry->kind, entry->why, entry->name));
        require(entry->mode <= 07777);
        switch (entry->kind) {
        case PAWL__ENTRY_FILE:
        case PAWL__ENTRY_DIRECTORY:
                return;
        case PAWL__ENTRY_LINK:
                require(entry->mode == 0 && entry->target.len > 0);
                require(!memchr(entry->target.data, '\0', entry->target.len));
                return;
        case PAWL__ENTRY_SKIPPED:
                require(entry->mode == 0 && pawl__skip_name(entry->why));
                return;
        }
        require(false); /* a kind that there is none of */
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
        const pawl_text input = {(const char *)data, size};
        pawl__buf again = PAWL__BUF_INIT;
        pawl_error err = PAWL_ERROR_INIT;
        pawl__tree_reader reader;
        pawl__entry entry = {.kind = PAWL__ENTRY_FILE};
        pawl_status status = pawl__tree_open(&reader, input, &err);

        if (status) {
                require(status == PAWL_EDAMAGED || status == PAWL_ENEWER);
                require_message(&err, status);
                return 0;
        }
        require(pawl__tree_begin(&again, NULL) == PAWL_OK);
        while ((status = pawl__tree_next(&entry, &reader, &err)) == PAWL_OK) {
                require_entry(&entry);
                require(pawl__tree_add(&again, &entry, NULL) == PAWL_OK);
        }
        if (status == PAWL_DONE) {
                require(pawl__text_eq(pawl__buf_text(&again), input));
        } else {
                require(status == PAWL_EDAMAGED);
                require_message(&err, status);
                require(pawl__tree_next(&entry, &reader, NULL) == PAWL_EDAMAGED);
        }
        pawl__buf_free(&again);
        return 0;
}
