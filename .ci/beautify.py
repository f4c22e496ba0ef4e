"""Name the scripts and style sheets that are not as their formatter leaves them; exit with 1 if
there are any. ``--write`` formats them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import cssbeautifier
import jsbeautifier

ROOT = Path(__file__).parent.parent


def formatted(file: Path) -> str:
    """The text of a script or style sheet as the formatter leaves it."""
    module = cssbeautifier if file.suffix == ".css" else jsbeautifier
    options = module.default_options()
    options.indent_size = 2
    options.end_with_newline = True
    if file.suffix == ".css":
        options.newline_between_rules = False
        options.space_around_combinator = True
    else:
        options.wrap_line_length = 100
        options.brace_style = "collapse,preserve-inline"
        options.space_after_anon_function = True
    return str(module.beautify(file.read_text("utf-8"), options))


def main(root: Path = ROOT, *, write: bool = False) -> int:
    """Check or format the files that are under version control."""
    command = ["git", "ls-files", "-z", "*.js", "*.css"]
    listed = subprocess.run(command, cwd=root, check=True, capture_output=True, text=True).stdout
    wrong = [
        file
        for file in (root / name for name in listed.split("\0") if name)
        if file.is_file() and file.read_text("utf-8") != formatted(file)
    ]
    for file in wrong:
        print(f"{file.relative_to(root)}: {'formatted' if write else 'not formatted'}")
        if write:
            file.write_text(formatted(file), "utf-8")
    return int(bool(wrong) and not write)


if __name__ == "__main__":
    sys.exit(main(write="--write" in sys.argv[1:]))
