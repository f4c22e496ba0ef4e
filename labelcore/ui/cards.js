export default ({ data, parentElement, setTriggerValue }) => {
  const root = (parentElement.labelcoreCards ||= document.createElement("div"));
  if (root.parentNode !== parentElement) parentElement.appendChild(root);
  const style = Object.assign(document.createElement("style"), { textContent: STYLE });
  const drawn = made(data.cards);
  const cards = [...drawn.querySelectorAll("button")];
  const open = (card) => {
    for (const one of cards) one.setAttribute("aria-pressed", one === card);
    setTriggerValue("pressed", card.dataset.figure);
  };
  for (const one of cards) {
    one.onclick = (event) => {
      if (event.detail) event.currentTarget.blur();
      open(one);
    };
  }
  root.replaceChildren(style, drawn);
  const chosen = () => cards.findIndex(one => one.getAttribute("aria-pressed") === "true");
  const move = (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 } [event.key];
    const held = event.target.closest?.("input, textarea, [role=listbox], [role=combobox]");
    const next = cards[chosen() + (step || 0)];
    if (!step || held || !next || chosen() < 0) return;
    event.preventDefault();
    next.scrollIntoView({ block: "nearest" });
    open(next);
  };
  window.removeEventListener("keydown", root.labelcoreMove);
  root.labelcoreMove = move;
  window.addEventListener("keydown", move);
  return () => window.removeEventListener("keydown", move);
};
