/**
 * @file bench/peer.h
 * @brief A process that is asked by lines: "append 100" goes to it, the nanoseconds that the work
 * took it come back, or what it has to say. bench/peers/answer.mjs is its other end.
 */
#pragma once

#include "bench/measure.h"
#include <stdbool.h>
#include <sys/types.h>

typedef struct bench_peer {
        pid_t pid;
        FILE *in, *out; /* of this process */
        char said[128];
} bench_peer;

/** Start it and hear its settings, in @c said. False: it does not run here. */
bool bench_peer_start(bench_peer *p, char *const argv[]);
void bench_peer_stop(bench_peer *p);
/** What it takes it; one that is gone ends the benchmark. */
double bench_peer_ns(bench_peer *p, const char *line);
/** What it takes @p n of them at once, until the last one has answered. */
double bench_peers_ns(bench_peer *peers, size_t n, const char *line);
