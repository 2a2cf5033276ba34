/**
 * @file events/postgres/library.h
 * @brief libpq, loaded when a log on a server is opened.
 */
#pragma once

#include "base/lazy.h"
#include <libpq-fe.h>

#define PAWL__POSTGRES_FUNCTIONS(X)                                                                \
        X(PQconninfoParse)                                                                         \
        X(PQconninfoFree)                                                                          \
        X(PQfreemem)                                                                               \
        X(PQconnectStartParams)                                                                    \
        X(PQconnectPoll)                                                                           \
        X(PQfinish)                                                                                \
        X(PQstatus)                                                                                \
        X(PQsocket)                                                                                \
        X(PQhost)                                                                                  \
        X(PQerrorMessage)                                                                          \
        X(PQparameterStatus)                                                                       \
        X(PQbackendPID)                                                                            \
        X(PQserverVersion)                                                                         \
        X(PQsetNoticeReceiver)                                                                     \
        X(PQsetErrorVerbosity)                                                                     \
        X(PQtransactionStatus)                                                                     \
        X(PQsetnonblocking)                                                                        \
        X(PQenterPipelineMode)                                                                     \
        X(PQpipelineSync)                                                                          \
        X(PQsendPrepare)                                                                           \
        X(PQsendQueryParams)                                                                       \
        X(PQsendQueryPrepared)                                                                     \
        X(PQflush)                                                                                 \
        X(PQconsumeInput)                                                                          \
        X(PQisBusy)                                                                                \
        X(PQgetResult)                                                                             \
        X(PQgetCancel)                                                                             \
        X(PQcancel)                                                                                \
        X(PQfreeCancel)                                                                            \
        X(PQclear)                                                                                 \
        X(PQresultStatus)                                                                          \
        X(PQresultErrorField)                                                                      \
        X(PQresultErrorMessage)                                                                    \
        X(PQntuples)                                                                               \
        X(PQnfields)                                                                               \
        X(PQftype)                                                                                 \
        X(PQfformat)                                                                               \
        X(PQgetisnull)                                                                             \
        X(PQgetvalue)                                                                              \
        X(PQgetlength)                                                                             \
        X(PQcmdStatus)                                                                             \
        X(PQcmdTuples)

/** Its functions, under their own names. */
typedef struct pawl__postgres_library {
        PAWL__POSTGRES_FUNCTIONS(PAWL__LAZY_FIELD)
} pawl__postgres_library;

/** Load it. PAWL_ENOTFOUND where it is not installed. Static. */
PAWL_MUST_CHECK pawl_status pawl__postgres_load(
        const pawl__postgres_library **out, pawl_error *err);
