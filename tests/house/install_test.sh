# An installed Pawl is found by pkg-config and by CMake wherever it was moved to, shared or static, and a
# program built on it runs.
cmake --install "$BUILD_DIR" --prefix "$PWD/built" >install.log
mv built prefix
unset PKG_CONFIG_PATH
pc=$(dirname "$(find prefix -name pawl.pc)")
library=$(cd "$pc/.." && pwd)
cat >use.c <<'END'
#include <pawl/pawl.h>
#include <stdio.h>
#include <string.h>

int main(void)
{
        char hex[65];
        const char *json = "{\"b\":1,\"a\":2}";

        if (pawl_json_hash(hex, json, strlen(json), NULL) != PAWL_OK ||
                strcmp(pawl_version(), PAWL_VERSION_STRING) != 0)
                return 1;
        puts(hex);
        fprintf(stderr, "%s %d\n", PAWL_VERSION_STRING, PAWL_VERSION_NUMBER);
        return 0;
}
END
flags=
if nm "$BUILD_DIR/bin/pawl" | grep -q __asan_init; then flags=-fsanitize=address,undefined; fi
static=
if [ -e "$library/libpawl.a" ]; then
        static=--static
else
        readelf -d "$library/libpawl.so" | grep -q 'SONAME.*\[libpawl\.so\.0\]'
fi
$CC $flags use.c $(PKG_CONFIG_PATH=$pc pkg-config $static --cflags --libs pawl) -o use
LD_LIBRARY_PATH=$library ./use >by-library 2>by-header
printf '{"b":1,"a":2}' | pawl hash >by-program
cmp by-library by-program
grep -qx "$(printf '{"a":2,"b":1}' | sha256sum | cut -d' ' -f1)" by-library

if [ -e "$pc/pawl-cjson.pc" ]; then
        cat >trees.c <<'END'
#include <pawl/cjson.h>

int main(void)
{
        cJSON *tree = NULL;
        pawl_status status = pawl_cjson_read(&tree, "[1]", 3, NULL);

        cJSON_Delete(tree);
        return status;
}
END
        $CC $flags trees.c $(PKG_CONFIG_PATH=$pc pkg-config $static --cflags --libs pawl-cjson) -o trees
        LD_LIBRARY_PATH=$library ./trees
fi

cat >CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.25)
project(use LANGUAGES C)
find_package(pawl 0.1 REQUIRED)
add_executable(use use.c)
target_link_libraries(use pawl::pawl)
END
cmake -S . -B b -DCMAKE_PREFIX_PATH="$PWD/prefix" -DCMAKE_C_COMPILER="$CC" -DCMAKE_C_FLAGS="$flags" >cmake.log
cmake --build b >build.log
./b/use 2>/dev/null | cmp - by-program

# The headers' version is the project's.
version=$(PKG_CONFIG_PATH=$pc pkg-config --modversion pawl)
IFS=. read -r major minor patch <<<"$version"
grep -qx "$version $((major * 10000 + minor * 100 + patch))" by-header
grep -q "\"$version\"" "$library/cmake/pawl/pawl-config-version.cmake"
for program in pawl eventlog; do
        [ "$(prefix/bin/$program --version)" = "$program $version (SQLite $(pkg-config --modversion sqlite3))" ]
done

for page in man1/pawl.1 man1/eventlog.1 man3/libpawl.3 man5/pawl-mission.5; do
        [ -f "prefix/share/man/$page" ]
done
