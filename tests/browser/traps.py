"""A file of texts as they are in real files, and worse."""

from random import Random

# Distinctive, so that they are found anywhere on the page.
TRUE, FALSE = "qztruthyes", "qztruthno"
FLAG = "labelcoreRan"
ELSEWHERE = "http://labelcore.invalid"

EMPTY_LOOKING = ["nan", "NaN", "null", "NULL", "n/a", "N/A", "None", "NA", "-", "<NA>", "0", "1e5"]
HOSTILE = [
    f"<script>window.{FLAG}=1</script>",
    f"<img src=x onerror='window.{FLAG}=2'>",
    f'<iframe srcdoc="<script>parent.{FLAG}=3</script>"></iframe>',
    f"![picture]({ELSEWHERE}/a.png) [link](javascript:window.{FLAG}=4)",
    f'<img src="{ELSEWHERE}/b.png"><link rel=stylesheet href="{ELSEWHERE}/c.css">',
    "<style>* { display: none }</style>",
    "</span></div><h1>out of the box</h1>",
    "&lt;b&gt; &amp; &#65; &nbsp;",
]
WRITING = [
    'She said "yes", then ""no"", and left',
    "one, two,, three,",
    "first line\nsecond line\n\nfourth line",
    "ends of lines\r\nof another system",
    "**bold** _it_ `code` # heading\n- list\n1. list\n> quote\n| a | b |\n|---|---|",
    "# not a heading",
    "costs $5 and $6, $\\frac{1}{2}$ and \\(x^2\\)",
    ":red[not red] :material/home: :smile:",
    "=1+1",
    '=HYPERLINK("http://labelcore.invalid","x")',
    "+49 30 1234",
    "-2+3",
    "@SUM(A1:A9)",
    "emoji 🙂 👩‍👩‍👧 🇫🇷 e\u0301",
    "Ελληνικά, 日本語, עברית, العربية",
    "C:\\path\\name 100% {x} %s {{y}}",
    "'single' `back` «quoted» — dash",
    "a" * 3000,
    "tab\tin the middle",
    "double  spaces   kept",
    "null,null",
    "nan nan",
    "https://labelcore.invalid/page www.labelcore.invalid a@labelcore.invalid",
    "1,234.50",
    "    indented\n        code\n    if True:",
    "  two spaces before, two after  ",
    "\nan empty line before and after\n",
]


def rows() -> list[dict[str, object]]:
    """56 items, each text once; a prediction that is not score >= t, and few different scores."""
    random = Random(11)
    texts = [*EMPTY_LOOKING, *HOSTILE, *WRITING]
    texts += [f"an ordinary message {number}" for number in range(56 - len(texts))]
    random.shuffle(texts)
    found = []
    for place, text in enumerate(texts):
        score = random.choice([0.1, 0.1, 0.4, 0.4, 0.6, 0.9])
        # Not a threshold on the score: a tenth is decided the other way.
        positive = (score >= 0.5) != (place % 10 == 0)
        truth = positive != (place % 7 == 0)
        found.append(
            {
                "id": f"m-{place:03d}",
                "text": text,
                "score_m": score,
                "pred_m": int(positive),
                "true_label": TRUE if truth else FALSE,
            }
        )
    return found
