/*
 * Any bytes as a note, as a key that signs notes, and as what a time-stamping authority answered. A
 * note that is read is written again as the same lines; what a key signs is a note.
 */
#include "base/timestamp.h"
#include "events/note.h"
#include "fuzz/fuzzing.h"
#include <string.h>

static void check_note(pawl_text text)
{
        pawl__buf again = PAWL__BUF_INIT;
        pawl__note note;

        if (pawl__note_read(&note, text, NULL))
                return;
        require(pawl__note_write(&again, &note, NULL, NULL) == PAWL_OK);
        require(again.len <= text.len && memcmp(again.data, text.data, again.len) == 0);
        pawl__buf_free(&again);
}

static void check_key(pawl_text text)
{
        const pawl__note note = {.origin = pawl__text("example.com/log"), .size = 1};
        pawl__buf signed_note = PAWL__BUF_INIT;
        pawl__note_key key;
        pawl__note read;

        if (pawl__note_key_read(&key, text, NULL))
                return;
        require(pawl__note_write(&signed_note, &note, &key, NULL) == PAWL_OK);
        require(pawl__note_read(&read, pawl__buf_text(&signed_note), NULL) == PAWL_OK);
        require(read.size == note.size && pawl__text_eq(read.origin, note.origin));
        pawl__note_key_free(&key);
        pawl__buf_free(&signed_note);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
        static const unsigned char hash[PAWL__HASH_LEN] = {1};
        pawl_error err = PAWL_ERROR_INIT;
        const pawl_text text = pawl__text_n((const char *)data, size);

        check_note(text);
        check_key(text);
        if (pawl__timestamp_check(text, hash, &err))
                require(err.status && strstr(err.message, "; "));
        return 0;
}
