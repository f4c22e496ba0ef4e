"""The command line: the same functions as the library, and errors as one sentence."""

import io
import json
import sys
import warnings
from collections.abc import Sequence

import click

from labelcore.cli.erasing import erase
from labelcore.cli.files import check, join, plan, simulate, snapshot
from labelcore.cli.gating import gate
from labelcore.cli.labelling import answer, draw, labels, status
from labelcore.cli.monitoring import monitor
from labelcore.cli.output import PLAINLY
from labelcore.cli.projects import export, import_, report
from labelcore.cli.replaying import replay
from labelcore.cli.serving import app
from labelcore.cli.stores import backup, copy, dump, load, restore, verify
from labelcore.cli.trail import audit
from labelcore.errors import BrokenLogWarning, PopulationError, ReplayError, did_you_mean
from labelcore.plugins import Table
from labelcore.settings import check_environment
from labelcore.version import __version__

BAD_INPUT, DISAGREES, INTERRUPTED, NOBODY_READS = 2, 1, 130, 141
STOPPED_READING = "Query interrupted"
"""What DuckDB makes of Ctrl-C."""


COMMANDS: Table[click.Command] = Table(
    "labelcore.commands",
    {
        str(command.name): command
        for command in (
            *(app, check, join, snapshot, plan, simulate, import_, draw, answer, status),
            *(labels, export, report, replay, gate, monitor),
            *(backup, restore, verify, copy, dump, load, erase, audit),
        )
    },
    click.Command,
    replaceable=True,
)


class Commands(click.Group):
    """The rows of ``COMMANDS``, looked up when one is asked for: a package that brings a command
    may be imported first."""

    def list_commands(self, context: click.Context) -> list[str]:
        return sorted(COMMANDS)

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        return COMMANDS.get(name)

    def resolve_command(
        self, context: click.Context, arguments: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if near := did_you_mean(arguments[0], COMMANDS) * (arguments[0] not in COMMANDS):
            context.fail(f"No such command {arguments[0]!r}{near}")
        return super().resolve_command(context, arguments)


@click.version_option(__version__, message="labelcore %(version)s")
@click.group(
    cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100}
)
def commands() -> None:
    """How good is a classifier? Find out with few human labels, and defend the number.

    Exit codes: 0 all is well, 1 a replay disagrees, something is lost or was changed, a claim is
    refuted or a figure has fallen, 2 bad input, 3 a claim is undecided or labels are waited for.
    """
    check_environment()


def main(arguments: Sequence[str] | None = None, name: str = "labelcore") -> int:
    """Run a command; returns the exit code. Errors go to stderr as a sentence, without a trace.

    name   what the program is called in its help texts
    """
    given = list(sys.argv[1:] if arguments is None else arguments)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors=PLAINLY)
    try:
        with warnings.catch_warnings():
            # The command that needs the log says the same as its error.
            warnings.simplefilter("ignore", BrokenLogWarning)
            code = commands.main(given, prog_name=name, standalone_mode=False)
    except click.exceptions.NoArgsIsHelpError as error:
        return _failed(error.format_message(), BAD_INPUT, given)
    except click.ClickException as error:
        missing = error.param if isinstance(error, click.MissingParameter) else None
        told = f"{error.format_message()} {getattr(missing, 'help', None) or ''}"
        return _failed(" ".join(told.split()), BAD_INPUT, given)
    except click.Abort:
        return INTERRUPTED
    except RuntimeError as error:
        if str(error) != STOPPED_READING:
            raise
        return INTERRUPTED
    except SystemExit:  # click ends so, with code 1, where what it prints is read no more.
        return NOBODY_READS
    except ReplayError as error:
        return _failed(str(error), DISAGREES, given, {"agrees": False, "event": error.sequence})
    except PopulationError as error:
        rows = [{name: getattr(fault, name) for name in fault.__slots__} for fault in error.faults]
        return _failed(str(error), BAD_INPUT, given, {"faults": rows})
    except OSError as error:
        named = error.filename and error.strerror
        message = f"{error.filename}: {error.strerror}" if named else str(error)
        return _failed(message, BAD_INPUT, given)
    except (ValueError, TypeError) as error:
        return _failed(str(error), BAD_INPUT, given)
    return code if isinstance(code, int) else 0


def _failed(
    message: str, code: int, given: Sequence[str], values: dict[str, object] | None = None
) -> int:
    if "--json" in given:
        click.echo(json.dumps({**(values or {}), "error": message}, ensure_ascii=False, indent=2))
    click.echo(message, err=True)
    return code
