"""Who has which role in a project, on its page *People*: given, changed and withdrawn there."""

import secrets

import pandas as pd
import streamlit as st

from labelcore.access import NotAllowedError, Right
from labelcore.safe_text import one_line, plain
from labelcore.settings import data_folder
from labelcore.team.register import DAYS, LONGEST_DAYS, Person, Register, check_name
from labelcore.team.roles import RIGHTS, Role
from labelcore.ui import sessions, visitor
from labelcore.ui.door import entrance
from labelcore.ui.lines import quiet
from labelcore.ui.presses import acting, button, show_problem
from labelcore.ui.tables import reading_table
from labelcore.ui.times import dated, reader_zone

TITLE = "Who may do what"
HEAD = ("Person", "Role here", "Comes by", "Until", "Last visit")
LINK, LOGIN, GROUP = "a link", "a login", "a group of people"
HERE, EVERYWHERE = "in this project", "in every project"
LINK_ONCE = "The link of {name}, shown this once:"
MADE, TOKEN = "role-made", "role-token"
NOT_YOURS = "{name} has roles elsewhere: whoever runs every project withdraws them."
NOT_MYSELF = "Your own role is given and taken by somebody else."


def roles(project: str) -> None:
    """Rows to read; for whoever runs the project, to change."""
    register, key = Register(data_folder()), visitor.key(sessions.session(project).record)
    people = [person for person in register.people() if rights_of(register, person, key)]
    runs = visitor.allowed(Right.RUN, project) and entrance().is_shared()
    if not people and not runs:
        return
    st.header(TITLE, anchor=False)
    if not runs:
        rows = [(one_line(person.name, 60), *_told(register, person, key)) for person in people]
        reading_table(pd.DataFrame(rows, columns=HEAD), "roles")
        return
    for person in people:
        _row(project, register, person, key)
    _give(project, register)
    show_problem()


def rights_of(register: Register, who: Person, key: str) -> frozenset[Right]:
    """What somebody, or a group, may do in a project."""
    person, role = register.visitor(who), _own(who, key)
    return person.at(key).rights if person else RIGHTS[role] if role else frozenset()


def _own(who: Person, key: str) -> Role | None:
    return who.roles.get(key) or who.role


def _told(register: Register, who: Person, key: str) -> tuple[str, ...]:
    where, person, seen = reader_zone(), register.visitor(who), register.last_seen(who)
    role = person.at(key).role if person else str(_own(who, key))
    inside = [other.name for other in register.members(who.name)] if who.group else []
    group = one_line(f"a group of {len(inside)}: {', '.join(inside)}" if inside else "a group", 200)
    by = group if who.group else "by link" if who.key else "by login"
    ends = dated(who.ends, where).rpartition(" ")[0] if who.ends else "–"
    ends = f"ended {ends}" if who.over else ends
    return role, by, ends, dated(seen, where) if seen else "–"


def _row(project: str, register: Register, who: Person, key: str) -> None:
    role, by, ends, seen = _told(register, who, key)
    by += "".join(f" · in {one_line(group, 60)}" for group in who.groups)
    has_role, mine = key in who.roles, who.name == visitor.name_of_login()
    at = f"{who.name}-{st.session_state.get(TOKEN, '')}"
    with st.container(horizontal=True, vertical_alignment="center", key=f"role-row-{who.name}"):
        with st.container(width=200, gap=None):
            st.text(one_line(who.name, 60))
        if has_role and not mine:
            st.selectbox(
                f"Role of {plain(who.name, 60)}", list(Role), list(Role).index(who.roles[key]),
                key=f"role-of-{at}", label_visibility="collapsed", width=160,
                on_change=change, args=(project, who.name, f"role-of-{at}"),
            )  # fmt: skip
        else:
            with st.container(width=160):
                st.text(role)
        parts = [
            by,
            *([ends if who.over else f"until {ends}"] if who.ends else []),
            *([] if who.group else ["never here" if seen == "–" else f"last here {seen}"]),
        ]
        quiet(f"role-{who.name}", " · ".join(parts))
        if mine or not (has_role or visitor.runs_all()):
            return
        if who.group and visitor.runs_all():
            _change_group(project, register, who, at)
        if who.key and (only_here(who, key) or visitor.runs_all()):
            button("New link", f"role-link-{who.name}", renew, project, who.name, type="tertiary")
        button("Withdraw", f"role-end-{who.name}", withdraw, project, who.name, type="tertiary")


def _change_group(project: str, register: Register, group: Person, at: str) -> None:
    people = [person.name for person in register.people() if not person.group]
    with st.popover("Change", key=f"role-group-{group.name}"):
        st.text_input("Name", group.name, key=f"role-called-{at}", max_chars=100)
        st.multiselect("In it", people, [person.name for person in register.members(group.name)],
                       key=f"role-inside-{at}")  # fmt: skip
        button("Save", f"role-save-{group.name}", reform, project, group.name, at)


def _give(project: str, register: Register) -> None:
    token = st.session_state.setdefault(TOKEN, secrets.token_hex(4))
    ways, groups = [LINK, LOGIN], [person.name for person in register.people() if person.group]
    with st.container(horizontal=True, vertical_alignment="bottom", key="role-give"):
        st.text_input("Name", key=f"role-name-{token}", max_chars=100, width=180)
        st.selectbox("Role", list(Role), 2, key=f"role-role-{token}", width=140)
        st.selectbox("Comes by", [*ways, *([GROUP] if visitor.runs_all() else [])],
                     key=f"role-by-{token}", width=165)  # fmt: skip
        st.number_input(
            "Days of a link", 1, LONGEST_DAYS, DAYS, key=f"role-days-{token}", width=130
        )
        if visitor.runs_all():
            st.selectbox("Where", [HERE, EVERYWHERE], key=f"role-where-{token}", width=165)
            if groups:
                st.multiselect("In groups", groups, key=f"role-groups-{token}", width=180)
        button("Give", "role-give-now", give, project, token)
    made_in, name, link = st.session_state.get(MADE, ("", "", ""))
    if made_in == project:
        st.text(LINK_ONCE.format(name=one_line(name, 60)))
        st.code(link, language=None, wrap_lines=True)


def only_here(who: Person, key: str) -> bool:
    """Whether somebody has no right but in this project, so that its owner ends all of it."""
    return who.role is None and not who.groups and set(who.roles) <= {key}


def _one(project: str, name: str) -> tuple[Register, Person, str]:
    register, key = Register(data_folder()), visitor.key(sessions.session(project).record)
    st.session_state.pop(MADE, None)
    person = register.one(name)
    if person.name == visitor.name_of_login():
        raise NotAllowedError(NOT_MYSELF)
    return register, person, key


@acting(Right.RUN)
def give(project: str, token: str) -> None:
    """A role for a new person or group; for one who is there, here."""

    def typed(what: str, other: object) -> object:
        return st.session_state.get(f"role-{what}-{token}", other)

    name, role = str(typed("name", "")), Role(str(typed("role", "")))
    register, key = Register(data_folder()), visitor.key(sessions.session(project).record)
    st.session_state.pop(MADE, None)
    by, everywhere = typed("by", LINK), typed("where", HERE) == EVERYWHERE
    groups = [*map(str, typed("groups", []))]  # type: ignore[call-overload]
    if (by == GROUP or everywhere or groups) and not visitor.runs_all():
        raise NotAllowedError(visitor.refusal(visitor.visitor(project)))
    if register.has(name):
        if everywhere or groups:
            raise ValueError(f"{name!r} has a role already: withdraw it, then give another.")
        _one(project, name)
        register.give(name, role, key)
    else:
        secret = register.add(
            name, role if everywhere else None, login=by == LOGIN, group=by == GROUP,
            days=int(str(typed("days", DAYS))), roles={} if everywhere else {key: role},
            groups=groups,
        )  # fmt: skip
        if secret:
            st.session_state[MADE] = (project, name, register.link(secret))
    st.session_state[TOKEN] = secrets.token_hex(4)


@acting(Right.RUN)
def change(project: str, name: str, place: str) -> None:
    """Another role here."""
    register, person, key = _one(project, name)
    register.give(person.name, Role(str(st.session_state[place])), key)


@acting(Right.RUN)
def reform(project: str, name: str, at: str) -> None:
    """Others in a group, and another name for it."""
    register, group, _ = _one(project, name)
    if not visitor.runs_all():
        raise NotAllowedError(NOT_YOURS.format(name=group.name))
    wanted = {*map(str, st.session_state[f"role-inside-{at}"])}
    inside = {person.name for person in register.members(group.name)}
    if visitor.name_of_login() in wanted ^ inside:
        raise NotAllowedError(NOT_MYSELF)
    called = check_name(str(st.session_state[f"role-called-{at}"]))
    for member in sorted(wanted - inside):
        register.join(member, group.name)
    for member in sorted(inside - wanted):
        register.leave(member, group.name)
    if called != group.name:
        register.rename(group.name, called)
    st.session_state[TOKEN] = secrets.token_hex(4)


@acting(Right.RUN)
def renew(project: str, name: str) -> None:
    """Another link for somebody: the one before and what it opened end."""
    register, person, key = _one(project, name)
    if not (only_here(person, key) or visitor.runs_all()):
        raise NotAllowedError(NOT_YOURS.format(name=person.name))
    link = register.link(register.renew(person.name, DAYS))
    st.session_state[MADE] = (project, person.name, link)


@acting(Right.RUN)
def withdraw(project: str, name: str) -> None:
    """Take somebody's role here away; where it was the only one, their link and connections end."""
    register, person, key = _one(project, name)
    if key in person.roles and not only_here(person, key):
        register.take(person.name, key)
    elif only_here(person, key) or visitor.runs_all():
        register.remove(person.name)
    else:
        raise NotAllowedError(NOT_YOURS.format(name=person.name))
