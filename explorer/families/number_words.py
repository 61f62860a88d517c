"""The numbers under 10,000 in English and in German, as the words and parts of words they have.

    8421   eight thousand four hundred and twenty one
           acht tausend vier hundert ein und zwanzig

German says the ones before the tens, and writes all of it as one word. A small stand-in for
translation: fifty words, no files, and every answer is known.
"""

LARGEST = 9999
LONGEST = 7  # words of a number
UNSEEN = 2000  # numbers, drawn once, that nobody learns

_ENGLISH_TEXT = """
    zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen
    sixteen seventeen eighteen nineteen / twenty thirty forty fifty sixty seventy eighty ninety
"""
_GERMAN_TEXT = """
    null eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn
    sechzehn siebzehn achtzehn neunzehn / zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig
    neunzig
"""
_ENGLISH, _ENGLISH_TENS = (part.split() for part in _ENGLISH_TEXT.split("/"))
_GERMAN, _GERMAN_TENS = (part.split() for part in _GERMAN_TEXT.split("/"))


def english(number: int) -> list[str]:
    """A number from 0 to 9999, word by word; raises ValueError for another."""
    thousands, hundreds, rest = _parts(number)
    words = [_ENGLISH[thousands], "thousand"] if thousands else []
    words += [_ENGLISH[hundreds], "hundred"] if hundreds else []
    if rest or not words:
        tens, ones = divmod(rest, 10)
        words += ["and"] if words else []
        words += [_ENGLISH[rest]] if tens < 2 else [_ENGLISH_TENS[tens - 2]]
        words += [_ENGLISH[ones]] if tens > 1 and ones else []
    return words


def german(number: int) -> list[str]:
    """The same in German, part by part of the one word; raises ValueError for another."""
    thousands, hundreds, rest = _parts(number)
    words = [_one(thousands), "tausend"] if thousands else []
    words += [_one(hundreds), "hundert"] if hundreds else []
    if rest or not words:
        tens, ones = divmod(rest, 10)
        words += [_one(ones), "und"] if tens > 1 and ones else []
        words += [_GERMAN[rest]] if tens < 2 else [_GERMAN_TENS[tens - 2]]
    return words


def _one(digit: int) -> str:
    """A digit before another part: "ein", not "eins"."""
    return "ein" if digit == 1 else _GERMAN[digit]


def _parts(number: int) -> tuple[int, int, int]:
    if not 0 <= number <= LARGEST:
        raise ValueError(f"number = {number}: allowed is 0 to {LARGEST}")
    return number // 1000, number // 100 % 10, number % 100


ENGLISH = ("", *_ENGLISH, *_ENGLISH_TENS, "hundred", "thousand", "and")
"""Every word; the first one is none, after the last word of a number."""
GERMAN = ("", *_GERMAN, "ein", *_GERMAN_TENS, "hundert", "tausend", "und")
