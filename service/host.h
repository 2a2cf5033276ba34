/**
 * @file service/host.h
 * @brief The valid values of Host and Origin.
 *
 * Another site can make its own name resolve to this machine (DNS rebinding); requests of its pages
 * then have that name as their Host. An address cannot be redirected.
 */
#pragma once

#include "base/text.h"

typedef struct service_hosts {
        const char *address;      /**< that it listens at: "127.0.0.1", "::1", "0.0.0.0" */
        const char *const *names; /**< other valid names in Host */
        size_t n_names;
        bool tls;
} service_hosts;

/** Is the Host header one of ours: localhost, an address of loopback, the address that is listened
 *  at (any address, where that is the one for all), or one of the names? With any port. */
bool service_host_ours(const service_hosts *hosts, pawl_text host);

/** Is the Origin header that of the pages that this Host serves? */
bool service_origin_ours(const service_hosts *hosts, pawl_text origin, pawl_text host);

/** "ADDR:PORT", "[ADDR]:PORT" or "NAME:PORT": the address without brackets into @p address. False:
 *  it is none. */
bool service_listen_parse(char address[64], uint16_t *port, const char *listen);

/** Is it an address of loopback? */
bool service_address_loopback(const char *address);
