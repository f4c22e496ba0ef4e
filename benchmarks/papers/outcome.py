"""What one paper's benchmark gives back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import pandas as pd
from plotly.graph_objects import Figure


@dataclass(frozen=True)
class Outcome:
    """Our numbers by the keys of the expected table; what was not run at this size is left out.

    figures   by name, for docs/papers/images; tables: by title; notes: what a reader must know
    """

    values: Mapping[str, float]
    figures: Mapping[str, Figure] = field(default_factory=dict)
    tables: Mapping[str, pd.DataFrame] = field(default_factory=dict)
    notes: Sequence[str] = ()
