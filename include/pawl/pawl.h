/**
 * @file pawl/pawl.h
 * @brief All of Pawl: include this, link with -lpawl.
 */
#ifndef PAWL_PAWL_H
#define PAWL_PAWL_H

#include <pawl/base.h>
#include <pawl/checkpoint.h>
#include <pawl/events.h>
#include <pawl/mission.h>
#include <pawl/pipeline.h>
#include <pawl/query.h>
#include <pawl/rollback.h>
#include <pawl/session.h>
#include <pawl/space.h>
#include <pawl/threads.h>
#include <pawl/toolcalls.h>
#include <pawl/validate.h>
#include <pawl/version.h>
#include <pawl/workspace.h>

#endif
