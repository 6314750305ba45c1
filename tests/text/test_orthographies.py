"""Real sentences (article 1 of the Universal Declaration of Human Rights) in orthographies of every kind."""

from __future__ import annotations

import unicodedata

import pytest

from babelspace.text import Analyzer

UNSPACED = {
    "th": "มนุษย์ทั้งหลายเกิดมามีอิสระและเสมอภาคกันในเกียรติศักดิ์และสิทธิ",
    "km": "មនុស្សទាំងអស់កើតមកមានសេរីភាពនិងភាពស្មើៗគ្នាក្នុងសេចក្ដីថ្លៃថ្នូរនិងសិទ្ធិ",
    "lo": "ມະນຸດທຸກຄົນເກີດມາມີອິດສະຫຼະແລະສະເໝີພາບກັນໃນທາງກຽດສັກແລະສິດ",
    "my": "လူတိုင်းသည် တူညီ လွတ်လပ်သော ဂုဏ်သိက္ခာဖြင့် လည်းကောင်း မွေးဖွားလာသူများ ဖြစ်သည်။",
    "bo": "འགྲོ་བ་མིའི་རིགས་རྒྱུད་ཡོངས་ལ་སྐྱེས་ཙམ་ཉིད་ནས་ཆེ་མཐོངས་དང༌།",
    "ja": "すべての人間は、生まれながらにして自由であり、かつ、尊厳と権利とについて平等である。",
    "zh": "人人生而自由，在尊严和权利上一律平等。",
}
FROM_RIGHT_TO_LEFT = {
    "he": "כל בני האדם נולדו בני חורין ושווים בערכם ובזכויותיהם.",
    "ar": "يولد جميع الناس أحرارًا متساوين في الكرامة والحقوق.",
    "fa": "تمام افراد بشر آزاد زاده می‌شوند و از لحاظ حیثیت و کرامت و حقوق با هم برابرند.",
}
TONE_MARKED = {
    "yo": "Gbogbo ènìyàn ni a bí ní òmìnira; iyì àti ẹ̀tọ́ kọ̀ọ̀kan sì dọ́gba.",
    "ee": "Wodzi amegbetɔwo katã ablɔɖeviwoe eye wodzena bubu kple gomekpɔkpɔ sɔsɔe.",
    "vi": "Tất cả mọi người sinh ra đều được tự do và bình đẳng về nhân phẩm và quyền.",
}
SPACED = {
    "fi": "Kaikki ihmiset syntyvät vapaina ja tasavertaisina arvoltaan ja oikeuksiltaan.",
    "tr": "Bütün insanlar hür, haysiyet ve haklar bakımından eşit doğarlar.",
    "zu": "Bonke abantu bazalwa bekhululekile belingana ngesithunzi nangamalungelo.",
    "am": "የሰው ልጅ ሁሉ ሲወለድ ነጻና በክብርና በመብትም እኩልነት ያለው ነው።",
    "hi": "सभी मनुष्यों को गौरव और अधिकारों के मामले में जन्मजात स्वतन्त्रता और समानता प्राप्त है।",
    "chr": "ᏂᎦᏓ ᎠᏂᏴᏫ ᏂᎨᎫᏓᎸᎾ ᎠᎴ ᎤᏂᎶᏱ ᎤᎾᏕᎿ",
}
ALL = UNSPACED | FROM_RIGHT_TO_LEFT | TONE_MARKED | SPACED


def letters(text):
    """The letters of a text, folded, in order."""
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    return "".join(sign for sign in folded if unicodedata.category(sign)[0] == "L")


@pytest.mark.parametrize("language", ALL)
def test_no_letter_is_lost(language):
    text = ALL[language]
    assert letters("".join(Analyzer(language)(text))) == letters(text)


@pytest.mark.parametrize("language", UNSPACED)
def test_runs_without_spaces_are_cut(language):
    words = Analyzer(language)(UNSPACED[language])
    assert len(words) >= 6
    assert max(map(len, words)) <= 16


@pytest.mark.parametrize("language", FROM_RIGHT_TO_LEFT | TONE_MARKED | SPACED)
def test_spaces_part_words(language):
    text = ALL[language]
    assert abs(len(Analyzer(language)(text)) - len(text.split())) <= 1


@pytest.mark.parametrize("language", FROM_RIGHT_TO_LEFT)
def test_marks_of_direction_change_no_word(language):
    text = FROM_RIGHT_TO_LEFT[language]
    marked = "\u202b" + text.replace(" ", " \u200f") + "\u202c"
    assert Analyzer(language)(marked) == Analyzer(language)(text)


@pytest.mark.parametrize("language", ALL)
def test_composed_and_decomposed_letters_are_the_same(language):
    text = ALL[language]
    forms = [Analyzer(language)(unicodedata.normalize(form, text)) for form in ("NFC", "NFD")]
    assert forms[0] == forms[1]


@pytest.mark.parametrize("language", TONE_MARKED)
def test_tones_tell_words_apart_unless_they_are_stripped(language):
    text = TONE_MARKED[language]
    bare = "".join(sign for sign in unicodedata.normalize("NFD", text) if unicodedata.category(sign) != "Mn")
    assert Analyzer(language)(text) != Analyzer(language)(bare)
    assert Analyzer(language, strip_marks=True)(text) == Analyzer(language, strip_marks=True)(bare)


@pytest.mark.parametrize(
    ("language", "one", "other"),
    [("fi", "oikeuksiltaan", "oikeuksista"), ("tr", "haklar", "haklarımız"), ("zu", "abantu", "umuntu")],
)
def test_forms_of_a_word_share_ngrams(language, one, other):
    analyzer = Analyzer(language, features="characters")
    shared = set(analyzer(one)) & set(analyzer(other))
    assert len(shared) >= 3
