# Each public header compiles alone, as strict C11 and as C++, and declares all that libpawl exports.
for header in "$SOURCE_DIR"/include/pawl/*.h; do
        name=pawl/$(basename "$header")
        printf '#include <%s>\ntypedef int one;\n' "$name" | tee one.c >one.cc
        $CC -std=c11 -Wall -Wextra -pedantic -Werror -I"$SOURCE_DIR/include" -c one.c -o one.o
        $CC -x c++ -std=c++11 -Wall -Wextra -pedantic -Werror -I"$SOURCE_DIR/include" -c one.cc -o one.o
done

[ -e "$BUILD_DIR/libpawl.so" ] || exit 0 # a static library: nothing says what it exports
nm -D --defined-only "$BUILD_DIR/libpawl.so" | awk '$2 ~ /[A-Z]/ {print $3}' |
        grep -vE '^(_init|_fini|__(asan|ubsan|sanitizer|odr).*|gcov.*|__gcov.*|mangle_path)$' | sort >exported
if grep -vE '^pawl_[a-z]' exported; then
        echo "libpawl exports a private symbol"
        exit 1
fi
cat "$SOURCE_DIR"/include/pawl/*.h >all.h
while read -r symbol; do
        grep -qE "\\b$symbol\\(" all.h || { echo "$symbol is exported, but in no public header"; exit 1; }
done <exported
# ... and the other way: what a header promises, the library has.
grep -oE '\bpawl_[a-z0-9_]+\(' all.h | tr -d '(' | sort -u | grep -vE '_fn$' >promised
comm -13 exported promised | while read -r symbol; do
        grep -qE "PAWL_EXTERN[^;]*\\b$symbol\\(" <(tr '\n' ' ' <all.h) || continue
        echo "$symbol is promised in a header, but the library has it not"
        exit 1
done
