"""The start page; and, for the server that imports this file, the app with all its pages."""

if __name__ == "__main__":
    from labelcore.ui.server import still_imported
    from labelcore.ui.start_head import front

    front(still_imported())

    from labelcore.ui.page_errors import guard
    from labelcore.ui.setup import setup
    from labelcore.ui.start import start_page

    setup("Projects", wide=True)
    with guard("app"):
        start_page()
else:
    from streamlit import App

    from labelcore.ui.server import HELD_BACK, ROUTES, prepared

    app = App("app.py", lifespan=prepared, routes=ROUTES, middleware=HELD_BACK)
