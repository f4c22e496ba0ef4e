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
    const field = document.querySelector(".st-key-finish-reason input");
    if (field && !field.dataset.entered) {
      field.dataset.entered = "yes";
      field.focus();
    }
  };
  // A fold opened by the mouse keeps no focus, which a later key would frame.
  const letGo = (event) => {
    if (event.detail && event.target.closest("summary")) document.activeElement.blur();
  };
  const watcher = new MutationObserver(mend);
  watcher.observe(document.body, { childList: true, subtree: true });
  window.addEventListener("keydown", dropRepeats, true);
  window.addEventListener("click", letGo);
  mend();
  return () => {
    watcher.disconnect();
    window.removeEventListener("keydown", dropRepeats, true);
    window.removeEventListener("click", letGo);
  };
}
