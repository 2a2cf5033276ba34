/**
 * @file bench/spawn.h
 * @brief Whole processes: the tools beside which this program was built, and others.
 */
#pragma once

#include "bench/measure.h"

/** The path of a tool, such as "pawl", that was built along with this program. */
const char *bench_tool(const char *name);

/** Nanoseconds from start to exit of a command whose output is thrown away. One that does not exit
 *  with 0 ends the benchmark. */
double bench_spawn_ns(char *const argv[]);

/** The same of one that exits with @p code. */
double bench_spawn_code(char *const argv[], int code);
/** CPU time, the system's included, in nanoseconds. */
double bench_spawn_cpu(char *const argv[], int code);
/** The most memory that a command had at once, in bytes. */
double bench_spawn_bytes(char *const argv[]);
