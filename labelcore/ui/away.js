const CONNECTED_MS = 500; // From the end of the box until a message goes through.

const refused = () =>
  fetch(location.href, { cache: "no-store" }).then((one) => one.status === 403, () => false);

function begin(where) {
  const app = document.querySelector(".stApp") || document.body;
  const told = Object.assign(document.createElement("div"), { className: "lc-away" });
  told.role = "status";
  told.hidden = true;
  app.append(told);
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
  const ask = () => where.labelcoreAway && where.labelcoreAway.send();
  const watcher = new MutationObserver(look);
  watcher.observe(document.body, { childList: true, subtree: true });
  window.addEventListener(ASK, ask);
  look();
  // Charts are drawn in the colours of the theme that the server knows of.
  const scheme = () => getComputedStyle(app).colorScheme;
  let drawn = scheme();
  const themes = new MutationObserver(() => {
    if (scheme() === drawn) return;
    drawn = scheme();
    ask();
  });
  themes.observe(app, { attributeFilter: ["class"] });
  const end = () => {
    watcher.disconnect();
    themes.disconnect();
    window.removeEventListener(ASK, ask);
    told.remove();
    delete where.labelcoreAway;
  };
  return { end };
}

export default ({ parentElement, setTriggerValue }) => {
  const away = (parentElement.labelcoreAway ||= begin(parentElement));
  away.send = () => setTriggerValue("asked", Date.now());
  return away.end;
};
