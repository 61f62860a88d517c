"""Ready specifications and sweeps of each kind of memory, by name."""

from typing import Any

from explorer.spec import memory

SEEDS = (0, 1, 2, 3, 4)
ONE_LAYER: dict[str, Any] = {
    "jumps": 1,
    "values": "normal",  # of signs one head can tell many
    "tau": 24,
    "layers": 1,
    "n": 32,
    "m_h": 8,
    "d_v": 8,
    "m_ff": 64,
    "layer_norm": False,
    "steps": 2500,
    "seed": SEEDS,
}
BY_DISTANCE: dict[str, Any] = {"encoding": "t5", "dot_product": False}
ALONE: dict[str, Any] = {"model": "heads", "tau": 1000, "lr": 3e-2, "steps": 2000}
HOW = {"": "scaled", "-plain": "plain"}
"""What a name of a sweep of heads alone ends with, and how they are written."""
DEEP: dict[str, Any] = {"steps": 4000, "seed": SEEDS}
MANY: dict[str, Any] = {"heads": (1, 2, 3, 4, 6, 64), "seed": SEEDS}

PRESETS: dict[str, dict[str, tuple[str, Any]]] = {
    "fixed_memory": {
        "memory-fixed": ("values at two fixed lags, by one layer", memory.FixedMemorySpec(layers=1))
    },
    "adaptive_memory": {
        "memory-jumps": (
            "two jumps that the tokens point, by two layers",
            memory.AdaptiveMemorySpec(),
        )
    },
    "essential_memory": {
        "memory-kernel": (
            "a kernel s^−0.5 by six heads that know distances alone, on its exact error",
            memory.EssentialMemorySpec(heads=6, encoding="lin", kappa="scaled", **ALONE),
        )
    },
    "induction": {
        "memory-induction": ("what followed the last time, by two layers", memory.InductionSpec())
    },
}
SWEEPS: dict[str, dict[str, tuple[str, Any]]] = {
    "fixed_memory": {
        "memory-depth-fixed": (
            "fixed memories against layers, five seeds",
            memory.FixedMemorySweep(layers=(1, 2), **DEEP),
        )
    },
    "adaptive_memory": {
        "memory-depth": (
            "one and two jumps against layers, five seeds",
            memory.AdaptiveMemorySweep(jumps=(1, 2), layers=(1, 2), **DEEP),
        ),
        "memory-depth-more": (
            "two jumps by the K + 1 layers of Theorem 4.4, five seeds",
            memory.AdaptiveMemorySweep(jumps=(2,), layers=(3,), **DEEP),
        ),
        "memory-depth-slow": (
            "two jumps against layers at half the learning rate, five seeds",
            memory.AdaptiveMemorySweep(jumps=(2,), layers=(1, 2, 3), lr=2e-3, **DEEP),
        ),
        "memory-depth-heads": (
            "two jumps by one layer, against heads whose weights hang on distances alone",
            memory.AdaptiveMemorySweep(
                jumps=(2,),
                layers=(1,),
                heads=(4, 8),
                m_h=1,
                layer_norm=False,
                **BY_DISTANCE,
                **DEEP,
            ),
        ),
        "memory-depth-live": (
            "the pair of the page Memory, five seeds",
            memory.AdaptiveMemorySweep(jumps=(2,), layers=(1, 2), seed=SEEDS),
        ),
        "memory-heads": (
            "one jump against heads whose weights hang on distances alone, five seeds",
            memory.AdaptiveMemorySweep(heads=(1, 2, 3, 4), **ONE_LAYER, **BY_DISTANCE),
        ),
        "memory-heads-pointed": (
            "the same with learned positions and dot product",
            memory.AdaptiveMemorySweep(heads=(1, 2, 4), **ONE_LAYER),
        ),
    },
    "essential_memory": {
        f"memory-{encoding}-{fall}{end}": (
            f"{encoding} heads that know distances alone on {what}, κ {kappa}",
            memory.EssentialMemorySweep.model_validate(
                {"encoding": encoding, "fall": fall, "kappa": kappa, **ALONE, **MANY}
            ),
        )
        for end, kappa in HOW.items()
        for encoding in ("log", "lin")
        for fall, what in (("power", "s^−0.5"), ("exponential", "e^(−s/20)"))
    },
    "induction": {
        "memory-depth-induction": (
            "induction against layers, five seeds",
            memory.InductionSweep(layers=(1, 2), **DEEP),
        )
    },
}
