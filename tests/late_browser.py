"""A browser that says of a page what it showed before the page was drawn anew.

With each message it says the values of all widgets that it shows: those that the answer to the
last message has changed or taken away, too, until that answer is here. A part of the page that asks
to be drawn anew says them as well.
"""

from functools import partial

from streamlit.testing.v1 import local_script_runner

SHOWN = (
    *("text_area", "text_input", "number_input", "selectbox", "segmented_control", "toggle"),
    *("slider", "select_slider"),
)
"""Widgets whose values AppTest would else say as they are now."""


class LateBrowser:
    """It has not got any answer since `at` was drawn: what it says is what was shown then, and what
    the reader has done since."""

    def __init__(self, at, monkeypatch):
        self.at, self.drawn, self.monkeypatch = at, at._tree, monkeypatch
        self.answer = at._tree
        for kind in SHOWN:
            for each in getattr(at, kind):
                each.set_value(each.value)

    def says(self):
        """A message, as it follows a press."""
        self.at._run(self.drawn.get_widget_states())
        self.waits()

    def waits(self):
        """The page was drawn anew, and that is under way."""
        self.answer, self.at._tree = self.at._tree, self.drawn

    def wakes_a_part(self):
        """A message that only asks for a part of the page, whose work has moved on."""
        answer = self.answer
        woken = partial(local_script_runner.RerunData, fragment_id_queue=["a part"])
        with self.monkeypatch.context() as patch:
            patch.setattr(local_script_runner, "RerunData", woken)
            self.says()
        self.answer = answer

    def gets_the_answer(self):
        """To what it has said last."""
        self.at._tree = self.answer
