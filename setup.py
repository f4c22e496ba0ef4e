"""Builds the package with the app in it: its first page, its pages and its settings lie at the top
of the checkout; and with the schema of the JSON report, which lies in docs. All else that a build
needs to know is in pyproject.toml."""

from __future__ import annotations

from pathlib import Path
from shutil import copyfile

from setuptools import setup
from setuptools.command.build_py import build_py

ROOT = Path(__file__).parent


class WithApp(build_py):
    """The Python files of the package, the app as ``labelcore/app``, and the schema."""

    def run(self) -> None:
        super().run()
        if not self.editable_mode:
            for source, target in self._beside():
                target.parent.mkdir(parents=True, exist_ok=True)
                copyfile(source, target)

    def get_outputs(self, include_bytecode: bool = True) -> list[str]:
        outputs: list[str] = super().get_outputs(include_bytecode)
        return outputs + [str(target) for _, target in self._beside()]

    def _beside(self) -> list[tuple[Path, Path]]:
        target = Path(self.build_lib) / "labelcore" / "app"
        files = [ROOT / "app.py", *sorted((ROOT / "pages").glob("*.py"))]
        files.append(ROOT / ".streamlit" / "config.toml")
        schema = ROOT / "docs" / "report.schema.json"
        report = Path(self.build_lib) / "labelcore" / "report"
        app = [(file, target / file.relative_to(ROOT)) for file in files]
        return [*app, (schema, report / schema.name)]


if __name__ == "__main__":
    setup(cmdclass={"build_py": WithApp})
