"""Style of marked and right-to-left text: constant, sent only with an item that needs it.

Marks differ in more than colour: words that differ have a bar below and bold letters, highlighted
words an underline, patterns a dashed box.
"""

ITEM_STYLE = """<style>
.st-key-item [data-testid="stText"] span, .st-key-item .lc-text {
  flex: 1 1 auto; unicode-bidi: plaintext; text-align: start;
}
.st-key-item .lc-text {
  white-space: pre-wrap; overflow-wrap: anywhere; max-width: 76ch; line-height: 1.6;
  font-size: 1.1rem;
}
.st-key-item .lc-text mark { background: none; color: inherit; padding: 0; }
.st-key-item .lc-text mark.lc-differs {
  background: color-mix(in srgb, var(--data-5) 28%, transparent);
  border-bottom: 2px solid var(--data-5); font-weight: 700;
}
.st-key-item .lc-text mark.lc-word {
  background: color-mix(in srgb, var(--data-3) 22%, transparent);
  text-decoration: underline 2px; text-underline-offset: 3px; font-weight: 600;
}
.st-key-item .lc-text mark.lc-pattern {
  background: color-mix(in srgb, var(--data-6) 20%, transparent);
  outline: 1.5px dashed; outline-offset: 1px;
}
.st-key-item [data-testid="stImage"] img { image-rendering: auto; }
</style>"""
