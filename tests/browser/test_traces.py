"""Conversations on *Label* and in Review in a real browser: drawn, blind, and harmless."""

import json
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, Request, expect

from tests.browser import driving, traps
from tests.browser.conftest import wait_until_idle
from tests.browser.server import Server

RUN, ELSEWHERE = f"window.{traps.FLAG}=1", traps.ELSEWHERE
PAYLOADS = [
    *traps.HOSTILE,
    f"<svg onload={RUN}>",
    f"<svg><script>{RUN}</script></svg>",
    f"<body onload={RUN}>",
    f"<details open ontoggle={RUN}>x</details>",
    f"<video><source onerror={RUN}></video>",
    f"<audio src=x onerror={RUN}>",
    f"<input autofocus onfocus={RUN}>",
    f"<a href='javascript:{RUN}'>x</a>",
    f"<math><mi xlink:href='javascript:{RUN}'>x</mi></math>",
    f"<object data='javascript:{RUN}'></object>",
    f"<embed src='{ELSEWHERE}/e.swf'>",
    f"<base href='{ELSEWHERE}/'>",
    f"<meta http-equiv=refresh content='0;url={ELSEWHERE}'>",
    f"<form action='{ELSEWHERE}'><button autofocus>x</button></form>",
    f"<iframe src='{ELSEWHERE}'></iframe>",
    f"<link rel=preload href='{ELSEWHERE}/f.css' as=style>",
    f"<style>@import '{ELSEWHERE}/g.css';</style>",
    f'<div style="background:url({ELSEWHERE}/h.png)">x</div>',
    f"<template><script>{RUN}</script></template>",
    f"[x](javascript:{RUN})",
    f'[x](JaVaScRiPt:{RUN} "t")',
    f'![x]({ELSEWHERE}/i.png "t")',
    f"[![x]({ELSEWHERE}/j.png)]({ELSEWHERE})",
    f"<javascript:{RUN}>",
    f"[x]: javascript:{RUN}\n\n[x]",
    f"![x](data:image/svg+xml,<svg onload={RUN}>)",
    f"```html\n<script>{RUN}</script>\n```",
    f"`<img src=x onerror={RUN}>`",
    f"| <script>{RUN}</script> |\n|-|\n| <img src=x onerror={RUN}> |",
    f"# <img src=x onerror={RUN}>",
    f"> <script>{RUN}</script>",
    f"1. <img src=x onerror={RUN}>",
    f"\\u003cscript\\u003e{RUN}\\u003c/script\\u003e",
    "</div></details></div><h1>out</h1>",
    f"\u202e<script>{RUN}</script>\u0000\u0007\u001b[31m",
    "&#60;script&#62;x&#60;/script&#62;",
]
FORBIDDEN = (
    ":is(script, iframe, svg, a, img, style, link, object, embed, form, input, video, audio,"
    " [onerror], [onload], [style], [href], [src])"
)


def said(payload: str, n: int) -> dict[str, Any]:
    """A trace with a payload in every field that is shown."""
    call = {"name": payload, "arguments": {payload: payload}}
    picture = {"type": "image_url", "image_url": {"url": f"{ELSEWHERE}/{n}.png"}}
    messages = [
        {"role": "system", "content": payload},
        {"role": "user", "content": [picture, {"type": "text", "text": payload}]},
        {"role": "assistant", "content": payload, "tool_calls": [call]},
        {"role": "tool", "content": json.dumps({payload: [{payload: payload}]})},
        {"role": payload, "content": payload},
    ]
    scores = [{"name": "strict", "value": "pass" if n % 2 else "fail", "comment": payload}]
    return {"id": n, "input": {"messages": messages}, "output": {"content": payload or "x"},
            "metadata": {"model": f"secret-{n % 2}"}, "scores": scores}  # fmt: skip


@pytest.fixture
def asked(page: Page) -> list[str]:
    """What the page asks for that is not its server's."""
    found: list[str] = []

    def look(request: Request) -> None:
        if "127.0.0.1" not in request.url and not request.url.startswith(("data:", "blob:")):
            found.append(request.url)

    page.on("request", look)
    return found


def begun(page: Page, server: Server, path: Path) -> None:
    driving.to_aim(page, server.url, path, "Is the answer helpful?")
    driving.create_project(page)
    page.wait_for_selector(".lc-answers button")
    wait_until_idle(page)


@pytest.mark.full
@pytest.mark.slow
def test_no_payload_in_a_trace_runs_or_is_fetched(
    shared_server: Server, page: Page, tmp_path: Path, asked: list[str]
) -> None:
    assert len(PAYLOADS) >= 40
    path = tmp_path / "hostile.jsonl"
    path.write_text("\n".join(json.dumps(said(one, n)) for n, one in enumerate(PAYLOADS)), "utf-8")
    begun(page, shared_server, path)
    box, shown = page.locator(".lc-box"), 0
    while page.locator(".lc-answers button").count():
        for line in page.locator(".lc-box summary").all():
            line.evaluate("one => one.parentElement.open = true")
        assert "secret-" not in box.inner_text() and box.locator(".lc-judged").count() == 1
        assert not box.locator(FORBIDDEN).count()
        before, shown = box.get_attribute("data-showing"), shown + 1
        page.wait_for_timeout(160)
        page.keyboard.press("y")
        page.wait_for_function(
            "before => document.querySelector('.lc-box')?.dataset.showing !== before"
            " || !document.querySelector('.lc-answers button')", arg=before
        )  # fmt: skip
    assert shown == len(PAYLOADS)
    page.goto(page.url.replace("/label", "/review"))
    wait_until_idle(page)
    assert page.evaluate(f"window.{traps.FLAG} === undefined") and not asked


@pytest.mark.full
def test_the_system_and_the_judge_are_shown_once_an_item_is_judged(
    shared_server: Server, page: Page, tmp_path: Path
) -> None:
    rows = [said(f"words of {n}", n) for n in range(30)]
    path = tmp_path / "blind.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)), "utf-8")
    begun(page, shared_server, path)
    main = page.locator(".stMain")
    expect(main).not_to_contain_text("secret-")
    expect(page.locator("[data-act=said]")).to_be_disabled()
    page.wait_for_timeout(1000 * driving.SETTLE_SECONDS)
    page.keyboard.press("y")
    expect(page.locator("[data-act=said]")).to_be_enabled()
    page.keyboard.press("w")
    panel = page.locator(".st-key-beside")
    expect(panel).to_contain_text("you: pass")
    expect(panel).to_contain_text("system: secret-")
    expect(panel).to_contain_text("strict: ")
    expect(panel).to_contain_text("reason: words of")
    expect(page.locator("[data-act=undo]")).to_be_disabled()
    page.keyboard.press("w")
    expect(panel).to_have_count(0)
    page.set_viewport_size({"width": 390, "height": 844})
    wait_until_idle(page)
    for act in ("undo", "said", "finish"):
        place = page.locator(f"[data-act={act}]").bounding_box()
        assert place is not None and place["x"] >= 0 and place["x"] + place["width"] <= 390
        assert place["y"] + place["height"] <= 844
    expect(main).not_to_contain_text("secret-")
