"""Which sequence relationships can one attention head approximate, and how fast?

The one flow (each arrow is a room):

    Coupling ρ → Target H → Spec → train(spec) ⇒ Snapshot… → Store → View → chart → page

    ρ becomes y          targets.CouplingTarget.answer, from the batch of a recipe
                         (training/recipes/ has one for each network: couplings.py for Eq. 5,
                         tasks.py for App. B.1, positioned.py, linear.py and rnn.py for Section 6,
                         encoder.py for pictures and words, memory.py and decays.py for memories)
    y becomes a loss     models/backward.py, from the gradient of the recipe, which
                         Ensemble.learn asks for in every step (training/ensemble.py); or in
                         engine/kernel/, for training/kernels.py
    the loss leaves      as Snapshot.loss (training/train.py), which runs/execute.py writes into
                         the store
    and becomes a dot    as a frame through runs/store.py and ui/live.py, that
                         components/run/stream.js takes apart and components/live/live.js draws;
                         in a file by views/pictures.py and pages/train/chart.py

Rooms, from the ground up; a module imports only from rooms above its own in this table:

    folder       where things lie: pages and assets, and what this machine keeps
    slow         packages that take long to import, each had at its first use
    arrays       one way for numpy and torch                                    array-agnostic
    families/    bases, spectra, kernels, each with all that is known of it     array-agnostic
    spec/        what specifications have in common, their JSON and their id    pydantic
    coupling/    ρ(u, v): designed, by formula or samples; its POD              array-agnostic
    targets/     the kinds of target: exact answers, ideal attention, words     array-agnostic
    theory/      floors, rate fits, complexity measures                         numpy, scipy
    models/      the networks, from the Transformer of Eq. 5 to a causal one    torch
    engine/      one step of Eq. 5 in C, natively or as WebAssembly             C, ctypes
    pretrained/  models that others have trained, through the paper's eyes      torch
    analysis/    what a trained model learned: ρ̂ and its POD, Â, F̂∘W_V∘f̂       torch → numpy
    training/    train(spec, state=None) → iterator of Snapshot                 torch
    runs/        store, workers, executors, archives                            I/O
    views/       spec or run → frozen View: tables, numbers, sentences          numpy
    charts/      tidy table → Altair chart
    paper/       the papers line by line: what each says, a verdict, its check  numpy
    hosting/     a server for others: who may ask it, what a visitor may have    starlette
    ui/          what several pages have of widgets; with pages/ alone it imports streamlit
    reproduce/   figures and tables of the papers, beside printed numbers
    claims/      numbers that texts say by hand, each computed anew
    bench        ratios and costs, measured side by side
    cli/         the command line

What makes one page, but for its canvas (ui/components/), lies in its street, pages/NAME/, and
belongs to the room that its file's name says: view*.py to views/, chart*.py to charts/, every
other to ui/. So are the files page*.py of hosting/.

The server (pages, ui, views, charts, theory, store) never imports torch.

Glossary, words for public names and the paper's letters inside:

    rho       ρ(u, v), the coupling; u is the query token's value, v the key token's
    sigma     σ_k, its singular values; `softmax` is never called σ
    phi, psi  φ_k(u), ψ_k(v), left and right singular functions, orthonormal on [0, 1]
    alpha     α, decay exponent of σ_k
    tau       τ, sequence length; t indexes queries (outputs), s keys (inputs)
    m_h       width of queries and keys; ρ̂(u, v) = ⟨W_Q f̂(u), W_K f̂(v)⟩ has rank at most m_h
    lambda    λ of the attention tasks: A = softmax(e^λ Q Kᵀ); W_Q could absorb it
    m_ff      m_FF, width of the feed-forward networks f̂ and F̂;  n, d_v: dimensions of f̂(x), values
    H, y      the target of Eq. 8: y_t = F(Σ_s softmax[ρ(x_t, x_·)](s) f(x_s)), f(x_s) one number or
              several features
    K         of a linear target y = K x̃ (Section 6); p the order in which x is seen, x̃ = x∘p, and
              θ the filter before it: the answer is H(θ*x)
    centred   ρ with its v-mean removed for each u: softmax cannot tell the two apart
    floor     an error computed without training; the truncation floor is an upper bound on the
              best error, since trained models may do better than the leading POD modes
    nmse      mse / Var(y) = 1 − r2

and of the pages:

    design    a coupling as a specification gives it, with the samples it names (theory/design.py)
    page      a line of ui/pages.py; pages of one topic, such as the attention tasks, share
              specification and run
    address   the parameters of the link, and the values they stand for (ui/address.py): the
              specification, the run, the selection
    selection what the reader looks at, such as k, u, v: no part of a specification or its id
    view      what a page says of a specification or a run: numbers, sentences, tables (view*.py)
    drawing   header and arrays that a canvas draws
    scene     of a talk: a page on the stage, with its steps (pages/talk/)
    frame     header and arrays as one binary message (runs/frames.py); a live one is the newest
              picture of a run at work
    state     of a training: parameters, moments and generators, all that a checkpoint holds
    engine    whose arithmetic trains a run: torch, or the kernel in C, native or by WebAssembly
    work      a line of the store's table: a run, or a job (a sweep, a race, a cut of a real head …)
    slot      a share of computing that a visitor has, of pages or workers (hosting/)
    probe     a real model shown one input: what its heads do, what it says with heads cut
    deck      a talk as one file

No variable, parameter, function or attribute is called of, said, kept, found, turn or look: each
was many things (tests/test_house.py).
"""

from importlib import import_module
from typing import Any

_DOOR = {
    "spec": "SpecError amended full_json spec_id",
    "coupling": "coupling_of parse_formula parse_grid pod",
    "targets": "PRESETS SWEEPS parse parse_sweep target_of",
    "theory.design": "Design",
    "theory.floor": "truncation_floor",
    "theory.rates": "decay_exponent",
    "training": "Diverged Snapshot train",
    "runs.archive": "read_run",
    "runs.store": "Store",
    "runs.sweeps": "train_sweep",
}
"""What a notebook needs, by where it is (docs/python.md); fetched when it is first asked for, so
that torch comes with training alone."""
_RENAMED = {"read_run": "read", "train_sweep": "run"}
"""Names that say too little outside their module."""
_MODULES = {name: module for module, names in _DOOR.items() for name in names.split()}

__all__ = [*_MODULES]  # pyright: ignore[reportUnsupportedDunderAll]


def __getattr__(name: str) -> Any:
    """A name of the table, from its module; raises AttributeError for others."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = import_module(f"{__name__}.{_MODULES[name]}")
    public = getattr(module, _RENAMED.get(name, name))
    globals()[name] = public
    return public


def __dir__() -> list[str]:
    return sorted({*globals(), *_MODULES})
