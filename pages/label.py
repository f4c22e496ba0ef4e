from labelcore.ui.figures import unfold_switch
from labelcore.ui.labelling import labelling
from labelcore.ui.whole_pages import project_page


def label_page(project: str) -> None:
    labelling(project)
    unfold_switch()


project_page("Label", label_page, checked=False, judges=True)
