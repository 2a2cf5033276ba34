# pawl_module(NAME USES module... LIBS target...)
#
# A directory as an object library; NAME is its path, with `_` for `/` as the target's name. Its include path
# holds the public headers, its own and those of the modules it uses, each header as a link in a directory of
# the module's own: an #include of any other module finds no file, so an arrow that points up does not compile.
function(pawl_module path)
        cmake_parse_arguments(arg "" "" "USES;LIBS" ${ARGN})
        string(REPLACE / _ name ${path})
        file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${path}/*.c)
        file(GLOB headers CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${path}/*.h)
        set(headers_of ${CMAKE_BINARY_DIR}/headers)
        file(REMOVE_RECURSE ${headers_of}/${name})
        file(MAKE_DIRECTORY ${headers_of}/${name}/${path})
        foreach(header ${headers})
                get_filename_component(file ${header} NAME)
                file(CREATE_LINK ${header} ${headers_of}/${name}/${path}/${file} SYMBOLIC)
        endforeach()

        add_library(${name} OBJECT ${sources})
        target_include_directories(${name} PRIVATE ${CMAKE_SOURCE_DIR}/include ${headers_of}/${name})
        target_include_directories(${name} PRIVATE ${CMAKE_BINARY_DIR}/generated)
        foreach(used ${arg_USES})
                string(REPLACE / _ used ${used})
                target_include_directories(${name} PRIVATE ${headers_of}/${used})
        endforeach()
        target_link_libraries(${name} PRIVATE pawl_flags ${arg_LIBS})
        set_property(GLOBAL APPEND PROPERTY PAWL_LIBS ${arg_LIBS})
endfunction()

# pawl_library(NAME module...): the modules as libNAME, shared or static as BUILD_SHARED_LIBS says, for users,
# and as NAME_internal, a static library with the private symbols visible and every folder on its include
# path, for programs, tests and benchmarks.
#
# PAWL_REQUIRES and PAWL_LIBS_PRIVATE become what a program needs beside a static libNAME: modules of
# pkg-config, and flags.
function(pawl_library name)
        get_property(libs GLOBAL PROPERTY PAWL_LIBS)
        list(REMOVE_DUPLICATES libs)
        set(objects)
        foreach(module ${ARGN})
                string(REPLACE / _ module ${module})
                list(APPEND objects $<TARGET_OBJECTS:${module}>)
        endforeach()
        add_library(${name} ${objects})
        add_library(${name}_internal STATIC ${objects})
        foreach(target ${name} ${name}_internal)
                target_include_directories(${target} PUBLIC $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/include>)
                foreach(lib ${libs} pawl_flags)
                        target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:${lib}>)
                endforeach()
                set_target_properties(${target} PROPERTIES LINKER_LANGUAGE C)
        endforeach()
        # A thread of the writers' queue may outlive dlclose() (events/sqlite/writer_queue.c).
        target_link_options(${name} PRIVATE -Wl,-z,nodelete)
        set_target_properties(${name} PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION 0)
        target_include_directories(${name}_internal PUBLIC $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}>)

        set(requires)
        foreach(lib ${libs})
                if(lib MATCHES "^PkgConfig::(.+)")
                        list(APPEND requires ${${CMAKE_MATCH_1}_MODULE_NAME})
                endif()
        endforeach()
        # As cmake/pawl-config.cmake.in finds them.
        target_link_libraries(${name} PRIVATE $<INSTALL_INTERFACE:PkgConfig::pawl_requires>
                $<INSTALL_INTERFACE:Threads::Threads> $<INSTALL_INTERFACE:${CMAKE_DL_LIBS}>)
        set(PAWL_REQUIRES ${requires} PARENT_SCOPE)
        list(TRANSFORM CMAKE_DL_LIBS PREPEND -l OUTPUT_VARIABLE dl)
        set(PAWL_LIBS_PRIVATE "-pthread ${dl}" PARENT_SCOPE)
endfunction()
