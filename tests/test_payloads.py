"""The types of what Python says to the browser's components, beside what it says."""

import json
import re
import subprocess
from pathlib import Path

import pytest

from explorer.pages.attention import view as attention
from explorer.pages.attention import view_board as boards
from explorer.pages.design import view_several as several
from explorer.pages.design.view_drawing import design_drawing
from explorer.pages.design.view_losses import TrainedError, losses_view
from explorer.pages.design.view_same import same_drawing, same_view
from explorer.pages.design.view_terms import proof_drawing, terms_drawing
from explorer.pages.design.view_theory import bound_of, measures
from explorer.pages.memory import view as memory
from explorer.pages.order import view as order
from explorer.pages.order.view_trained import Known
from explorer.pages.rates.view import rates_view
from explorer.pages.rates.view_drawing import rates_drawing
from explorer.pages.real import view_order as real_order
from explorer.pages.real.view import real_view
from explorer.pages.real.view_drawing import real_drawing
from explorer.pages.real.view_head import head_drawing, head_view, shipped_head
from explorer.pages.real.view_look import Look
from explorer.pages.train import view as train
from explorer.runs.frames import unpack
from explorer.spec import CouplingSpec, LinearSpec
from explorer.targets.memory.presets import PRESETS
from explorer.targets.shipped import RUNS
from explorer.targets.tasks.nearest import NearestSpec
from explorer.theory.design import Design
from explorer.ui import live
from explorer.ui.components import HERE
from explorer.views import sweeps
from explorer.views.pictures import learned_exactly
from explorer.views.selection import Selection

TYPES = (HERE / "payloads.d.ts").read_text("utf-8")
TSC = Path(__file__).resolve().parents[1] / "node_modules" / ".bin" / "tsc"
OPTIONS = ["--ignoreConfig", "--noEmit", "--strict", "--skipLibCheck", "--allowJs"]
MODULES = ["--module", "nodenext", "--target", "es2023"]
STREAM = {"push": None, "run": None}
"""Of what is not trained."""


def names_of(interface):
    """The names that an interface has, with those of the one that it extends."""
    head = rf"export interface {interface}(?: extends (\w+))? {{\n(.*?)\n}}"
    base, body = re.search(head, TYPES, re.DOTALL).groups()
    inherited = names_of(base) if base else []
    return sorted([*inherited, *re.findall(r"^  (\w+):", body, re.MULTILINE)])


def design():
    header, _ = design_drawing(Design(CouplingSpec()), Selection())
    yield "DesignDrawing", header | {"refused": False}  # which `components.design` adds
    yield "DesignRest", header["rest"]


def rates():
    sweep = sweeps.shipped("fig1")
    drawing = rates_drawing(sweep, rates_view(sweep, "mse", "median"))
    panel = drawing["panels"][0]
    yield "RatesDrawing", drawing
    yield "RatesPanel", panel
    yield "RatesSeries", panel["series"][0]
    yield "RatesPoint", panel["series"][0]["points"][0]


def altered():
    yield "OrderDrawing", order.drawing(LinearSpec(), STREAM, [], same=True)
    yield "OrderTrained", Known("rnn", 1.0, 1.0, "printed").header


def task():
    state = attention.to_json(boards.example(NearestSpec()))
    header, _ = attention.drawing(NearestSpec(), None, state, STREAM)
    yield "AttentionDrawing", header


def real_model():
    header, _ = real_drawing(real_view(Look()))
    yield "RealDrawing", header
    yield "RealWords", header["words"]


def head():
    look = Look()
    header, _ = head_drawing(head_view(look, shipped_head(look.model)), 4)
    yield "HeadDrawing", header


def tokens():
    asked = real_order.reordering_of(Look())
    header, _ = real_order.order_drawing(asked, real_order.tokens_of(asked, None), None)
    yield "ReorderDrawing", header


def theorem():
    design = Design(CouplingSpec())
    bound, _ = bound_of(design)
    view = same_view(design, "gauge", measures(design), bound)
    assert view
    run = TrainedError(0.5, "0123456789ab-1", 0)
    same, lost = same_drawing(view), losses_view(design, measures(design), trained=run)
    assert lost
    proof, _ = proof_drawing(design, lost, "printed")
    yield "TheoremDrawing", terms_drawing(CouplingSpec(), bound, None, same, proof)
    yield "SameDrawing", same
    yield "ProofDrawing", proof
    yield "Networks", proof["networks"]


def slices():
    asked = several.typed(several.FIRST[2], 2)
    of = several.pod_of(asked.coupling, True)
    header, _ = several.slices_drawing(of, asked.label, 2, several.Slice(1, 1, 0.5))
    yield "SlicesDrawing", header


def runs():
    """Headers of what runs are drawn over, and the row of one in a frame."""
    yield "CouplingRunDrawing", train.drawing(Design(CouplingSpec(rank=2)))[0]
    yield "ExactRunDrawing", learned_exactly(LinearSpec())
    yield "TaskRunDrawing", attention.stream_drawing(NearestSpec())[0]
    yield "AlteredRunDrawing", order.stream_drawing(LinearSpec())[0]
    for _, preset in (each for group in PRESETS.values() for each in group.values()):
        yield "MemoryRunDrawing", memory.stream_drawing(preset)[0]
    frame = live.open_stream(f"asset-{next(iter(RUNS))}").frame()
    assert frame
    header, _ = unpack(frame)
    yield "RunFrame", {name: value for name, value in header.items() if name != "picture_bytes"}


PAYLOADS = (theorem, slices, design, rates, altered, task, real_model, head, tokens, runs)


@pytest.mark.parametrize("payloads", PAYLOADS)
def test_a_payload_has_the_names_of_its_type_and_no_others(payloads):
    for interface, payload in payloads():
        assert sorted(payload) == names_of(interface), interface


@pytest.mark.skipif(not TSC.exists(), reason="npm ci has not been run")
def test_the_values_of_a_payload_have_the_types_that_the_browser_reads(tmp_path):
    told = [pair for payloads in PAYLOADS for pair in payloads()]
    script = tmp_path / "told.ts"
    script.write_text(
        f'import type * as types from "{HERE}/payloads.js";\n'
        + "".join(
            f"export const of{i}: types.{interface} = {json.dumps(payload)};\n"
            for i, (interface, payload) in enumerate(told)
        ),
        "utf-8",
    )
    checked = subprocess.run(
        [TSC, *OPTIONS, *MODULES, script], capture_output=True, text=True, check=False
    )
    assert checked.returncode == 0, checked.stdout


def test_every_type_is_held_to_what_python_says():
    held = {name for payloads in PAYLOADS for name, _ in payloads()}
    assert held == set(re.findall(r"export interface (\w+)", TYPES))
