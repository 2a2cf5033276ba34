/* The kernel's own calls: readdir() would allocate for each directory, and say less of what fails.
 */
#include "workspace/scan/listing.h"
#include "base/error.h"
#include <dirent.h>
#include <stdlib.h>

enum { ROOM = 64 * 1024, NAME_MAX_BYTES = 255 };

static int by_name(const void *a, const void *b)
{
        return strcmp(((const pawl__listed *)a)->name, ((const pawl__listed *)b)->name);
}

static pawl_status add(pawl__listing *listing, const struct dirent64 *entry, pawl_error *err)
{
        const size_t len = strlen(entry->d_name);

        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
                return PAWL_OK;
        if (len == 0 || len > NAME_MAX_BYTES) /* no file system of Linux has such a name */
                return PAWL_OK;
        if (pawl__grow(&listing->items, &listing->cap, listing->n + 1, sizeof *listing->items) ||
                pawl__buf_add(&listing->names, entry->d_name, len + 1))
                return pawl__nomem(err);
        listing->items[listing->n++] =
                (pawl__listed){NULL, entry->d_ino, (unsigned char)len, entry->d_type};
        return PAWL_OK;
}

pawl_status pawl__list_directory(pawl__listing *listing, int fd, pawl_error *err)
{
        ssize_t got;

        listing->n = 0;
        pawl__buf_clear(&listing->names);
        if (!listing->buf)
                listing->buf = malloc(ROOM);
        if (!listing->buf)
                return pawl__nomem(err);
        while ((got = getdents64(fd, listing->buf, ROOM)) > 0)
                for (ssize_t at = 0; at < got;) {
                        const struct dirent64 *entry =
                                (const struct dirent64 *)(void *)(listing->buf + at);
                        const pawl_status status = add(listing, entry, err);
                        if (status)
                                return status;
                        at += entry->d_reclen;
                }
        if (got < 0)
                return PAWL_EIO;
        const char *name = listing->names.data;
        for (size_t i = 0; i < listing->n; i++) {
                listing->items[i].name = name;
                name += listing->items[i].len + 1;
        }
        if (listing->n > 1)
                qsort(listing->items, listing->n, sizeof *listing->items, by_name);
        return PAWL_OK;
}

static unsigned char type_of(const pawl__index_entry *entry)
{
        switch (entry->kind) {
        case PAWL__ENTRY_FILE:
                return DT_REG;
        case PAWL__ENTRY_DIRECTORY:
        case PAWL__INDEX_GONE:
                return DT_DIR;
        case PAWL__ENTRY_LINK:
                return DT_LNK;
        default:
                return DT_UNKNOWN;
        }
}

pawl_status pawl__list_former(
        pawl__listing *listing, const pawl__index *index, size_t directory, pawl_error *err)
{
        pawl__index_cursor cursor = pawl__index_open(index, directory);
        const pawl__index_entry *entry;

        listing->n = 0;
        if (pawl__grow(&listing->items, &listing->cap, cursor.left, sizeof *listing->items))
                return pawl__nomem(err);
        while ((entry = pawl__index_next(index, &cursor)))
                listing->items[listing->n++] = (pawl__listed){pawl__index_name(entry).data,
                        entry->inode, entry->name_len, type_of(entry)};
        return PAWL_OK;
}

void pawl__listing_free(pawl__listing *listing)
{
        free(listing->items);
        pawl__buf_free(&listing->names);
        free(listing->buf);
        *listing = (pawl__listing){NULL, 0, 0, PAWL__BUF_INIT, NULL};
}
