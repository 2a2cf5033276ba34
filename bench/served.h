/**
 * @file bench/served.h
 * @brief `pawl serve` as a process of its own, and a client that asks it on a connection that
 * stays.
 */
#pragma once

#include "bench/measure.h"
#include <base/text.h>
#include <sys/types.h>

typedef struct served {
        pid_t pid;
        unsigned port;
        char token[80];
        int out; /* what it says on stdout */
} served;

/** Serve the log "events.db" of the folder on a port of loopback; returns once it is ready. */
void served_start(served *s);
/** End it by SIGTERM; a failure of its ends the benchmark. */
void served_stop(served *s);
/** Bytes of memory that are the process's own: resident, and not of a file. */
double served_memory(const served *s);

/** A connection to a port of loopback. */
int http_connect(unsigned port);
/** Send all of a request whose head is made here; @p body may be NULL. */
void http_send(int fd, const served *s, const char *method, const char *path, const char *body);
/** The answer's body, NUL-ended, into @p out, which is emptied first; its status. */
int http_receive(int fd, pawl__buf *out);
