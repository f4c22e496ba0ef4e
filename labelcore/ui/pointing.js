const PATIENCE_MS = 3000;

function plot() {
  // While a chart is being replaced, the former one may still be there, hidden.
  const areas = [...document.querySelectorAll(CHART + " .nsewdrag")];
  const area = areas.find((one) => one.getBoundingClientRect().width > 0);
  const chart = area && area.closest(".js-plotly-plot");
  const { xaxis, yaxis } = (chart && chart.layout) || {};
  if (!xaxis || !xaxis.range || xaxis.visible === false) return null;
  const points = chart.data.find((trace) => trace.customdata);
  return { xaxis, yaxis, points, box: area.getBoundingClientRect() };
}

function shareOf(axis, value) {
  const [low, high] = axis.range;
  return ((axis.type === "log" ? Math.log10(value) : value) - low) / (high - low);
}

function valueAt(axis, share) {
  const [low, high] = axis.range;
  const value = low + share * (high - low);
  return axis.type === "log" ? 10 ** value : value;
}

function rankBelow({ xaxis, box }, x, most) {
  const value = valueAt(xaxis, (x - box.left) / box.width);
  const rank = Math.min(Math.max(Math.round(value), 1), most);
  return { rank, left: box.left + shareOf(xaxis, rank) * box.width, top: box.top };
}

function nearest({ xaxis, yaxis, points, box }, x, y, most) {
  let best = null;
  points.customdata.forEach((rank, i) => {
    if (rank > most || points.x[i] === null || points.y[i] === null) return;
    const left = box.left + shareOf(xaxis, points.x[i]) * box.width;
    const top = box.bottom - shareOf(yaxis, points.y[i]) * box.height;
    const far = Math.hypot(left - x, top - y);
    if (!best || far < best.far) best = { far, rank, left, top };
  });
  return best;
}

function begin(parentElement) {
  const kept = { most: 1, cut: null, send: null };
  const mark = document.createElement("div");
  const line = document.createElement("div");
  const words = document.createElement("div");
  mark.append(line, words);
  mark.className = "labelcore-cut-mark";
  Object.assign(mark.style, { position: "fixed", zIndex: 60, pointerEvents: "none" });
  Object.assign(words.style, {
    position: "absolute",
    whiteSpace: "nowrap",
    fontSize: "13px",
    fontWeight: 600,
  });
  let down = null,
    found = null,
    timer = 0;
  kept.hide = () => {
    clearTimeout(timer);
    mark.remove();
  };

  const draw = (seen) => {
    const right = found.left > (seen.box.left + seen.box.right) / 2;
    const ring = seen.points !== undefined;
    Object.assign(mark.style, {
      left: found.left + "px",
      top: found.top + "px",
      width: 0,
      height: (ring ? 0 : seen.box.height) + "px"
    });
    Object.assign(line.style, ring ? {
      position: "absolute",
      left: "-8px",
      top: "-8px",
      width: "16px",
      height: "16px",
      border: "2.5px solid " + GREY,
      borderRadius: "50%",
      boxSizing: "border-box"
    } : {
      position: "absolute",
      left: "-1px",
      height: "100%",
      borderLeft: "2px solid " + GREY
    });
    const aside = right ? { right: "8px", left: "" } : { left: "8px", right: "" };
    Object.assign(words.style, { bottom: ring ? "8px" : "16px", ...aside });
    words.textContent = "cut at " + found.rank.toLocaleString("en-US");
    if (!mark.isConnected) {
      (document.querySelector(".stApp") || document.body).append(mark);
    }
  };
  const look = (event) => {
    const seen = plot();
    found = seen && (seen.points ? nearest(seen, event.clientX, event.clientY, kept.most) :
      rankBelow(seen, event.clientX, kept.most));
    if (found) draw(seen);
  };
  const press = (event) => {
    const inside = event.target instanceof Element && event.target.closest(CHART + " .nsewdrag");
    const plain = event.isPrimary && event.button === 0 && !event.ctrlKey && !event.metaKey;
    if (!inside || !plain || !kept.send || kept.most < 1) return;
    clearTimeout(timer);
    down = event.pointerId;
    look(event);
  };
  const move = (event) => { if (event.pointerId === down) look(event); };
  const stop = () => {
    down = found = null;
    kept.hide();
  };
  const lift = (event) => {
    if (event.pointerId !== down) return;
    look(event);
    if (!found || found.rank === kept.cut) return stop();
    kept.send({ rank: found.rank, press: Date.now() + Math.random() });
    down = found = null;
    timer = setTimeout(kept.hide, PATIENCE_MS);
  };
  const leave = (event) => { if (event.pointerId === down) stop(); };
  const escape = (event) => { if (event.key === "Escape" && down !== null) stop(); };
  const ears = {
    pointerdown: press,
    pointermove: move,
    pointerup: lift,
    pointercancel: leave,
    keydown: escape
  };
  for (const [name, ear] of Object.entries(ears)) window.addEventListener(name, ear, true);
  kept.end = () => {
    for (const [name, ear] of Object.entries(ears)) window.removeEventListener(name, ear, true);
    stop();
    delete parentElement.labelcoreCut;
  };
  kept.take = (data, send) => {
    if (down === null && data.cut !== kept.cut) kept.hide();
    Object.assign(kept, data, { send });
  };
  return kept;
}

export default function ({ data, parentElement, setTriggerValue }) {
  const kept = (parentElement.labelcoreCut ||= begin(parentElement));
  kept.take(data, (moved) => setTriggerValue("moved", moved));
  return kept.end;
}
