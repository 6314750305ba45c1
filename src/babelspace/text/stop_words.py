"""Lists of stop words: only words of closed classes, which carry grammar and no topic.

Articles, pronouns, prepositions, conjunctions, auxiliaries and the commonest adverbs. Longer lists in use drop words
such as *system*, *research* and *information*, which are what documents are about; these do not.
"""

from __future__ import annotations

from pathlib import Path

from babelspace.errors import CorpusError, ParameterError

NONE, FUNCTION = "none", "function"

FUNCTION_WORDS: dict[str, str] = {
    "de": (
        "der die das den dem des ein eine einer eines einem einen kein keine keinen keiner keinem ich du er sie "
        "es wir ihr mich mir dich dir ihn ihm uns euch ihnen mein meine sein seine seiner seinen ihre ihrer ihren "
        "unser unsere dieser diese dieses diesem diesen jener welche welcher welches wer was und oder aber denn "
        "dass daß weil wenn als ob wie so in im an am auf aus bei mit nach von vom zu zum zur für über unter vor "
        "durch gegen ohne um bis zwischen ist sind war waren bin bist sei wäre wird werden wurde wurden worden "
        "hat haben hatte hatten kann können konnte muss müssen soll sollen will wollen nicht nur auch noch schon "
        "sehr da dann hier man sich"
    ),
    "en": (
        "the a an this that these those i you he she it we they me him her us them my your his its our their mine "
        "who whom whose which what and or but nor if then than because as while so of in on at by for with about "
        "against between into through during before after above below to from up down out off over under is are "
        "was were be been being am have has had having do does did doing will would shall should can could may "
        "might must not no there here when where why how all any both each more most other some such only own "
        "same too very s t"
    ),
    "es": (
        "el la los las lo un una unos unas al del yo tú él ella ello nosotros ellos ellas me te se nos os le les "
        "mi tu su sus mis nuestro nuestra nuestros nuestras este esta esto estos estas ese esa eso esos esas "
        "aquel que quien quienes cual cuales cuyo y e o u pero sino ni si porque como cuando donde a ante bajo "
        "con contra de desde en entre hacia hasta para por según sin sobre tras es son era eran fue fueron ser "
        "sido siendo está están estaba ha han había haber hay no ya más muy también tan sólo solo así"
    ),
    "fr": (
        "le la les l un une des du de d au aux je tu il elle on nous vous ils elles me te se lui leur leurs mon "
        "ma mes ton ta tes son sa ses notre nos votre vos ce cet cette ces c qui que qu quoi dont où et ou mais "
        "ni car or donc si comme quand lorsque à dans en par pour sur sous avec sans chez entre vers contre est "
        "sont était étaient être été suis es sera seront serait ai as a ont avait avaient avoir eu ne n pas plus "
        "y très aussi ainsi même j m s t"
    ),
    "it": (
        "il lo la i gli le l un uno una di del dello della dei degli delle a al allo alla ai agli alle da dal "
        "dalla dai dalle in nel nello nella nei negli nelle con su sul sulla sui sulle per tra fra io tu egli lui "
        "lei noi voi essi loro mi ti si ci vi mio mia tuo suo sua suoi sue nostro nostra questo questa questi "
        "queste quello quella che chi cui e ed o ma se perché come quando dove è sono era erano essere stato "
        "stata ha hanno aveva avere non più anche così"
    ),
    "nl": (
        "de het een deze die dit dat ik jij je u hij zij ze wij we jullie mij me hem haar ons hun mijn zijn onze "
        "wie wat welke en of maar want dus als dan omdat indien toen zo in op aan bij met naar van voor over "
        "onder door tegen zonder om tot tussen uit te ten ter is ben bent was waren word wordt worden werd werden "
        "heeft hebben had hadden kan kunnen kon moet moeten zal zullen zou niet geen ook nog al er hier daar"
    ),
    "pl": (
        "i a oraz lub albo ale lecz więc bo że żeby aby gdy kiedy jak jeśli czy w we z ze na do od po przez przy "
        "dla o u za pod nad przed między bez ja ty on ona ono my wy oni one mnie mi cię go jej jemu mu nas nam "
        "was ich im się mój moja swój jego ten ta to tego tej tym tych te który która które którego której jest "
        "są był była było były być będzie nie tak też także już tylko"
    ),
    "pt": (
        "o a os as um uma uns umas do da dos das no na nos nas ao à aos às pelo pela pelos pelas eu tu ele ela "
        "nós vós eles elas me te se lhe lhes meu minha seu sua seus suas nosso nossa este esta isto estes estas "
        "esse essa isso aquele que quem qual quais e ou mas nem se porque como quando onde a ante com contra de "
        "desde em entre até para por sem sob sobre é são era eram foi foram ser sido está estão há tem têm havia "
        "não já mais muito também"
    ),
    "ru": (
        "и а но или да что чтобы как если когда где в во на с со к ко от до по за из у о об при для без под над "
        "перед через между я ты он она оно мы вы они меня мне тебя его ее её ему ей нас нам вас вам их им мой "
        "твой свой наш ваш этот эта это эти тот та те который которая которое которые быть был была было были "
        "есть не ни же бы ли уже также так"
    ),
    "zh": (
        "的 了 和 是 在 也 与 及 或 但 而 就 都 着 把 被 对 从 到 以 为 之 于 其 这 那 "
        "我 你 他 她 它 我们 你们 他们 这个 那个 一个 不 没有 有"
    ),
}


def stop_words(language: str, source: str | Path = FUNCTION) -> tuple[str, ...]:
    """The stop words of a language: the list "function", none, or those of a file, one a line.

    Examples
    --------
    >>> "the" in stop_words("en"), "information" in stop_words("en"), stop_words("en", "none")
    (True, False, ())
    """
    if str(source) == NONE:
        return ()
    if str(source) != FUNCTION:
        return _read(Path(source))
    if language not in FUNCTION_WORDS:
        raise ParameterError(
            f"no list of function words for {language!r}; there are lists for {', '.join(FUNCTION_WORDS)}",
            hint="give a file with one word a line, or drop the most frequent terms ({drop_top=50})",
        )
    return tuple(FUNCTION_WORDS[language].split())


def _read(path: Path) -> tuple[str, ...]:
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as problem:
        raise CorpusError(
            f"no list of stop words ({problem})", path=path, hint=f"give {FUNCTION!r}, {NONE!r} or a file of words"
        ) from problem
    return tuple(word for line in lines if (word := line.strip()) and not word.startswith("#"))
