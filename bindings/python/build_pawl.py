"""The extension module: its declarations are those of the installed headers, as they stand."""

import re
import subprocess
from pathlib import Path

from cffi import FFI

HEADERS = "base version events checkpoint pipeline query session workspace rollback space validate threads toolcalls mission".split()


def pkg_config(*what):
    return subprocess.run(["pkg-config", *what, "pawl"], check=True, capture_output=True, text=True).stdout.split()


def loader_path():
    """Where the loader finds the library, if it does not look there itself."""
    libdir = pkg_config("--variable=libdir")[0]
    return [] if libdir.startswith("/usr/lib") else [f"-Wl,-rpath,{libdir}"]


def declarations(text):
    """A header without comments, preprocessor lines and attributes."""
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    text = re.sub(r"^#(.*\\\n)*.*$", "", text, flags=re.M)
    text = re.sub(r'extern "C" \{|\bPAWL_(EXTERN|MUST_CHECK)\b|PAWL_PRINTF\([^)]*\)', "", text)
    text = re.sub(r"^}\s*$", "", text, flags=re.M)
    return text


def options(text):
    """Those structs that have an initializer, so that Python can have one filled in."""
    return re.findall(r"#define (PAWL_(\w+)_INIT)\b", text)


include = Path(pkg_config("--variable=includedir")[0])
texts = [(include / "pawl" / f"{name}.h").read_text() for name in HEADERS]
structs = {}
for text in texts:
    structs.update({name.upper(): name for name in re.findall(r"^}\s*(pawl_\w+_options|pawl_\w+_filter|pawl_\w+_request)\s*;", text, flags=re.M)})
initializers = []
for text in texts:
    for macro, stem in options(text):
        struct = structs.get(f"PAWL_{stem}") or structs.get(f"PAWL_WORKSPACE_{stem}")
        if struct:
            initializers.append((struct, macro))

numbers = dict(define for text in texts for define in re.findall(r"^#define (PAWL_\w+)\s+(\d+)\s*(?:/\*.*)?$", text, flags=re.M))

ffibuilder = FFI()
ffibuilder.cdef("\n".join(re.sub(r"\[(PAWL_\w+)\]", lambda m: f"[{numbers[m[1]]}]", declarations(text)) for text in texts))
ffibuilder.cdef("".join(f"#define {name} {value}\n" for name, value in numbers.items()))
ffibuilder.cdef("""
extern "Python" pawl_status py_clarify(pawl_answer *, const pawl_conflict *, void *);
extern "Python" pawl_status py_confirm(bool *, const pawl_input_change *, void *);
extern "Python" pawl_status py_confirm_mission(bool *, const pawl_mission_change *, size_t, void *);
extern "Python" void py_progress(pawl_run_stage, const char *, size_t, size_t, void *);
extern "Python" void py_notice(const char *, void *);
extern "Python" pawl_status py_patch(const char *, size_t, void *);
""" + "".join(f"void py_init_{struct}({struct} *);\n" for struct, _ in initializers))
ffibuilder.set_source(
    "pawl._pawl",
    "#include <pawl/pawl.h>\n" + "".join(
        f"static void py_init_{struct}({struct} *out) {{ const {struct} init = {macro}; *out = init; }}\n"
        for struct, macro in initializers),
    extra_compile_args=pkg_config("--cflags"),
    extra_link_args=pkg_config("--libs") + loader_path())

if __name__ == "__main__":
    ffibuilder.compile(verbose=True)
