"""The specification of a run: one flat, frozen, validated model (DESIGN §5).

The same JSON is what the URL holds (its σ_k `folded`), what the download gives, what the command
line reads and what the store keeps. There is one class for each kind of target, told apart by
`target`. The *compact* form lists the version, the target and what differs from that version's
defaults; the first 12 hex digits of its sha256 are the id. A new field therefore changes no old id,
as long as its default means what was done before the field existed.
"""

# pyright: reportUnusedImport=false

from explorer.spec.alterations import ALTERATION_FIELDS
from explorer.spec.couplings import (
    DESIGN_FIELDS,
    PART_FIELDS,
    SWEPT,
    CouplingSpec,
    SweepSpec,
    features_of,
)
from explorer.spec.fields import MAX_MODELS, VERSION, SpecError, Specification, Topic
from explorer.spec.labelled import (
    LabelledSpec,
    NumberWordsSpec,
    NumberWordsSweep,
    PicturesSpec,
    PicturesSweep,
)
from explorer.spec.linear import KERNEL_FIELDS, LinearSpec, LinearSweep
from explorer.spec.memory import (
    AdaptiveMemorySpec,
    EssentialMemorySpec,
    FixedMemorySpec,
    InductionSpec,
    MemorySpec,
    MemorySweep,
)
from explorer.spec.reading import (
    MAX_TEXT,
    AlterableSpec,
    AnySpec,
    AnySweep,
    HeadSpec,
    allowed,
    alterable_spec,
    amended,
    compact,
    coupling_spec,
    design_fields,
    design_of,
    differing,
    full_json,
    link_text,
    narrowed,
    schema,
    spec_id,
    task_spec,
    valid_fields,
)
from explorer.spec.tasks import TaskSpec, TaskSweep
