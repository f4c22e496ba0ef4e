// Plays how the figures came about. Texts are set as texts, never as markup.
(() => {
  const SECONDS = 12;
  const STILLS = 10;
  const SVG = "http://www.w3.org/2000/svg";
  const one = (name) => document.querySelector(name);
  const all = (name) => [...document.querySelectorAll(name)];
  const told = one("#replay");

  function play(data) {
    const [chart, slider, button] = [".moving svg", ".player input", ".player button"].map(one);
    const { frames, sentences, days, scale } = data;
    const last = frames.length - 1;
    const rows = [".said", ".track", ".interval", ".value", ".between"].map((name) =>
      all(`.rows ${name}`),
    );
    const dot = chart.querySelector(".last");
    const kept = all(".moving .goal, .moving .truth");
    const marks = all(".moving .band, .moving .estimate, .moving .bound");
    const clip = document.createElementNS(SVG, "rect");
    let timer = 0;
    let shown = last;

    const number = (element, name) => Number(element.getAttribute(name));
    const seen = (element, yes) => element.setAttribute("visibility", yes ? "visible" : "hidden");

    function bar(place, row) {
      if (!row || !rows[1][place]) return;
      const [low, high, value, said, between] = row;
      const [word, track, interval, tick, range] = rows.map((column) => column[place]);
      const start = number(track, "x");
      const length = number(track, "width");
      const at = (share) => {
        const part = (share - scale[0]) / (scale[1] - scale[0]);
        return start + length * Math.min(Math.max(part, 0), 1);
      };
      word.textContent = said;
      range.textContent = between;
      seen(interval, low !== null);
      seen(tick, value !== null);
      if (low !== null) {
        interval.setAttribute("x", at(low));
        interval.setAttribute("width", Math.max(at(high) - at(low), 1));
      }
      if (value !== null) tick.setAttribute("x", at(value) - number(tick, "width") / 2);
    }

    // A chart over labels is uncovered; any other is drawn anew.
    function uncover(labels, row) {
      const { box, up, end } = data.over;
      const x = box[0] + ((box[1] - box[0]) * labels) / end;
      clip.setAttribute("width", Math.max(x, 0));
      kept.forEach((mark) => seen(mark, shown === last));
      if (!dot) return;
      const value = row ? row[2] : null;
      seen(dot, value !== null);
      if (value === null) return;
      dot.setAttribute("cx", x);
      dot.setAttribute("cy", box[3] + ((box[2] - box[3]) * (value - up[0])) / (up[1] - up[0]));
    }

    function made([tag, attributes, ...children]) {
      const element = document.createElementNS(SVG, tag);
      for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
      for (const child of children)
        element.append(typeof child === "string" ? document.createTextNode(child) : made(child));
      return element;
    }

    function show(place) {
      shown = place;
      const [labels, sentence, day, bars, parts] = frames[place];
      bars.forEach((row, at) => bar(at, row));
      if (data.over) uncover(labels, bars[data.over.row]);
      else if (parts) chart.replaceChildren(...parts.map((part) => made(data.parts[part])));
      const count = `${labels.toLocaleString("en")} ${labels === 1 ? "label" : "labels"}`;
      const words = [count, days[day]].filter(Boolean).join(", ");
      // At the end the sentence stands above.
      one(".now").textContent = place === last ? `${words}.` : `${words}: ${sentences[sentence]}`;
      slider.value = labels;
      slider.setAttribute("aria-valuetext", `${count}: ${sentences[sentence]}`);
    }

    function stop() {
      clearInterval(timer);
      timer = 0;
      button.textContent = "\u25b6";
      button.setAttribute("aria-label", "Play");
    }

    function start() {
      const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
      const stops = still ? STILLS : Math.min(last, 25 * SECONDS);
      const from = shown === last ? 0 : shown;
      const begun = performance.now();
      show(from);
      button.textContent = "\u275a\u275a";
      button.setAttribute("aria-label", "Pause");
      timer = setInterval(
        () => {
          const gone = (performance.now() - begun) / 1000 / SECONDS;
          const part = Math.floor(gone * stops) / stops;
          const place = Math.min(from + Math.round(part * last), last);
          if (place !== shown) show(place);
          if (place === last) stop();
        },
        (1000 * SECONDS) / stops,
      );
    }

    if (data.over) {
      const shape = document.createElementNS(SVG, "clipPath");
      shape.id = "so-far";
      clip.setAttribute("height", "100%");
      shape.append(clip);
      chart.prepend(shape);
      marks.forEach((mark) => mark.setAttribute("clip-path", "url(#so-far)"));
    }
    button.onclick = () => (timer ? stop() : start());
    slider.oninput = () => {
      stop();
      const wanted = Number(slider.value);
      const after = frames.findIndex((frame) => frame[0] > wanted);
      const place = after < 0 ? last : Math.max(after - 1, 0);
      // A step that reaches no further moment goes to the next one.
      show(place === shown && wanted > frames[shown][0] ? Math.min(shown + 1, last) : place);
    };
    addEventListener("beforeprint", () => {
      stop();
      show(last);
    });
    one(".player").hidden = false;
    stop();
    show(last);
  }

  if (told) play(JSON.parse(told.textContent));
})();
