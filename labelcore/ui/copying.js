const HERE_ONLY = ["localhost", "127.0.0.1", "[::1]"];

async function put(text) {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  // Without TLS browsers have no other way.
  const field = document.createElement("textarea");
  field.value = text;
  field.style.position = "fixed";
  field.style.opacity = "0";
  document.body.append(field);
  field.select();
  const done = document.execCommand("copy");
  field.remove();
  if (!done) throw new Error("refused");
}

export default function ({ data, parentElement }) {
  const said = parentElement.querySelector("[role=status]");
  for (const button of parentElement.querySelectorAll("button")) {
    button.onclick = async () => {
      const link = button.dataset.copy === "link";
      const address = new URL(data.page || location.href, location.href);
      if (data.key) address.searchParams.set("start", data.key);
      if (data.key && HERE_ONLY.includes(location.hostname)) address.hostname = data.host;
      const text = link ? address.href : data.sentence;
      const where = link && HERE_ONLY.includes(address.hostname);
      try {
        await put(text);
        said.textContent = where ? "Copied. It opens on this computer only." : "Copied.";
      } catch {
        said.textContent = "The browser did not allow it: mark the text and copy it.";
      }
    };
  }
}
