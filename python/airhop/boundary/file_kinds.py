"""Kind of a file (image, archive and so on) by its first bytes, for messages about a wrong file."""

from __future__ import annotations

from pathlib import Path

FIRST = 4096
"""Number of leading bytes that determine the kind of a file."""

LOG = "the log of an emulation (airhop replay)"

_BEGINNINGS = {
    b"\x0a\x0d\x0d\x0a": "a packet capture (pcapng)",
    b"\xd4\xc3\xb2\xa1": "a packet capture (pcap)",
    b"\xa1\xb2\xc3\xd4": "a packet capture (pcap)",
    b"\x4d\x3c\xb2\xa1": "a packet capture (pcap)",
    b"\xa1\xb2\x3c\x4d": "a packet capture (pcap)",
    b"AIRHOPLG": LOG,
    b"PAR1": "a table (Parquet)",
    b"\x7fELF": "an object file (ELF)",
    b"\x1f\x8b": "compressed (gzip)",
    b"\xfd7zXZ": "compressed (xz)",
    b"\x28\xb5\x2f\xfd": "compressed (Zstandard)",
    b"PK\x03\x04": "an archive (zip)",
    b"%PDF": "a document (PDF)",
    b"\x89PNG": "a picture (PNG)",
    b"\xff\xfe": "text in UTF-16",
    b"\xfe\xff": "text in UTF-16",
}
_IPERF3 = (b'"iperf_version"', b'"iperf 3.', b'"test_start"')


def kind_of(data: bytes) -> str | None:
    """Return the kind of a file from its first bytes.

    Returns None for bytes that may be TOML, Python or a table of numbers.
    """
    for beginning, kind in _BEGINNINGS.items():
        if data.startswith(beginning):
            return kind
    text = data[:FIRST].removeprefix(b"\xef\xbb\xbf").lstrip()
    if text.startswith(b"{"):  # neither a TOML file nor a Python program begins with a brace
        found = any(word in text for word in (*_IPERF3, b'"intervals"'))
        return "a measurement of iperf3 (JSON)" if found else "a JSON file"
    return "a page (HTML or XML)" if text.startswith(b"<") else None


def kind_of_file(path: Path) -> str | None:
    """Return the kind of a file; None if the file cannot be read or the content matches no kind."""
    if not path.is_file():  # a pipe, whose bytes can be read only once
        return None
    try:
        with path.open("rb") as file:
            data = file.read(FIRST)
    except OSError:
        return None
    if (kind := kind_of(data)) is not None:
        return kind
    tables = (b"[[flow]]", b"[[wired]]", b"[[wlan]]", b"[[radio]]", b"[vary]")
    return "a scenario or a study (TOML)" if any(table in data for table in tables) else None
