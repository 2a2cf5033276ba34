{
  "targets": [{
    "target_name": "pawl",
    "sources": ["src/pawl.c"],
    "cflags": ["<!@(pkg-config --cflags pawl)", "-std=c11"],
    "libraries": ["<!@(pkg-config --libs pawl)"]
  }]
}
