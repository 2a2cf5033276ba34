/**
 * @file tests/support/left_logs.h
 * @brief The logs that a test leaves behind are judged when it ends (tests/support/judged).
 */
#pragma once

/** The log of that path or URL is damaged on purpose from here on: it is not judged. */
void log_damaged(const char *log);
/** The log has events of version 1 that are made by hand: no rule judges it, only its form. */
void log_by_hand(const char *log);
/** The log is on a server: it is there when the test ends. */
void log_on_server(const char *url);
/** The file is about to be removed. A log is kept for the judge; of a process that removes more
 * than 256, which sweeps through the states of one, every sixteenth from there on. */
void log_removed(const char *path);
