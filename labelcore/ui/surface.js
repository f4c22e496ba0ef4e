const div = (name) => Object.assign(document.createElement("div"), { className: name });
const LATE = [TOO_LATE, ONE_TOO_LATE, BOTH_TOO_LATE];
const OF_ITEM = ["answer", "flag", "unflag", "note"];
const OPEN_BOX = "[data-testid=stDialog]:not([data-away])";
// Where a tab keeps the presses that the server has not confirmed, and the word on one it refused:
// a page made anew sends them on, and says it.
const KEPT = "labelcore presses";
const editing = (node) => node && (node.isContentEditable || ["INPUT", "TEXTAREA", "SELECT"]
  .includes(node.tagName));

// The sign of a key; on a keyboard of another script, that of its place on a Latin one.
const signOf = (event) => (/^[!-~]$/.test(event.key) ? event.key :
  event.code.replace(/^(Key|Digit)/, "")).toUpperCase();

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
  const drawHead = ({ question, said, extend, steps, share }) => {
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
    return [Object.assign(div("lc-question"), {
        textContent: question,
        role: "heading",
        ariaLevel: "1"
      }),
      line, meter
    ];
  };
  const drawAnswers = (given) => given.map(({ answer, words, key, kind, place }) => {
    const made = button(words, key, kind, "answer", answer);
    made.dataset.place = place;
    return made;
  });
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

  const show = (next) => {
    const key = next ? next.key : "";
    if (key === shown.key) return;
    write(false);
    box.replaceChildren(...(next ? next.view.map(made) : []));
    box.scrollTop = 0;
    box.dataset.showing = String(++showings);
    item.hidden = !next;
    shown = { key, at: performance.now() };
  };
  // Whose item it is: nobody's until the server has said so.
  const sign = (token) => { box.dataset.token = token || ""; };

  const draw = () => {
    part(head, data.head, drawHead);
    show(data.item);
    sign(data.item && data.item.token);
    root.classList.toggle("lc-many", Boolean(data.answers && data.answers.length > 5));
    part(answers, data.answers, drawAnswers);
    part(tools, data.tools && data.tools.buttons, drawTools);
    if (data.tools) say(refused || data.tools.saved);
    if (stands.textContent !== (data.stands || "")) stands.textContent = data.stands || "";
  };

  // --- pressing ------------------------------------------------------------------------------

  const allowed = ({ act, answer }) => act === "answer" ?
    (data.answers || []).some((one) => one.answer === answer) :
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
    const next = one.act === "answer" && data.ahead &&
      data.ahead.items[data.ahead.after[one.answer]];
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
  const press = (act, answer, text) => {
    const one = { act, answer, text, on: shown.key };
    if (act === "answer" && performance.now() - shown.at < SHORTEST_LOOK_MS) refuse(TOO_QUICK);
    else if (!sent) {
      if (allowed(one)) submit(one, false);
    } else if (act === "answer" && sent.act === "answer" && sent.on === shown.key) {
      if (answer !== sent.answer) refuse(NOT_SAVED_YET);
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
    const late = Boolean(sent && sent.act === "answer" && given.tools &&
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
    const found = [...root.querySelectorAll("button[data-key]")]
      .find((one) => one.dataset.key === sign);
    if (!found) return;
    event.preventDefault();
    found.click();
  };
  window.addEventListener("keydown", onKey, true);
  const end = () => {
    clearTimeout(slow);
    clearInterval(again);
    window.removeEventListener("keydown", onKey, true);
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
