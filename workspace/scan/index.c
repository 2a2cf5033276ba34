/* The index in memory (workspace/scan/index.h). */
#include "workspace/scan/index.h"
#include "base/error.h"

_Static_assert(sizeof(pawl__index_entry) == 72, "the entry has no holes");

void pawl__index_free(pawl__index *index)
{
        pawl__buf_free(&index->bytes);
        *index = (pawl__index)PAWL__INDEX_INIT;
}

pawl__index_cursor pawl__index_open(const pawl__index *index, size_t directory)
{
        pawl__index_directory head;

        memcpy(&head, index->bytes.data + directory, sizeof head);
        return (pawl__index_cursor){directory + sizeof head, head.entries};
}

pawl__index_entry *pawl__index_next(const pawl__index *index, pawl__index_cursor *cursor)
{
        if (cursor->left == 0)
                return NULL;
        pawl__index_entry *entry = pawl__index_entry_at(index, cursor->at);
        cursor->at += pawl__index_entry_size(entry);
        cursor->left--;
        return entry;
}

static pawl__index_directory *head_of(const pawl__index *index, size_t directory)
{
        return (pawl__index_directory *)(void *)(index->bytes.data + directory);
}

uint32_t pawl__index_ignored(const pawl__index *index, size_t directory)
{
        return head_of(index, directory)->ignored;
}

void pawl__index_set_ignored(pawl__index *index, size_t directory, uint32_t ignored)
{
        head_of(index, directory)->ignored = ignored;
}

const pawl__index_entry *pawl__index_find(
        const pawl__index *index, size_t directory, const char *name)
{
        pawl__index_cursor cursor = pawl__index_open(index, directory);
        const pawl__index_entry *entry;

        while ((entry = pawl__index_next(index, &cursor))) {
                const int order = strcmp(pawl__index_name(entry).data, name);
                if (order >= 0)
                        return order == 0 ? entry : NULL;
        }
        return NULL;
}

pawl_status pawl__index_begin(size_t *directory, pawl__index *index, pawl_error *err)
{
        static const char zeros[PAWL__INDEX_HEAD];
        const pawl__index_directory head = {0};

        if (index->bytes.len == 0 && pawl__buf_add(&index->bytes, zeros, sizeof zeros))
                return pawl__nomem(err);
        const size_t at = index->bytes.len;
        if (pawl__buf_add(&index->bytes, &head, sizeof head))
                return pawl__nomem(err);
        *directory = at;
        return PAWL_OK;
}

pawl_status pawl__index_add(pawl__index *index, size_t directory, const pawl__index_entry *entry,
        pawl_text name, pawl_text target, pawl_error *err)
{
        pawl__index_entry whole = *entry;

        whole.name_len = (uint8_t)name.len;
        whole.target_len = (uint16_t)target.len;
        const size_t size = pawl__index_entry_size(&whole);
        if (pawl__buf_reserve(&index->bytes, size))
                return pawl__nomem(err);
        char *at = index->bytes.data + index->bytes.len;
        memset(at + size - 8, 0, 8);
        memcpy(at, &whole, sizeof whole);
        if (target.len)
                memcpy(at + sizeof whole, target.data, target.len);
        memcpy(at + sizeof whole + target.len, name.data, name.len);
        index->bytes.len += size;
        index->bytes.data[index->bytes.len] = '\0';
        head_of(index, directory)->entries++;
        return PAWL_OK;
}

pawl_status pawl__index_encode(
        pawl__buf *out, const pawl__index *index, size_t directory, pawl_error *err)
{
        pawl__index_cursor cursor = pawl__index_open(index, directory);
        const pawl__index_entry *from;

        pawl__buf_clear(out);
        pawl_status status = pawl__tree_begin(out, err);
        while (!status && (from = pawl__index_next(index, &cursor))) {
                pawl__entry entry = {.kind = (pawl__entry_kind)from->kind,
                        .name = pawl__index_name(from),
                        .mode = from->mode,
                        .size = from->kind == PAWL__ENTRY_FILE ? from->size : 0,
                        .target = pawl__index_target(from),
                        .why = (pawl__skip)from->why};
                memcpy(entry.hash, from->hash, 32);
                if (from->kind != PAWL__INDEX_GONE)
                        status = pawl__tree_add(out, &entry, err);
        }
        return status;
}
