/**
 * @file workspace/store/rootdir.h
 * @brief Names below one directory, reached by its handle: no call here follows a symbolic link or
 *        leaves that directory, whatever others do to the tree meanwhile.
 *
 * Directories are opened with openat2(RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS |
 * RESOLVE_NO_MAGICLINKS); where the kernel or a sandbox does not let us, one name at a time with
 * O_NOFOLLOW | O_DIRECTORY, which is as strict. The last name of a path is only ever used by calls
 * that do not follow it.
 *
 * Paths are bytes, relative, without empty names, "." and "..", of any length: longer ones than
 * PATH_MAX are walked in pieces. Calls return as those of POSIX do: -1 and errno, which is EINVAL
 * for a path that is none and ELOOP for one with a link on its way.
 */
#pragma once

#include "base/text.h"
#include <sys/stat.h>
#include <sys/types.h>

typedef struct pawl__rootdir {
        int root;          /**< -1: not open */
        bool by_component; /**< without openat2(): it is not there, or a test says so */
        int directory;     /**< the directory reached last, kept for the next call; -1: none */
        pawl__buf path;    /**< and its path */
} pawl__rootdir;

/** Not open: what pawl__rootdir_close() takes too. */
#define PAWL__ROOTDIR_INIT                                                                         \
        {                                                                                          \
                -1, false, -1, PAWL__BUF_INIT                                                      \
        }

/** Open @p root, whose own path may have links. 0 or errno. */
int pawl__rootdir_open(pawl__rootdir *out, const char *root);
void pawl__rootdir_close(pawl__rootdir *b);
/** Forget the directory reached last, so that the next call walks from the root again. */
void pawl__rootdir_forget(pawl__rootdir *b);

/** Is it such a path? */
bool pawl__rootdir_path_ok(pawl_text path);

/** Status, without following a link. */
int pawl__rootdir_stat(pawl__rootdir *b, pawl_text path, struct stat *out);
/** A file, with O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK added to the flags: a FIFO does not hold us. */
int pawl__rootdir_file(pawl__rootdir *b, pawl_text path, int flags, mode_t mode);
/** A directory to be read; "" is the root. */
int pawl__rootdir_directory(pawl__rootdir *b, pawl_text path);
/** May this process make and remove names in the directory? 0, or -1 and errno. */
int pawl__rootdir_writable(pawl__rootdir *b, pawl_text path);
int pawl__rootdir_mkdir(pawl__rootdir *b, pawl_text path, mode_t mode);
int pawl__rootdir_rmdir(pawl__rootdir *b, pawl_text path);
int pawl__rootdir_unlink(pawl__rootdir *b, pawl_text path);
/** A symbolic link; target is NUL-ended. */
int pawl__rootdir_symlink(pawl__rootdir *b, pawl_text path, const char *target);
/** The target of one; its length, at most cap. */
ssize_t pawl__rootdir_readlink(pawl__rootdir *b, pawl_text path, char *target, size_t cap);
/** What has the name @p from in the directory of @p path gets path's name, in place of what had it;
 *  with @p replace false only if nothing has (EEXIST). */
int pawl__rootdir_rename(pawl__rootdir *b, const char *from, pawl_text path, bool replace);
/** The mode of a file or directory; a link is refused (EOPNOTSUPP). */
int pawl__rootdir_chmod(pawl__rootdir *b, pawl_text path, mode_t mode);

/** Remove its access control list, so that its mode alone says who may do what. */
int pawl__rootdir_drop_acl(pawl__rootdir *b, pawl_text path);
/** Give a directory or link, which this user has made, to somebody; never what a link leads to, and
 *  nothing else that came to be there since (ESTALE). */
int pawl__rootdir_give(pawl__rootdir *b, pawl_text path, uid_t uid, gid_t gid);

/** The path of the directory that holds @p path; "" is the root. */
pawl_text pawl__rootdir_parent(pawl_text path);
