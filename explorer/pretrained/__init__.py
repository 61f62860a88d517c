"""Models that others have trained, through the paper's eyes: the couplings of their heads.

    catalogue   the models: where each comes from, pinned, and what it is
    gguf, onnx  readers of the files they come in, used once
    convert     those files as named arrays, one small JSON, and pictures to show
    fetch       a model into a folder: whole or not there
    tokens      texts as the numbers of the vocabulary, and back
    texts       the paragraphs that all readers of texts are shown, and six kinds of text
    inputs      texts and pictures as the models take them
    attention   softmax of a coupling; what a model was seen to do
    forwards    one for each family, and a model that is here, ready to be called
    own         the user's own models, as they lie among the others
    foreign, vocabulary   what transformers has saved of a model, read as data
    bring       such a model into the folder, held to its config and measured
    spectra     σ_k of couplings over inputs and of weights; energy ranks; k terms kept
    words       how a language model goes on with a text, cut
    orders      a language model that is shown its text in another order
    tolerance   the loss with one head cut, and with each to what it needs
    look        a model shown one text or picture, whole and with heads cut
    seen        the file of that: tokens, and the couplings of all heads
    example     what the shipped heads were shown

Catalogue, fetch, own, kept, seen and example import no torch; the server may use them.
"""
