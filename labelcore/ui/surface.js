const div = (name) => Object.assign(document.createElement("div"), { className: name });
const LATE = [TOO_LATE, ONE_TOO_LATE, BOTH_TOO_LATE];
const GIVES = ["answer", "page"];
const OF_ITEM = [...GIVES, "flag", "unflag", "note"];
// The keys of a page lie as its items do.
const CELL_KEYS = { pictures: "QWERASDFZXCV", texts: "123QWEASDZXC" };
const ACROSS = { pictures: 4, texts: 3 };
const AROUND = { ArrowLeft: -1, ArrowRight: 1 };
const fill = (words, named) => words.replace(/{(\w+)}/, (_, name) => named[name]);
const OPEN_BOX = "[data-testid=stDialog]:not([data-away])";
// Where a tab keeps the presses that the server has not confirmed, and the word on one it refused:
// a page made anew sends them on, and says it.
const KEPT = "labelcore presses",
  MARKED = "labelcore marks";
const editing = (node) => node && (node.isContentEditable || ["INPUT", "TEXTAREA", "SELECT"]
  .includes(node.tagName));

// The sign of a key; on a keyboard of another script, that of its place on a Latin one.
const signOf = (event) => (event.key === "Enter" ? "Enter" : /^[!-~]$/.test(event.key) ?
  event.key : event.code.replace(/^(Key|Digit)/, "")).toUpperCase();

function begin(parentElement) {
  const [root, head, box, answers, noted, tools] = ["surface", "head", "box", "answers", "noted",
    "tools"
  ].map((name) => div("lc-" + name));
  const item = div("lc-item");
  item.append(box);
  item.hidden = true; // Until there is one.
  // Live: a screen reader says the next item as it comes, and where the session stands without one.
  Object.assign(box, {
    tabIndex: 0,
    ariaLabel: "The item to judge",
    role: "region",
    ariaLive: "polite"
  });
  const stands = Object.assign(div("lc-stands"), { role: "status", ariaLive: "polite" });
  const saved = Object.assign(div("lc-saved"), { role: "status", ariaLive: "polite" });
  const note = Object.assign(document.createElement("input"), {
    maxLength: 2000,
    ariaLabel: "Note about this item",
    placeholder: NOTE_HERE
  });
  noted.append(note);
  noted.hidden = true;
  root.append(head, item, answers, noted, tools, stands);
  parentElement.append(root);

  let data = {},
    send = () => {};
  let sent = null; // the press that the server has not confirmed
  let waiting = null; // one more, made meanwhile
  let lost = false; // whether the press before the one that is sent came too late
  const keep = () => {
    const named = LATE.includes(saved.textContent) ? saved.textContent : "";
    const pressed = { where: location.pathname + location.search, sent, waiting, lost, named };
    if (sent || named) sessionStorage.setItem(KEPT, JSON.stringify(pressed));
    else sessionStorage.removeItem(KEPT);
  };
  let marks = []; // of each item of a page: "", "pressed" or "unsure"
  let shown = { key: "", at: 0 };
  let refused = ""; // why the last press did nothing, until the next one that does
  let slow = 0,
    again = 0,
    showings = 0,
    begun = false;
  const drawn = {};

  // --- drawing -------------------------------------------------------------------------------

  // A part is made anew only when it changed, so that focus and scrolling stay.
  const part = (where, value, make) => {
    const said = JSON.stringify(value || null);
    if (drawn[where.className] === said) return;
    drawn[where.className] = said;
    where.replaceChildren(...(value ? make(value) : []));
    where.hidden = !value;
  };
  const say = (words) => { if (saved.textContent !== words) saved.textContent = words; };
  const refuse = (words) => {
    refused = words;
    say(words);
  };
  const button = (words, key, kind, act, answer) => {
    const made = Object.assign(document.createElement("button"), { className: kind });
    made.append(Object.assign(document.createElement("span"), { textContent: words }));
    made.dataset.act = act;
    if (key) {
      const sign = { textContent: key, ariaHidden: true };
      made.append(Object.assign(document.createElement("kbd"), sign));
      made.dataset.key = key.toUpperCase();
      made.ariaKeyShortcuts = key;
    }
    made.onclick = () => press(act, answer);
    return made;
  };
  const drawHead = ({ question, how, said, extend, steps, share }) => {
    const meter = div("lc-meter");
    Object.assign(meter, {
      role: "progressbar",
      ariaLabel: "labels",
      ariaValueMin: 0,
      ariaValueMax: 100,
      ariaValueNow: Math.round(100 * share)
    });
    const bar = div("");
    bar.style.width = 100 * share + "%";
    meter.append(bar);
    const [line, words] = [div("lc-line"), document.createElement("span")];
    const count = document.createElement(extend ? "button" : "span");
    count.textContent = said[0];
    if (extend) Object.assign(count, { title: MORE_HERE, onclick: () => press("extend") });
    words.append(count, ["", ...said.slice(1)].join(" · "));
    line.append(words, ...(steps ? [Object.assign(div("lc-steps"), { textContent: steps })] :
  []));
    const asked = Object.assign(div("lc-question"), {
      textContent: question,
      role: "heading",
      ariaLevel: "1"
    });
    const todo = { className: "lc-how", textContent: how ? ` ${how}` : "" };
    asked.append(...(how ? [Object.assign(document.createElement("span"), todo)] : []));
    return [asked, line, meter];
  };
  const drawAnswers = (given) => given.map(({ answer, words, key, kind, place }) => {
    const made = button(words, key, kind, "answer", answer);
    made.dataset.place = place;
    return made;
  });
  const drawPageAnswers = ({ rest, unsure }) => {
    const save = button(fill(SAVE, { number: marks.length }), "Enter", "primary", "page");
    const not = button(unsure.words, "Shift + key", "tertiary", "hold");
    delete not.dataset.key;
    not.ariaPressed = "false";
    not.onclick = () => hold(not.ariaPressed === "false");
    const others = fill(OTHERS, rest);
    return [save, div("lc-counts"), not, button(others, "P", "tertiary", "swap")];
  };
  const drawTools = (given) => [saved, ...given.map(({ act, words, key, off }) =>
    Object.assign(button(words, key, "tertiary", act), {
      disabled: off,
      ...(act === "note" ? { onclick: () => write(noted.hidden) } : {})
    }))];

  // The line for a note stands below the answers, which stay; it belongs to the item shown.
  const write = (open) => {
    if (open === !noted.hidden) return;
    noted.hidden = !open;
    root.classList.toggle("lc-writing", open);
    const mine = data.item && data.item.key === shown.key;
    note.value = open && mine && data.tools ? data.tools.note : "";
    if (open) note.focus({ preventScroll: true });
    else note.blur();
  };
  note.onkeydown = (event) => {
    if (event.isComposing || !["Enter", "Escape"].includes(event.key)) return;
    event.preventDefault();
    event.stopPropagation();
    const text = note.value;
    write(false);
    if (event.key === "Enter") press("note", undefined, text);
  };

  // --- a page --------------------------------------------------------------------------------

  const cells = () => [...box.querySelectorAll(".lc-cell")];
  const answersOfPage = () => marks.map((one) => data.grid[one || "rest"].answer);
  const hold = (on) => {
    const not = answers.querySelector("[data-act=hold]");
    if (not) not.ariaPressed = String(on);
  };
  const held = () => Boolean(answers.querySelector("[data-act=hold][aria-pressed=true]"));
  const markSaid = (textContent) =>
    Object.assign(document.createElement("span"), { className: "lc-mark", textContent });
  const showMarks = () => {
    if (!data.grid) return;
    cells().forEach((cell, place) => {
      const mark = marks[place];
      cell.ariaPressed = mark === "unsure" ? "mixed" : String(Boolean(mark));
      const words = mark ? data.grid[mark].words : "";
      const said = cell.querySelector(".lc-mark");
      // Another element, which comes, where the same one would move.
      if (said.textContent !== words) said.replaceWith(markSaid(words));
    });
    const counts = answers.querySelector(".lc-counts");
    const numbers = ["pressed", "rest", "unsure"].map((name) => [marks.filter((one) => (one ||
      "rest") === name).length, data.grid[name].words]);
    if (counts) counts.textContent = numbers.filter(([number]) => number)
      .map((one) => one.join(" ")).join(", ");
  };
  const mark = (place, unsure) => {
    if (sent && sent.act === "page" && sent.on === shown.key) return;
    const wanted = unsure || held() ? "unsure" : "pressed";
    marks[place] = marks[place] === wanted ? "" : wanted;
    hold(false);
    sessionStorage.setItem(MARKED, JSON.stringify({ key: shown.key, marks }));
    showMarks();
  };
  const drawCells = ({ key, cells: given, kind }) => {
    const before = JSON.parse(sessionStorage.getItem(MARKED) || "null");
    marks = before && before.key === key ? before.marks : given.map(({ was }) => was);
    const grid = div(`lc-cells lc-${kind}`);
    given.forEach(({ view }, place) => {
      const cell = Object.assign(document.createElement("button"), { className: "lc-cell" });
      const sign = CELL_KEYS[kind][place];
      cell.dataset.cell = sign;
      cell.ariaKeyShortcuts = sign;
      cell.ariaPressed = "false";
      const label = Object.assign(document.createElement("kbd"), {
        textContent: sign,
        ariaHidden: true
      });
      const content = div("lc-content");
      content.append(...view.map(made));
      for (const one of content.querySelectorAll("img"))
        one.alt = fill(NTH_PICTURE, { number: place + 1 });
      cell.append(label, content, markSaid(""));
      cell.onclick = (event) => mark(place, event.shiftKey);
      grid.append(cell);
    });
    return [grid];
  };
  const toCell = (event) => {
    const all = cells(),
      place = all.indexOf(document.activeElement);
    if (place < 0) return false; // Without an item there is nothing to be across.
    const across = getComputedStyle(box.firstElementChild).gridTemplateColumns.split(" ").length;
    const by = { ...AROUND, ArrowUp: -across, ArrowDown: across } [event.key];
    if (!by || !all[place + by]) return false;
    all[place + by].focus();
    return true;
  };

  const show = (next) => {
    const key = next ? next.key : "";
    if (key === shown.key) return;
    write(false);
    const focused = cells().indexOf(document.activeElement);
    const paged = Boolean(next && next.cells);
    root.classList.toggle("lc-paged", paged);
    Object.assign(box, {
      tabIndex: paged ? -1 : 0,
      ariaLive: paged ? "off" : "polite",
      ariaLabel: paged ? fill(MANY, { number: next.cells.length }) : "The item to judge"
    });
    marks = [];
    box.replaceChildren(...(!next ? [] : paged ? drawCells(next) : next.view.map(made)));
    if (paged && focused >= 0) cells()[Math.min(focused, marks.length - 1)].focus();
    box.scrollTop = 0;
    const judged = box.querySelector(".lc-judged");
    if (judged && !paged) requestAnimationFrame(() => { // The whole of it, or its beginning.
      const [frame, part] = [box, judged].map((one) => one.getBoundingClientRect());
      box.scrollTop += Math.max(0, Math.min(part.top - frame.top, part.bottom - frame
        .bottom) + 12);
    });
    box.dataset.showing = String(++showings);
    item.hidden = !next;
    shown = { key, at: Infinity };
    queueMicrotask(() => { shown.at = performance.now(); }); // All around it is drawn then, too.
  };
  // Whose item it is: nobody's until the server has said so.
  const sign = (token) => { box.dataset.token = token || ""; };

  const draw = () => {
    // Answers that a panel beside takes away leave their place: what stands below does not move.
    root.style.minHeight = !data.beside ? "" : root.style.minHeight || root.offsetHeight + "px";
    part(head, data.head, drawHead);
    show(data.item);
    sign(data.item && data.item.token);
    root.classList.toggle("lc-many", Boolean(data.answers && data.answers.length > 5));
    if (data.grid) part(answers, { ...data.grid, number: marks.length }, drawPageAnswers);
    else part(answers, data.answers, drawAnswers);
    showMarks();
    part(tools, data.tools && data.tools.buttons, drawTools);
    if (data.tools) say(refused || data.tools.saved);
    if (stands.textContent !== (data.stands || "")) stands.textContent = data.stands || "";
  };

  // --- pressing ------------------------------------------------------------------------------

  const allowed = ({ act, answer }) => act === "answer" ?
    (data.answers || []).some((one) => one.answer === answer) : ["page", "swap"].includes(act) ?
    Boolean(data.grid) :
    act === "extend" ? Boolean(data.head && data.head.extend) :
    ((data.tools || {}).buttons || []).some((one) => one.act === act && !one.off);

  const submit = (one, before) => {
    lost = before;
    sent = {
      ...one,
      id: `${Date.now()}-${Math.random()}`,
      token: data.item && data.item.token,
      last: data.tools && data.tools.last
    };
    const next = GIVES.includes(one.act) && data.ahead &&
      data.ahead.items[data.ahead.after[one.act === "page" ? "page" : one.answer]];
    refused = lost ? ONE_TOO_LATE : "";
    // If this one is too late as well, that is said again, and heard.
    if (LATE.includes(saved.textContent)) say("");
    deliver();
    if (next) {
      show(next);
      sign("");
    }
    slow = setTimeout(() => say(refused || SAVING), SLOW_MS);
  };
  // A press sent twice is one press: the server knows its id, and its item's token. One that was
  // started anew hears of it once it has drawn the whole page.
  const deliver = () => {
    root.dataset.pending = "yes";
    keep();
    send(sent);
    let times = 0;
    again = setInterval(() => {
      if (++times % 2) send(sent);
      else window.dispatchEvent(new Event(ASK));
    }, AGAIN_MS);
  };
  // What a page of this address had not been told of before it was made anew.
  const resume = () => {
    const pressed = JSON.parse(sessionStorage.getItem(KEPT) || "null");
    if (!pressed || pressed.where !== location.pathname + location.search) return;
    ({ sent, waiting, lost } = pressed);
    refused = lost ? ONE_TOO_LATE : pressed.named;
    if (sent) {
      deliver();
      say(SAVING);
    } else say(refused);
  };
  const LEAST_MS = { answer: SHORTEST_LOOK_MS, page: SHORTEST_PAGE_MS };
  const press = (act, given, text) => {
    const answer = act === "page" ? answersOfPage() : given;
    const one = { act, answer, text, on: shown.key };
    if (performance.now() - shown.at < (LEAST_MS[act] || 0)) refuse(TOO_QUICK);
    else if (!sent) {
      if (allowed(one)) submit(one, false);
    } else if (GIVES.includes(act) && sent.act === act && sent.on === shown.key) {
      if (String(answer) !== String(sent.answer)) refuse(NOT_SAVED_YET);
    } else if (waiting) refuse(NOT_SAVED_YET);
    else {
      waiting = one;
      if (refused && !LATE.includes(refused)) {
        refused = "";
        say(SAVING);
      }
      keep();
    }
  };
  // The server's word: it confirms the press, and its item is the one that is shown.
  const take = (given, sender) => {
    send = sender;
    if (!begun && given.head) {
      begun = true;
      resume();
    }
    if (sent && given.done !== sent.id) {
      if (!data.head) {
        data = given;
        draw();
      }
      return;
    }
    clearTimeout(slow);
    clearInterval(again);
    const late = Boolean(sent && GIVES.includes(sent.act) && given.tools &&
      given.tools.saved === TOO_LATE);
    // Whatever was refused meanwhile: what the server refused is said.
    if (late) refused = lost ? BOTH_TOO_LATE : "";
    sent = null;
    delete root.dataset.pending;
    data = given;
    draw();
    const one = waiting;
    waiting = null;
    if (one && OF_ITEM.includes(one.act) && one.on !== shown.key)
      refuse(late ? BOTH_TOO_LATE : TOO_LATE);
    // Its item is confirmed, which the page shows before the next one takes its place.
    else if (one && allowed(one)) queueMicrotask(() => submit(one, late));
    keep();
  };

  const onKey = (event) => {
    if (event.repeat || event.isComposing || event.ctrlKey || event.metaKey || event.altKey)
      return;
    if (editing(event.target) || document.querySelector(OPEN_BOX)) return;
    const sign = signOf(event);
    const place = event.shiftKey && /^Digit/.test(event.code) ? event.code.slice(5) : sign;
    const cell = cells().findIndex((one) => one.dataset.cell === place);
    if (cell >= 0 || toCell(event)) {
      event.preventDefault();
      event.stopPropagation(); // R and C are keys of Streamlit.
      if (cell >= 0) mark(cell, event.shiftKey);
      return;
    }
    // Enter presses what has the focus, if that is another button.
    const native = event.target.closest && event.target.closest(
      "button:not(.lc-cell), a, summary");
    if (sign === "ENTER" && native) return;
    const found = [...root.querySelectorAll("button[data-key]")]
      .find((one) => one.dataset.key === sign);
    const list = sign === "T" && document.querySelector(".st-key-more-classes input");
    if (!found && !list) return;
    event.preventDefault();
    list ? list.focus() : found.click();
  };
  // On a page of the app all keys are its own; in a notebook those within it.
  const listens = parentElement.labelcoreKeys || window;
  listens.addEventListener("keydown", onKey, true);
  const end = () => {
    clearTimeout(slow);
    clearInterval(again);
    listens.removeEventListener("keydown", onKey, true);
    root.remove();
    delete parentElement.labelcoreSurface;
  };
  return { take, end };
}

export default ({ data, parentElement, setTriggerValue }) => {
  const surface = (parentElement.labelcoreSurface ||= begin(parentElement));
  surface.take(data, (press) => setTriggerValue("press", press));
  return surface.end;
};
