from typing import NamedTuple

import numpy as np

class ConfidenceInterval(NamedTuple):
    low: float
    high: float

class MannwhitneyuResult(NamedTuple):
    statistic: float
    pvalue: float

class TtestResult:
    statistic: float
    pvalue: float
    def confidence_interval(self, confidence_level: float = 0.95) -> ConfidenceInterval: ...

class LinregressResult(NamedTuple):
    slope: float
    intercept: float
    rvalue: float
    pvalue: float
    stderr: float

def mannwhitneyu(
    x: np.ndarray, y: np.ndarray, *, alternative: str = "two-sided", method: str = "auto"
) -> MannwhitneyuResult: ...
def ttest_ind(a: np.ndarray, b: np.ndarray, *, equal_var: bool = True) -> TtestResult: ...
def linregress(x: np.ndarray, y: np.ndarray) -> LinregressResult: ...
