"""The methods of five papers and their baselines: designs, planners and pages, a folder each.

The core imports nothing of this; the methods come in by the door that those of other packages use.
"""

from labelcore.designs.registry import AlarmRule, Method, Page, Planner
from labelcore.papers.curves.logarithmic_stratified import LogarithmicStratified
from labelcore.papers.curves.paula import Paula
from labelcore.papers.curves.random_curve import RandomCurve
from labelcore.papers.oversampling.design import Oversampling
from labelcore.papers.reach_selection.design import ReachSelectionDesign
from labelcore.papers.recycling.design import Recycling
from labelcore.papers.stratified.design import StratifiedAccuracy

COMPARE = Page(
    "compare",
    "Compare methods",
    "labelcore.papers.compare_page:compare_page",
    "The papers' own pictures",
    ":material/balance:",
)
CURVE = Planner("Precision curve", "labelcore.papers.curves.planner:curve_planner")

METHODS = (
    Method(
        StratifiedAccuracy(),
        Planner("Strata for accuracy", "labelcore.papers.stratified.planner:strata_planner"),
        (COMPARE,),
    ),
    Method(
        Oversampling(),
        Planner("Over-sampling", "labelcore.papers.oversampling.planner:oversampling_planner"),
        (COMPARE,),
        AlarmRule(
            "Predictive intervals (Shang et al. 2023)",
            ("precision", "recall"),
            "labelcore.papers.oversampling.alarms:noticed",
            "labelcore.papers.oversampling.alarms:told",
        ),
    ),
    Method(
        Recycling(),
        Planner("Recycling", "labelcore.papers.recycling.planner:recycling_planner"),
        (COMPARE,),
    ),
    Method(
        ReachSelectionDesign(),
        Planner("Choice", "labelcore.papers.reach_selection.planner:choice_planner"),
        (COMPARE,),
    ),
    Method(Paula(), CURVE, (COMPARE,)),
    Method(LogarithmicStratified(), CURVE, (COMPARE,)),
    Method(RandomCurve(), CURVE, (COMPARE,)),
)
