"""A server for others: its settings, who may ask it, and what a visitor of `--public` may have.

The app calls one door, `page.install(app)`. A request passes, from the outside in:

    doors        may this origin ask, and who asks: what a browser may do with the answer. OWNER
                 holds the visitor while a request is answered; the header SPACE tells it to the
                 session of a page, whose script has no request. `registry.owner()` asks both
    page         files and uploads of a page are its visitor's; what its socket may say

When a page may compute, what its visitor may still use and what is uploaded, the pages ask in
ui/page_visit.py (reader: an upload is read in a process of its own).

Before these `logs` writes a line of JSON for each request (`--log json`), and `gate` counts the
frames of a socket where uvicorn parses them. What a visitor is and has:

    visitors     by which cookie, login or header a visitor is known, who has a place of a class
                 word, and who is blocked
    fair         the seconds in which the pages of each may compute, and who is next
    space        with a word: a store in a folder of the store, and the Allowance, its Quota
    queue        who waits with what, and has had how much
    turns        who is served next, by `python -m explorer.hosting.turns`, a worker for all spaces

Behind a proxy several processes have pages (page_process), each visitor one of them; page_parent
listens, watches over them and has the workers. Whoever runs the server has settings, the limits
among them, healthy, page_health (/healthz, /metrics) and upkeep (`store check`, `backup`).

Files `page*` are of the room ui/: they may import Streamlit and what pages share.
"""
