const DRAWN = ["svg", "g", "line", "text", "polygon", "polyline", "circle"];
const TAGS = [...DRAWN, "div", "span", "button", "p", "mark", "img", "table", "thead", "tbody",
  "tr", "th", "td", "details", "summary", "strong", "em", "del", "code", "pre", "ul", "ol", "li",
  "blockquote"
];
const SPACE = "http://www.w3.org/2000/svg";
const NAMED = ["class", "style", "role", "aria-label", "aria-hidden", "aria-pressed", "aria-live",
  "data-figure",
  "data-of", "viewBox", "points", "x", "y", "x1", "x2", "y1", "y2", "cx", "cy", "r",
  "text-anchor", "alt", "scope", "value", "fill", "stroke", "stroke-width", "stroke-dasharray",
  "opacity",
  "font-size", "font-weight"
];
const PICTURE = /^data:image\/(png|jpeg);base64,/;
const dress = (element, attributes) => {
  for (const [name, value] of Object.entries(attributes)) {
    const fits = NAMED.includes(name) ||
      (name === "src" && element.localName === "img" && PICTURE.test(value));
    if (fits && element.getAttribute(name) !== value) element.setAttribute(name, value);
  }
};
const made = (node) => {
  if (typeof node === "string") return document.createTextNode(node);
  const [tag, attributes, ...children] = node;
  if (!TAGS.includes(tag)) return document.createTextNode("");
  const element = DRAWN.includes(tag) ? document.createElementNS(SPACE, tag) :
    document.createElement(tag);
  dress(element, attributes);
  element.append(...children.map(made));
  return element;
};
// What has the focus, or is said as it changes, stays and gets what is new. All else that differs is
// another element, which comes, where the same one would move.
const stays = (one) => one.localName === "button" || one.ariaLive ||
  one.querySelector?.("button, [aria-live]");
const become = (there, node) => {
  const next = made(node);
  if (there.isEqualNode(next)) return there;
  return there.localName === next.localName && stays(there) ? refresh(there, node) : next;
};
const refresh = (there, [, attributes, ...children]) => {
  for (const name of there.getAttributeNames())
    if (!(name in attributes)) there.removeAttribute(name);
  dress(there, attributes);
  children.forEach((child, place) => {
    const old = there.childNodes[place];
    const next = old ? become(old, child) : made(child);
    if (!old) there.append(next);
    else if (next !== old) old.replaceWith(next);
  });
  while (there.childNodes.length > children.length) there.lastChild.remove();
  return there;
};
