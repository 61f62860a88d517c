"""Six paragraphs of plain English, which all readers of texts are shown and compared by; and six
texts of six kinds, on which a language model is cut: what holds of prose may not of code.

They were written for this project, on things that anybody could write about; Shelley's sonnet of
1818 belongs to everybody.
"""

from collections.abc import Mapping

TEXTS = (
    "The old lighthouse stood at the end of a narrow path that the sea covered twice a day. "
    "Every evening the keeper climbed the ninety-one steps with a can of oil in his left hand, "
    "and every morning he climbed down again to write the weather into a thick grey book. He "
    "had done so for thirty years, and his father before him. When the new lamp arrived, which "
    "needed no oil and no keeper, the company sent a letter to thank him for his service. He "
    "read it twice, put it into the book between two stormy days in March, and went up the "
    "stairs as he had always done, because the ships outside knew nothing of the letter. In the"
    " autumn a young engineer came to take the old lamp apart, and stayed for supper.",
    "Bread needs only flour, water, salt and time. Mix the flour with the water until no dry "
    "spots are left and let it rest for half an hour, so that the flour can take up the water. "
    "Then add the salt and a little of the dough from last week, and fold it over itself four "
    "times, once every thirty minutes. The dough becomes smooth and begins to hold its shape. "
    "Put it in a cold place overnight. In the morning heat the oven with an iron pot inside, "
    "turn the loaf into the hot pot, cut the top with a sharp knife and bake it with the lid on"
    " for twenty-five minutes. Take the lid off and bake until the crust is dark brown. Wait an"
    " hour before you cut it, although nobody ever does.",
    "Bees find their way home by the position of the sun. Even when clouds hide it, they can "
    "see how its light is polarised in a small patch of blue sky, and from this they know where"
    " the sun must be. A bee that has found a good meadow tells the others about it by a dance "
    "on the comb. The angle between the dance and the vertical is the angle between the meadow "
    "and the sun, and the length of the dance is the distance. The other bees follow the dancer"
    " in the dark hive, feel her movements with their antennae, and then fly to the place, "
    "although they have never been there. The sun moves on while a bee dances, and she corrects"
    " the angle as it does. No young bee has to be taught any of this.",
    "The committee met on Tuesday to discuss the budget of the library for the coming year. The"
    " director explained that the costs of heating had risen by twelve percent, while the "
    "number of visitors had grown by almost a third since the new reading room was opened. Two "
    "members proposed to close the building on Mondays; others feared that schools, which come "
    "mostly at the beginning of the week, would stay away. After a long debate it was decided "
    "to keep the present hours until June and to ask the city for a grant. The committee also "
    "agreed to replace the windows on the north side, provided that the work can be done during"
    " the summer holidays. The next meeting will take place on the first Thursday of March.",
    "A sorting algorithm puts the elements of a list in order. The simplest one looks for the "
    "smallest element, moves it to the front, and repeats this with the rest of the list. For a"
    " list of ten names this is good enough, but the number of comparisons grows with the "
    "square of the length, so a million names would take hours. A better way is to divide the "
    "list into two halves, sort each of them, and merge the results. Since the halves are "
    "sorted in the same way, the function calls itself, until only single elements are left, "
    "which are always in order. The number of comparisons is then proportional to the length "
    "times its logarithm, and no method that only compares two elements at a time can do better"
    " in the worst case.",
    '"You said the train leaves at seven," said Anna, looking at the empty platform. "It does,"'
    ' answered her brother, "but from the other station." They ran down the stairs, through the'
    " rain and across the square, where the market women were already packing up their apples. "
    'A bus stood at the corner with its doors open. "Does this go to the east station?" asked '
    "Anna. The driver looked at the clock, then at their bags, and finally at the wet hair of "
    'the two. "Not usually," he said and started the engine. They arrived at two minutes past '
    "seven. The train was late, as it was every evening, and her brother said that he had known"
    " it all the time. Anna did not speak to him until they had passed the second tunnel, and "
    "then only about sandwiches.",
)

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
