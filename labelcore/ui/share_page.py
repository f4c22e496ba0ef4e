"""The page by link: what the share file holds, for whoever may see figures here."""

from starlette.responses import HTMLResponse, PlainTextResponse, Response

from labelcore.errors import RenamedProjectError, UnknownProjectError
from labelcore.report import report_html
from labelcore.report.style import POLICY
from labelcore.ui import sessions
from labelcore.ui.figures import LATER, hides_figures

HEADERS = {
    "content-security-policy": f"{POLICY}; frame-ancestors 'self'",
    "cache-control": "no-store",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
}


def share_page(project: str) -> Response:
    """The page of a project, without what its items hold; in words why there is none."""
    try:
        session = sessions.session(project)
        if hides_figures(session):
            return PlainTextResponse(LATER, 409, HEADERS)
        return HTMLResponse(report_html(session), 200, HEADERS)
    except (UnknownProjectError, RenamedProjectError) as error:
        return PlainTextResponse(str(error), 404, HEADERS)
    except (ValueError, OSError) as error:
        return PlainTextResponse(str(error), 409, HEADERS)
