"""Ready specifications and sweeps of pictures and number words, by name."""

from explorer.spec import NumberWordsSpec, PicturesSpec, PicturesSweep

PICTURES: dict[str, tuple[str, PicturesSpec]] = {
    "mini-vit": (
        "a small vision Transformer on pictures of MNIST (Figure 3, Table 1)",
        PicturesSpec(),
    )
}
PICTURES_SWEEPS: dict[str, tuple[str, PicturesSweep]] = {
    "fig3": (
        "Figure 3: the same against the width of its heads",
        PicturesSweep(m_h=(1, 2, 3, 4, 6, 8, 12, 16, 24), seed=(0, 1, 2, 3, 4)),
    ),
    "fig3-quick": (
        "Figure 3, blunter: fewer widths, seeds and steps",
        PicturesSweep(m_h=(1, 2, 4, 8), seed=(0, 1), steps=400),
    ),
}
NUMBER_WORDS: dict[str, tuple[str, NumberWordsSpec]] = {
    "number-words": (
        "number words from English to German, a small stand-in for translation (Table 1)",
        NumberWordsSpec(),
    )
}
