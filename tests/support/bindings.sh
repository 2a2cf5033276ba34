# Sourced by scripts that use the bindings: each builds one in the working directory, against what is installed there.

# Whether they can be built: sets why_not, empty where they can.
bindings_fit() {
        why_not=
        if grep -qE '^PAWL_(SANITIZE|TSAN|COVERAGE):BOOL=ON' "$BUILD_DIR/CMakeCache.txt"; then
                why_not="$1 is not built as this library is"
        elif [ "$1" = Node ]; then
                if ! command -v node >/dev/null || ! find /usr/include /usr/local/include -name node_api.h 2>/dev/null | grep -q .; then
                        why_not="node or libnode-dev is not there"
                fi
        elif ! /usr/bin/python3 -c 'import cffi, setuptools, wheel, venv' 2>/dev/null; then
                why_not="python3-cffi, python3-setuptools, python3-wheel or python3-venv is not there"
        fi
        [ -z "$why_not" ]
}

install_library() {
        cmake --install "$BUILD_DIR" --prefix "$PWD/installed" >out
        PKG_CONFIG_PATH=$(dirname "$(find "$PWD/installed" -name pawl.pc)")
        LD_LIBRARY_PATH=$(dirname "$(find "$PWD/installed" -name 'libpawl.so' -o -name libpawl.a | head -n 1)")
        export PKG_CONFIG_PATH LD_LIBRARY_PATH
}

# As the module node_modules/pawl.
build_node() {
        mkdir -p node_modules
        cp -r "$SOURCE_DIR/bindings/node" node_modules/pawl
        rm -rf node_modules/pawl/prebuilds
        node_modules/pawl/prebuild
}

# As a wheel, which environment/bin/python has.
build_python() {
        cp -r "$SOURCE_DIR/bindings/python" source
        /usr/bin/python3 -m pip wheel --quiet --no-index --no-build-isolation --no-deps -w wheels ./source >out 2>&1 || { cat out; exit 1; }
        /usr/bin/python3 -m venv --system-site-packages environment
        environment/bin/pip install --quiet --no-index --no-deps wheels/pawl-*.whl
}
