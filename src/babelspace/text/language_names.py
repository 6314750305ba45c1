"""Names of languages, in English and in the language itself, for people who write `Español` instead of `es`.

By hand: the package that knows all names (language_data) takes 30 MB, more than everything else that text needs.
"""

from __future__ import annotations

_NAMES = """
af Afrikaans|am Amharic አማርኛ|ar Arabic العربية|az Azerbaijani azərbaycan|be Belarusian беларуская|bg Bulgarian български
bn Bengali Bangla বাংলা|bs Bosnian bosanski|ca Catalan català|cs Czech čeština|cy Welsh Cymraeg|da Danish dansk
de German Deutsch|el Greek Ελληνικά|en English|eo Esperanto|es Spanish español castellano|et Estonian eesti
eu Basque euskara|fa Persian Farsi فارسی|fi Finnish suomi|fr French français|ga Irish Gaeilge|gl Galician galego
gu Gujarati ગુજરાતી|ha Hausa|he Hebrew עברית|hi Hindi हिन्दी|hr Croatian hrvatski|ht Haitian|hu Hungarian magyar
hy Armenian հայերեն|id Indonesian|ig Igbo|is Icelandic íslenska|it Italian italiano|ja Japanese 日本語
ka Georgian ქართული|kk Kazakh қазақ|km Khmer ខ្មែរ|kn Kannada ಕನ್ನಡ|ko Korean 한국어|la Latin latina|lo Lao ລາວ
lt Lithuanian lietuvių|lv Latvian latviešu|mk Macedonian македонски|ml Malayalam മലയാളം|mn Mongolian монгол
mr Marathi मराठी
ms Malay Melayu|mt Maltese Malti|my Burmese မြန်မာ|nb Bokmål|ne Nepali नेपाली|nl Dutch Nederlands
nn Nynorsk|no Norwegian norsk|pa Punjabi ਪੰਜਾਬੀ|pl Polish polski|ps Pashto پښتو|pt Portuguese português
qu Quechua|ro Romanian română
ru Russian русский|si Sinhala සිංහල|sk Slovak slovenčina|sl Slovenian slovenščina|so Somali|sq Albanian shqip
sr Serbian српски srpski|sv Swedish svenska|sw Swahili Kiswahili|ta Tamil தமிழ்|te Telugu తెలుగు|th Thai ไทย
tl Tagalog|tr Turkish Türkçe|uk Ukrainian українська|ur Urdu اردو|uz Uzbek|vi Vietnamese|xh Xhosa|yi Yiddish ייִדיש
yo Yoruba|zh Chinese 中文 汉语 漢語|zu Zulu isiZulu
"""
NAMES: dict[str, str] = {
    name.casefold(): code
    for entry in _NAMES.replace("\n", "|").strip("|").split("|")
    for code, *names in [entry.split()]
    for name in names
}
