const IDLE_MS = 220;

const shareOf = (places, rank) => {
  const of = (value) => places.log ? Math.log10(Math.max(value, 1)) : value;
  const [first, last] = [of(places.first), of(places.last)];
  const inside = Math.min(Math.max((of(rank) - first) / (last - first), 0), 1);
  return places.left + inside * (places.right - places.left);
};
const rankAt = (places, share) => {
  const inside = Math.min(Math.max((share - places.left) / (places.right - places.left), 0), 1);
  if (!places.log) return Math.max(Math.round(inside * places.last), 1);
  const [first, last] = [Math.log10(places.first), Math.log10(places.last)];
  return Math.max(Math.round(10 ** (first + inside * (last - first))), 1);
};

function begin(parentElement) {
  const make = (tag, name, more = {}) =>
    Object.assign(document.createElement(tag), { className: name, ...more });
  const root = make("div", "drawn explore");
  const style = make("style", "", { textContent: STYLE });
  const [top, holder, chart, mark] = ["top", "holder", "", "mark"].map(one => make("div", one));
  const handle = make("div", "handle", { tabIndex: 0 });
  handle.setAttribute("role", "slider");
  handle.setAttribute("aria-label", "Cut after this many items");
  handle.setAttribute("aria-valuemin", "1");
  mark.hidden = true;
  holder.append(chart, mark, handle);
  const left = make("div", "left");
  left.append(top, holder);
  const field = (label) => {
    const input = make("input", "typed", { type: "text", inputMode: "text", spellcheck: false });
    input.setAttribute("aria-label", label);
    return input;
  };
  const [cut, need] = [field("Keep the first, or a score"), field("I need, in per cent")];
  const line = (before, input, after) => {
    const [head, said, facts] = [make("h2", ""), make("h2", "said"), make("p", "facts")];
    head.append(before, input, after);
    return { head, said, facts };
  };
  const kept = line("Keep the first ", cut, ":");
  const asked = line("I need ", need, " %:");
  const said = make("div", "keep");
  said.setAttribute("aria-live", "polite");
  said.append(kept.said, kept.facts);
  const fault = make("p", "fault");
  fault.setAttribute("role", "status");
  const wanted = make("div", "need");
  wanted.append(asked.head, asked.said, asked.facts);
  const rows = make("div", "rows");
  const terms = make("div", "terms");
  const right = make("div", "right");
  right.append(kept.head, said, fault, wanted, rows, terms);
  root.append(left, right);
  parentElement.append(style, root);

  // What is wished is sent whole each time, so that a message overtaken by the next one loses nothing.
  const state = { data: null, rank: 1, timer: 0, down: null, wish: {}, press: 0 };
  const send = (what, value) => {
    clearTimeout(state.timer);
    state.wish[what] = value;
    state.press = Date.now() + Math.random();
    state.send({ ...state.wish, press: state.press });
  };
  const place = () => {
    const { places } = state.data;
    handle.style.left = 100 * shareOf(places, state.rank) + "%";
    handle.style.top = 100 * places.bottom + "%";
    handle.textContent = "‹ " + state.rank.toLocaleString("en-US") + " ›";
    handle.setAttribute("aria-valuenow", state.rank);
    const moved = state.rank !== state.data.cut;
    mark.hidden = !moved;
    Object.assign(mark.style, {
      left: 100 * shareOf(places, state.rank) + "%",
      top: 100 * places.top + "%",
      height: 100 * (places.bottom - places.top) + "%"
    });
  };
  const go = (rank, wait) => {
    state.rank = Math.min(Math.max(rank, 1), state.data.items);
    place();
    clearTimeout(state.timer);
    if (state.rank === state.data.cut) return;
    if (wait) state.timer = setTimeout(() => send("cut", String(state.rank)), IDLE_MS);
    else send("cut", String(state.rank));
  };
  const fit = (input) => { input.style.width = Math.max(input.value.length, 2) + "ch"; };
  const commit = (input, what) => {
    const now = what === "cut" ? String(state.data.cut) : state.data.need;
    if (input.value.trim() === now) return;
    send(what, input.value);
  };
  for (const [input, what] of [
      [cut, "cut"],
      [need, "need"]
    ]) {
    input.oninput = () => fit(input);
    input.onchange = () => commit(input, what);
    input.onfocus = () => input.select();
    input.onkeydown = (event) => {
      event.stopPropagation();
      if (event.key === "Enter") input.blur();
      if (event.key === "Escape") {
        input.value = what === "cut" ? String(state.data.cut) : state.data.need;
        input.blur();
      }
    };
  }
  root.onclick = ({ target, detail }) => {
    const one = target.closest("button");
    if (!one) return;
    // What is pressed by the mouse keeps no focus, which a later key would frame.
    if (detail) one.blur();
    const [what, value] = one.dataset.figure.split(" ");
    send(what, value === undefined ? !state.data.whole : value);
  };

  const step = () => state.data.places.log ? Math.max(Math.round(state.rank / 50), 1) : 1;
  const keys = (event) => {
    const typing = event.composedPath()[0];
    const free = !(typing instanceof Element) || typing === handle || typing === document.body ||
      !typing.closest("input, textarea, select, button, a, summary, [role=slider], [role=grid]");
    if (!free || event.ctrlKey || event.metaKey || event.altKey || !state.data) return;
    const far = event.shiftKey ? 10 : 1;
    const ends = { Home: 1, End: state.data.items };
    const by = { ArrowLeft: -1, ArrowRight: 1 };
    const needs = { ArrowUp: -1, ArrowDown: 1 };
    const fields = { k: cut, n: need };
    if (event.key in by) go(state.rank + by[event.key] * far * step(), true);
    else if (event.key.toLowerCase() in fields) fields[event.key.toLowerCase()].focus();
    else if (event.key in ends && typing === handle) go(ends[event.key], true);
    else if (event.key in needs && state.data.rows.length) {
      const now = state.wish.need;
      const here = state.data.needs.findIndex(one => Number(one) <= Number(now));
      const exact = state.data.needs[here] === now;
      const next = here < 0 ? state.data.needs.length - 1 :
        here + (needs[event.key] > 0 && !exact ? 0 : needs[event.key]);
      const there = Math.min(Math.max(next, 0), state.data.needs.length - 1);
      if (state.data.needs[there] !== now) {
        send("need", state.data.needs[there]);
        draw();
      }
    } else return;
    event.preventDefault();
  };
  const look = (event) => {
    const box = chart.getBoundingClientRect();
    state.rank = Math.min(rankAt(state.data.places, (event.clientX - box.left) / box.width),
      state.data.items);
    place();
  };
  holder.onpointerdown = (event) => {
    if (!event.isPrimary || event.button !== 0 || event.ctrlKey || event.metaKey) return;
    state.down = event.pointerId;
    if (event.pointerType === "mouse") event.preventDefault();
    look(event);
  };
  const ears = {
    pointermove: (event) => { if (event.pointerId === state.down) look(event); },
    pointerup: (event) => {
      if (event.pointerId !== state.down) return;
      state.down = null;
      look(event);
      go(state.rank, false);
    },
    pointercancel: (event) => {
      if (event.pointerId !== state.down) return;
      state.down = null;
      state.rank = state.data.cut;
      place();
    },
    keydown: (event) => {
      if (event.key === "Escape" && state.down !== null) {
        state.down = null;
        state.rank = state.data.cut;
        place();
      } else keys(event);
    }
  };
  for (const [name, ear] of Object.entries(ears)) window.addEventListener(name, ear);

  const pressable = (figure, pressed, name, inside) => {
    const attributes = { class: name, "data-figure": figure, "aria-pressed": String(pressed) };
    return ["button", attributes, ...inside];
  };
  const cells = (texts) => texts.map((text) => ["span", {}, text]);
  const draw = () => {
    const { data, wish } = state;
    const active = root.getRootNode().activeElement;
    const views = data.views.map(([view, label]) =>
      pressable("view " + view, view === data.view, "", [label]));
    const needs = data.rows.map(([share, ...rest]) =>
      pressable("need " + share, share === wish.need, "row", cells([share + " %", ...rest])));
    const heads = ["div", { class: "row heads" }, ...cells(data.heads)];
    const range = ["button", { class: "range", "data-figure": "whole" }, data.range];
    const pick = { class: "pick", "data-figure": "cut " + data.pick };
    const [sure, facts] = data.sure;
    const picked = data.pick && data.pick !== data.cut;
    refresh(top, ["div", { class: "top" }, ...views, ["span", { class: "of" }, data.of], range]);
    refresh(chart, ["div", {}, data.picture]);
    refresh(asked.said, ["h2", { class: "said" }, picked ? ["button", pick, sure] : sure]);
    refresh(rows, ["div", { class: "rows" }, ...(needs.length ? [heads, ...needs] : [])]);
    refresh(terms, ["div", { class: "terms" }, ...data.terms.map((text) => ["p", {}, text])]);
    if (active !== cut) cut.value = String(data.cut);
    if (active !== need) need.value = wish.need;
    kept.said.textContent = data.keep[0];
    kept.facts.textContent = data.keep[1];
    asked.facts.textContent = facts;
    fault.textContent = data.fault;
    fault.hidden = !data.fault;
    [cut, need].forEach(fit);
    handle.setAttribute("aria-valuemax", data.items);
    handle.setAttribute("aria-valuetext", data.keep[0]);
  };
  return {
    take(data, sent) {
      state.send = sent;
      state.data = data;
      if (!state.press || data.press === state.press) {
        state.wish = { cut: String(data.cut), need: data.need, view: data.view, whole: data.whole };
        if (state.down === null) state.rank = data.cut;
      }
      draw();
      place();
    },
    end() {
      clearTimeout(state.timer);
      for (const [name, ear] of Object.entries(ears)) window.removeEventListener(name, ear);
      style.remove();
      root.remove();
      delete parentElement.labelcoreExplore;
    }
  };
}

export default ({ data, parentElement, setTriggerValue }) => {
  const here = (parentElement.labelcoreExplore ||= begin(parentElement));
  here.take(data, (asked) => setTriggerValue("asked", asked));
  return here.end;
};
