/**
 * @file bench/write.h
 * @brief The least that a durable commit can cost: 4 KiB written to a file that has its length, and
 *        fdatasync.
 */
#ifndef BENCH_WRITE_H
#define BENCH_WRITE_H

/** Do it, in the folder's file "file"; nanoseconds. */
double bench_write_ns(void);

#endif
