# schema.sql as a C header, ${CMAKE_BINARY_DIR}/generated/schema_sql.h: an array of bytes, since ISO C
# promises no string literal beyond 4,095 characters. Written anew when schema.sql changes.
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/schema.sql)
file(READ ${CMAKE_CURRENT_SOURCE_DIR}/schema.sql schema_hex HEX)
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," schema_bytes "${schema_hex}")
string(REGEX REPLACE "(0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,)"
        "\\1\n" schema_bytes "${schema_bytes}")
file(GENERATE OUTPUT ${CMAKE_BINARY_DIR}/generated/schema_sql.h CONTENT
        "/* schema.sql, by cmake/schema.cmake. */\nstatic const char schema_sql[] = {\n${schema_bytes}0};\n")
