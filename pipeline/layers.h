/**
 * @file pipeline/layers.h
 * @brief The five standard layers, each a file of its own and testable with a context alone.
 */
#pragma once

#include <pawl/pipeline.h>

extern const pawl_layer pawl__layer_extraction;    /* 1: extraction.c */
extern const pawl_layer pawl__layer_check;         /* 2: check.c */
extern const pawl_layer pawl__layer_gate;          /* 3: gate.c */
extern const pawl_layer pawl__layer_clarification; /* 4: clarification.c */
extern const pawl_layer pawl__layer_resume;        /* 5: resume.c */
