"""Mistakes that once no test noticed, or that would undo what a figure promises: planted again in
every run of ``benchmarks.mutants``.

A row names the file below ``labelcore``, the text that stands there once, and what replaces it.
``python -m benchmarks.mutants --only kept`` plants these alone.
"""

from __future__ import annotations

KEPT: tuple[tuple[str, str, str], ...] = (
    # The promised stage of a session with known answers would end too late.
    (
        "figures/scalars.py",
        "plan.horizon * engine.watched_for - engine.given",
        "plan.horizon * engine.watched_for",
    ),
    # More than a twentieth of the items still open, by another base.
    ("figures/readiness.py", "(engine.answers_given + waiting)", "engine.answers_given"),
    # Second readings beyond the stage that the figures are of.
    (
        "figures/label_error.py",
        "engine.repeats.readings() if item.index <= len(stage.asked)",
        "engine.repeats.readings()",
    ),
    # The worst case of open items as good as the best one.
    (
        "figures/label_error.py",
        "filled(cells, unsettled, ~rising)",
        "filled(cells, unsettled, rising)",
    ),
    # Second readings of which those that were likely count as much as the others.
    (
        "stats/two_phase.py",
        "weight[overlap.cell[mine]] / overlap.chance[mine]",
        "weight[overlap.cell[mine]]",
    ),
    # A value beside an interval that leaves more than it says, once it has the planned size.
    (
        "results/types.py",
        "None if self.tentative or wide else self.value",
        "None if self.tentative else self.value",
    ),
    ("results/told_values.py", "WIDE = 0.6", "WIDE = 0.95"),
    # A difference measured against all there is, not against what was certain.
    ("figures/scalars.py", "certain=possible,", "certain=None,"),
    # A look of an earlier version without its word for values that are not told.
    (
        "results/told_values.py",
        'return stands and bool(too_wide(look["low"], look["high"], possible))',
        "return False",
    ),
    # The other end told as the known one.
    (
        "words/sentences.py",
        "{(True, False): AT_LEAST, (False, True): AT_MOST}",
        "{(False, True): AT_LEAST, (True, False): AT_MOST}",
    ),
    # One decimal more than the interval supports.
    (
        "words/sentences.py",
        "max(floor(1e-9 - log10(width)), 0)",
        "max(floor(1e-9 - log10(width)), 1)",
    ),
    # The word for values that are not told compared with that of another version.
    ("log/rules.py", 'if name != "tentative"', 'if name != "evidence"'),
    # What people take home names each stratum one too low.
    ("figures/labels_table.py", "stratum[number - 1]) + 1", "stratum[number - 1])"),
    # What follows an answer is told while a second reading is owed.
    ("session/drawing.py", "if engine.owed or engine.repeats.owed or", "if engine.owed or"),
    # A method within a quarter of the fewest labels would be chosen before the cheapest.
    (
        "planning/methods.py",
        "min(able, key=lambda name: (prices[name],",
        "min(able, key=lambda name: (prices[name] // 100,",
    ),
    # The promise that was chosen would not matter to the comparison.
    (
        "planning/methods.py",
        "names = worth_trying(population, able or names)",
        "names = worth_trying(population, names)",
    ),
    # One method simulated beside others that are computed.
    ("ui/new_race.py", "lines if len(lines) == len(entrants) else {}", "lines"),
    # Over-sampling would plan from scores that nobody has measured.
    ("papers/oversampling/planner.py", "by_pilot if wanted.guessed else planned", "planned"),
    # Each figure on its own where all of them are to hold at once.
    ("figures/together.py", "1 - error_levels(covariance, plan.confidence)", "plan.confidence"),
    # The smallest of the errors in place of the largest one.
    (
        "stats/max_t.py",
        "np.abs(roots[at : at + AT_ONCE] @ normals.T).max(",
        "np.abs(roots[at : at + AT_ONCE] @ normals.T).min(",
    ),
    # Two classes of the same cells that rise together.
    (
        "stats/max_t.py",
        "first.rate, 0.0) - first.rate * second.rate",
        "first.rate, 0.0) + first.rate * second.rate",
    ),
    # Simulated sessions that miss the look at which all figures together are narrow enough.
    ("figures/from_counts.py", "if engine.plan.correlated else look", "if False else look"),
    # The forecast of all figures at once as narrow as that of each.
    ("planning/outlook.py", "confidence=1 - float(alpha)", "confidence=self.plan.confidence"),
    # Bands that may open again, that a later look cuts, or that outlive the answers behind them.
    ("figures/narrowing.py", "np.where(shown, narrowed(before, ends), before)", "ends"),
    ("figures/narrowing.py", "engine.seen[place - 1][1] if place", "engine.seen[-1][1] if place"),
    (
        "log/engine.py",
        "while looks and looks[-1][0] >= index",
        "while looks and looks[-1][0] > index",
    ),
    # Unsure items left out with the sizes of the file, or sizes as if they were known.
    ("stats/judged.py", "(cells.size - answers) * (1 - share)", "(cells.size - answers)"),
    ("stats/judged.py", "(unsure + PULL * whole)", "(unsure + 0 * whole)"),
    ("stats/judged.py", "gain**2 * doubt[..., None, :]", "0 * gain**2 * doubt[..., None, :]"),
    (
        "tallies.py",
        "filled_cells if cells.judged is None else judged_cells(filled_cells, cells.judged.unsure)",
        "filled_cells",
    ),
    (
        "stats/difference_estimator.py",
        "outcome - share, 0.0) / judged.mean()",
        "outcome - share, 0.0)",
    ),
    # Odds that narrow the range of all items; every reading the widest one; a clock of labels.
    (
        "figures/unsure.py",
        "np.where(rising, TIMES, 1 / TIMES)",
        "np.where(rising, 1 / TIMES, TIMES)",
    ),
    (
        "figures/unsure.py",
        "reading == Unsure.EITHER_WAY and bool(engine.undecided)",
        "bool(engine.undecided)",
    ),
    ("designs/base.py", "return self.labels + self.unsure", "return self.labels"),
    # An interval beyond what is certain, or within what only some of the items could make of it.
    ("figures/scalars.py", "within(figures, limits), limits", "figures, limits"),
    (
        "stats/certain.py",
        "every = none + cells.unlabelled",
        "every = none + 0.5 * cells.unlabelled",
    ),
    # A labeller who drifts told by chance alone, or with the sign turned round.
    (
        "results/label_error.py",
        "not self.change.low <= 0 <= self.change.high",
        "not self.change.low >= self.change.high",
    ),
    (
        "stats/label_error.py",
        "hits[1] / n[1] - hits[0] / n[0]",
        "hits[0] / n[0] - hits[1] / n[1]",
    ),
    # A band that jumps open at the end of the pilot.
    ("log/engine.py", "return self.largest if self.pilot else self.planned", "return self.planned"),
    # A pilot that may make the size smaller than the forecast.
    ("plan/pilot.py", "max(wanted, labels, planned)", "max(wanted, labels)"),
    # A pilot that never goes on, a largest size that one that goes on may exceed, and a stage that
    # begins with the last of its forecasts.
    ("plan/pilot.py", "return 2 * labels if goes_on else 0", "return 0"),
    ("plan/pilot.py", "NOTHING_KNOWN, _last_pilot(given)", "NOTHING_KNOWN, pilot_of(given)"),
    ("log/engine.py", "self.replans[len(growing.replans) :]", "self.replans[-1:]"),
    # Start with the mean over all ranks, where Label has the first tenth of the list.
    ("ui/last_look.py", "if known.rank:", "if not known.rank:"),
    # The range of all items of another figure than the sentence is about.
    ("ui/session_picture.py", "odds_words(charted)", "odds_words(figures.estimates[0])"),
    # The width of a pilot without the room that the watched band takes.
    ("stats/horizon.py", "(wider * half_width / margin)", "(half_width / margin)"),
    # A log that nobody holds against its pilot.
    ("figures/current.py", "if 0 < engine.pilot <= engine.labels else {}", "if False else {}"),
    # A figure called exact that labels may still lower, and the size before the pilot.
    ("figures/readiness.py", "high[0] - low[0] < 1e-12", "high[0] - low[0] < 1.0"),
    ("ui/summary.py", "book.replanned or int(", "int("),
    # A look that cuts a band and is left out of a simulated session.
    ("stats/profile_reach.py", "(sign * value >= sign * ends)", "(sign * value >= -1.0)"),
    # Simulated sessions that learn nothing.
    ("planning/runs.py", "if 0 < engine.pilot <= engine.labels]", "if False]"),
    # The error of approximate claims spent over the budget.
    ("figures/claims.py", "planned = planned or engine.plan.claims_planned", "planned = planned"),
    # Claims that may be watched for fewer labels than the budget allows.
    ("figures/claims.py", "max(LIKELY_HORIZON, -(-last // planned))", "1"),
    # The first three items of a list are told as a cut that is sure.
    ("ui/cutting.py", "cut.rank < min(SHALLOW, cut.n_items) and not settled", "False"),
    # A deepest cut between two known ranks that the band does not keep.
    (
        "stats/curve_readings.py",
        "return min(math.floor(int(steps.low[knot]) / exact), last)",
        "return last",
    ),
    # A picture of a choice drawn to its budget.
    (
        "ui/session_picture.py",
        "= session.looks(), session.engine.answers_given",
        "= session.looks(), session.engine.limit",
    ),
    # Labels for a class that nobody asked about.
    ("designs/score_frame.py", "np.isin(class_of, named), costs, 1.0", "True, costs, 1.0"),
    # Figures of a class that does not matter, and so labels until they are narrow.
    ("tallies.py", "if classes is None or name in classes", "if True"),
    # Classes that only known answers have would be refused.
    ("population/classes.py", "known is not None and len(names) > 2", "known is None and names"),
    # A rare class foreseen as if many items of the others were its own.
    ("designs/rates.py", "min(missed / max(n - above, 1), 0.5)", "0.2"),
)
