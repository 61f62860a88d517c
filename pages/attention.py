"""The attention tasks of App. B.1, learned, dragged and compared with the truth."""

from explorer.pages.attention import page as attention
from explorer.spec import task_spec
from explorer.ui import shown_run, specs

spec = task_spec(specs.begin(shown_run.linked()))
attention.controls_of(spec)
attention.main_panel()
attention.details()
