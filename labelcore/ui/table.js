export default ({ data, parentElement, setTriggerValue }) => {
  const root = (parentElement.labelcoreTable ||= document.createElement("div"));
  if (root.parentNode !== parentElement) parentElement.appendChild(root);
  const style = Object.assign(document.createElement("style"), { textContent: STYLE });
  const focused = root.getRootNode().activeElement;
  const held = root.contains(focused) ? focused.dataset.figure : "";
  const table = made(data.table);
  for (const one of table.querySelectorAll("[data-figure]")) {
    one.onclick = (event) => {
      // What is pressed by the mouse keeps no focus, which a later key would frame.
      if (event.detail) event.currentTarget.blur();
      setTriggerValue("pressed", one.dataset.figure);
    };
  }
  root.replaceChildren(style, table);
  if (held)[...table.querySelectorAll("button")].find(one => one.dataset.figure === held)?.focus();
};
