"""A project that is handed over to New project: each input shows it once, for its file alone."""

from __future__ import annotations

from streamlit.testing.v1 import AppTest


def page() -> None:
    """One input of New project, and the buttons that hand something over to it."""
    import streamlit as st

    from labelcore.ui import draft
    from labelcore.ui.draft import ProjectDraft

    def hand(**fields: object) -> None:
        st.button(
            str(fields), key=str(fields), on_click=draft.begin, args=(ProjectDraft(**fields),)
        )

    hand(file="mine", promise="fixed")
    hand(file="mine", target="process")
    hand(file="another", promise="fixed")
    if st.toggle("drawn", True, key="drawn"):
        draft.fill("new-promise", "mine", "promise", draft.waiting("mine").promise)
        st.text_input("promise", "watched", key="new-promise", persist_state="session")
    st.text(str(draft.waiting("mine").given()))
    if st.button("made", key="made"):
        draft.forget()


def opened() -> AppTest:
    return AppTest.from_function(page, default_timeout=60).run()


def press(test: AppTest, **fields: str) -> None:
    test.button(key=str(fields)).click().run()
    assert not test.exception


def test_an_input_shows_what_was_handed_over_until_it_is_changed() -> None:
    test = opened()
    assert test.text_input(key="new-promise").value == "watched"
    press(test, file="mine", promise="fixed")
    assert test.text_input(key="new-promise").value == "fixed" and test.text[0].value == "{}"
    test.text_input(key="new-promise").set_value("changed").run()
    test.run()
    assert test.text_input(key="new-promise").value == "changed"


def test_a_field_waits_until_its_input_is_drawn_and_further_ones_join_it() -> None:
    test = opened()
    test.toggle(key="drawn").set_value(False).run()
    press(test, file="mine", promise="fixed")
    press(test, file="mine", target="process")
    assert test.text[0].value == "{'target': 'process', 'promise': 'fixed'}"
    test.toggle(key="drawn").set_value(True).run()
    assert test.text_input(key="new-promise").value == "fixed"
    assert test.text[0].value == "{'target': 'process'}"


def test_what_was_meant_for_another_file_is_not_shown() -> None:
    test = opened()
    press(test, file="another", promise="fixed")
    assert test.text_input(key="new-promise").value == "watched"


def test_nothing_is_left_once_the_project_is_made() -> None:
    test = opened()
    press(test, file="mine", target="process")
    test.text_input(key="new-promise").set_value("changed").run()
    test.toggle(key="drawn").set_value(False).run()
    test.toggle(key="drawn").set_value(True).run()
    assert test.text_input(key="new-promise").value == "changed"
    test.toggle(key="drawn").set_value(False).run()
    test.button(key="made").click().run()
    test.toggle(key="drawn").set_value(True).run()
    assert test.text[0].value == "{}" and test.text_input(key="new-promise").value == "watched"
