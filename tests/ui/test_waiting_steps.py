"""What is worked out beside a page's script is told, cancelled at once, and tried again."""

import threading

import pytest
from streamlit.testing.v1 import AppTest

from labelcore.errors import CancelledError
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


def test_whoever_cancels_does_not_wait_for_a_long_step() -> None:
    done, step = [], threading.Event()

    def made() -> None:
        done.append("a step")
        step.wait()
        waiting.went()
        done.append("another")

    work = waiting.Here("Adding up", made)
    work.cancel()
    with pytest.raises(CancelledError, match=r"Adding up was cancelled\."):
        work.result()
    step.set()
    for thread in threading.enumerate():
        if thread.name == "Adding up":
            thread.join()
    assert done == ["a step"]


def test_work_is_ended_only_where_nobody_waits_for_it() -> None:
    step, key = threading.Event(), ("two",)
    work = waiting.works().start("sums", key, lambda: waiting.Here("Adding up", step.wait))
    work.waiting = 1
    waiting._leave("sums", key, work)
    assert waiting.works().get("sums", key) is work and not work.ended.is_set()
    work.waiting = 0
    waiting._leave("sums", key, work)
    assert waiting.works().get("sums", key) is None and work.ended.is_set()
    step.set()
