"""A server for others: its settings, who may ask it, and what a visitor of `--public` may have.

The app calls one door, `page.install(app, settings)`. A request passes, from the outside in:

    logs         a line of JSON for each request (`--log json`)
    doors        may this origin ask; what a browser may do with the answer
    visitors     who asks: by a cookie, a login or a proxy's header. OWNER holds it while a request
                 is answered; the header SPACE tells it to the session of a page, whose script has
                 no request. `registry.owner()` asks both
    page_guard   files and uploads of a page are its visitor's; what its socket may say
    gate         before these: frames of a socket are counted where uvicorn parses them
                 (wire: how much a message has, before it is made)
    page_pace    when a page may compute (fair: the seconds of each visitor; lines: who is next)

What a visitor without a word has: pages, and `addresses` say whose seconds they take. With one:

    words        who has a place of a class word, and who is blocked
    space        a store in a folder of the store
    limits       the numbers, and the Allowance, which is the Quota of that store
    queue        who waits with what, and has had how much;   turns   who is served next
    worker       `python -m explorer.hosting.worker`, which trains for all spaces

Behind a proxy several processes have pages (page_process), each visitor one of them:

    page_parent  listens, watches over them, has the workers;   parent   what they tell each other

and whoever runs the server: settings, healthy, page_health (/healthz, /metrics), page_sessions,
page_allowance (what is left, on the pages), upkeep (`store check`, `compact`, `backup`).

Files `page*` are of the room ui/: they may import Streamlit and what pages share.
"""
