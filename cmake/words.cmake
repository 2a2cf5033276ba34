# pawl_words(NAME): glossary/NAME.txt, a word a line in byte order, as ${CMAKE_BINARY_DIR}/generated/NAME.h.
function(pawl_words name)
        set(file ${CMAKE_CURRENT_SOURCE_DIR}/glossary/${name}.txt)
        set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
        file(STRINGS ${file} words REGEX "^[a-z]+$")
        list(TRANSFORM words REPLACE "(.+)" "        \"\\1\",\n")
        list(JOIN words "" words)
        file(GENERATE OUTPUT ${CMAKE_BINARY_DIR}/generated/${name}.h CONTENT
                "/* glossary/${name}.txt, by cmake/words.cmake. */\nstatic const char ${name}[][16] = {\n${words}};\n")
endfunction()
pawl_words(ordinary_words)
pawl_words(stress_words)
