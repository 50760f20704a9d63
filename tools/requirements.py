"""Print requirements of pyproject.toml, one a line: build-system, dependencies, or the name of an extra."""

import sys
import tomllib
from pathlib import Path

project = tomllib.loads((Path(__file__).parent.parent / "pyproject.toml").read_text(encoding="utf-8"))
groups = {
    "build-system": project["build-system"]["requires"],
    "dependencies": project["project"]["dependencies"],
    **project["project"]["optional-dependencies"],
}
for name in sys.argv[1:]:
    print(*groups[name], sep="\n")
