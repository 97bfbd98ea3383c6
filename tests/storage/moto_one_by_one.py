"""moto's server, one request at a time: `python -m tests.storage.moto_one_by_one PORT`.

By itself it looks whether a key is taken, stores the object and then its metadata in three steps
that other requests come between, so that two puts with If-None-Match can both be told yes.
"""

from __future__ import annotations

import io
import sys
import threading
from collections.abc import Iterable
from typing import Any

from moto.moto_server.werkzeug_app import DomainDispatcherApplication, create_backend_app
from werkzeug.serving import WSGIRequestHandler, run_simple


class _Quiet(WSGIRequestHandler):
    def log(self, *_: Any) -> None:
        pass


def main() -> None:
    app, lock = DomainDispatcherApplication(create_backend_app), threading.Lock()

    def serve(environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        # Read before, lest a client that stalls holds up the others.
        body = environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
        environ["wsgi.input"] = io.BytesIO(body)
        with lock:
            return list(app(environ, start_response))

    run_simple("127.0.0.1", int(sys.argv[1]), serve, threaded=True, request_handler=_Quiet)


if __name__ == "__main__":
    main()
