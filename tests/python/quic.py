"""Program for a transfer over QUIC: `quic.py serve BYTES` sends the bytes once to `quic.py ask ADDRESS`.

QUIC runs in user space over UDP, and needs no support by Airhop.
"""

from __future__ import annotations

import asyncio
import datetime as dt
import ssl
import sys

from aioquic.asyncio.client import connect
from aioquic.asyncio.protocol import QuicConnectionProtocol
from aioquic.asyncio.server import serve
from aioquic.quic.configuration import QuicConfiguration
from aioquic.quic.events import ConnectionTerminated, QuicEvent
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec

PORT = 4433
PROTOCOL = ["airhop"]


def certified() -> QuicConfiguration:
    """Make a server's configuration with a self-signed certificate."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "airhop")])
    now = dt.datetime.now(dt.UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - dt.timedelta(days=1))
        .not_valid_after(now + dt.timedelta(days=1))
        .sign(key, hashes.SHA256())
    )
    configuration = QuicConfiguration(is_client=False, alpn_protocols=PROTOCOL)
    configuration.certificate, configuration.private_key = certificate, key
    return configuration


async def serve_one(size: int) -> None:
    """Answer the first stream with this number of bytes, and end when the client disconnects."""
    done = asyncio.Event()

    def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        async def talk() -> None:
            await reader.read()
            writer.write(b"x" * size)
            writer.write_eof()

        tasks.append(asyncio.create_task(talk()))

    class Closing(QuicConnectionProtocol):
        def quic_event_received(self, event: QuicEvent) -> None:
            super().quic_event_received(event)
            if isinstance(event, ConnectionTerminated):
                done.set()

    tasks: list[asyncio.Task[None]] = []
    await serve("0.0.0.0", PORT, configuration=certified(), stream_handler=answer, create_protocol=Closing)
    await done.wait()


async def ask(address: str) -> None:
    """Send a request, and print the number of received bytes."""
    configuration = QuicConfiguration(is_client=True, alpn_protocols=PROTOCOL, verify_mode=ssl.CERT_NONE)
    async with connect(address, PORT, configuration=configuration) as connection:
        reader, writer = await connection.create_stream()
        writer.write(b"all of it")
        writer.write_eof()
        print(len(await reader.read()))


if __name__ == "__main__":
    role, what = sys.argv[1:]
    asyncio.run(serve_one(int(what)) if role == "serve" else ask(what))
