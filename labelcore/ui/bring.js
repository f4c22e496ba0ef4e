// A zip of 32 bits, nothing packed: what a folder holds, for the one way that a file comes in by.
const CRC = new Uint32Array(256).map((_, n) => {
  for (let bit = 0; bit < 8; bit++) n = n & 1 ? (n >>> 1) ^ 0xedb88320 : n >>> 1;
  return n;
});

function check(bytes) {
  let sum = ~0;
  for (const byte of bytes) sum = CRC[(sum ^ byte) & 255] ^ (sum >>> 8);
  return ~sum >>> 0;
}

function numbers(...parts) {
  const view = new DataView(new ArrayBuffer(parts.reduce((all, [size]) => all + size, 0)));
  let at = 0;
  for (const [size, value] of parts) {
    size === 2 ? view.setUint16(at, value, true) : view.setUint32(at, value, true);
    at += size;
  }
  return new Uint8Array(view.buffer);
}

async function zipOf(files) {
  const bodies = [],
    list = [];
  let at = 0;
  for (const { path, file } of files) {
    const bytes = new Uint8Array(await file.arrayBuffer());
    const name = new TextEncoder().encode(path);
    const said = [
      [2, 20],
      [2, 0x800],
      [2, 0],
      [2, 0],
      [2, 0x21],
      [4, check(bytes)],
      [4, bytes.length],
      [4, bytes.length],
      [2, name.length],
      [2, 0]
    ];
    const head = numbers([4, 0x04034b50], ...said);
    bodies.push(head, name, bytes);
    list.push(numbers([4, 0x02014b50], [2, 20], ...said, [2, 0], [2, 0], [2, 0], [4, 0], [4, at]),
      name);
    at += head.length + name.length + bytes.length;
  }
  const size = list.reduce((all, part) => all + part.length, 0);
  const end = numbers([4, 0x06054b50], [4, 0], [2, files.length], [2, files.length], [4, size],
    [4, at], [2, 0]);
  return [...bodies, ...list, end];
}

async function below(entry, path, found) {
  if (entry.name.startsWith(".") || found.length > MOST_FILES) return;
  if (entry.isFile) {
    if (!new RegExp(TAKEN, "i").test(entry.name)) return;
    const file = await new Promise((done, failed) => entry.file(done, failed));
    found.push({ path: path + entry.name, file });
    return;
  }
  const reader = entry.createReader();
  for (;;) {
    const some = await new Promise((done, failed) => reader.readEntries(done, failed));
    if (!some.length) return;
    for (const one of some) await below(one, `${path}${entry.name}/`, found);
  }
}

const editable = (node) => node instanceof Element && node.closest(
  "input, textarea, [contenteditable]");
const part = (name) => document.querySelector(`.st-key-new-${name}`);

function suffixOf(text) {
  const start = text.trimStart()[0];
  if (start === "[") return "json";
  if (start === "{") return "jsonl";
  return text.split("\n", 1)[0].includes("\t") ? "tsv" : "csv";
}

// What a run that goes on may be about to take away is not there.
const there = (name, what) => {
  const found = part(name)?.querySelector(what);
  return found?.closest('[data-stale="true"]') ? null : found;
};

async function give(file) {
  let input = null,
    pressed = null;
  for (let tries = 0; !input && tries < 200; tries++) {
    if (tries) await new Promise((done) => setTimeout(done, 50));
    input = there("upload", "input[type=file]");
    if (input || pressed) continue;
    pressed = there("another", "button");
    pressed?.click();
  }
  if (!input) return;
  const box = new DataTransfer();
  box.items.add(file);
  input.files = box.files;
  input.dispatchEvent(new Event("change", { bubbles: true }));
}

function begin() {
  const kept = { send: null };
  const here = () => part("upload") || part("another");
  const several = async (entries) => {
    if (entries.some(({ name }) => /\.zip$/i.test(name))) return kept.send({ refused: "zip" });
    const found = [];
    for (const entry of entries) await below(entry, "", found);
    const size = found.reduce((all, { file }) => all + file.size, 0);
    if (!found.length) return kept.send({ refused: "nothing" });
    if (found.length > MOST_FILES || size > MOST_BYTES) return kept.send({ refused: "much" });
    const name = entries.length === 1 ? entries[0].name : "pictures";
    give(new File(await zipOf(found), `${name}.zip`));
  };
  const take = (event, items, files) => {
    const entries = [...items].map((item) => item.webkitGetAsEntry?.()).filter(Boolean);
    const one = entries.length === 1 && entries[0].isFile;
    if (!entries.length && !files.length) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    one || !entries.length ? give(files[0]) : several(entries);
  };
  const ears = {
    dragover: (event) => { if (here()) event.preventDefault(); },
    drop: (event) => {
      if (here()) take(event, event.dataTransfer.items, event.dataTransfer
        .files);
    },
    paste: (event) => {
      if (!here()) return;
      const { items, files } = event.clipboardData;
      if (files.length) return take(event, items, files);
      const text = event.clipboardData.getData("text/plain");
      const field = part("typed")?.querySelector("input");
      if (/[\n\t]|^[[{]/.test(text.trim())) {
        if (event.target instanceof Element && event.target.closest("textarea")) return;
        event.preventDefault();
        give(new File([text], `pasted.${suffixOf(text)}`));
      } else if (field && !editable(event.target) && text.trim()) {
        event.preventDefault();
        field.focus();
        document.execCommand("insertText", false, text.trim());
      }
    },
    // Streamlit has the Enter of a field for itself: first the text is taken, then one goes on. On
    // what Enter presses it must not press Next.
    keydown: (event) => {
      const on = (what) => event.target instanceof Element && event.target.closest(what);
      if (event.key !== "Enter" || event.repeat || event.isComposing) return;
      const create = part("create")?.querySelector("button");
      if (create && (event.ctrlKey || event.metaKey) && on(
          "a, button, summary, [type=radio]")) {
        event.preventDefault();
        event.stopImmediatePropagation();
        return create.click();
      }
      if (on("a, button, summary")) event.stopImmediatePropagation();
      if (!on(".st-key-new-question")) return;
      setTimeout(() => part("next")?.querySelector("button")?.click(), 30);
    }
  };
  for (const [name, ear] of Object.entries(ears)) window.addEventListener(name, ear, true);
  kept.end = () => {
    for (const [name, ear] of Object.entries(ears)) window.removeEventListener(name, ear, true);
  };
  return kept;
}

export default function ({ parentElement, setTriggerValue }) {
  const kept = (parentElement.labelcoreBring ||= begin());
  kept.send = (value) => setTriggerValue("said", value);
  return () => {
    kept.end();
    delete parentElement.labelcoreBring;
  };
}
