"""Labels as a data set of Hugging Face: a Parquet file, and the card beside it."""

from __future__ import annotations

import io
import json
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from labelcore.exchange.rows import beside, labelled_rows
from labelcore.report import account, sections
from labelcore.report.facts import gather
from labelcore.report.markdown import markdown
from labelcore.report.markup import element, joined
from labelcore.session.session import Session
from labelcore.words.weights import weight_words


def hugging_face_parquet(session: Session) -> bytes:
    """A row per item: what was shown, and the class as a class label with the names of the classes;
    predictions too."""
    classes = session.population.classes
    names = {"names": list(classes), "_type": "ClassLabel"}
    rows = [{**item, "label": row["answer"], **beside(row)} for row, item in labelled_rows(session)]
    frame = pd.DataFrame(rows)
    features: dict[str, Any] = {}
    for name in frame.columns:
        if name == "label" or name.startswith("prediction_"):
            codes = [None if row[name] is None else classes.index(row[name]) for row in rows]
            frame[name], features[name] = pd.Series(codes, dtype="Int64"), names
    table = pa.Table.from_pandas(frame, preserve_index=False).replace_schema_metadata(None)
    kinds = {"double": "float64", "large_string": "string", "null": "string"}
    for field in table.schema:
        kind = kinds.get(str(field.type), str(field.type))
        features.setdefault(field.name, {"dtype": kind, "_type": "Value"})
    told = json.dumps({"info": {"features": features}})
    stream = io.BytesIO()
    pq.write_table(table.replace_schema_metadata({"huggingface": told}), stream)
    return stream.getvalue()


def dataset_card(session: Session) -> bytes:
    """README.md of a data set that holds the Parquet file: where the labels come from, and the
    table of figures. Its licence is left to whoever gives the data away.

    Source: https://huggingface.co/docs/hub/datasets-cards
    """
    facts = gather(session)
    number = sum(session.engine.kinds.values()) + len(session.engine.existing.positions)
    told = {
        "pretty_name": session.project,
        "tags": ["labelcore", "human-labels"],
        "size_categories": [next(name for most, name in SIZES.items() if number < most)],
        "configs": [{"config_name": "default", "data_files": "*.parquet"}],
    }
    front = [f"{name}: {json.dumps(value)}" for name, value in told.items()]
    text = joined(
        element("h1", session.project),
        element("p", f"{number:,} items of {session.population.name}, judged by people."),
        sections.estimates(facts),
        account.caveats(facts),
        sections.question(facts),
        sections.population(facts),
        element("h2", "Columns"),
        element(
            "p",
            element("code", "label"),
            " is what people said, ",
            element("code", "labelcore_weight"),
            f" the weight. {weight_words(session.plan.method.has_weights)}",
        ),
    )
    return "\n".join(["---", *front, LICENCE, "---", "", markdown(text.html)]).encode()


LICENCE = "# license: say here under which terms the data may be used"
SIZES = {1_000: "n<1K", 10_000: "1K<n<10K", 100_000: "10K<n<100K", float("inf"): "100K<n<1M"}
