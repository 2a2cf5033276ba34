/**
 * @file base/sources.h
 * @brief The clocks and the source of ids: the system's, or a caller's own.
 */
#pragma once

#include <pawl/base.h>
#include <stdbool.h>

/** Every member set: the given ones, and the system's for the rest. @p given may be NULL. */
pawl_sources pawl__sources_complete(const pawl_sources *given);

/** Microseconds by a clock that never steps: for how long something is waited for. It decides
 *  nothing that is recorded. */
int64_t pawl__monotonic_us(void);

/** "2026-11-20T12:35:00.000000Z" and a NUL: 28 bytes. Years 0001 to 9999; others are clamped. */
void pawl__time_format(char out[28], int64_t wall_us);
/** The reverse; false for anything else. */
bool pawl__time_parse(int64_t *wall_us, pawl_text text);

/** 36 characters, 8-4-4-4-12 lower-case hex digits? */
bool pawl__uuid_valid(pawl_text text);
