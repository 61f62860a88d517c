"""The attention tasks of App. B.1, learned, dragged and compared with the truth."""

from explorer.spec import task_spec
from explorer.ui import attention, shown_run, state

spec = task_spec(state.begin(shown_run.linked()))
attention.controls_of(spec)
attention.main_panel()
attention.details()
