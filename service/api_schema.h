/**
 * @file service/api_schema.h
 * @brief Schemas of answers, as service/openapi.json writes them, expanded to JSON Schema.
 *
 * There, an object is its members, each "TYPE" or "TYPE: DESCRIPTION"; "?" after a member's name
 * means that it may be missing, and "$description", "$example" and "$extends" are about the object.
 * A TYPE is string, integer, number, boolean, object, any; count (from 0), seq (from 1), hash, time
 * or status; the name of a schema ("Run"); or the values of an enumeration ("open,resolved"). "[]"
 * after it means an array, "|null" that null is possible.
 */
#ifndef SERVICE_API_SCHEMA_H
#define SERVICE_API_SCHEMA_H

#include "base/json_tree.h"
#include "base/json_write.h"

/** The members of the file. */
void service_schema_document(pawl__json_writer *w, const pawl__json_tree *file);
/** The schema of one TYPE. */
void service_schema_write(pawl__json_writer *w, pawl_text type);
/** {"$ref": "#/components/TO/NAME"} */
void service_schema_reference(pawl__json_writer *w, const char *to, pawl_text name);
/** "enum": the values, separated by @p separator; and null. */
void service_schema_values(pawl__json_writer *w, pawl_text values, char separator, bool null);

#endif
