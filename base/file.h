/**
 * @file base/file.h
 * @brief Whole files: read up to a bound, written, renamed, made durable.
 *
 * Each function returns 0 or an errno, because what to say about it depends on the file; see
 * pawl__fail_errno().
 */
#pragma once

#include "base/memory.h"
#include <sys/types.h>

/** Append the rest of the file to @p out. EFBIG: it has more than @p max bytes, of which max + 1
 * were appended. A caller that knows the size reserves one byte more than that beforehand. */
int pawl__read_all(pawl__buf *out, int fd, size_t max);

/** Write all bytes, whatever write() takes at a time. */
int pawl__write_all(int fd, const void *data, size_t len);

/** Fill a file that was just created and close it, in any case: set its mode (0: leave it as it
 *  is), write, and with @p sync wait for the disk. */
int pawl__fill_file(int fd, mode_t mode, const void *data, size_t len, bool sync);

/** Rename within the directory @p dir (or AT_FDCWD). Without @p replace, EEXIST if the new name is
 *  taken; a file system that cannot check this in a rename gets a second name for a moment. */
int pawl__rename(int dir, const char *from, const char *to, bool replace);

/** The name of a file that is being written, which is to get another, begins so, with 16 hex digits
 *  after it: no checkpoint takes it, and none of these is a restore's. */
#define PAWL__FILE_BEING_WRITTEN ".pawl-tmp-new-"

/** Follow links from @p path until it is none, into the empty @p target: what they lead to need not
 *  be there. */
int pawl__follow_links(pawl__buf *target, const char *path);

/** Put a whole file at @p path, or leave what is there: written beside it, as
 *  PAWL__FILE_BEING_WRITTEN, synced, renamed over it, and the directory synced. A file that is
 * there keeps its mode, a new one gets @p new_mode less the umask. Where @p path is a symbolic
 * link, what it leads to is replaced. What a kill can leave is the file beside it. EINVAL: @p path
 * names no regular file. A path that a user names is checked by pawl__own_files_spare() first. */
int pawl__replace_file(const char *path, const void *data, size_t len, mode_t new_mode);
/** The bytes of "DIRECTORY/" of "DIRECTORY/NAME"; 0: the path names no directory. */
size_t pawl__directory_len(const char *path);

/** Make names in a directory durable. A directory that may not be read, and a file system that
 *  cannot sync directories, are no failure: the names are there. */
int pawl__sync_directory(const char *path);

/** Put the file at @p path, of the directory @p dir (or AT_FDCWD), that keeps git from taking what
 *  lies beside it: a .gitignore of one line, "*". One that is there stays as it is. */
int pawl__ignore_beside(int dir, const char *path);
