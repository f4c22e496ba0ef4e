export default function () {
  const editing = (node) => node && (node.isContentEditable || ["INPUT", "TEXTAREA", "SELECT"]
    .includes(node.tagName));
  const dropRepeats = (event) => {
    const acts = event.key.length === 1 || ["Enter", "Escape", "Backspace"].includes(event.key);
    if (event.repeat && acts && !event.ctrlKey && !event.metaKey && !editing(event.target)) {
      event.stopImmediatePropagation();
      event.preventDefault();
    }
  };
  const mend = () => {
    const field = document.querySelector(
      ".st-key-finish-reason input, .st-key-new-question input");
    if (field && !field.dataset.entered) {
      field.dataset.entered = "yes";
      if (!field.value) field.focus();
    }
    // The item is gone: what stands in its place is told, and Tab goes on from there.
    const state = document.querySelector(".st-key-state");
    const title = state?.querySelector("h2")?.textContent;
    if (title && title !== state.dataset.told && document.activeElement === document.body) {
      state.dataset.told = title;
      state.tabIndex = -1;
      state.focus({ preventScroll: true });
    }
  };
  // What the mouse opened or chose keeps no focus: a later key would frame it, or press it again
  // in the place of what it stands for.
  const letGo = (event) => {
    const held = event.target.closest("summary, [data-testid='stButtonGroup'] button");
    if (event.detail && held) document.activeElement.blur();
  };
  const watcher = new MutationObserver(mend);
  watcher.observe(document.body, { childList: true, subtree: true });
  window.addEventListener("keydown", dropRepeats, true);
  window.addEventListener("click", letGo, true);
  mend();
  return () => {
    watcher.disconnect();
    window.removeEventListener("keydown", dropRepeats, true);
    window.removeEventListener("click", letGo, true);
  };
}
