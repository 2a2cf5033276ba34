#!/usr/bin/env python3
"""Stands between a client and a PostgreSQL server, and cuts connections.

postgres_proxy.py FOLDER SERVER PERCENT [SEED]: listens on FOLDER/.s.PGSQL.5432, hands everything on to the socket
SERVER, and instead of handing a message on cuts its connection, so many times in a hundred. With PERCENT "silent" it
takes connections on a port of 127.0.0.1, which it prints, and never says a word.
"""
import os
import random
import select
import socket
import sys
import threading


def hand_on(client, server_path, percent):
    server = socket.socket(socket.AF_UNIX)
    try:
        server.connect(server_path)
        while True:
            for source in select.select([client, server], [], [])[0]:
                data = source.recv(65536)
                if not data or random.random() * 100 < percent:
                    return
                (server if source is client else client).sendall(data)
    except OSError:
        pass
    finally:
        client.close()
        server.close()


def main():
    folder, server_path, percent = sys.argv[1:4]
    random.seed(sys.argv[4] if len(sys.argv) > 4 else 1)
    if percent == "silent":
        listener = socket.create_server(("127.0.0.1", 0))
        print(listener.getsockname()[1], flush=True)
    else:
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(os.path.join(folder, ".s.PGSQL.5432"))
        listener.listen(100)
    kept = []
    while True:
        client = listener.accept()[0]
        if percent == "silent":
            kept.append(client)
        else:
            threading.Thread(target=hand_on, args=(client, server_path, float(percent)), daemon=True).start()


main()
