/**
 * @file bench/http_twin.h
 * @brief What libmicrohttpd alone takes for an answer: a server in a thread of this process that
 * has the bytes already, and looks at nothing but the path.
 */
#pragma once

#include "bench/measure.h"
#include <base/text.h>

/** Serve @p body, which it copies, whatever is asked, on a port of loopback; returns the port. */
unsigned http_twin_start(pawl_text body);
void http_twin_stop(void);
