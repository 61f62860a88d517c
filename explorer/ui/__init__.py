"""What several pages have of Streamlit: navigation, server state, controls, live feed.

What one page has lies in its street (explorer/pages/); no other room imports Streamlit.

Of the whole app
    pages.py       the table of pages: title, question, what it opens with
    shell.py       the UI script: navigation, the message for a store that cannot be used
    opening.py     the document of a page: room for what comes later, so that nothing jumps
    first.py       what that draws until the page is here: its question, its first picture
    registry.py    store and pool of this server, and whose space is meant
    page_visit.py  when a page may compute, what its visitor may still use, uploads
    streamlit_private.py   all that is taken of Streamlit beyond its documented interface;
                   message.py, what a browser says; lately.py, files it may still ask for
    specs.py       the specification of a session: one truth, in the address and in the session
    address.py     what the address holds, kept from page to page, and the values it stands for
    shortened.py   links of at most 4,095 characters: what stays out of them, and how it is said
    selection.py   the pictures a reader has selected, in the address as `?view=`
    share.py       the one menu of what goes to elsewhere: link, picture, figures, talk
Of every page
    mathematics.py the fold beneath the picture, remembered
    chrome.py      question, badge, verdict, facts, figures; keys, theme, print
    about.py       the About dialog, and the cards of dotted words
    tour.py        the guided tour: scenes of the talk, one at a time beside the real controls
    controls.py    a widget that shows a field of the specification, and changes it
    callbacks.py   what a widget changes is taken, though the next change comes meanwhile, and
                   where the reader has changed it
    exchange.py    a value that a canvas and another hand change
    formulas.py    the field of a formula, what was understood of it, where it is wrong
    exports.py     figures as SVG, PNG, PDF, CSV, and a run as a whole: each file made at a press of
                   its button, and why one could not be made
Of every page that trains
    shown_run.py   which run a page shows, and what is said of one that is not here
    topics.py      what is shown of a run, by what it is about
    transport.py   start, pause, step, stop; live.py           the WebSocket that feeds the picture
    awaited.py     what is drawn anew once the runs and jobs move on that it waits for
components/        canvas: `live` draws a training run, `design` a coupling, `rates` a sweep,
                   `attention` a head, `order` an altered target; `link` copies,
                   `about` explains a word, `gallery` shows couplings as pictures
"""
