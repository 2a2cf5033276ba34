/**
 * @file bench/syncs.h
 * @brief How often the disk was waited for: fdatasync and fsync, counted in this program in place
 * of the C library's.
 */
#pragma once

#include <stddef.h>

/** So far, by every thread. A program that calls this counts. */
size_t bench_syncs(void);
