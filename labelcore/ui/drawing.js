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
  // What was aimed at counts, also where it moved, or another came to its place, or none, until the
  // release. A click comes of itself only where all is as it was.
  let aimed = null;
  let held = null; // By Space, whose release presses.
  const under = (event) => event.composedPath().find((one) => all().includes(one));
  const down = (event) => {
    const one = event.button ? null : under(event);
    const { clientX: x, clientY: y } = event;
    aimed = one && { one, at: event.composedPath()[0], figure: one.dataset.figure, x, y };
  };
  const up = (event) => {
    if (!aimed?.one || (aimed.at.isConnected && under(event) === aimed.one)) return;
    const near = Math.hypot(event.clientX - aimed.x, event.clientY - aimed.y) < 5;
    aimed.one.blur();
    if (near) press(aimed.figure);
    aimed = near && { figure: null };
  };
  root.onclick = ({ target, detail }) => {
    const one = target.closest("button[data-figure]");
    // What is pressed by the mouse keeps no focus, which a later key would frame.
    if (one && detail) one.blur();
    const figure = detail && aimed ? aimed.figure : (!detail && held) || one?.dataset.figure;
    if (one && figure) press(figure);
    aimed = null;
  };
  const step = (event) => {
    if (!event.repeat) held = event.key === " " && under(event)?.dataset.figure;
    const by = now.data.steps && { ArrowDown: 1, ArrowUp: -1 } [event.key];
    const typing = event.target.closest?.("input, textarea, [role=listbox], [role=combobox]");
    const at = all().findIndex((one) => one.ariaPressed === "true");
    const next = at < 0 ? null : all()[at + by];
    if (!by || typing || !next) return;
    event.preventDefault();
    next.scrollIntoView({ block: "nearest" });
    press(next.dataset.figure);
  };
  const lost = () => (aimed = null);
  const released = () => setTimeout(() => (held = null)); // After the click that it may be.
  const heard = { keydown: step, keyup: released, pointerdown: down };
  Object.assign(heard, { pointerup: up, pointercancel: lost });
  for (const name in heard) window.addEventListener(name, heard[name]);
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
    for (const name in heard) window.removeEventListener(name, heard[name]);
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
