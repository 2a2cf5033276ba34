/**
 * @file pawl/version.h
 * @brief Which version these headers are of. The library's own, at run time, is pawl_version().
 */
#ifndef PAWL_VERSION_H
#define PAWL_VERSION_H

/* CMakeLists.txt reads the project's version here. */
#define PAWL_VERSION_MAJOR 0
#define PAWL_VERSION_MINOR 1
#define PAWL_VERSION_PATCH 0

/** One number, to compare with: 0.1.0 is 100, 1.2.3 is 10203. */
#define PAWL_VERSION_NUMBER                                                                        \
        (PAWL_VERSION_MAJOR * 10000 + PAWL_VERSION_MINOR * 100 + PAWL_VERSION_PATCH)

#define PAWL__VERSION_TEXT(a, b, c)   #a "." #b "." #c
#define PAWL__VERSION_EXPAND(a, b, c) PAWL__VERSION_TEXT(a, b, c)
/** "0.1.0" */
#define PAWL_VERSION_STRING                                                                        \
        PAWL__VERSION_EXPAND(PAWL_VERSION_MAJOR, PAWL_VERSION_MINOR, PAWL_VERSION_PATCH)

#endif
