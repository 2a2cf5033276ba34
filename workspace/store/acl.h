/**
 * @file workspace/store/acl.h
 * @brief POSIX access control lists: no checkpoint has them, so what a file's mode says must grant
 *        nobody a right that the list did not.
 */
#pragma once

#include <stdint.h>

/**
 * The mode of a file or directory without its list. With a list, the group bits of @p mode are its
 * mask, and a user or group that it names may have fewer rights than the group or the others: both
 * are reduced to what each of these has.
 */
uint32_t pawl__acl_mode(int fd, uint32_t mode);

/** Remove the list, such as one that came from the directory's default. The group has no rights
 *  then. 0, or -1 and errno; no list, and a file system that has none, is 0. @p fd may be O_PATH.
 */
int pawl__acl_drop(int fd);
