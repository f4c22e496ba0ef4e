const YEAR_SECONDS = 365 * 24 * 3600;
const FORM = /^[0-9a-f]{32}$/;

function inCookie() {
  const found = document.cookie.split("; ").find((one) => one.startsWith(NAME + "="));
  return found && found.slice(NAME.length + 1);
}

function inStorage() {
  try { return localStorage.getItem(NAME); } catch { return null; }
}

function made() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return [...bytes].map((one) => one.toString(16).padStart(2, "0")).join("");
}

function keep(id) {
  const secure = location.protocol === "https:" ? "; Secure" : "";
  document.cookie = `${NAME}=${id}; Path=/; Max-Age=${YEAR_SECONDS}; SameSite=Lax${secure}`;
  try { localStorage.setItem(NAME, id); } catch { /* the cookie must do */ }
}

export default function ({ data, setStateValue }) {
  const id = [inCookie(), inStorage()].find((one) => FORM.test(one || "")) || made();
  keep(id);
  if (!data.known) setStateValue("id", id);
}
