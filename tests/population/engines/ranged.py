"""A web server for the files of a folder, which answers requests for ranges of bytes.

    python -m tests.population.engines.ranged FOLDER PORT MOST

It prints its port (for 0: a free one), and ends with its input, or without a word when it is asked
for bytes more than MOST times. It is a process of its own: DuckDB holds the interpreter while it
waits for bytes.
"""

import os
import re
import sys
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path


class Ranged(SimpleHTTPRequestHandler):
    """HEAD, and GET of a whole file or of a range."""

    protocol_version = "HTTP/1.1"
    left = 0

    def do_HEAD(self) -> None:
        self.part()

    def do_GET(self) -> None:
        Ranged.left -= 1
        if Ranged.left < 0:
            os._exit(1)
        self.wfile.write(self.part())

    def part(self) -> bytes:
        """The bytes that are asked for, their headers being sent."""
        file = Path(self.directory) / self.path.lstrip("/")
        if not file.is_file():
            self.send_error(404)
            return b""
        size = file.stat().st_size
        asked = re.fullmatch(r"bytes=(\d+)-(\d*)", self.headers.get("Range") or "")
        first = int(asked[1]) if asked else 0
        after = min(int(asked[2]) + 1, size) if asked and asked[2] else size
        with file.open("rb") as stream:
            stream.seek(first)
            part = stream.read(after - first)
        self.send_response(206 if asked else 200)
        self.send_header("Accept-Ranges", "bytes")
        self.send_header("Content-Length", str(len(part)))
        if asked:
            self.send_header("Content-Range", f"bytes {first}-{after - 1}/{size}")
        self.end_headers()
        return part

    def log_message(self, format: str, *args: object) -> None:
        pass


if __name__ == "__main__":
    Ranged.left = int(sys.argv[3])
    handler = partial(Ranged, directory=sys.argv[1])
    server = ThreadingHTTPServer(("127.0.0.1", int(sys.argv[2])), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(server.server_port, flush=True)
    sys.stdin.read()
