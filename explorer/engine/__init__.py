"""The step of Eq. 5 in C (kernel/) and its homes: the machine's own code, or WebAssembly.

    spec, target → settings.Settings → Home.begin → Model.advance(steps) → weights, by name

Torch is not needed; training/ is the oracle.
"""

from explorer.engine.home import EngineError, Home, native, wasm
from explorer.engine.model import Model, Units, layer_of
from explorer.engine.settings import Settings, settings_of
