"""Page 4: the attention tasks of App. B.1, learned, dragged and compared with the truth."""

from explorer.ui import attention, frame, state, transport
from explorer.views.attention import QUESTION

spec = state.begin("nearest", transport.linked())
attention.controls_of(spec)
frame.question(QUESTION, transport.badge())
state.show_problems()
attention.stage()
attention.more()
