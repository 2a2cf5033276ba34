/* A session's id: the second it began in, and 48 random bits, so that no two sessions share one. */
#include "base/sources.h"
#include "session/session.h"
#include <stdio.h>

void pawl__session_id(char out[PAWL_SESSION_ID_MAX], const pawl_log *log)
{
        const pawl_sources *sources = pawl__log_sources(log);
        char time[28], random[37];

        pawl__time_format(time, pawl__wall_us(log)); /* 2026-11-20T12:35:00.000000Z */
        sources->uuid(random, sources->user);
        snprintf(out, PAWL_SESSION_ID_MAX, "session-%.4s%.2s%.2s-%.2s%.2s%.2s-%.12s", time,
                time + 5, time + 8, time + 11, time + 14, time + 17, random + 24);
}
