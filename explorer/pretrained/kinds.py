"""Six texts of six kinds, on which a language model is cut: what holds of prose may not of code.

They were written for this project; Shelley's sonnet of 1818 belongs to everybody.
"""

from collections.abc import Mapping

from explorer.pretrained.texts import TEXTS

KINDS: Mapping[str, str] = {
    "prose": TEXTS[0],
    "dialogue": TEXTS[5],
    "code": '''def merge(left, right):
    """Two sorted lists as one sorted list."""
    result = []
    i = j = 0
    while i < len(left) and j < len(right):
        if left[i] <= right[j]:
            result.append(left[i])
            i += 1
        else:
            result.append(right[j])
            j += 1
    result.extend(left[i:])
    result.extend(right[j:])
    return result


def merge_sort(items):
    """A sorted copy of a list."""
    if len(items) <= 1:
        return list(items)
    middle = len(items) // 2
    return merge(merge_sort(items[:middle]), merge_sort(items[middle:]))
''',
    "French": (
        "Chaque matin, la boulangère ouvre sa porte avant le lever du soleil. Elle allume le four, "
        "pétrit la pâte et regarde la rue encore vide par la petite fenêtre. Les premiers clients "
        "arrivent à six heures : le facteur, deux infirmières qui rentrent chez elles et un vieux "
        "monsieur qui achète toujours la même baguette. Il la paie avec des pièces qu'il compte "
        "lentement, puis il raconte le temps qu'il fera. La boulangère l'écoute, bien qu'elle "
        "sache qu'il se trompe presque tous les jours. Quand il oublie de venir, elle s'inquiète."
    ),
    "numbers": (
        "1 times 7 is 7. 2 times 7 is 14. 3 times 7 is 21. 4 times 7 is 28. 5 times 7 is 35. "
        "6 times 7 is 42. 7 times 7 is 49. 8 times 7 is 56. 9 times 7 is 63. 10 times 7 is 70. "
        "11 times 7 is 77. 12 times 7 is 84. 13 times 7 is 91. 14 times 7 is 98. "
    ),
    "poem": (
        "I met a traveller from an antique land,\n"
        "Who said: Two vast and trunkless legs of stone\n"
        "Stand in the desert. Near them, on the sand,\n"
        "Half sunk, a shattered visage lies, whose frown,\n"
        "And wrinkled lip, and sneer of cold command,\n"
        "Tell that its sculptor well those passions read\n"
        "Which yet survive, stamped on these lifeless things,\n"
        "The hand that mocked them and the heart that fed;\n"
        "And on the pedestal these words appear:\n"
        "My name is Ozymandias, king of kings:\n"
        "Look on my works, ye Mighty, and despair!\n"
    ),
}
