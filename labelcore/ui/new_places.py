"""New project: the parts of its last screen, which is laid out before anything is worked out."""

from __future__ import annotations

from dataclasses import dataclass

from streamlit.delta_generator import DeltaGenerator


@dataclass(frozen=True)
class Places:
    """Where things stand: the cards, beside them the price from above to below.

    aim      cards and classifiers
    price    what the labels give, and what is refused
    axis     the slider below the picture
    slide    what is started from, and how much of it
    methods  every method for this aim, to choose from
    people   how many judge, and how much each of them
    more     what has a good first value, in a fold
    end      the way back, and the last press
    """

    aim: DeltaGenerator
    price: DeltaGenerator
    axis: DeltaGenerator
    slide: DeltaGenerator
    methods: DeltaGenerator
    people: DeltaGenerator
    more: DeltaGenerator
    end: DeltaGenerator
