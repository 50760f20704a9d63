"""Server of the page: loopback only, no requests from other pages or with other host names."""

from __future__ import annotations

import errno
import logging
from collections.abc import Callable
from typing import Any
from urllib.parse import unquote

from bokeh.server.server import BaseServer
from bokeh.server.tornado import BokehTornado
from panel.io.application import build_applications
from tornado.httpserver import HTTPServer
from tornado.httputil import HTTPMessageDelegate, HTTPServerRequest
from tornado.ioloop import IOLoop
from tornado.netutil import bind_sockets
from tornado.routing import Router
from tornado.web import Application, RequestHandler

from airhop.errors import InputError

ADDRESS = "127.0.0.1"
NAMES = (ADDRESS, "localhost")
FOREIGN_SITES = ("cross-site", "same-site")


class Guard(Router):
    """Router that passes only requests of the page itself to the application.

    A page of another site may resolve its own host name to 127.0.0.1 (DNS rebinding). Its requests then have
    this name in the Host header. A foreign page may also send requests to 127.0.0.1 directly. These requests
    have a foreign Origin (RFC 6454), or a foreign Sec-Fetch-Site if the browser sends no Origin. A WebSocket
    begins with an HTTP request, and goes through the same check. An Origin is then required, because every
    browser sends one (RFC 6455 section 10.2).
    """

    def __init__(self, application: Application, port: int) -> None:
        self._application = application
        self._refusing = Application([(".*", _Refusal)])
        self._empty = Application()
        self._hosts = {f"{name}:{port}" for name in NAMES}
        self._origins = {f"http://{host}" for host in self._hosts}

    def find_handler(self, request: HTTPServerRequest, **kwargs: Any) -> HTTPMessageDelegate:
        """Return the handler of a request."""
        if not self._is_permitted(request):
            chosen = self._refusing
        # Tornado would search for a file of this path, but file names cannot contain a zero byte
        elif "\0" in unquote(request.path):
            chosen = self._empty
        else:
            chosen = self._application
        return chosen.find_handler(request, **kwargs)

    def _is_permitted(self, request: HTTPServerRequest) -> bool:
        headers = request.headers
        origin = headers.get("Origin")
        if headers.get("Host", "").lower() not in self._hosts or origin not in {None, *self._origins}:
            return False
        if headers.get("Upgrade") and origin is None:
            return False
        # Another site may link to these pages, but may not embed, load or fetch them.
        foreign = headers.get("Sec-Fetch-Site", "").lower() in FOREIGN_SITES
        return not foreign or headers.get("Sec-Fetch-Dest", "").lower() == "document"


class _Refusal(RequestHandler):
    def prepare(self) -> None:
        """Answer every request with 403; Tornado calls this before the handler's method."""
        self.set_status(403)
        self.finish(
            "403: this page is for the browser of this machine, at http://127.0.0.1 or http://localhost\n"
        )


def serve(page: Callable[[], Any], port: int, on_ready: Callable[[str], None]) -> None:
    """Serve a Panel page until Ctrl-C; `page` creates the page for every browser tab.

    `port` 0 selects a free port. `on_ready` receives the address when the server accepts requests. Raises
    InputError if the port is in use.
    """
    try:
        sockets = bind_sockets(port, ADDRESS)
    except OSError as error:
        if error.errno not in (errno.EADDRINUSE, errno.EACCES):
            raise
        why = "in use" if error.errno == errno.EADDRINUSE else "reserved for root"
        raise InputError(f"port {port} is {why}; --port 0 selects a free port") from None
    port = sockets[0].getsockname()[1]
    logging.getLogger("tornado.access").setLevel(logging.ERROR)  # refused requests are not logged
    application = BokehTornado(
        build_applications(page, title="airhop view"),
        extra_websocket_origins=[f"{name}:{port}" for name in NAMES],
        keep_alive_milliseconds=10_000,
    )
    http = HTTPServer(Guard(application, port))
    http.add_sockets(sockets)
    loop = IOLoop.current()
    server = BaseServer(loop, application, http)
    server.start()
    loop.add_callback(on_ready, f"http://{ADDRESS}:{port}/")
    try:
        loop.start()
    except KeyboardInterrupt:
        pass
    finally:
        server.stop()
