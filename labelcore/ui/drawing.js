// Nodes as elements, and what is pressed of them.
const begin = (parentElement) => {
  const root = Object.assign(document.createElement("div"), { className: "drawn" });
  const style = document.createElement("style");
  const now = { data: {}, send() {} };
  const all = () => [...root.querySelectorAll("button[data-figure]")];
  const press = (figure) => {
    // Shown at once where arrow keys go on from what is pressed.
    if (now.data.steps)
      for (const one of all()) one.ariaPressed = one.dataset.figure === figure;
    now.send(figure);
  };
  let aimed = null;
  root.onpointerdown = ({ target, clientX: x, clientY: y }) => {
    const one = target.closest("button[data-figure]");
    aimed = one && { one, figure: one.dataset.figure, x, y };
  };
  // What was aimed at counts, also where another came to its place, or none, until the release.
  const released = ({ clientX: x, clientY: y }) => {
    if (!aimed || aimed.one.isConnected) return;
    if (Math.hypot(x - aimed.x, y - aimed.y) < 5) press(aimed.figure);
    aimed = null;
  };
  root.onclick = ({ target, detail }) => {
    const one = target.closest("button[data-figure]");
    // What is pressed by the mouse keeps no focus, which a later key would frame.
    if (one && detail) one.blur();
    if (one) press(detail && aimed?.one === one ? aimed.figure : one.dataset.figure);
    aimed = null;
  };
  const step = (event) => {
    const by = now.data.steps && { ArrowDown: 1, ArrowUp: -1 } [event.key];
    const typing = event.target.closest?.("input, textarea, [role=listbox], [role=combobox]");
    const at = all().findIndex((one) => one.ariaPressed === "true");
    const next = at < 0 ? null : all()[at + by];
    if (!by || typing || !next) return;
    event.preventDefault();
    next.scrollIntoView({ block: "nearest" });
    press(next.dataset.figure);
  };
  window.addEventListener("keydown", step);
  window.addEventListener("pointerup", released);
  parentElement.append(style, root);
  const take = (data, send) => {
    Object.assign(now, { data, send });
    if (!style.textContent) style.textContent = BASE + SHEETS[data.sheet];
    const first = all()[0]?.dataset.figure;
    refresh(root, ["div", { class: "drawn" }, data.drawn]);
    // Another page begins at its top.
    if (data.steps && first && !all().some((one) => one.dataset.figure === first))
      all()[0]?.scrollIntoView({ block: "nearest" });
  };
  const end = () => {
    window.removeEventListener("keydown", step);
    window.removeEventListener("pointerup", released);
    style.remove();
    root.remove();
    delete parentElement.labelcoreDrawn;
  };
  return { take, end };
};

export default ({ data, parentElement, setTriggerValue }) => {
  const here = (parentElement.labelcoreDrawn ||= begin(parentElement));
  here.take(data, (figure) => setTriggerValue("pressed", figure));
  return here.end;
};
