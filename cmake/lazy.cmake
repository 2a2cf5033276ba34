# pawl_lazy(MODULE PREFIX)
#
# MODULE includes the headers of the pkg-config module PREFIX, and loads its library when it is first
# used (base/lazy.h), by the name that the library found here gives itself: PREFIX_SONAME. It is not
# linked, so neither the programs nor those who link libpawl load it at their start.
function(pawl_lazy path prefix)
        string(REPLACE / _ module ${path})
        pkg_get_variable(folder ${${prefix}_MODULE_NAME} libdir)
        find_library(${prefix}_LIBRARY NAMES ${${prefix}_LIBRARIES} HINTS ${folder} ${${prefix}_LIBRARY_DIRS}
                REQUIRED)
        file(REAL_PATH ${${prefix}_LIBRARY} real)
        execute_process(COMMAND ${CMAKE_READELF} -d ${real} OUTPUT_VARIABLE dynamic ERROR_QUIET)
        if(NOT dynamic MATCHES "\\(SONAME\\)[^[]*\\[([^]]+)\\]")
                message(FATAL_ERROR "${real}: ${CMAKE_READELF} finds no SONAME in it")
        endif()
        set(${prefix}_SONAME ${CMAKE_MATCH_1} CACHE INTERNAL "")
        target_compile_definitions(${module} PRIVATE ${prefix}_SONAME="${CMAKE_MATCH_1}")
        target_include_directories(${module} SYSTEM PRIVATE ${${prefix}_INCLUDE_DIRS})
        set_property(GLOBAL APPEND PROPERTY PAWL_LIBS ${CMAKE_DL_LIBS} Threads::Threads)
endfunction()

# pawl_optional(OPTION MODULE PREFIX FILE...)
#
# The FILEs (names without .c) of MODULE use the library PREFIX, loaded late. A build without PAWL_WITH_OPTION
# has MODULE's *_absent.c in their place: the same functions, which say that it is without them.
function(pawl_optional option path prefix)
        string(REPLACE / _ module ${path})
        get_target_property(sources ${module} SOURCES)
        if(PAWL_WITH_${option})
                pawl_lazy(${path} ${prefix})
                list(FILTER sources EXCLUDE REGEX "_absent\\.c$")
        else()
                string(JOIN "|" files ${ARGN})
                list(FILTER sources EXCLUDE REGEX "/(${files})\\.c$")
        endif()
        set_property(TARGET ${module} PROPERTY SOURCES ${sources})
endfunction()
