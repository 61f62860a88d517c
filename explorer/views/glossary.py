"""The glossary: each word of the pages in a plain sentence, as a formula, and where it stands in
the paper. It feeds the tooltips of controls, the dotted words of texts and the About dialog.

Sections, equations, figures and tables are those of arXiv 2305.18475 unless another is named.
"""

import re
from collections.abc import Iterable
from typing import NamedTuple

LINK = "#term-"
"""Begins the address of a dotted word; components/about/card.js knows it."""


class Term(NamedTuple):
    """A word of the pages."""

    name: str
    """Markdown, as a heading."""
    plain: str
    """One sentence for someone who meets the word for the first time, without markup."""
    formula: str
    """LaTeX."""
    where: str
    words: tuple[str, ...] = ()
    """How texts write it; none where no text is dotted for it."""


GLOSSARY: dict[str, Term] = {
    "coupling": Term(
        "coupling $\\rho$",
        "How much a token of value u looks at one of value v, before softmax.",
        r"y_t=F\Big(\sum_s\mathrm{softmax}[\rho(x_t,x_\cdot)](s)\,f(x_s)\Big)",
        "Section 4.2, Eq. 8",
        ("coupling",),
    ),
    "softmax": Term(
        "softmax",
        "Turns a row of numbers into positive weights that add up to 1.",
        r"\mathrm{softmax}[\rho(u,\cdot)](v)=\frac{e^{\rho(u,v)}}{\sum_{v'}e^{\rho(u,v')}}",
        "below Eq. 5, where it is written σ",
        ("softmax", "Softmax"),
    ),
    "centred": Term(
        "centred",
        "A coupling less its mean over v for each u: softmax cannot tell the two apart.",
        r"\rho(u,v)-\int_0^1\rho(u,v')\,\mathrm{d}v'",
        "on these pages; it follows from the softmax of Eq. 5",
        ("centred", "Centred", "v-mean"),
    ),
    "pod": Term(
        "POD",
        "A coupling written as a sum of products of one function of u and one of v, the largest "
        "first.",
        r"\rho(u,v)=\sum_{k=1}^{\infty}\sigma_k\,\phi_k(u)\,\psi_k(v)",
        "Section 4.3, Eq. 10",
        ("POD",),
    ),
    "sigma": Term(
        "singular value $\\sigma_k$",
        "How large the k-th term of a coupling is; they are in falling order.",
        r"\sigma_1\ge\sigma_2\ge\dots\ge0",
        "Section 4.3, Eq. 10",
        ("σ_k", "spectrum", "singular values"),
    ),
    "phi-psi": Term(
        "$\\phi_k$, $\\psi_k$",
        "The two functions whose product is the k-th term: one of the query's value u, one of the "
        "key's value v.",
        r"\int_0^1\phi_j\phi_k=\int_0^1\psi_j\psi_k=\delta_{jk}",
        "Section 4.3, Eq. 10",
        ("φ_k", "ψ_k"),
    ),
    "rank": Term(
        "rank r",
        "How many terms a coupling has: a head as wide as this can represent it exactly, given "
        "its φ_k and ψ_k.",
        r"r=\#\{k:\sigma_k>0\}",
        "Section 4.3, below Eq. 11; Section 5.1",
        ("rank",),
    ),
    "alpha": Term(
        "decay exponent $\\alpha$",
        "How fast the terms of a coupling become small: at α = 2 the tenth is a hundredth of the "
        "first.",
        r"\sigma_k\sim k^{-\alpha}",
        "Section 4.3, Eq. 12; Section 5.1",
        ("decay exponent", "decay exponents"),
    ),
    "rho-m": Term(
        "first m terms $\\rho_m$",
        "What is left of a coupling when only its m largest terms are kept: no coupling of rank m "
        "is nearer to it.",
        r"\rho_m=\sum_{k\le m}\sigma_k\,\phi_k\psi_k,\qquad"
        r"\|\rho-\rho_m\|_2^2=\sum_{k>m}\sigma_k^2",
        "Section 4.3, Eq. 11",
        ("first m terms", "ρ_m"),
    ),
    "truncation": Term(
        "truncation",
        "The error when a head keeps the first m terms and drops the rest, computed without "
        "training; a trained head may do better.",
        r"\mathrm{E}\,|H_\rho-H_{\rho_m}|^2\,/\,\mathrm{Var}(y)",
        "the error of H is computed on these pages; Eq. 44–47 in the proof of Theorem 4.1 bound it",
        ("truncation", "Truncation"),
    ),
    "rank-optimal": Term(
        "rank-optimal",
        "The error of the best kernel of rank m_h that was found for the answers themselves; "
        "truncation is best for the coupling.",
        r"\min_{\mathrm{rank}\,\hat\rho\,\le\,m_h}\mathrm{E}\,|H_\rho-H_{\hat\rho}|^2",
        "on these pages, by minimisation; compare the infimum of Eq. 17",
        ("rank-optimal",),
    ),
    "floor": Term(
        "floor",
        "An error that no model of its kind can get below, computed without training; truncation "
        "is none, a trained head may get below it.",
        r"\min_{\hat K\ \text{of the kind}}\mathrm{E}\,|Kx-\hat K\tilde x|^2",
        "on these pages; why a causal model has one: App. D.2, Eq. 82–85",
        ("floor", "floors"),
    ),
    "nmse": Term(
        "nMSE",
        "The mean squared error in units of the answers' variance: a constant guess has 1.",
        r"\mathrm{nMSE}=\mathrm{E}\,|y-\hat y|^2\,/\,\mathrm{Var}(y)=1-R^2",
        "on these pages; Figure 1 plots the training error",
        ("nMSE",),
    ),
    "mae": Term(
        "MAE",
        "The mean distance between answer and truth, without squares: the kind of norm in which "
        "Theorem 4.1 is stated.",
        r"\mathrm{MAE}=\mathrm{E}\,|y-\hat y|",
        "Theorem 4.1, the left side of Eq. 17",
        ("MAE", "mean absolute error"),
    ),
    "theory": Term(
        "theory",
        "The slope at which the first term of Theorem 4.1's bound falls as the head gets wider: "
        "α must be above ½.",
        r"\mathrm{error}\lesssim m_h^{-(2\alpha-1)}",
        "Theorem 4.1, Eq. 17; the dotted line of Figure 1",
        ("theory",),
    ),
    "m_h": Term(
        "width $m_h$",
        "How many numbers queries and keys have, and so how many terms a head can add up.",
        r"\hat\rho(u,v)=\langle W_Q\hat f(u),W_K\hat f(v)\rangle"
        r"=\sum_{k=1}^{m_h}\hat\phi_k(u)\,\hat\psi_k(v)",
        "Section 3, Eq. 5; Eq. 18",
        ("m_h",),
    ),
    "m_ff": Term(
        "$m_\\mathrm{FF}$",
        "Width of the two feed-forward networks, which make the features and the answer.",
        r"\inf_{\hat f}\|f-\hat f\|\le C_\mathrm{FF}^{(\beta)}(f)\,/\,m_\mathrm{FF}^{\beta}",
        "Section 4.3, Eq. 13",
        ("m_FF",),
    ),
    "tau": Term(
        "sequence length $\\tau$",
        "How many tokens a sequence has; each is a number between 0 and 1, or a few of them.",
        r"x=(x_1,\dots,x_\tau)",
        "Section 3, Eq. 3",
        ("sequence length",),
    ),
    "c_1": Term(
        "$C_1$",
        "How large the terms of a coupling are beside a power law: small is easy for attention.",
        r"C_1^{(\alpha)}\le\max_k\,\sigma_k\,k^{\alpha}",
        "Section 4.3, Eq. 12, which takes the least of all ways to write the target",
        ("C₁",),
    ),
    "c_rnn": Term(
        "$C_\\mathrm{RNN}$",
        "How long and how strongly a linear target remembers: small is easy for an RNN.",
        r"C_\mathrm{RNN}=C_1\,C_2,\quad C_1=1+\inf\{\beta:e^{t/\beta}|\rho(t)|\to0\},\quad "
        r"C_2=\sup_t e^{t/C_1}|\rho(t)|",
        "App. D.1, Eq. 76–78; its C₁ is another than that of Eq. 12",
        ("C_RNN",),
    ),
    "angles": Term(
        "angles to $\\phi$, $\\psi$",
        "How far the learned directions are from the designed ones: 0° found, 90° one is missing.",
        r"\cos\theta_k=\text{singular values of}\ \big(\langle\phi_i,\hat\phi_j\rangle\big)_{ij}",
        "on these pages, for the functions of Eq. 10 and Eq. 18",
        ("angles", "Angles"),
    ),
    "surgery": Term(
        "rank surgery",
        "A trained head is cut to fewer of its directions and measured again, without training.",
        r"\hat\rho_k=\sum_{j\le k}\hat\sigma_j\,\hat\phi_j\hat\psi_j",
        "on these pages; Eq. 11 applied to what was learned",
        ("surgery", "Surgery"),
    ),
    "qsa": Term(
        "qSA, sparse averaging",
        "A task: each token names a few positions, and its answer is the mean of what stands "
        "there.",
        r"y_t=\frac1k\sum_{s\in\mathbf s(t)}v_s",
        "App. B.1, Eq. 63",
        ("qSA",),
    ),
    "aux": Term(
        "single tokens",
        "A second loss (`aux`), on sequences of one token: there attention has no choice, and only "
        "the values are learned.",
        r"+\ |\hat F(W_V\hat f(x))-F(f(x))|^2",
        "on these pages; the first part of Proposition B.1",
        ("single tokens",),
    ),
    "values": Term(
        "$\\hat F\\circ W_V\\circ\\hat f$",
        "What a head answers to a sequence of one token, when attention has no choice.",
        r"\hat F(W_V\hat f(x))\approx F(f(x))",
        "Proposition B.1; Figures 4 to 6, (c)",
        ("F̂∘W_V∘f̂",),
    ),
    "lambda": Term(
        "$e^\\lambda$",
        "A learned factor of all logits: the larger, the more of the weight goes to one token.",
        r"A=\mathrm{softmax}(e^{\lambda}QK^\top)",
        "on these pages; Eq. 53 has λ = 0, and W_Q could absorb it",
        ("e^λ",),
    ),
    "printed": Term(
        "as printed",
        "A number as it stands in the paper, or a recipe in one reading of it, beside what is "
        "found here.",
        r"\text{Table 2: }3.57\cdot10^{-2}\ \text{for the RNN, altered}",
        "Tables 2 and 3, App. C",
        ("as printed", "printed"),
    ),
    "x-tilde": Term(
        "altered inputs $\\tilde x$",
        "The inputs as the model gets them: in another order, or mixed by a filter.",
        r"\tilde H_t(x\circ p)=H_t(x),\qquad\tilde H_t(x)=H_t(\theta*x)",
        "Section 6.1, Propositions 6.1 and 6.2; Section 6.2",
        ("x̃",),
    ),
    "filter": Term(
        "filter $\\theta$",
        "Weights that mix each input with its neighbours, earlier ones or later ones: which, is "
        "its convention.",
        r"(\theta*x)(t)=\sum_s\theta(s)\,x(t\pm s)",
        "Section 6.2, with x(t + s)",
        ("filter", "filters", "convention"),
    ),
    "seed": Term(
        "seed",
        "The number that fixes the random start and the random sequences: the same seed gives the "
        "same run.",
        r"x_s\sim U[0,1]",
        "on these pages; the sequences are those of App. C",
        ("seed", "seeds"),
    ),
    "memory": Term(
        "memory",
        "What of the past an answer hangs on: a few fixed places, places that the tokens name, or "
        "all by falling weights.",
        r"y_t=\sum_{s\le t}A_{ts}\,b_s",
        "on these pages; Eq. 5, 8 and 13 of arXiv 2402.00522",
        ("sparse memory",),
    ),
    "lag": Term(
        "lag $T_i$",
        "How many places back an answer looks.",
        r"y_t=\tfrac1{\sqrt M}\sum_{i\le M}b_{t-T_i}",
        "on these pages; Eq. 5 of arXiv 2402.00522",
        ("lag", "lags"),
    ),
    "jump": Term(
        "pointer jump",
        "A token says how far back to look next; the answer is the value where the last jump ends.",
        r"p_0=t,\quad p_{k+1}=p_k-x_{p_k},\quad y_t=b_{p_K}",
        "on these pages; Eq. 8 of arXiv 2402.00522",
        ("jump", "jumps"),
    ),
    "induction": Term(
        "induction",
        "To copy what followed the last time: find the last token that was alike, answer the value "
        "after it.",
        r"y_t=b_{s+1},\quad s=\max\{s<t:x_s=x_t\}",
        "on these pages; induction heads, arXiv 2209.11895",
        ("induction", "Induction"),
    ),
    "rpe": Term(
        "relative positional encoding (RPE)",
        "A number added to the logits that hangs on the distance of two tokens alone.",
        r"\mathrm{logits}_{ts}=\langle W_Qx_t,W_Kx_s\rangle+r(t-s)",
        "on these pages; Eq. 3 and 4 of arXiv 2402.00522",
    ),
    "log-lin": Term(
        "log and lin encoding",
        "Two relative encodings with one number p for each head: weights fall as a power of the "
        "distance, or exponentially.",
        r"r_\mathrm{log}(s)=-p\log s,\quad r_\mathrm{lin}(s)=-p\,s,\quad p>0",
        "on these pages; Section 2 of arXiv 2402.00522",
    ),
    "layer": Term(
        "layer $L$",
        "Attention and a network for each token: the next layer sees what this one has found.",
        r"h^{(l)}=\mathrm{FFN}\big(h^{(l-1)}+\mathrm{attention}(h^{(l-1)})\big)",
        "on these pages; Eq. 2 of arXiv 2402.00522",
    ),
    "head": Term(
        "head $H$",
        "One pattern of looking back: a layer has several at once, each with weights of its own.",
        r"\sum_{h\le H}W_O^{(h)}\sum_{s\le t}A^{(h)}_{ts}\,W_V^{(h)}x_s",
        "on these pages; Eq. 2 of arXiv 2402.00522",
    ),
}
"""The words by the name that controls and canvases give them."""


def explained(*keys: str, more: str = "") -> str:
    """Words as the tooltip of a control, in Markdown: plain, formula, place; then what is `more` to
    say of the control."""
    terms = [GLOSSARY[key] for key in keys]
    parts = [f"{term.plain}\n\n${term.formula}$\n\n*{term.where}*" for term in terms]
    return "\n\n".join([*parts, *([more] if more else [])])


SYMBOLS = {
    "m_h": "m_h",
    "m_FF": r"m_\mathrm{FF}",
    "d_v": "d_v",
    "σ_k": r"\sigma_k",
    "σ_{k+1}": r"\sigma_{k+1}",
    "φ_k": r"\phi_k",
    "ψ_k": r"\psi_k",
    "C_RNN": r"C_\mathrm{RNN}",
    "C₁^(1)": "C_1^{(1)}",
    "C₁^(α)": r"C_1^{(\alpha)}",
    "C₁^(0.5)": "C_1^{(0.5)}",
    "e^λ": r"e^\lambda",
    "F̂∘W_V∘f̂": r"\hat F\circ W_V\circ\hat f",
    "W_QᵀW_K": r"W_Q^\top W_K",
    "W_Q": "W_Q",
    "x̃": r"\tilde x",
}
"""Words that are typeset, as LaTeX."""
_OWN = {word: key for key, term in GLOSSARY.items() for word in term.words}
_PROTECTED = r"\$[^$]*\$|`[^`]*`|!?\[[^\]]*\]\([^)]*\)|:[a-z-]+\["
_PLAIN = {tex: word for word, tex in SYMBOLS.items()}


def _searched(words: Iterable[str]) -> re.Pattern[str]:
    alternatives = "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))
    return re.compile(rf"(?P<protected>{_PROTECTED})|(?<![\w^])(?P<word>{alternatives})(?![^\W²])")


_WORDS, _SYMBOLS = _searched({*_OWN, *SYMBOLS}), _searched(SYMBOLS)


def typeset(text: str) -> str:
    """A label or a sentence in Markdown with its symbols as formulas; what is one already stays,
    and code and links do."""
    return _SYMBOLS.sub(
        lambda match: f"${SYMBOLS[match['word']]}$" if match["word"] else match[0], text
    )


def dotted(text: str) -> str:
    """A sentence in Markdown in which each word of the glossary, where it stands first, explains
    itself, and symbols are typeset; formulas, code and links stay as they are."""
    seen: set[str] = set()

    def linked(match: re.Match[str]) -> str:
        word = match["word"]
        if word is None:
            return match[0]
        # A formula has no text of its own for a screen reader: the link's title is its name.
        shown, title = (f"${SYMBOLS[word]}$", f' "{word}"') if word in SYMBOLS else (word, "")
        if (key := _OWN.get(word)) is None or key in seen:
            return shown
        seen.add(key)
        return f"[{shown}]({LINK}{key}{title})"

    return _WORDS.sub(linked, text)


def undotted(text: str) -> str:
    """A sentence as it was before `dotted`."""
    text = re.sub(rf"\[([^\]]*)\]\({LINK}[^)]*\)", r"\1", text)
    return re.sub(r"\$([^$]*)\$", lambda match: _PLAIN.get(match[1], match[0]), text)
