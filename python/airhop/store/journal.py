r"""The journal: a text file to which one writer appends a line per finished run.

The fields of a line are separated by tabs. The first field is the CRC-32 of the other fields, eight hex
digits:

    CRC  journal   2       VERSION  MODEL               first line
    CRC  count     RUNS                                 second line: minimum number of runs below, ten digits
    CRC  scenario  DIGEST  JSON                         once, before the first run of the scenario
    CRC  run       RUN-ID  DIGEST   VALUES   DOCUMENT   varied values and run document, both JSON

A run is written by one write(2) of whole lines. Written lines survive the death of the process. They are not
synced to the disk, so the last seconds before a power failure may be missing. An incomplete last line results
from the death of the writer, and its run does not count as finished.

The writer overwrites the count after each run. If the writer dies before this, the count is too small, but
never too large. A file with fewer runs than its count was therefore truncated later. The count may be
missing: journals of format 1 have none, and a user whose file was truncated may delete the line to keep the
remaining runs.
"""

from __future__ import annotations

import json
import os
import zlib
from pathlib import Path

from airhop.errors import InputError
from airhop.store.errors import cannot_read, cannot_write, cut_short, damaged_line, other_format
from airhop.store.schema import FinishedRun

FORMAT = "2"
READABLE = ("1", FORMAT)


class Journal:
    """Writer of a journal; the first run creates the file."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._fd: int | None = None
        self._scenarios: set[str] = set()
        self._count = 0
        self._count_at = 0
        self._end = 0
        """Offset of the end of the last whole line."""

    def append(self, run: FinishedRun, digest: str) -> None:
        """Write a run; `digest` is the digest of its scenario.

        A written run survives the death of the process. After StoreError, the run is not stored.
        """
        # Unescaped line ends and tabs occur in JSON only between tokens, where blanks are equivalent.
        document = run.document.replace("\n", " ").replace("\t", " ")
        lines = _line("run", run.run_id, digest, json.dumps(run.values), document)
        if digest not in self._scenarios:
            lines = _line("scenario", digest, run.scenario_json) + lines
        try:
            fd = self._ready()
            if self._end == 0:
                head = _line("journal", FORMAT, run.airhop, run.model)
                self._count, self._count_at = 0, len(head)
                lines = head + _count(0) + lines
            end = self._end + len(lines)
            while lines:  # on a full disk, the first write is partial and the second write fails
                lines = lines[os.write(fd, lines) :]
            self._end = end
            os.pwrite(fd, _count(self._count + 1), self._count_at)
        except OSError as error:
            raise cannot_write(self.path, error) from None
        self._count += 1
        self._scenarios.add(digest)

    def remove(self) -> None:
        """Delete the file once its runs are saved in a part; the next run creates a new file."""
        self.close()
        # The set is cleared before the deletion: an interruption between the two lines then repeats scenarios
        # at worst.
        self._scenarios.clear()
        remove(self.path)

    def close(self) -> None:
        """Close the file and keep it."""
        fd, self._fd, self._end = self._fd, None, 0
        if fd is not None:
            os.close(fd)

    def _ready(self) -> int:
        """Return the file descriptor, ready to append.

        The first call empties the file. Later calls cut off an incomplete write.
        """
        if self._fd is None:
            # If the file exists, its runs are in a part already, because `remove` was interrupted.
            self._fd = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o666)
        elif os.lseek(self._fd, 0, os.SEEK_CUR) != self._end:
            os.ftruncate(self._fd, self._end)
            os.lseek(self._fd, self._end, os.SEEK_SET)
        return self._fd


def read_journal(path: Path) -> list[FinishedRun]:
    """Read the runs of a journal, also during a write; return an empty list for a deleted journal.

    Raises InputError if a line was changed, or if the file was truncated.
    """
    try:
        lines = path.read_bytes().split(b"\n")
    except FileNotFoundError:
        return []
    except OSError as error:
        raise cannot_read(path, error) from None
    runs: list[FinishedRun] = []
    scenarios: dict[str, str] = {}
    airhop = model = ""
    least = 0
    for number, line in enumerate(lines[:-1], start=1):
        try:
            match _fields(line):
                case "journal", version, airhop, model if number == 1:
                    if version not in READABLE:
                        raise other_format(path, version, airhop)
                case "count", count if number == 2:
                    least = int(count)
                case "scenario", digest, scenario_json if number > 1:
                    scenarios[digest] = scenario_json
                case "run", run_id, digest, values, document if number > 1:
                    run = FinishedRun(run_id, json.loads(values), document, scenarios[digest], airhop, model)
                    runs.append(run)
                case _:
                    raise ValueError("no such line")
        except InputError:
            raise
        except (ValueError, KeyError):
            raise damaged_line(path, number) from None
    if len(runs) < least:
        raise cut_short(path, len(runs), least)
    return runs


def remove(path: Path) -> None:
    """Delete a journal if it exists. Raises StoreError if deletion fails."""
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        raise cannot_write(path, error) from None


def _line(*fields: str) -> bytes:
    data = "\t".join(fields).encode()
    return b"%08x\t%b\n" % (zlib.crc32(data), data)


def _count(runs: int) -> bytes:
    """Format the line with the number of runs.

    All such lines have the same length.
    """
    return _line("count", f"{runs:010}")


def _fields(line: bytes) -> list[str]:
    """Parse a line. Raises ValueError if the line's checksum is wrong."""
    checksum, _, data = line.partition(b"\t")
    if checksum != b"%08x" % zlib.crc32(data):
        raise ValueError("checksum")
    return data.decode().split("\t")
