/**
 * @file bench/postgres.h
 * @brief A PostgreSQL server to measure with.
 */
#pragma once

/** Its URL: $PAWL_BENCH_POSTGRES, or a server of the benchmark's own (tests/support/postgres), in
 * its folder. */
const char *bench_postgres_start(void);
/** End that one. */
void bench_postgres_stop(void);
