// Nodes as elements, and what is pressed of them.
const begin = (parentElement) => {
  const root = Object.assign(document.createElement("div"), { className: "drawn" });
  const style = document.createElement("style");
  const now = { data: {}, send() {} };
  const press = (one) => {
    // Shown at once where arrow keys go on from what is pressed.
    if (now.data.steps)
      for (const other of root.querySelectorAll("button")) other.ariaPressed = other === one;
    now.send(one.dataset.figure);
  };
  root.onclick = ({ target, detail }) => {
    const one = target.closest("button[data-figure]");
    // What is pressed by the mouse keeps no focus, which a later key would frame.
    if (one && detail) one.blur();
    if (one) press(one);
  };
  const step = (event) => {
    const by = now.data.steps && { ArrowDown: 1, ArrowUp: -1 } [event.key];
    const typing = event.target.closest?.("input, textarea, [role=listbox], [role=combobox]");
    const all = [...root.querySelectorAll("button")];
    const at = all.findIndex((one) => one.ariaPressed === "true");
    if (!by || typing || at < 0 || !all[at + by]) return;
    event.preventDefault();
    all[at + by].scrollIntoView({ block: "nearest" });
    press(all[at + by]);
  };
  window.addEventListener("keydown", step);
  parentElement.append(style, root);
  const take = (data, send) => {
    Object.assign(now, { data, send });
    if (!style.textContent) style.textContent = BASE + SHEETS[data.sheet];
    refresh(root, ["div", { class: "drawn" }, data.drawn]);
  };
  const end = () => {
    window.removeEventListener("keydown", step);
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
