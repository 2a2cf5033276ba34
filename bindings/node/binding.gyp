{
  "targets": [{
    "target_name": "pawl",
    "sources": ["src/ask.c", "src/fields.c", "src/items.c", "src/log.c", "src/pawl.c", "src/pipeline.c", "src/query.c", "src/run.c", "src/threads.c", "src/workspace.c"],
    "cflags": ["<!@(pkg-config --cflags pawl)", "-std=c11", "-D_GNU_SOURCE", "-fvisibility=hidden"],
    "libraries": ["<!@(pkg-config --libs pawl)"]
  }]
}
