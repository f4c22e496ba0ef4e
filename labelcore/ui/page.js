const CONNECTED_MS = 500; // From the end of the box until a message goes through.

const refused = () =>
  fetch(location.href, { cache: "no-store" }).then((one) => one.status === 403, () => false);
const editing = (node) => node && (node.isContentEditable || ["INPUT", "TEXTAREA", "SELECT"]
  .includes(node.tagName));

// Keys that are held act once.
const dropRepeats = (event) => {
  const acts = event.key.length === 1 || ["Enter", "Escape", "Backspace"].includes(event.key);
  if (event.repeat && acts && !event.ctrlKey && !event.metaKey && !editing(event.target)) {
    event.stopImmediatePropagation();
    event.preventDefault();
  }
};
// What the mouse opened or chose keeps no focus: a later key would frame it, or press it again in
// the place of what it stands for.
const letGo = (event) => {
  const held = event.target.closest("summary, [data-testid='stButtonGroup'] button");
  if (event.detail && held) document.activeElement.blur();
};
const enter = () => {
  const field = document.querySelector(".st-key-finish-reason input, .st-key-new-question input");
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

function begin(where) {
  const app = document.querySelector(".stApp") || document.body;
  const told = Object.assign(document.createElement("div"), { className: "lc-away" });
  told.role = "status";
  told.hidden = true;
  app.append(told);
  const ask = () => where.labelcorePage && where.labelcorePage.send();
  const look = () => {
    let away = false;
    for (const box of document.querySelectorAll("[data-testid=stDialog]")) {
      const title = box.querySelector("h1, h2, h3, [data-testid=stDialogHeader], header");
      if (!((title || box).textContent || "").startsWith("Connection error")) continue;
      away = true;
      box.dataset.away = "yes";
      box.style.display = "none";
    }
    // The box keeps the page behind it from screen readers.
    for (let up = away && told; up; up = up.parentElement) {
      up.removeAttribute("aria-hidden");
      up.inert = false;
    }
    if (away === !told.hidden) return;
    told.hidden = !away;
    const answers = document.querySelector(".lc-answers:not([hidden]) button");
    told.textContent = away ? (answers ? AWAY : CLOSED) : "";
    if (!away) setTimeout(ask, CONNECTED_MS);
    else refused().then((yes) => yes && location.reload()); // The door says why.
  };
  const watcher = new MutationObserver(() => {
    look();
    enter();
  });
  watcher.observe(document.body, { childList: true, subtree: true });
  // Charts are drawn in the colours of the theme that the server knows of.
  const scheme = () => getComputedStyle(app).colorScheme;
  let drawn = scheme();
  const themes = new MutationObserver(() => {
    if (scheme() === drawn) return;
    drawn = scheme();
    ask();
  });
  themes.observe(app, { attributeFilter: ["class"] });
  const ears = {
    [ASK]: ask,
    keydown: dropRepeats,
    click: letGo
  };
  for (const [name, ear] of Object.entries(ears)) window.addEventListener(name, ear, true);
  look();
  enter();
  const end = () => {
    watcher.disconnect();
    themes.disconnect();
    for (const [name, ear] of Object.entries(ears)) window.removeEventListener(name, ear, true);
    told.remove();
    delete where.labelcorePage;
  };
  return { end };
}

export default ({ parentElement, setTriggerValue }) => {
  const page = (parentElement.labelcorePage ||= begin(parentElement));
  page.send = () => setTriggerValue("asked", Date.now());
  return page.end;
};
