"""What is worked out in a page's script is told, cancelled at its next step, and tried again."""

from __future__ import annotations

from streamlit.testing.v1 import AppTest

from labelcore.ui import waiting


def page() -> None:
    import streamlit as st

    from labelcore.errors import CancelledError
    from labelcore.ui import waiting

    def made() -> int:
        waiting.went(0.5)
        return int(st.session_state.get("asked", 7))

    try:
        st.text(f"found {waiting.worked_out('sums', (1,), 'Adding up', made)}")
    except CancelledError:
        st.text("nothing")


def test_it_is_kept_and_what_was_cancelled_is_tried_again_when_asked() -> None:
    waiting.works().forget("sums", (1,))
    app = AppTest.from_function(page)
    app.session_state[waiting.STOPPED] = waiting.name_of("sums", (1,))
    app.run()
    assert [one.value for one in app.text] == ["Adding up: cancelled.", "nothing"]
    app.button[0].click().run()
    assert [one.value for one in app.text] == ["found 7"] and not app.button
    app.session_state["asked"] = 8
    assert [one.value for one in app.run().text] == ["found 7"]


def test_a_step_outside_of_steps_says_nothing() -> None:
    waiting.went(0.5)
