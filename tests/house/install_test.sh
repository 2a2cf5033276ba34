# An installed Pawl is found by pkg-config and by CMake, and a program built on it runs.
cmake --install "$BUILD_DIR" --prefix "$PWD/prefix" >install.log
export PKG_CONFIG_PATH=$(dirname "$(find prefix -name pawl.pc)")
sed "s|^prefix=.*|prefix=$PWD/prefix|" "$PKG_CONFIG_PATH/pawl.pc" >pawl.pc
export PKG_CONFIG_PATH=$PWD
cat >use.c <<'EOF'
#include <pawl/pawl.h>
#include <stdio.h>
#include <string.h>

int main(void)
{
        char hex[65];
        const char *json = "{\"b\":1,\"a\":2}";

        if (pawl_json_hash(hex, json, strlen(json), NULL) != PAWL_OK)
                return 1;
        puts(hex);
        return 0;
}
EOF
flags=
if nm "$BUILD_DIR/libpawl.so" | grep -q __asan_init; then flags=-fsanitize=address,undefined; fi
$CC $flags use.c $(pkg-config --cflags --libs pawl) -o use
library=$(dirname "$(find prefix -name 'libpawl.so.0')")
LD_LIBRARY_PATH=$library ./use >by-library
printf '{"b":1,"a":2}' | pawl hash >by-program
cmp by-library by-program
grep -qx "$(printf '{"a":2,"b":1}' | sha256sum | cut -d' ' -f1)" by-library

cat >CMakeLists.txt <<'EOF'
cmake_minimum_required(VERSION 3.25)
project(use LANGUAGES C)
find_package(pawl REQUIRED)
add_executable(use use.c)
target_link_libraries(use pawl::pawl)
EOF
cmake -S . -B b -DCMAKE_PREFIX_PATH="$PWD/prefix" -DCMAKE_C_COMPILER="$CC" -DCMAKE_C_FLAGS="$flags" >cmake.log
cmake --build b >build.log
./b/use | cmp - by-program

prefix/bin/pawl --version | grep -q '^pawl '
prefix/bin/eventlog --version | grep -q '^eventlog '
[ -f "$(find prefix -name pawl.1)" ] && [ -f "$(find prefix -name eventlog.1)" ]
