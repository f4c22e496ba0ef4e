const DRAWN = ["svg", "g", "line", "text", "polygon", "polyline", "circle"];
const TAGS = [...DRAWN, "div", "span", "button", "p", "mark", "img", "table", "thead", "tbody",
  "tr", "th", "td", "details", "summary", "strong", "em", "del", "code", "pre", "ul", "ol", "li",
  "blockquote"
];
const SPACE = "http://www.w3.org/2000/svg";
const NAMED = ["class", "style", "role", "aria-label", "aria-hidden", "aria-pressed", "data-figure",
  "data-of", "viewBox", "points", "x", "y", "x1", "x2", "y1", "y2", "cx", "cy", "r",
  "text-anchor", "alt", "scope", "value", "fill", "stroke", "stroke-width", "stroke-dasharray",
  "opacity",
  "font-size", "font-weight"
];
const PICTURE = /^data:image\/(png|jpeg);base64,/;
const made = (node) => {
  if (typeof node === "string") return document.createTextNode(node);
  const [tag, attributes, ...children] = node;
  if (!TAGS.includes(tag)) return document.createTextNode("");
  const element = DRAWN.includes(tag) ? document.createElementNS(SPACE, tag) :
    document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (NAMED.includes(name)) element.setAttribute(name, value);
    if (name === "src" && tag === "img" && PICTURE.test(value)) element.src = value;
  }
  element.append(...children.map(made));
  return element;
};
