export default ({ data, parentElement, setStateValue }) => {
  const div = () => document.createElement("div");
  const root = (parentElement.labelcorePicture ||= Object.assign(div(), { parts: [] }));
  if (!root.parts.length) {
    // Bars, what is said, the chart. A live region speaks only while it stays in its place.
    const [first, holder, said, below] = [div(), div(), div(), div()];
    said.setAttribute("aria-live", "polite");
    first.append(holder, said);
    const style = Object.assign(document.createElement("style"), { textContent: STYLE });
    root.append(style, first, below);
    root.parts = [holder, said, below];
  }
  if (root.parentNode !== parentElement) parentElement.appendChild(root);
  const [holder, said, below] = root.parts;
  const focused = root.getRootNode().activeElement;
  const held = root.contains(focused) ? focused.textContent : "";
  root.className = "living" + (data.unfolded ? "" : " folded") + (data.large ? " large" : "");
  // What is pressed by the mouse keeps no focus, which a later key would frame.
  const pressed = (kind, name) => (event) => {
    if (event.detail) event.currentTarget.blur();
    setStateValue(kind, name);
  };
  const bars = made(data.bars);
  for (const name of bars.querySelectorAll("[data-figure]")) {
    name.onclick = pressed("figure", name.dataset.figure);
  }
  const parts = [];
  if (data.views.length > 1) {
    const tabs = document.createElement("div");
    tabs.className = "tabs";
    for (const name of data.views) {
      const tab = document.createElement("button");
      tab.textContent = name;
      tab.setAttribute("aria-pressed", String(name === data.view));
      tab.onclick = pressed("view", name);
      tabs.appendChild(tab);
    }
    parts.push(tabs);
  }
  if (data.chart) parts.push(made(data.chart));
  holder.replaceChildren(bars, ...(data.legend ? [made(data.legend)] : []));
  below.replaceChildren(...parts);
  if (said.textContent !== data.said.join("")) {
    said.replaceChildren(...data.said.map((textContent, place) =>
      Object.assign(document.createElement("p"), {
        textContent,
        className: data.leads && !
          place ? "lead" : ""
      })));
  }
  [...root.querySelectorAll("button")].find(one => one.textContent === held)?.focus();
};
