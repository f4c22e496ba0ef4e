"""Four people and their files, each from what their tool writes to labels back in its form."""

import csv
import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import labelcore as lc
from labelcore.cli import main
from labelcore.exchange import LABELLED_FORMS
from tests.answering import answer_draws
from tests.columns import items
from tests.rows import write_rows


def holds(estimate: Any, truth: float) -> bool:
    """Whether the interval tells something, and has the truth in it: of 999 in 1,000 sessions it
    must, so a session that misses it is hardly chance."""
    assert estimate.confidence == 0.999
    return bool(estimate.low <= truth <= estimate.high and estimate.high - estimate.low < 0.6)


def test_record_linkage(tmp_path: Path) -> None:
    """Splink's scored pairs in; pairs with a clerical score out, under the ids of both records."""
    rng = np.random.default_rng(3)
    probability = rng.beta(0.2, 0.4, 2_000).round(4)
    same = rng.random(2_000) < probability
    pairs = pd.DataFrame(
        {
            "match_weight": np.log2(probability + 1e-3),
            "match_probability": probability,
            "unique_id_l": [n // 50 for n in range(2_000)],
            "unique_id_r": [1_000 + n % 50 for n in range(2_000)],
            "name_l": [f"person {n}" for n in range(2_000)],
            "name_r": [f"person {n if same[n] else n + 1}" for n in range(2_000)],
        }
    )
    pairs.to_parquet(tmp_path / "pairs.parquet", index=False)
    population = lc.read_population(
        tmp_path / "pairs.parquet", id=["unique_id_l", "unique_id_r"], content=["name_l", "name_r"],
        scores={"splink": "match_probability"}, thresholds={"splink": 0.9},
    )  # fmt: skip
    plan = lc.Plan(
        "recalibrated_neyman", ["precision", "recall"], budget=150, confidence=0.999, seed=1
    )
    session = lc.Session(population, plan)
    answer_draws(session, lambda draw: len({*session.item(draw).values()}) == 1)
    called = probability >= 0.9
    assert holds(session.results()["precision"], float(same[called].mean()))
    assert holds(session.results()["recall"], float(called[same].mean()))

    out = pd.read_parquet(io.BytesIO(LABELLED_FORMS["splink"](session)))
    assert len(out) == 150 and set(out["clerical_match_score"]) == {0.0, 1.0}
    out = out.astype({"unique_id_l": int, "unique_id_r": int})
    joined = out.merge(pairs, on=["unique_id_l", "unique_id_r"], validate="one_to_one")
    assert len(joined) == 150
    assert ((joined["name_l"] == joined["name_r"]) == (joined["clerical_match_score"] == 1)).all()


def test_splink_needs_pairs() -> None:
    population = items(scores={"m": np.arange(100) / 99}, thresholds={"m": 0.5})
    session = lc.Session(population, lc.Plan("simple_random", ["accuracy"], budget=40))
    with pytest.raises(ValueError, match="Splink knows pairs by the ids of both records"):
        LABELLED_FORMS["splink"](session)


def test_e_discovery(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Coded documents in by the command line; what was left behind, and every coding, out."""
    rng = np.random.default_rng(5)
    score = rng.beta(0.4, 3.0, 3_000)
    responsive = rng.random(3_000) < score
    reviewed = np.argsort(-score)[:400]
    coding = np.full(3_000, "", dtype=object)
    coding[reviewed] = np.where(responsive[reviewed], "responsive", "not responsive")
    file = tmp_path / "production.csv"
    pd.DataFrame(
        {
            "doc_id": [f"D{n:05}" for n in range(3_000)],
            "body": [f"{'contract' if responsive[n] else 'lunch'} {n}" for n in range(3_000)],
            "tar_score": score,
            "coding": coding,
        }
    ).to_csv(file, index=False)
    store = f"sqlite:///{tmp_path / 'review.db'}"
    place = ("--store", store, "--project", "review")
    code = main(
        ["import", str(file), "--id", "doc_id", "--content", "body", "--score", "found=tar_score",
         "--prediction", "found=coding", "--known", "coding", "--existing", "certainty",
         "--positive", "responsive", "--estimand", "recall", "--budget", "150",
         "--confidence", "0.999", *place]
    )  # fmt: skip
    assert code == 0, capsys.readouterr().err
    batch = tmp_path / "batch.csv"
    assert main(["draw", "--batch", "150", "--annotator", "ann", "-o", str(batch), *place]) == 0
    rows = list(csv.DictReader(io.StringIO(batch.read_text("utf-8-sig"))))
    assert "coding" not in rows[0] and "tar_score" not in rows[0]
    for row in rows:
        row["answer"] = "responsive" if row["body"].startswith("contract") else "not responsive"
    write_rows(batch, rows[0], (row.values() for row in rows))
    assert main(["answer", str(batch), *place]) == 0
    session = lc.Session.open(store, "review")
    found = responsive[reviewed].sum() / responsive.sum()
    assert holds(session.results()["recall"], float(found))
    table = tmp_path / "coded.csv"
    assert main(["labels", "-o", str(table), *place]) == 0
    coded = pd.read_csv(table).set_index("id")["answer"]
    assert len(coded) == len(rows) + 400, "what was coded before, and what was drawn"
    truth = dict(zip([f"D{n:05}" for n in range(3_000)], responsive, strict=True))
    assert all((answer == "responsive") == truth[item] for item, answer in coded.items())


def test_systematic_review(tmp_path: Path) -> None:
    """ASReview's CSV in, with what was screened; the recall of that screening; ASReview's CSV out,
    which its own reader's rules take: 1, 0 or empty."""
    rng = np.random.default_rng(7)
    rank = rng.beta(0.3, 3.0, 1_500)
    relevant = rng.random(1_500) < rank
    screened = rank > np.quantile(rank, 0.8)
    file = tmp_path / "asreview_dataset.csv"
    pd.DataFrame(
        {
            "title": [f"Study {n}" for n in range(1_500)],
            "abstract": [f"{'flood' if relevant[n] else 'drought'} {n}" for n in range(1_500)],
            "rank_score": rank,
            "asreview_label": [
                int(one) if seen else None for one, seen in zip(relevant, screened, strict=True)
            ],
        }
    ).astype({"asreview_label": "Int64"}).to_csv(file)
    population = lc.read_population(
        file, content=["title", "abstract"], scores={"found": "rank_score"},
        predictions={"found": "asreview_label"}, known="asreview_label",
    )  # fmt: skip
    plan = lc.Plan(
        "recalibrated_neyman", ["recall"], existing="certainty", budget=300, confidence=0.999,
        seed=2,
    )  # fmt: skip
    session = lc.Session(population, plan)
    answer_draws(session, lambda draw: "flood" in session.item(draw)["abstract"])
    found = (relevant & screened).sum() / relevant.sum()
    assert holds(session.results()["recall"], float(found))
    out = pd.read_csv(io.BytesIO(LABELLED_FORMS["asreview"](session)), index_col=0)
    assert {"title", "abstract", "asreview_label"} <= set(out.columns)
    assert len(out) == int(screened.sum()) + session.labels
    assert (out["abstract"].str.startswith("flood") == (out["asreview_label"] == 1)).all()


def test_judge_traces(tmp_path: Path) -> None:
    """Nested traces in; how well the judge judges; the human scores out, under the traces' ids."""
    rng = np.random.default_rng(11)
    good = rng.random(1_200) < 0.7
    value = np.clip(np.where(good, 0.8, 0.4) + rng.normal(0, 0.2, 1_200), 0, 1).round(3)
    file = tmp_path / "traces.jsonl"
    with file.open("w", encoding="utf-8") as stream:
        for n in range(1_200):
            said = [{"role": "user", "content": f"question {n}"}]
            said.append({"role": "assistant", "content": "right" if good[n] else "wrong"})
            scores = [
                {"name": "latency", "value": 0.3},
                {"name": "helpful", "value": float(value[n]), "comment": "it reads well"},
            ]
            record = {"trace_id": f"t-{n}", "output": {"messages": said}, "scores": scores}
            stream.write(json.dumps(record) + "\n")
    population = lc.read_population(
        file, id="trace_id", content=["output.messages[0].content", "output.messages[-1].content"],
        scores={"judge": "scores[name=helpful].value"}, thresholds={"judge": 0.6},
    )  # fmt: skip
    plan = lc.Plan("recalibrated_neyman", ["accuracy"], budget=200, confidence=0.999, seed=4)
    session = lc.Session(population, plan)
    answer_draws(session, lambda draw: "right" in session.item(draw).values())
    assert holds(session.results()["accuracy"], float(((value >= 0.6) == good).mean()))
    assert "reads well" not in str([session.item_by_id(f"t-{n}") for n in range(50)]), "blind"
    out = [json.loads(line) for line in LABELLED_FORMS["langfuse"](session).splitlines()]
    assert len(out) == len({one["id"] for one in out}) == 200
    for one in out:
        assert one["name"] == "human" and one["dataType"] == "CATEGORICAL"
        assert one["value"] == ("yes" if good[int(one["traceId"][2:])] else "no")
        assert one["metadata"]["score_judge"] == pytest.approx(value[int(one["traceId"][2:])])
