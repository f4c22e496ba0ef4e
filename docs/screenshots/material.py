"""Invented items, the same every time: rows for projects and files to upload."""

import csv
import json
from collections.abc import Sequence
from pathlib import Path
from random import Random

from PIL import Image, ImageDraw

Row = dict[str, object]

THINGS = ("bicycle", "kettle", "lamp", "backpack", "office chair", "rain jacket", "camera", "drill")
COLOURS = ("red", "blue", "green", "black", "grey")
TOPICS = ("billing", "delivery", "praise", "returns", "technical")
SENTENCES = {
    "billing": "I was charged twice for order {n}. Please send the difference back.",
    "delivery": "Order {n} should have been here on Monday and the tracking page says nothing.",
    "praise": "Just to say that order {n} came early and everything fits. Thank you!",
    "returns": "How do I send item {n} back? The box is open but nothing was used.",
    "technical": "Device {n} does not start any more after the update; the light blinks three "
    "times.",
}
ARABIC = ("وصل الطرد رقم {n} متأخرا والعلبة مفتوحة.", "شكرا جزيلا، الخدمة ممتازة والرد سريع.")
HEBREW = ("החבילה {n} הגיעה בזמן, תודה רבה!", "המסך נשבר אחרי יומיים ואיש אינו עונה לי.")
GERMAN = (
    "Ihr Päckchen liegt in der Filiale für Sie bereit.",
    "Glückwunsch! Sie haben 1.000 Euro gewonnen, jetzt bestätigen.",
    "Können wir das Treffen auf nächsten Mittwoch verschieben?",
    "Letzte Chance: Schlank in 7 Tagen ohne Sport!",
)


def write(path: Path, rows: Sequence[Row], **dialect: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    encoding = dialect.pop("encoding", "utf-8")
    with path.open("w", encoding=encoding, newline="") as stream:
        writer = csv.DictWriter(stream, list(rows[0]), **dialect)  # type: ignore[arg-type]
        writer.writeheader()
        writer.writerows(rows)
    return path


def scored(number: int, seed: int = 6) -> list[tuple[float, bool]]:
    """Scores and truths of a useful classifier, the scores somewhat too high at the head."""
    random = Random(seed)
    scores = [random.betavariate(0.5, 1.1) for _ in range(number)]
    return [(round(score, 4), random.random() < 0.93 * score**1.15) for score in scores]


def pairs(number: int) -> list[Row]:
    random = Random(2)
    rows: list[Row] = []
    for place, (score, truth) in enumerate(scored(number)):
        thing, colour, inches = (
            random.choice(THINGS),
            random.choice(COLOURS),
            random.randint(20, 29),
        )
        other = colour if truth else random.choice([c for c in COLOURS if c != colour])
        rows.append(
            {
                "id": f"pair-{place + 1}",
                "offer_a": f"{thing.capitalize()}, {colour}, {inches} inches, new in box",
                "offer_b": f"{thing.capitalize()} {other}, {inches} inches (as new, with box)",
                "score_match": score,
                "truth": int(truth),
            }
        )
    return rows


def letters(number: int) -> list[Row]:
    """Five classes and a prediction that is right four times of five."""
    random = Random(5)
    rows: list[Row] = []
    for place in range(number):
        truth = random.choice(TOPICS)
        said = truth if random.random() < 0.8 else random.choice(TOPICS)
        text = SENTENCES[truth].format(n=4000 + place)
        rows.append({"id": f"letter-{place + 1}", "text": text, "prediction": said, "truth": truth})
    return rows


def orders(number: int) -> list[Row]:
    """Items that are a table, and items that are nested JSON."""
    random = Random(8)
    rows: list[Row] = []
    for place, (score, _) in enumerate(scored(number)):
        lines = [
            {"article": random.choice(THINGS), "pieces": random.randint(1, 9), "euro": 19.9 + n}
            for n in range(4)
        ]
        whole = {"customer": {"since": 2019, "country": "AT"}, "lines": lines[:2], "express": True}
        rows.append(
            {
                "id": f"order-{place + 1}",
                "order": json.dumps(lines),
                "record": json.dumps(whole),
                "score_fraud": score,
            }
        )
    return rows


def right_to_left(number: int) -> list[Row]:
    texts = [*ARABIC, *HEBREW]
    return [
        {"id": f"t{n}", "text": " ".join([texts[n % 4].format(n=n)] * 3), "score_positive": score}
        for n, (score, _) in enumerate(scored(number))
    ]


def pictures(folder: Path, number: int, *, broken: bool) -> list[Row]:
    """Drawn scenes as files beside the table, or paths that lead nowhere good."""
    folder.mkdir(parents=True, exist_ok=True)
    random = Random(9)
    rows: list[Row] = []
    for place, (score, truth) in enumerate(scored(number)):
        name = f"scene-{place % 6}.png"
        if not broken and place < 6:
            _draw(folder / name, random, round_sun=truth)
        path = f"../../../photos/{name}" if broken else f"{folder.name}/{name}"
        rows.append({"id": f"photo-{place + 1}", "image": path, "score_sun": score})
    return rows


def _draw(path: Path, random: Random, *, round_sun: bool) -> None:
    image = Image.new("RGB", (480, 320), (188, 216, 235))
    pen = ImageDraw.Draw(image)
    pen.rectangle((0, 220, 480, 320), fill=(96, 140, 84))
    for _ in range(4):
        left, top = random.randint(0, 400), random.randint(120, 200)
        pen.polygon([(left, 240), (left + 60, top), (left + 120, 240)], fill=(70, 92, 110))
    if round_sun:
        pen.ellipse((340, 30, 420, 110), fill=(240, 190, 60))
    image.save(path)


def topics_of(rows: Sequence[Row]) -> list[Row]:
    return [{name: row[name] for name in ("id", "text", "prediction")} for row in rows]


def german(path: Path) -> Path:
    rows: list[Row] = [
        {
            "Nr": n + 1,
            "Nachricht": f"{GERMAN[n % 4]} (Brief {n + 1})",
            "Wahrscheinlichkeit_Spam": str(score).replace(".", ","),
            "Vorhersage_Spam": int(score >= 0.5),
        }
        for n, (score, _) in enumerate(scored(240))
    ]
    return write(path, rows, encoding="cp1252", delimiter=";")


def messages(number: int, *, seed: int = 6) -> list[Row]:
    """Texts with a score and no prediction."""
    return [
        {
            "id": f"m{n + 1}",
            "text": SENTENCES[TOPICS[n % 5]].format(n=n + 1),
            "score_complaint": score,
        }
        for n, (score, _) in enumerate(scored(number, seed))
    ]


def faulty(path: Path) -> Path:
    rows = messages(60)
    rows[3]["score_complaint"] = "n/a"
    rows[11]["score_complaint"] = ""
    rows[20]["id"] = "m5"
    rows[33]["score_complaint"] = "0,7x"
    return write(path, rows)


def unsure(path: Path) -> Path:
    rows: list[Row] = [
        {
            "author_id": f"a{n}",
            "thread_id": f"t{n}",
            "v1": ["good", "bad", "fine"][n % 3],
            "v2": ["north", "south"][n % 2],
            "likelihood": score,
        }
        for n, (score, _) in enumerate(scored(60))
    ]
    return write(path, rows)


def repeated(path: Path) -> Path:
    rows = messages(60)
    for place in (20, 31, 45):
        rows[place]["text"] = rows[place - 10]["text"]
    return write(path, rows)


def headless(path: Path) -> Path:
    path = write(path, messages(60))
    path.write_text("".join(path.read_text("utf-8").splitlines(keepends=True)[1:]), "utf-8")
    return path


WAVES = {f"2026-W{week}": 0.86 if week < 40 else 0.6 for week in range(31, 43)}
"""The precision of the filter in each week."""


def wave(name: str, precision: float, seed: int) -> list[Row]:
    """3,000 short texts of a week with a prediction and the truth."""
    random = Random(seed)
    rows = []
    for number in range(3000):
        called = random.random() < 0.12
        truth = random.random() < (precision if called else 0.02)
        rows.append(
            {"id": f"{name}-{number}", "text": f"Message {number} of {name}",
             "prediction": int(called), "truth": int(truth)}
        )  # fmt: skip
    return rows
