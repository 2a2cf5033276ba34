{
  "targets": [{
    "target_name": "pawl",
    "sources": ["src/items.c", "src/log.c", "src/pawl.c", "src/pipeline.c", "src/run.c", "src/threads.c"],
    "cflags": ["<!@(pkg-config --cflags pawl)", "-std=c11", "-D_GNU_SOURCE", "-fvisibility=hidden"],
    "libraries": ["<!@(pkg-config --libs pawl)"]
  }]
}
