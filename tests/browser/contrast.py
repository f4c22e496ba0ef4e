"""The contrast of every text on a page, measured from the colours that the browser computed."""

from typing import Any

from playwright.sync_api import Page

LEAST = 4.5
# Texts and what fields hold or suggest; icons, charts and what is hidden or disabled are left out.
MEASURE = """
() => {
  const pixel = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const read = (colour) => {
    pixel.clearRect(0, 0, 1, 1);
    pixel.fillStyle = colour;
    pixel.fillRect(0, 0, 1, 1);
    const [red, green, blue, cover] = pixel.getImageData(0, 0, 1, 1).data;
    return [red, green, blue, cover / 255];
  };
  const over = (top, below) =>
    [0, 1, 2].map((i) => top[i] * top[3] + below[i] * (1 - top[3])).concat(1);
  const luminance = (colour) => colour.slice(0, 3)
    .map((value) => value / 255)
    .map((value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4))
    .reduce((sum, value, i) => sum + [0.2126, 0.7152, 0.0722][i] * value, 0);
  // A value that stands beside the knob of a slider is in it, but not on it.
  const behind = (element, box) => {
    const own = element.getBoundingClientRect();
    return own.width > box.width - 2 && own.height > box.height - 2;
  };
  const measure = (element, box, part) => {
    const chain = [];
    for (let one = element; one; one = one.parentElement || one.getRootNode().host)
      chain.unshift(one);
    let back = [255, 255, 255, 1], cover = 1;
    for (const one of chain) {
      const { backgroundColor, opacity } = getComputedStyle(one);
      cover *= Number(opacity);
      const own = read(backgroundColor);
      if (behind(one, box)) back = over([...own.slice(0, 3), own[3] * cover], back);
    }
    const style = getComputedStyle(element, part);
    const text = read(style.color);
    text[3] *= cover * (part ? Number(style.opacity) : 1);
    const [high, low] = [luminance(over(text, back)), luminance(back)].sort((a, b) => b - a);
    return cover < 0.01 ? null : (high + 0.05) / (low + 0.05);
  };
  const app = document.querySelector(".stApp"), found = [];
  const skipped = "svg, style, script, [data-testid='stIconMaterial'], :disabled, [aria-disabled]";
  const note = (text, element, box, part) => {
    const off = element.closest(skipped);
    if (box.width < 2 || box.height < 2 || (off && off.ariaDisabled !== "false")) return;
    if (getComputedStyle(element).visibility !== "visible") return;
    const contrast = measure(element, box, part);
    if (contrast !== null) found.push({ text: text.trim().slice(0, 40), contrast });
  };
  const roots = (from) => [from, ...[...from.querySelectorAll("*")]
    .flatMap((one) => (one.shadowRoot ? roots(one.shadowRoot) : []))];
  for (const root of roots(app)) {
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const node = walker.currentNode, range = document.createRange();
      range.selectNodeContents(node);
      if (node.data.trim() && node.parentElement)
        note(node.data, node.parentElement, range.getBoundingClientRect());
    }
    for (const field of root.querySelectorAll("input:not([type=range]), textarea")) {
      const box = field.getBoundingClientRect();
      if (field.value) note(field.value, field, box);
      else if (field.placeholder) note(field.placeholder, field, box, "::placeholder");
    }
  }
  return found;
}
"""


def contrasts(page: Page) -> list[dict[str, Any]]:
    """Every text that is seen: {text, contrast}."""
    return list(page.evaluate(MEASURE))


def too_faint(page: Page) -> list[str]:
    """The texts below a contrast of 4.5."""
    return [
        f"{one['text']!r}: {one['contrast']:.2f}"
        for one in contrasts(page)
        if one["contrast"] < LEAST
    ]
