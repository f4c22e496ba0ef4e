"""Handwritten digits that come with scikit-learn: "Is this a 3?", a second per answer.

1,797 images of 8 x 8 pixels from the UCI optical digits test set (Alpaydin and Kaynak 1998), in
``sklearn.datasets.load_digits``. Three classifiers are trained on the first 250 and score the
other 1,547: good enough to be believable, bad enough to be worth measuring.
"""

import base64
import io
from types import MappingProxyType

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from PIL import Image

from labelcore.trials.base import Trial, short_plan
from labelcore.trials.words import WORDS

DIGIT = 3
TRAINED_ON = 250
DARKEST = 16
MARGIN = 1
CLASSIFIERS = ("logistic", "neighbours", "bayes")
VOTE = "vote"


def build() -> pd.DataFrame:
    """One row per scored image: id, image, score and prediction of each classifier, true_label."""
    from sklearn.datasets import load_digits

    digits = load_digits()
    pixels: NDArray[np.float64] = digits.data
    truth = (digits.target == DIGIT).astype(int)
    scores = _scores(pixels / DARKEST, truth)
    columns: dict[str, object] = {
        "id": [f"image-{number}" for number in range(TRAINED_ON + 1, len(truth) + 1)],
        "image": [data_address(image) for image in digits.images[TRAINED_ON:]],
    }
    predictions = {name: (score >= 0.5).astype(int) for name, score in scores.items()}
    votes = sum(predictions.values())
    scores[VOTE] = np.mean(list(scores.values()), axis=0)
    predictions[VOTE] = (np.asarray(votes) >= 2).astype(int)
    for name in (*CLASSIFIERS, VOTE):
        columns[f"score_{name}"] = scores[name].round(4)
        columns[f"pred_{name}"] = predictions[name]
    return pd.DataFrame({**columns, "true_label": truth[TRAINED_ON:]})


def _scores(pixels: NDArray[np.float64], truth: NDArray[np.int_]) -> dict[str, NDArray[np.float64]]:
    """The probability of a 3 for the images that no classifier was trained on."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.naive_bayes import GaussianNB
    from sklearn.neighbors import KNeighborsClassifier

    models = (
        LogisticRegression(C=0.3, class_weight="balanced", max_iter=5000),
        KNeighborsClassifier(15),
        GaussianNB(var_smoothing=0.02),
    )
    seen, unseen = pixels[:TRAINED_ON], pixels[TRAINED_ON:]
    return {
        name: model.fit(seen, truth[:TRAINED_ON]).predict_proba(unseen)[:, 1]
        for name, model in zip(CLASSIFIERS, models, strict=True)
    }


def data_address(image: NDArray[np.float64]) -> str:
    """An image of 0 (paper) to 16 (ink), (8, 8), as the text of a grey PNG, dark on white, with a
    margin of paper: strokes that end at an edge would look cut off."""
    grey = 255 - np.rint(np.pad(image, MARGIN) * (255 / DARKEST))
    stream = io.BytesIO()
    Image.fromarray(grey.astype(np.uint8)).save(stream, "PNG")
    return "data:image/png;base64," + base64.b64encode(stream.getvalue()).decode("ascii")


DIGITS = Trial(
    name="digits",
    **WORDS["digits"]._asdict(),
    positive_words="A 3, in whatever handwriting.",
    negative_words="Any other digit.",
    instructions=(
        "Each picture is one digit that a person wrote by hand, 8 by 8 pixels. Answer what you "
        "see. Where you honestly cannot tell, answer Not sure."
    ),
    truth_column="true_label",
    read_arguments=MappingProxyType(
        {
            "id": "id",
            "content": ["image"],
            "scores": {name: f"score_{name}" for name in (*CLASSIFIERS, VOTE)},
            "predictions": {name: f"pred_{name}" for name in (*CLASSIFIERS, VOTE)},
        }
    ),
    plan=short_plan(CLASSIFIERS[0]),
    build=build,
    seconds=2.0,
)
