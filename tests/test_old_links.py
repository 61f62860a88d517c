"""Links and shipped runs of before: what each said on 22 November 2026 opens the same thing."""

from pathlib import Path

import pytest

from explorer.cli.assets import RECIPES
from explorer.runs import archive
from explorer.spec import compact, spec_id
from explorer.targets import PRESETS, SWEEPS, parse, parse_leniently, parse_sweep

ASSETS = Path(__file__).parent.parent / "assets"
RUNS = {
    "quick": (
        "9eaf09d7d725",
        '{"m_h":4,"rank":2,"steps":1000,"version":1,"warmup":100}',
    ),
    "design": (
        "516752ecb4ac",
        '{"head_start":4,"version":1}',
    ),
    "train": (
        "78dd5ed84aca",
        '{"alpha":2.0,"head_start":4,"m_h":7,"rank":6,"version":1}',
    ),
    "paper": (
        "d08413bc67a3",
        '{"activation":"relu","activation_out":"relu","answers":"raw","init":"torch",'
        '"lr":0.001,"optimizer":"adam","right_basis":"sine","schedule":"constant",'
        '"steps":20000,"tokens":"raw","version":1,"warmup":0}',
    ),
    "paper-set": (
        "c0bcb9f7e83b",
        '{"activation":"relu","activation_out":"relu","answers":"raw","init":"torch",'
        '"lr":0.001,"optimizer":"adam","right_basis":"sine","schedule":"constant",'
        '"sequences":1024,"steps":60000,"stop":"rest","tokens":"raw","version":1,"warmup":0}',
    ),
    "nearest": (
        "64766a8d948d",
        '{"target":"nearest","version":1}',
    ),
    "cog": (
        "ba26acf20dfe",
        '{"target":"cog","version":1}',
    ),
    "nearest-plain": (
        "5b9728bb6bc4",
        '{"aux":false,"target":"nearest","version":1}',
    ),
    "cog-plain": (
        "92f9deb75d38",
        '{"aux":false,"target":"cog","version":1}',
    ),
    "cog-adam": (
        "df30f562c46e",
        '{"lr":0.003,"optimizer":"adam","steps":4000,"target":"cog","version":1}',
    ),
    "cog-adam-plain": (
        "384b70c61eeb",
        '{"aux":false,"lr":0.003,"optimizer":"adam","steps":4000,"target":"cog","version":1}',
    ),
    "qsa": (
        "06beca5002fa",
        '{"target":"qsa","version":1}',
    ),
    "table2": (
        "668bfcf4f845",
        '{"target":"linear","version":1}',
    ),
    "table2-rnn": (
        "38a380683568",
        '{"model":"rnn","target":"linear","version":1}',
    ),
    "order-quick": (
        "c217e52900b0",
        '{"permutation":"block","steps":1000,"target":"linear","version":1}',
    ),
    "order": (
        "c7544b68c757",
        '{"permutation":"block","target":"linear","version":1}',
    ),
    "table3": (
        "c6a43135dd4b",
        '{"kernel":"random","target":"linear","version":1}',
    ),
    "table3-rnn": (
        "990df6be7a42",
        '{"kernel":"random","model":"rnn","target":"linear","version":1}',
    ),
    "d3": (
        "e1bb75bd8af5",
        '{"formula":"1 + 2*sin(2*pi*u)*sin(2*pi*(u + v))","m_h":3,"tau":2,"version":1}',
    ),
    "prop62": (
        "69568469da80",
        '{"c":3.0,"m_ff":64,"permutation":"reverse","positions":4,"rank":2,"steps":3000,'
        '"tau":8,"version":1}',
    ),
    "mini-vit": (
        "3ad25e0357c9",
        '{"target":"pictures","version":1}',
    ),
    "number-words": (
        "be6f88cf7958",
        '{"target":"number_words","version":1}',
    ),
    "memory-fixed": (
        "43b260039a31",
        '{"layers":1,"target":"fixed_memory","version":1}',
    ),
    "memory-jumps": (
        "63c555b57549",
        '{"target":"adaptive_memory","version":1}',
    ),
    "memory-induction": (
        "6d93a6163f24",
        '{"target":"induction","version":1}',
    ),
    "memory-kernel": (
        "3f5be03b2150",
        '{"encoding":"lin","heads":6,"kappa":"scaled","lr":0.03,"model":"heads","steps":2000,"target":"essential_memory","tau":1000,"version":1}',
    ),
}
"""Id and compact text of each preset."""
SHIPPED_SWEEPS = {
    "rates-fig1": "cc7c50a0faf6",
    "rates-diagonal": "8215a0084468",
    "rates-paper": "2126ba3a6ea7",
    "rates-printed": "ff174373b7d2",
    "rates-finite": "5cf039b39554",
    "rates-budget": "048bcb01561d",
    "attention-width-nearest": "88c1e9a214e7",
    "attention-width-qsa-k": "d576e2ff6c76",
    "attention-width-qsa-tau": "08b8f981e8f0",
    "order-units-exponential": "00f7f3edc800",
    "order-units-power": "0954a1d43c38",
    "order-units-random": "fc7f67ef6db1",
    "real-fig3": "95c4085416e2",
}
"""Ids of shipped sweeps."""
SHIPPED = {
    "attention-cog-adam-plain": (
        "384b70c61eeb",
        '{"aux":false,"lr":0.003,"optimizer":"adam","steps":4000,"target":"cog","version":1}',
    ),
    "attention-cog-adam": (
        "df30f562c46e",
        '{"lr":0.003,"optimizer":"adam","steps":4000,"target":"cog","version":1}',
    ),
    "attention-cog-plain": (
        "c183393a1e41",
        '{"aux":false,"steps":5000,"target":"cog","version":1}',
    ),
    "attention-cog": (
        "6bb0abd021da",
        '{"steps":5000,"target":"cog","version":1}',
    ),
    "attention-nearest-plain": (
        "604d107e96f9",
        '{"aux":false,"steps":6000,"target":"nearest","version":1}',
    ),
    "attention-nearest": (
        "4aa9373b1a6f",
        '{"steps":6000,"target":"nearest","version":1}',
    ),
    "attention-qsa": (
        "7f4853c0fb5d",
        '{"steps":2500,"target":"qsa","version":1}',
    ),
    "cliff-1": (
        "52f9c0e6a790",
        '{"head_start":4,"m_h":1,"rank":6,"version":1}',
    ),
    "cliff-2": (
        "ea11087fd45b",
        '{"head_start":4,"m_h":2,"rank":6,"version":1}',
    ),
    "cliff-3": (
        "42cac6308b2e",
        '{"head_start":4,"m_h":3,"rank":6,"version":1}',
    ),
    "cliff-4": (
        "dc8a34d29594",
        '{"head_start":4,"m_h":4,"rank":6,"version":1}',
    ),
    "cliff-7": (
        "629015ad4e0b",
        '{"head_start":4,"m_h":7,"rank":6,"version":1}',
    ),
    "cliff-8": (
        "444e1a438df3",
        '{"head_start":4,"rank":6,"version":1}',
    ),
    "cliff-9": (
        "f51cd6172787",
        '{"head_start":4,"m_h":9,"rank":6,"version":1}',
    ),
    "cliff-10": (
        "c8d4cab0ba77",
        '{"head_start":4,"m_h":10,"rank":6,"version":1}',
    ),
    "cliff-11": (
        "a5fc73d4d676",
        '{"head_start":4,"m_h":11,"rank":6,"version":1}',
    ),
    "cliff-12": (
        "78e408ec0d0d",
        '{"head_start":4,"m_h":12,"rank":6,"version":1}',
    ),
    "cliff-13": (
        "6c64dcd5d290",
        '{"head_start":4,"m_h":13,"rank":6,"version":1}',
    ),
    "cliff-14": (
        "06f941fe17cc",
        '{"head_start":4,"m_h":14,"rank":6,"version":1}',
    ),
    "cliff-15": (
        "e16f19464555",
        '{"head_start":4,"m_h":15,"rank":6,"version":1}',
    ),
    "cliff-16": (
        "2671242bbeff",
        '{"head_start":4,"m_h":16,"rank":6,"version":1}',
    ),
    "cliff-5": (
        "f196d36cdc4a",
        '{"head_start":4,"m_h":5,"rank":6,"version":1}',
    ),
    "cliff-6": (
        "e99bf7f06259",
        '{"head_start":4,"m_h":6,"rank":6,"version":1}',
    ),
    "design": (
        "516752ecb4ac",
        '{"head_start":4,"version":1}',
    ),
    "order-coupling": (
        "69568469da80",
        '{"c":3.0,"m_ff":64,"permutation":"reverse","positions":4,"rank":2,"steps":3000,'
        '"tau":8,"version":1}',
    ),
    "order-filter-conv": (
        "190b3cbdd5f1",
        '{"conv":5,"filter":"signed","filter_seed":2,"target":"linear","version":1}',
    ),
    "order-filter": (
        "e8c4d1769765",
        '{"filter":"signed","filter_seed":2,"target":"linear","version":1}',
    ),
    "order-quick": (
        "c217e52900b0",
        '{"permutation":"block","steps":1000,"target":"linear","version":1}',
    ),
    "order-quick-plain": (
        "f90d58905920",
        '{"steps":1000,"target":"linear","version":1}',
    ),
    "order-rnn-block": (
        "82897b7a3999",
        '{"model":"rnn","permutation":"block","target":"linear","version":1}',
    ),
    "order-rnn": (
        "38a380683568",
        '{"model":"rnn","target":"linear","version":1}',
    ),
    "order-transformer-block": (
        "c7544b68c757",
        '{"permutation":"block","target":"linear","version":1}',
    ),
    "order-transformer": (
        "668bfcf4f845",
        '{"target":"linear","version":1}',
    ),
    "train": (
        "78dd5ed84aca",
        '{"alpha":2.0,"head_start":4,"m_h":7,"rank":6,"version":1}',
    ),
    "memory-fixed": (
        "43b260039a31",
        '{"layers":1,"target":"fixed_memory","version":1}',
    ),
    "memory-induction-1": (
        "32324c69ada2",
        '{"layers":1,"target":"induction","version":1}',
    ),
    "memory-induction": (
        "6d93a6163f24",
        '{"target":"induction","version":1}',
    ),
    "memory-jumps-1": (
        "a2007330cee1",
        '{"layers":1,"target":"adaptive_memory","version":1}',
    ),
    "memory-jumps": (
        "63c555b57549",
        '{"target":"adaptive_memory","version":1}',
    ),
    "real-number-words": (
        "8229ff6a6b71",
        '{"original_steps":600,"permutation":"roll","target":"number_words","version":1}',
    ),
    "real-pictures": (
        "aaf503e21dd4",
        '{"original_steps":800,"permutation":"roll","target":"pictures","version":1}',
    ),
    "memory-kernel": (
        "3f5be03b2150",
        '{"encoding":"lin","heads":6,"kappa":"scaled","lr":0.03,"model":"heads","steps":2000,"target":"essential_memory","tau":1000,"version":1}',
    ),
}
"""Id and compact text of each shipped run."""
BEFORE = {
    "design": (
        "2430f1a2ad29",
        '{"version":1}',
    ),
    "train": (
        "d1c16ab57dea",
        '{"alpha":2.0,"m_h":7,"rank":6,"version":1}',
    ),
    "memory-kernel": (
        "8a778372ea78",
        '{"encoding":"lin","heads":6,"lr":0.01,"model":"heads","steps":2000,"target":"essential_memory","tau":1000,"version":1}',
    ),
}
"""The same of presets that have become others since: what they trained can be trained again."""
LISTS = {
    "fig1": (
        "cc7c50a0faf6",
        '{"alpha":[1.0,2.0],"head_start":4,"m_h":[1,2,3,4,5,6,7,8,10,12,14,16],'
        '"rank":[2,6,null],"seed":[0,1,2],"version":1}',
    ),
    "fig1-quick": (
        "12c38e92bb69",
        '{"alpha":[1.0,2.0],"fine_tune":200,"m_h":[1,2,3,5,6,8,16],"method":"top_down",'
        '"rank":[2,6,null],"steps":900,"version":1,"warmup":100}',
    ),
    "rates-diagonal": (
        "8215a0084468",
        '{"alpha":[1.0,2.0],"head_start":4,"m_h":[1,2,3,4,5,6,7,8,10,12,14,16],'
        '"right_basis":"sine","seed":[0,1,2],"version":1}',
    ),
    "rates-paper": (
        "2126ba3a6ea7",
        '{"activation":"relu","activation_out":"relu","answers":"raw","init":"torch",'
        '"lr":0.001,"m_h":[1,5,6,16],"optimizer":"adam","rank":[6,null],"right_basis":"sine",'
        '"schedule":"constant","seed":[0,1,2],"steps":10000,"tokens":"raw","version":1,'
        '"warmup":0}',
    ),
    "rates-printed": (
        "ff174373b7d2",
        '{"activation":"relu","activation_out":"relu","answers":"raw","engine":"native",'
        '"init":"torch","lr":0.001,"m_h":[5,6],"optimizer":"adam","rank":[6],'
        '"right_basis":"sine","schedule":"constant","seed":[0,1,2,3,4],"sequences":1024,'
        '"steps":60000,"stop":"rest","tokens":"raw","version":1,"warmup":0}',
    ),
    "rates-finite": (
        "5cf039b39554",
        '{"head_start":4,"m_h":[1,2,4,8,16],"seed":[0,1,2,3,4],"sequences":256,"version":1}',
    ),
    "rates-budget": (
        "048bcb01561d",
        '{"m_ff":[4,8,16,32,64,128],"m_h":[1,2,4,8,16],"seed":[0,1,2],"version":1}',
    ),
    "nearest-width": (
        "88c1e9a214e7",
        '{"batch":64,"d":[1,2,3],"d_v":3,"m_h":[1,2,3,4,5,6],"seed":[0,1],"steps":2000,'
        '"target":"nearest","version":1}',
    ),
    "qsa-width": (
        "d576e2ff6c76",
        '{"batch":64,"k":[1,2,3],"m_h":[1,2,3,4,5,6,7,8],"seed":[0,1,2,3],"steps":2000,'
        '"target":"qsa","version":1}',
    ),
    "qsa-width-tau": (
        "08b8f981e8f0",
        '{"batch":64,"k":[1],"m_h":[1,2,3,4],"seed":[0,1,2,3],"steps":1000,"target":"qsa",'
        '"tau":[4,8,16,32],"version":1}',
    ),
    "rnn-units": (
        "87ed281149e6",
        '{"filter":"positive","hidden":[1,2,3,4,5,6,8,16],"model":"rnn","seed":[0,1,2],'
        '"target":"linear","version":1}',
    ),
    "rnn-units-random": (
        "9b1a64f1fa65",
        '{"hidden":[1,2,4,8,12,16,32,64,128],"kernel":"random","model":"rnn","seed":[0,1,2],'
        '"target":"linear","version":1}',
    ),
    "order-units-exponential": (
        "00f7f3edc800",
        '{"hidden":[1,2,3,4,6,8,16],"model":"rnn","seed":[0,1,2],"steps":1500,'
        '"target":"linear","version":1}',
    ),
    "order-units-power": (
        "0954a1d43c38",
        '{"hidden":[1,2,3,4,6,8,16],"kernel":"power","model":"rnn","seed":[0,1,2],'
        '"steps":1500,"target":"linear","version":1}',
    ),
    "order-units-random": (
        "fc7f67ef6db1",
        '{"hidden":[1,2,3,4,6,8,16],"kernel":"random","model":"rnn","seed":[0,1,2],'
        '"steps":1500,"target":"linear","version":1}',
    ),
    "fig3": (
        "95c4085416e2",
        '{"m_h":[1,2,3,4,6,8,12,16,24],"seed":[0,1,2,3,4],"target":"pictures","version":1}',
    ),
    "fig3-quick": (
        "83226341673e",
        '{"m_h":[1,2,4,8],"seed":[0,1],"steps":400,"target":"pictures","version":1}',
    ),
    "memory-depth-fixed": (
        "382d61356560",
        '{"layers":[1,2],"seed":[0,1,2,3,4],"steps":4000,"target":"fixed_memory","version":1}',
    ),
    "memory-depth": (
        "3dfd8a5beee4",
        '{"jumps":[1,2],"layers":[1,2],"seed":[0,1,2,3,4],"steps":4000,"target":"adaptive'
        '_memory","version":1}',
    ),
    "memory-depth-more": (
        "80e415332378",
        '{"layers":[3],"seed":[0,1,2,3,4],"steps":4000,"target":"adaptive_memory","version":1}',
    ),
    "memory-heads": (
        "b4cee6a26a96",
        '{"d_v":8,"dot_product":false,"encoding":"t5","heads":[1,2,3,4],"jumps":[1],"laye'
        'r_norm":false,"layers":[1],"m_ff":64,"m_h":8,"n":32,"seed":[0,1,2,3,4],"steps":2'
        '500,"target":"adaptive_memory","tau":24,"values":"normal","version":1}',
    ),
    "memory-heads-pointed": (
        "0aa99c3a6fd6",
        '{"d_v":8,"heads":[1,2,4],"jumps":[1],"layer_norm":false,"layers":[1],"m_ff":64,"'
        'm_h":8,"n":32,"seed":[0,1,2,3,4],"steps":2500,"target":"adaptive_memory","tau":2'
        '4,"values":"normal","version":1}',
    ),
    "memory-depth-induction": (
        "836a667fdc36",
        '{"layers":[1,2],"seed":[0,1,2,3,4],"steps":4000,"target":"induction","version":1}',
    ),
    "memory-log-power": (
        "83b5e780311b",
        '{"encoding":"log","heads":[1,2,3,4,6,64],"kappa":"scaled","lr":0.03,"model":"heads","seed":[0,1,2,3,4],"steps":2000,"target":"essential_memory","tau":1000,"version":1}',
    ),
    "memory-log-exponential": (
        "b4bba6930140",
        '{"encoding":"log","fall":"exponential","heads":[1,2,3,4,6,64],"kappa":"scaled","lr":0.03,"model":"heads","seed":[0,1,2,3,4],"steps":2000,"target":"essential_memory","tau":1000,"version":1}',
    ),
    "memory-lin-power": (
        "e88ea5be9731",
        '{"encoding":"lin","heads":[1,2,3,4,6,64],"kappa":"scaled","lr":0.03,"model":"heads","seed":[0,1,2,3,4],"steps":2000,"target":"essential_memory","tau":1000,"version":1}',
    ),
    "memory-lin-exponential": (
        "e09a8e0fd080",
        '{"encoding":"lin","fall":"exponential","heads":[1,2,3,4,6,64],"kappa":"scaled","lr":0.03,"model":"heads","seed":[0,1,2,3,4],"steps":2000,"target":"essential_memory","tau":1000,"version":1}',
    ),
    "memory-depth-slow": (
        "5211070a0534",
        '{"layers":[1,2,3],"lr":0.002,"seed":[0,1,2,3,4],"steps":4000,"target":"adaptive_memory","version":1}',
    ),
    "memory-depth-heads": (
        "d05be5947e2d",
        '{"dot_product":false,"encoding":"t5","heads":[4,8],"layer_norm":false,"layers":[1],"m_h":1,"seed":[0,1,2,3,4],"steps":4000,"target":"adaptive_memory","version":1}',
    ),
    "memory-depth-live": (
        "ec499f155515",
        '{"layers":[1,2],"seed":[0,1,2,3,4],"target":"adaptive_memory","version":1}',
    ),
    "memory-log-power-plain": (
        "73df23d46066",
        '{"encoding":"log","heads":[1,2,3,4,6,64],"kappa":"plain","lr":0.03,"model":"heads","seed":[0,1,2,3,4],"steps":2000,"target":"essential_memory","tau":1000,"version":1}',
    ),
    "memory-log-exponential-plain": (
        "5bb1d741b43b",
        '{"encoding":"log","fall":"exponential","heads":[1,2,3,4,6,64],"kappa":"plain","lr":0.03,"model":"heads","seed":[0,1,2,3,4],"steps":2000,"target":"essential_memory","tau":1000,"version":1}',
    ),
    "memory-lin-power-plain": (
        "7e032bcbbea9",
        '{"encoding":"lin","heads":[1,2,3,4,6,64],"kappa":"plain","lr":0.03,"model":"heads","seed":[0,1,2,3,4],"steps":2000,"target":"essential_memory","tau":1000,"version":1}',
    ),
    "memory-lin-exponential-plain": (
        "5e9483b01e1d",
        '{"encoding":"lin","fall":"exponential","heads":[1,2,3,4,6,64],"kappa":"plain","lr":0.03,"model":"heads","seed":[0,1,2,3,4],"steps":2000,"target":"essential_memory","tau":1000,"version":1}',
    ),
}
"""Id and compact text of each ready sweep."""
LISTS_BEFORE = {
    "memory-depth-fixed": (
        "265c5744419e",
        '{"layers":[1,2],"seed":[0,1,2,3,4],"target":"fixed_memory","version":1}',
    ),
    "memory-depth": (
        "611815ae59c3",
        '{"jumps":[1,2],"layers":[1,2],"seed":[0,1,2,3,4],"target":"adaptive_memory","version":1}',
    ),
    "memory-depth-induction": (
        "19df3babbf8e",
        '{"layers":[1,2],"seed":[0,1,2,3,4],"target":"induction","version":1}',
    ),
    "fig1": (
        "80463db08cd3",
        '{"alpha":[1.0,2.0],"m_h":[1,2,3,4,5,6,7,8,10,12,14,16],"rank":[2,6,null],"seed":[0,'
        '1,2],"version":1}',
    ),
    "rates-diagonal": (
        "02a2671d9700",
        '{"alpha":[1.0,2.0],"m_h":[1,2,3,4,5,6,7,8,10,12,14,16],"right_basis":"sine",'
        '"seed":[0,1,2],"version":1}',
    ),
    "memory-log-power": (
        "bc807fe0a460",
        '{"encoding":"log","heads":[1,2,3,4,6,64],"lr":0.01,"model":"heads","seed":[0,1,2'
        ',3,4],"steps":2000,"target":"essential_memory","tau":1000,"version":1}',
    ),
    "memory-log-exponential": (
        "84ca3628ff60",
        '{"encoding":"log","fall":"exponential","heads":[1,2,3,4,6,64],"lr":0.01,"model":'
        '"heads","seed":[0,1,2,3,4],"steps":2000,"target":"essential_memory","tau":1000,"'
        'version":1}',
    ),
    "memory-lin-power": (
        "bc0efd956500",
        '{"encoding":"lin","heads":[1,2,3,4,6,64],"lr":0.01,"model":"heads","seed":[0,1,2'
        ',3,4],"steps":2000,"target":"essential_memory","tau":1000,"version":1}',
    ),
    "memory-lin-exponential": (
        "3b2ae8dab373",
        '{"encoding":"lin","fall":"exponential","heads":[1,2,3,4,6,64],"lr":0.01,"model":'
        '"heads","seed":[0,1,2,3,4],"steps":2000,"target":"essential_memory","tau":1000,"'
        'version":1}',
    ),
}
"""The same of ready sweeps that have become others since."""


@pytest.mark.parametrize("name", RUNS)
def test_a_preset_is_what_its_link_has_always_said(name):
    identity, text = RUNS[name]
    assert compact(PRESETS[name][1]) == text
    assert spec_id(PRESETS[name][1]) == identity


@pytest.mark.parametrize("identity, text", [*RUNS.values(), *SHIPPED.values(), *BEFORE.values()])
def test_a_link_of_before_opens_the_same_specification(identity, text):
    spec, problems = parse_leniently(text)
    assert problems == ()
    assert spec == parse(text)
    assert (spec_id(spec), compact(spec)) == (identity, text)


@pytest.mark.parametrize("name", SHIPPED)
def test_a_shipped_run_has_its_id(name):
    row = archive.read(ASSETS / f"{name}.zip").row
    assert (row.spec_id, compact(row.spec)) == SHIPPED[name]


@pytest.mark.parametrize("name", LISTS)
def test_a_sweep_of_before_is_the_same_sweep(name):
    identity, text = LISTS[name]
    sweep = parse_sweep(text)
    assert sweep == SWEEPS[name][1]
    assert (spec_id(sweep), compact(sweep)) == (identity, text)


@pytest.mark.parametrize("identity, text", LISTS_BEFORE.values(), ids=LISTS_BEFORE)
def test_a_sweep_that_was_ready_before_opens_as_it_was(identity, text):
    sweep = parse_sweep(text)
    assert (spec_id(sweep), compact(sweep)) == (identity, text)


def test_no_preset_or_shipped_run_of_before_is_lost():
    """A new one has no link of before."""
    assert {*PRESETS} >= {*RUNS}
    assert {*SWEEPS} >= {*LISTS}
    assert {file.stem for file in ASSETS.glob("*.zip")} >= {*SHIPPED}


def test_a_recipe_makes_what_it_has_always_made():
    runs = {name: spec_id(RECIPES[f"{name}.zip"].spec) for name in SHIPPED}
    assert runs == {name: identity for name, (identity, _) in SHIPPED.items()}
    sweeps = {name: spec_id(RECIPES[f"{name}.json"].sweep) for name in SHIPPED_SWEEPS}
    assert sweeps == SHIPPED_SWEEPS
