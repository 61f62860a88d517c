"""The attention tasks of App. B.1, learned, dragged and compared with the truth."""

from explorer.spec import task_spec
from explorer.ui import attention, shown_run, specs

spec = task_spec(specs.begin(shown_run.linked()))
attention.controls_of(spec)
attention.main_panel()
attention.details()
