"""One recipe for each kind of network: what it learns, from which batches, by which gradient."""

from typing import Any

from explorer.models.networks import NETWORKS
from explorer.spec import AnySpec
from explorer.spec.fields import of_each
from explorer.training.recipe import Recipe, complete
from explorer.training.recipes.couplings import Couplings
from explorer.training.recipes.encoder import Encoder
from explorer.training.recipes.memory import Decays, Memories
from explorer.training.recipes.positioned import Linear, Positioned, Rnn
from explorer.training.recipes.tasks import Tasks

RECIPES: dict[str, type[Recipe[Any, Any]]] = of_each(
    "recipes",
    NETWORKS,
    {
        "coupling": Couplings,
        "positioned": Positioned,
        "linear": Linear,
        "rnn": Rnn,
        "attention": Tasks,
        "encoder": Encoder,
        "memory": Memories,
        "decays": Decays,
    },
)
complete(RECIPES)


def recipe_of(spec: AnySpec) -> type[Recipe[Any, Any]]:
    """The recipe by which a specification is trained."""
    return RECIPES[spec.recipe]
