"""The reader's talk: its scenes put in order, and the way to the stage."""

from explorer.pages.talk import editor
from explorer.ui import chrome, specs

editor.begin()
chrome.question(picture=False, action=editor.way_to_stage)
specs.show_problems()
talk = editor.loaded()
if talk:
    editor.problems(talk)
    chrome.verdict(editor.summary(talk))
    editor.files(talk)
    editor.pictures(talk)
    editor.named(talk)
    editor.scenes(talk)
    editor.published(talk)
editor.end()
editor.begun()
