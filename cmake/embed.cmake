# pawl_embed(NAME FILE...): the files as a C header, ${CMAKE_BINARY_DIR}/generated/NAME.h, whose
# EMBED_NAME is a list of {name, content type, data, length, ETag}. Written anew when one changes.
# Arrays of bytes, since ISO C promises no string literal beyond 4,095 characters.
function(pawl_embed name)
        set(type_html "text/html; charset=utf-8")
        set(type_css "text/css; charset=utf-8")
        set(type_js "text/javascript; charset=utf-8")
        set(type_json "application/json")
        set(type_svg "image/svg+xml")
        string(TOUPPER ${name} macro)
        set(arrays "")
        set(rows "")
        foreach(file ${ARGN})
                set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
                get_filename_component(title ${file} NAME)
                get_filename_component(ending ${file} LAST_EXT)
                string(SUBSTRING ${ending} 1 -1 ending)
                if(NOT DEFINED type_${ending})
                        message(FATAL_ERROR "${file}: say in cmake/embed.cmake what type *.${ending} is")
                endif()
                string(MAKE_C_IDENTIFIER "${name}_${title}" symbol)
                file(READ ${file} bytes HEX)
                string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
                string(REGEX REPLACE "(0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,)"
                        "\\1\n" bytes "${bytes}")
                file(SHA256 ${file} hash)
                string(SUBSTRING ${hash} 0 32 hash)
                string(APPEND arrays "static const unsigned char ${symbol}[] = {\n${bytes}0};\n")
                string(APPEND rows
                        "        {\"${title}\", \"${type_${ending}}\", ${symbol}, sizeof ${symbol} - 1, \"\\\"${hash}\\\"\"}, \\\n")
        endforeach()
        file(GENERATE OUTPUT ${CMAKE_BINARY_DIR}/generated/${name}.h CONTENT
                "/* By cmake/embed.cmake. */\n${arrays}#define EMBED_${macro} \\\n${rows}\n")
endfunction()
