# schema.sql as a C header, ${CMAKE_BINARY_DIR}/generated/schema_sql.h: an array of bytes, since ISO C
# promises no string literal beyond 4,095 characters. Written anew when schema.sql changes.
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/schema.sql)
file(READ ${CMAKE_CURRENT_SOURCE_DIR}/schema.sql schema_hex HEX)
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," schema_bytes "${schema_hex}")
string(REGEX REPLACE "(0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,)"
        "\\1\n" schema_bytes "${schema_bytes}")

# What it makes, by name, as generated/schema_objects.h: the tables that are derived from the events, and all
# else but events itself.
file(READ ${CMAKE_CURRENT_SOURCE_DIR}/schema.sql schema_text)
string(FIND "${schema_text}" "-- ---- What is, derived" schema_derived_at)
string(SUBSTRING "${schema_text}" ${schema_derived_at} -1 schema_derived)
set(schema_object "(TABLE|INDEX|TRIGGER) IF NOT EXISTS [a-z_]+")
string(REGEX MATCHALL "TABLE IF NOT EXISTS [a-z_]+" schema_derived "${schema_derived}")
string(REGEX MATCHALL "${schema_object}" schema_others "${schema_text}")
list(REMOVE_ITEM schema_others "TABLE IF NOT EXISTS events" ${schema_derived})
list(TRANSFORM schema_derived REPLACE ".* ([a-z_]+)$" "\"\\1\"")
list(TRANSFORM schema_others REPLACE ".* ([a-z_]+)$" "\"\\1\"")
list(JOIN schema_derived ", " schema_derived)
list(JOIN schema_others ", " schema_others)

file(GENERATE OUTPUT ${CMAKE_BINARY_DIR}/generated/schema_sql.h CONTENT
        "/* schema.sql, by cmake/schema.cmake. */\nstatic const char schema_sql[] = {\n${schema_bytes}0};\n")
file(GENERATE OUTPUT ${CMAKE_BINARY_DIR}/generated/schema_objects.h CONTENT
        "/* The objects of schema.sql, by cmake/schema.cmake. */
static const char *const schema_derived[] = {${schema_derived}};
static const char *const schema_others[] = {${schema_others}};
")
