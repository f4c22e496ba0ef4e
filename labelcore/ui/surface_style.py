"""Style of the labelling surface: constant, never anything that comes from a file or a person.

Marks differ in more than colour: words that differ have a bar below and bold letters, highlighted
words an underline, patterns a dashed box.
"""

SURFACE_STYLE = """
.lc-surface { color: var(--st-text-color); font-family: var(--st-font); line-height: 1.5; }
.lc-surface [hidden] { display: none; }
.lc-question { font-size: 1.25rem; font-weight: 600; overflow-wrap: anywhere; }
.lc-line, .lc-saved {
  font-size: 0.875rem; opacity: 0.85; font-variant-numeric: tabular-nums; overflow-wrap: anywhere;
}
.lc-stands {
  position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%);
}
.lc-meter {
  height: 0.5rem; margin: 0.5rem 0; border-radius: 0.25rem; overflow: hidden;
  background: var(--st-secondary-background-color);
}
.lc-meter > div { height: 100%; background: var(--st-primary-color); }

/* The item scrolls, the buttons stay where they are. */
.lc-box {
  box-sizing: border-box; height: var(--item-height, 380px); overflow: auto; padding: 1rem;
  display: flex; flex-direction: column; gap: 0.6rem; border: 1px solid var(--border);
  border-radius: var(--st-base-radius, 0.5rem);
}
.lc-text {
  white-space: pre-wrap; overflow-wrap: anywhere; max-width: 76ch; line-height: 1.6;
  font-size: 1.1rem; unicode-bidi: plaintext; text-align: start;
}
.lc-title .lc-text { font-size: 1.25rem; font-weight: 650; }
.lc-fields .lc-text { font-size: 0.875rem; opacity: 0.78; }
.lc-note { font-size: 0.875rem; opacity: 0.78; margin: 0; overflow-wrap: anywhere; }
.lc-beside { display: flex; gap: 1rem; }
.lc-beside > * {
  flex: 1 1 0; min-width: 0; display: flex; flex-direction: column; gap: 0.4rem;
}
.lc-box img { max-width: 100%; align-self: center; margin: auto; }
.stApp:has(.st-key-panel) .lc-box img { min-height: 0; max-height: 100%; object-fit: contain; }
.lc-box .lc-pixels { image-rendering: pixelated; }
.lc-refusal {
  padding: 0.75rem 1rem; border-radius: 0.5rem; overflow-wrap: anywhere;
  background: var(--st-yellow-background-color, transparent);
  color: var(--st-yellow-text-color, inherit);
}
.lc-table { border-collapse: collapse; align-self: flex-start; }
.lc-table th, .lc-table td {
  padding: 0.3rem 0.6rem; border: 1px solid var(--border); text-align: start; font-weight: 400;
  white-space: pre-wrap; overflow-wrap: anywhere; unicode-bidi: plaintext;
}
.lc-table th { background: var(--st-secondary-background-color); }
.lc-text mark { background: none; color: inherit; padding: 0; }
.lc-text mark.lc-differs {
  background: color-mix(in srgb, var(--data-5) 28%, transparent);
  border-bottom: 2px solid var(--data-5); font-weight: 700;
}
.lc-text mark.lc-word {
  background: color-mix(in srgb, var(--data-3) 22%, transparent);
  text-decoration: underline 2px; text-underline-offset: 3px; font-weight: 600;
}
.lc-text mark.lc-pattern {
  background: color-mix(in srgb, var(--data-6) 20%, transparent);
  outline: 1.5px dashed; outline-offset: 1px;
}

.lc-answers, .lc-tools {
  display: flex; flex-wrap: wrap; align-items: center; gap: 1rem; margin-top: 0.75rem;
}
.lc-away:not([hidden]) {
  position: fixed; top: 0; left: 0; right: 0; z-index: 1000; padding: 0.5rem 1rem;
  text-align: center; font-size: 0.875rem; background: inherit;
  border-bottom: 2px solid var(--data-5);
}
.lc-noted { margin-top: 0.75rem; }
.lc-noted input {
  font: inherit; color: inherit; box-sizing: border-box; width: 100%; min-height: 2.5rem;
  padding: 0.25rem 0.75rem; border: 1px solid var(--border);
  border-radius: var(--st-button-radius, 0.5rem); background: var(--st-background-color);
}
.lc-noted input:focus-visible { outline: 2px solid var(--data); outline-offset: 1px; }
.lc-answers button, .lc-tools button {
  font: inherit; color: inherit; background: none; cursor: pointer;
  border: 1px solid transparent; border-radius: var(--st-button-radius, 0.5rem);
  min-height: 2.5rem; padding: 0.25rem 0.75rem; display: inline-flex; align-items: center;
  justify-content: center; gap: 0.5rem; overflow-wrap: anywhere;
}
.lc-answers button { min-height: 2.9rem; }
.lc-answers .secondary { min-width: 7rem; border-color: var(--border); }
.lc-answers .tertiary, .lc-tools .tertiary { padding: 0.25rem 0; }
.lc-answers button:hover, .lc-tools button:hover:enabled {
  text-decoration: underline; text-underline-offset: 3px;
}
.lc-answers button:focus-visible, .lc-tools button:focus-visible, .lc-box:focus-visible {
  outline: 2px solid var(--data); outline-offset: 2px;
}
.lc-tools button:disabled { opacity: 0.4; cursor: default; }
.lc-surface kbd {
  font: inherit; font-size: 0.8rem; color: inherit; background: none; padding: 0 0.3rem;
  border: 1px solid; border-radius: 0.25rem; line-height: 1.4;
}
.lc-many .lc-answers { gap: 0.6rem; }
.lc-many .lc-answers .secondary { min-width: 5rem; }
@media (max-width: 640px) {
  .lc-answers {
    position: fixed; bottom: 3.9rem; left: 0; right: 0; z-index: 50; box-sizing: border-box;
    width: 100vw; max-width: 100vw; gap: 0.35rem; margin: 0;
    padding: 0.5rem 0.75rem 0.6rem; border-top: 1px solid var(--border);
    background: var(--st-background-color);
  }
  .lc-answers button {
    flex: 1 1 28%; min-width: 0 !important; min-height: 2.75rem; padding: 0.2rem 0.4rem;
  }
  .lc-answers .secondary { flex-basis: 46%; }
  .lc-many .lc-answers .secondary { flex-basis: 30%; font-size: 0.875rem; line-height: 1.1; }
  .lc-answers:not([hidden]) ~ .lc-tools {
    position: fixed; bottom: 0; left: 0; z-index: 50; box-sizing: border-box; height: 3.9rem;
    width: 100vw; max-width: 100vw; padding: 0 0.75rem; margin: 0;
    background: var(--st-background-color); gap: 0 0.7rem; overflow: hidden;
  }
  /* In the place of the tools, which are below the thumb. */
  .lc-noted {
    position: fixed; bottom: 0; left: 0; z-index: 51; box-sizing: border-box; height: 3.9rem;
    width: 100vw; margin: 0; padding: 0.5rem 0.75rem; background: var(--st-background-color);
  }
  .lc-tools .lc-saved {
    flex-basis: 100%; white-space: nowrap; overflow: hidden; text-overflow: ellipsis;
  }
  .lc-tools > * { flex: 0 0 auto; }
  .lc-tools kbd { display: none; }
}
/* Where there is no keyboard. */
@media (pointer: coarse) {
  .lc-answers kbd { display: none; }
}
/* A low window, as one enlarged to 200 %: fixed buttons would cover the item. */
@media (max-width: 640px) and (max-height: 480px) {
  .lc-answers, .lc-answers:not([hidden]) ~ .lc-tools { position: static; width: auto; }
}
"""
