"""Which columns have the ids of traces and spans, under which a tool recorded an item."""

import re

from labelcore.population.population import Population

TRACE = re.compile(r"([^\[]+\.)?trace_?id", re.IGNORECASE)
SPAN = re.compile(r"([^\[]+\.)?span_?id", re.IGNORECASE)
OBSERVATION = re.compile(r"([^\[]+\.)?observation_?id", re.IGNORECASE)
LANGFUSE = {"html_path", "htmlPath", "project_id", "projectId", "observations", "scores"}
"""Columns of Langfuse's traces, beside their ``id``."""
OBSERVED = {"start_time", "startTime", "parent_observation_id", "parentObservationId"}
"""Columns of Langfuse's observations, beside theirs."""
TraceColumns = tuple[str | None, str | None]


def named_columns(population: Population) -> TraceColumns:
    """The columns called after ids of traces and of spans, those of the items' own ids first."""
    ids = population.arguments["id"]
    every = [*(ids if isinstance(ids, list) else [ids] if ids else []), *population.columns]

    def first(*patterns: re.Pattern[str]) -> str | None:
        names = (name for pattern in patterns for name in every if pattern.fullmatch(name))
        return next(names, None)

    return first(TRACE), first(SPAN, OBSERVATION)


def langfuse_columns(population: Population) -> TraceColumns:
    """The same; "id" is that of an observation where the columns are those of one, and that of a
    trace where no other column has it."""
    trace, span = named_columns(population)
    if span is None and "id" in population.columns:
        if trace is None:
            return "id", None
        span = "id" if OBSERVED & {*population.columns} else None
    return trace, span


def from_langfuse(population: Population) -> bool:
    """Whether the columns are those of Langfuse's traces or observations."""
    names = {re.split(r"[.\[]", name)[0] for name in population.columns}
    trace, span = langfuse_columns(population)
    theirs = span is not None or bool(names & LANGFUSE)
    return trace is not None and theirs and "context" not in names


def has_spans(population: Population) -> bool:
    """Whether the file names spans, as Phoenix and OpenTelemetry do."""
    return any(SPAN.fullmatch(name) for name in population.columns)
