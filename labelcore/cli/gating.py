"""The command that a build server asks: are the claims of a project shown?"""

from collections.abc import Sequence
from pathlib import Path
from xml.sax.saxutils import quoteattr

import click

from labelcore.cli.output import json_option, say, write
from labelcore.cli.projects import Opens, in_project
from labelcore.promises import ClaimStatus
from labelcore.results.types import Claim

SHOWN, REFUTED, OPEN = 0, 1, 3


@click.command()
@in_project
@click.option("--junit", type=click.Path(), metavar="PATH", help="Write a JUnit XML file too.")
@json_option
def gate(opens: Opens, junit: str | None) -> int:
    """Say whether every claim of a project is decided.

    Exit code 0: all are decided, they hold. 1: one is refuted. 3: one is undecided, which is not
    shown. 2: bad input, or a project without claims.
    """
    session = opens()
    project = session.project
    session.check_log()
    claims = [claim for claim in session.results().values() if isinstance(claim, Claim)]
    if not claims:
        raise ValueError(
            f"project {project!r} has no claims: a plan states them before the first label, as in "
            "--claim 'precision >= 0.9'"
        )
    code = exit_code(claims)
    if junit is not None:
        write(str(Path(junit)), junit_xml(project, claims).encode(), force=True)
    figures = {claim.claim: claim.to_dict() for claim in claims}
    values = {"project": project, "exit_code": code, "claims": figures}
    say(values, [claim.sentence() for claim in claims])
    return code


def exit_code(claims: list[Claim]) -> int:
    """A refuted claim counts before an undecided one."""
    statuses = {claim.status for claim in claims}
    if ClaimStatus.REFUTED in statuses:
        return REFUTED
    return OPEN if ClaimStatus.UNDECIDED in statuses else SHOWN


def junit_xml(project: str, claims: list[Claim]) -> str:
    """A test case for each claim: a refuted one fails, an undecided one is an error."""
    cases = [(claim.claim, _kind(claim.status), claim.sentence()) for claim in claims]
    return junit_cases(project, cases)


def junit_cases(suite: str, cases: Sequence[tuple[str, str, str]]) -> str:
    """Test cases: the name of each, "failure", "error" or "", and why."""
    kinds = [kind for _, kind, _ in cases]
    lines = ['<?xml version="1.0" encoding="utf-8"?>']
    lines.append(
        f'<testsuite name={_quoted(suite)} tests="{len(cases)}" '
        f'failures="{kinds.count("failure")}" errors="{kinds.count("error")}">'
    )
    for name, kind, why in cases:
        case = f"<testcase name={_quoted(name)}"
        element = f"<{kind} message={_quoted(why)}/>" if kind else ""
        lines.append(f"  {case}>{element}</testcase>" if element else f"  {case}/>")
    return "\n".join([*lines, "</testsuite>", ""])


def _kind(status: ClaimStatus) -> str:
    if status == ClaimStatus.REFUTED:
        return "failure"
    return "error" if status == ClaimStatus.UNDECIDED else ""


def _quoted(text: str) -> str:
    """An attribute; what no XML may hold is left out."""
    return quoteattr("".join(sign for sign in text if sign >= " "))
