"""Our one style sheet: constant, never anything that comes from a file or a person."""

from labelcore.charts.design import both
from labelcore.ui.surface_style import SURFACE_STYLE

STYLE = (
    f"<style>.stApp {{ {both('border', 'data', 'data-3', 'data-5', 'data-6')} }}"
    + """
.stMainBlockContainer { padding-top: 2.9rem; position: static; }
.st-key-ways {
  position: absolute; top: 0.55rem; left: 1rem; right: 1rem; width: auto !important;
  gap: 0 1.1rem; z-index: 2;
}
.st-key-ways [data-testid="stPageLink-NavLink"] {
  padding: 0.15rem 0; background: none !important; border-radius: 0;
  border-bottom: 2px solid transparent;
}
.st-key-ways [data-testid="stPageLink-NavLink"] p { font-size: 0.875rem; opacity: 0.85; }
.st-key-ways .st-key-here [data-testid="stPageLink-NavLink"] { border-bottom-color: var(--data); }
.st-key-ways .st-key-here p { font-weight: 600; opacity: 1; }
.st-key-ways > :has(> .st-key-whose) { flex: 1 1 40% !important; min-width: 0; }
.st-key-whose { max-width: 100%; }
.st-key-whose [data-testid="stText"] {
  font-size: 0.875rem; font-weight: 600; white-space: nowrap; overflow: hidden;
  text-overflow: ellipsis;
}
@media (min-width: 736px) { .st-key-ways { left: 5rem; right: 5rem; } }
.stApp [data-testid="stHeader"] { pointer-events: none; background: none; }
.stApp [data-testid="stHeader"] button { pointer-events: auto; }
.stMainBlockContainer h1 { font-size: 2rem; padding: 0.25rem 0; overflow-wrap: anywhere; }
.stMainBlockContainer h3 { font-size: 1.4rem; padding: 0.25rem 0; }
/* The primary colour carries white text; as text of its own it is too dark on a dark page. */
[data-variant="segmented_control"][data-selected], [data-variant="pills"][data-selected],
[data-testid="stSliderThumbValue"] { color: inherit !important; }
/* Faint by Streamlit: below a contrast of 4.5. */
.stMainBlockContainer kbd { opacity: 1; }
[data-testid="stCaptionContainer"] { color: inherit; opacity: 0.78; }
.stApp input::placeholder, .stApp textarea::placeholder { color: inherit; opacity: 0.78; }
.st-key-short [data-testid="stText"] { font-size: 1.1rem; white-space: normal; }
.st-key-details summary p { font-size: 0.875rem; opacity: 0.85; }
.stApp:has(.lc-surface) .stMainBlockContainer > [data-testid="stVerticalBlock"] { gap: 0.5rem; }
.stApp { --item-height: clamp(200px, calc(100vh - 320px), 620px); }
.stApp:has(.st-key-panel) { --item-height: 210px; }
.st-key-line [data-testid="stText"], .st-key-about-file [data-testid="stText"],
.st-key-small [data-testid="stText"], [class*="st-key-quiet"] [data-testid="stText"] {
  font-size: 0.875rem; opacity: 0.85; font-variant-numeric: tabular-nums; white-space: normal;
}
.st-key-sentence [data-testid="stText"] {
  font-size: 1.25rem; line-height: 1.45; white-space: normal;
}
.st-key-state h3 { font-size: 0.875rem; font-weight: 400; opacity: 0.85; padding: 0; }
.st-key-about h1 { font-size: 1.25rem; font-weight: 600; padding: 0; }
[class*="st-key-fold-"] summary p { font-size: 0.875rem; }
.stApp:has(.st-key-fold-terms) .stMainBlockContainer > [data-testid="stVerticalBlock"] {
  gap: 0.6rem;
}
.stApp:has(.st-key-fold-terms) .st-key-about { margin-bottom: 0.45rem; }
.st-key-answer [data-testid="stText"] {
  font-size: 1.4rem; font-weight: 650; line-height: 1.35; white-space: normal;
}
.st-key-truth [data-testid="stText"] { font-size: 1.1rem; white-space: normal; }
[class*="st-key-change-positive"] button, [class*="st-key-change-negative"] button {
  min-width: 7rem;
}
:has(> :is(.st-key-keys, .st-key-person, .st-key-scripts, .st-key-away)) {
  position: absolute; width: 1px !important;
}
.st-key-keys, .st-key-person, .st-key-scripts, .st-key-away {
  position: absolute; width: 1px !important; height: 1px; overflow: hidden;
}
.st-key-explore-curve .nsewdrag { cursor: col-resize !important; }
.st-key-explore-curve .js-plotly-plot * { touch-action: pan-y pinch-zoom; }
.stApp:has(.labelcore-cut-mark) .st-key-explore-curve .hoverlayer { display: none; }
.st-key-folded, .st-key-unfolded { display: none; }
[class*="st-key-project-"] { border-bottom: 1px solid var(--border); padding-bottom: 0.6rem; }
[class*="st-key-project-"] [data-testid="stPageLink"] a { padding-left: 0; }
[class*="st-key-project-"] [data-testid="stText"], [class*="st-key-quiet"] [data-testid="stText"] {
  overflow-wrap: anywhere; white-space: normal; font-variant-numeric: tabular-nums;
}
.st-key-review-find { padding-top: 0.5rem; }
.stApp:has(.st-key-review-find) { --item-height: clamp(180px, calc(100vh - 510px), 420px); }
.stApp:has(.st-key-review-find) .stMainBlockContainer > [data-testid="stVerticalBlock"] {
  gap: 0.5rem;
}
/* Streamlit's own download would not neutralise formulas; Review has its own search. */
[data-testid="stElementToolbarButton"]:has([aria-label^="Download"]),
.st-key-review-table [data-testid="stElementToolbar"] { display: none; }
.st-key-projects-find > * { max-width: 20rem; }
@media (max-width: 640px) {
  .stApp:has(.st-key-whose) .stMainBlockContainer { padding-top: 4rem; }
  .st-key-ways > :has(> .st-key-whose) { flex-basis: calc(100% - 6rem) !important; }
  [class*="st-key-quiet-heads"] { display: none; }
  [class*="st-key-project-"] [data-testid="stColumn"]:nth-child(n+3) {
    flex: 1 1 25% !important; min-width: 0 !important;
  }
  .stApp:has(.st-key-folded) .st-key-wide { display: none; }
  .st-key-folded, .st-key-unfolded { display: block; }
  .stApp { --item-height: 37vh; }
  .stApp:has(.lc-many) { --item-height: 30vh; }
  .stMainBlockContainer { padding-bottom: 15rem; }
  [data-testid="stTable"] th, [data-testid="stTable"] td {
    padding: 0.35rem 0.2rem; font-size: 0.8rem;
  }
  [data-testid="stButtonGroup"] [data-variant="segmented_control"] { padding: 0.2rem 0.45rem; }
}
"""
    + SURFACE_STYLE
    + "</style>"
)
