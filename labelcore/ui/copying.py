"""Buttons that put a text into the clipboard: the sentence to quote, and this page's address.

A text is put into the clipboard as it is, never into the page.
"""

from labelcore.ui import visitor
from labelcore.ui.door import entrance
from labelcore.ui.scripts import component, text_of

HTML = """<div>
<button data-copy="sentence">Copy sentence</button>
<button data-copy="link">Copy link</button>
<span role="status"></span>
</div>"""


def copy_buttons(key: str, sentence: str, page: str = "") -> None:
    """Buttons for this sentence and for the address of ``page`` beside this one, "" for this one.
    In a share the address gets the viewers' key: whoever is given it may look and do no more.
    Whoever came by a link or a login of their own hands out no key: it would outlast them."""
    shared = ("", "") if visitor.name_of_login() else entrance().shared_as()
    data = {"sentence": sentence, "page": page, "key": shared[0], "host": shared[1]}
    component("copy", html=HTML, css=text_of("copying.css"), js=text_of("copying.js"))(
        key=key, data=data
    )
