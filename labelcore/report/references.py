"""The works behind the methods, looked up by the authors and years that a source names."""

import re
from collections.abc import Iterable
from unicodedata import normalize

from labelcore.designs import DESIGNS

# What several methods rest on. A work that one method alone rests on stands with that method:
# ``Design.works``.
REFERENCES = (
    "Agresti, A. and Coull, B. A. (1998). Approximate is better than “exact” for interval "
    "estimation of binomial proportions. The American Statistician 52(2), 119–126.",
    "Angelopoulos, A. N., Duchi, J. C. and Zrnic, T. (2023). PPI++: efficient prediction-powered "
    "inference. arXiv 2311.01453.",
    "Bankier, M. D. (1988). Power allocations: determining sample sizes for subnational areas. The "
    "American Statistician 42(3), 174–177.",
    "Bonferroni, C. E. (1936). Teoria statistica delle classi e calcolo delle probabilità. "
    "Pubblicazioni del R. Istituto Superiore di Scienze Economiche e Commerciali di Firenze 8, "
    "3–62.",
    "Buonaccorsi, J. P. (1987). A note on confidence intervals for proportions in finite "
    "populations. The American Statistician 41(3), 215–218.",
    "Cassel, C. M., Särndal, C. E. and Wretman, J. H. (1976). Some results on generalized "
    "difference estimation and generalized regression estimation for finite populations. "
    "Biometrika 63(3), 615–620.",
    "Clopper, C. J. and Pearson, E. S. (1934). The use of confidence or fiducial limits "
    "illustrated in the case of the binomial. Biometrika 26(4), 404–413.",
    "Cochran, W. G. (1977). Sampling techniques, third edition. Wiley, New York.",
    "Dinkelbach, W. (1967). On nonlinear fractional programming. Management Science 13(7), "
    "492–498.",
    "Fawcett, T. (2006). An introduction to ROC analysis. Pattern Recognition Letters 27(8), "
    "861–874.",
    "Hoeffding, W. (1963). Probability inequalities for sums of bounded random variables. Journal "
    "of the American Statistical Association 58(301), 13–30.",
    "Hothorn, T., Bretz, F. and Westfall, P. (2008). Simultaneous inference in general parametric "
    "models. Biometrical Journal 50(3), 346–363.",
    "Howard, S. R., Ramdas, A., McAuliffe, J. and Sekhon, J. (2021). Time-uniform, nonparametric, "
    "nonasymptotic confidence sequences. Annals of Statistics 49(2), 1055–1080.",
    "McNemar, Q. (1947). Note on the sampling error of the difference between correlated "
    "proportions or percentages. Psychometrika 12(2), 153–157.",
    "Neyman, J. (1934). On the two different aspects of the representative method. Journal of the "
    "Royal Statistical Society 97(4), 558–625.",
    "Neyman, J. (1938). Contribution to the theory of sampling human populations. Journal of the "
    "American Statistical Association 33(201), 101–116.",
    "Owen, A. (1990). Empirical likelihood ratio confidence regions. Annals of Statistics 18(1), "
    "90–120.",
    "Robbins, H. (1970). Statistical methods related to the law of the iterated logarithm. Annals "
    "of Mathematical Statistics 41(5), 1397–1409.",
    "Sabharwal, A. and Sedghi, H. (2017). How good are my predictions? Efficiently approximating "
    "precision-recall curves for massive datasets. Uncertainty in Artificial Intelligence.",
    "Särndal, C. E., Swensson, B. and Wretman, J. (1992). Model assisted survey sampling. "
    "Springer, New York.",
    "Satterthwaite, F. E. (1946). An approximate distribution of estimates of variance components. "
    "Biometrics Bulletin 2(6), 110–114.",
    "Shang, H., Langlois, J.-M., Tsioutsiouliklis, K. and Kang, C. (2023). Precision/recall on "
    "imbalanced test data. Artificial Intelligence and Statistics (AISTATS).",
    "Ville, J. (1939). Étude critique de la notion de collectif. Gauthier-Villars, Paris.",
    "Wang, S. K. and Tsiatis, A. A. (1987). Approximately optimal one-parameter boundaries for "
    "group sequential trials. Biometrics 43(1), 193–199.",
    "Waudby-Smith, I. and Ramdas, A. (2020). Confidence sequences for sampling without "
    "replacement. Advances in Neural Information Processing Systems 33, 20204–20214.",
    "Waudby-Smith, I., Arbour, D., Sinha, R., Kennedy, E. H. and Ramdas, A. (2024). Time-uniform "
    "central limit theory and asymptotic confidence sequences. Annals of Statistics 52(6), "
    "2613–2640.",
    "Wilks, S. S. (1938). The large-sample distribution of the likelihood ratio for testing "
    "composite hypotheses. Annals of Mathematical Statistics 9(1), 60–62.",
    "Wilson, E. B. (1927). Probable inference, the law of succession, and statistical inference. "
    "Journal of the American Statistical Association 22(158), 209–212.",
    "Woodruff, R. S. (1971). A simple method for approximating the variance of a complicated "
    "estimate. Journal of the American Statistical Association 66(334), 411–414.",
    "Zhong, B. and Rao, J. N. K. (2000). Empirical likelihood inference under stratified random "
    "sampling using auxiliary population information. Biometrika 87(4), 929–938.",
    "Zrnic, T. and Candès, E. J. (2024). Cross-prediction-powered inference. Proceedings of the "
    "National Academy of Sciences 121(15), e2322083121.",
)
WITHOUT_YEAR = "Satterthwaite"
"""Whose name sources write without a year."""


def _words_of(entry: str) -> tuple[str, ...]:
    """What names a work in a source: the first author, as sources write names, and the year.

    >>> _words_of("Zrnic, T. and Candès, E. J. (2024). Cross-prediction-powered inference.")
    ('Zrnic', '2024')
    """
    name = normalize("NFKD", entry.partition(",")[0]).encode("ascii", "ignore").decode()
    year = entry.partition("(")[2][:4]
    return (name,) if name == WITHOUT_YEAR else (name, year)


def references(sources: Iterable[str]) -> list[str]:
    """The full references that these sources name, in the order of the alphabet.

    >>> [entry.partition(" (")[0] for entry in references(["Wilson (1927)"])]
    ['Wilson, E. B.']
    """
    named, no_year = "\n".join(sources), r"(?:(?!\d{4}).)*"
    works = [(_words_of(entry), entry) for entry in REFERENCES]
    works += [work for design in DESIGNS.values() for work in design.works]
    patterns = ((no_year.join(map(re.escape, words)), entry) for words, entry in works)
    return sorted(entry for pattern, entry in patterns if re.search(pattern, named, re.DOTALL))
