"""Check text files: ``files.py FILE …``; without files, everything that git tracks.

YAML and TOML must parse, lines must not end in blanks, and a file that is not
empty ends in exactly one newline.
"""

from __future__ import annotations

import subprocess
import sys
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[1]
_WRITTEN_BY_PROGRAMS = {".json", ".jsonl", ".tsv", ".csv"}


def faults(path: Path) -> Iterator[str]:
    """What is wrong with a file; nothing for binary ones and those that programs write."""
    if path.suffix in _WRITTEN_BY_PROGRAMS:
        return
    data = path.read_bytes()
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return
    if "\0" in text:
        return
    for number, line in enumerate(text.split("\n"), 1):
        if line != line.rstrip(" \t\r"):
            yield f"line {number} ends in blanks"
    if text and (not text.endswith("\n") or text.endswith("\n\n")):
        yield "must end in one newline"
    try:
        if path.suffix in {".yaml", ".yml"}:
            list(yaml.safe_load_all(text))
        elif path.suffix == ".toml":
            tomllib.loads(text)
    except (yaml.YAMLError, tomllib.TOMLDecodeError) as error:
        yield f"does not parse: {error}"


def tracked() -> list[Path]:
    """Every file that git tracks here."""
    run = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True, text=True
    )
    return [path for name in run.stdout.split("\0") if name and (path := ROOT / name).is_file()]


def main(arguments: Sequence[str]) -> int:
    """Print one line a fault and return 1 if there are any."""
    found = [
        f"{path}: {fault}"
        for path in (map(Path, arguments) if arguments else tracked())
        for fault in faults(path)
    ]
    print("\n".join(found), end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
