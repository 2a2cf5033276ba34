/**
 * @file bench/write.h
 * @brief The least that a durable commit can cost: 4 KiB written to a file that has its length, and
 *        fdatasync.
 */
#pragma once

/** Do it, in the folder's file "file"; nanoseconds. */
double bench_write_ns(void);
