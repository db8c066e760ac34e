"""The program kr: ``python3 -m kr report trace.sqlite``, and the command ``kr`` of a wheel."""
import os
import shutil
import sys
from pathlib import Path


def main() -> None:
    """Runs the program in this package, or the one in PATH."""
    here = Path(__file__).resolve().parent / "bin" / "kr"
    program = str(here) if here.exists() else shutil.which("kr")
    if not program:
        sys.exit("kr: no program `kr` in PATH, and none in this package; install the package `kr`")
    os.execv(program, ["kr", *sys.argv[1:]])


if __name__ == "__main__":
    main()
