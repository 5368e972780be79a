"""Stop words of the main languages: what carries no content, and what tells a language."""

from __future__ import annotations


def word_set(listed: str) -> frozenset[str]:
    """The words of a blank-separated list."""
    return frozenset(listed.split())


_WORDS: dict[str, str] = {
    "en": "a about after all also an and any are as at be because been before being between "
    "both but by can could did do does during each for from further had has have having "
    "he her here hers him his how i if in into is it its itself just may me might more "
    "most my of off on once only or other our out over own s same she should so some such "
    "than that the their them then there these they this those through to too under up "
    "very was we were what when where which while who whom why will with would you your "
    "it's that's",
    "de": "aber alle als also am an auch auf aus bei beim bin bis da damit dann das dass daß "
    "dem den der des die dies diese dieser dieses doch dort du durch ein eine einem einen "
    "einer eines er es für hat hatte ich ihr im in ist ja kann man mit nach noch nur ob "
    "oder sehr sich sie sind so über um und uns unter vom von vor war waren was weil wenn "
    "werden wie wir wird wo wurde wurden zu zum zur",
    "fr": "à ai au aux avec c ce ces cet cette d dans de des du elle elles en est et été être "
    "eu fait il ils j je l la le les leur leurs lui m ma mais me même mes mon n nos notre "
    "nous on ont ou où par pas pour qu que qui s sa se ses son sont sur t ta te un une "
    "vos votre vous y",
    "es": "al algo como con cual cuando de del desde donde el él ella ellos en entre era es esa "
    "ese eso esta está este esto fue ha han hasta hay la las le les lo los más me mi muy "
    "nos o para pero por porque que qué se ser si sí sobre son su sus también te tiene "
    "todo tu un una uno y ya yo",
    "pt": "à ao aos as às até com como da das de dela dele do dos e é ela ele em entre era essa "
    "esse esta está este eu foi há isso isto já lhe mais mas me na nas no nos o os ou "
    "para pela pelo por quando que quem são se sem ser seu seus sua suas também te tem um "
    "uma você",
    "it": "a ad agli ai al alla alle anche c che chi ci come con da dal dalla degli dei del "
    "della delle di dove e è ed era gli ha hanno i il in io l la le lo loro ma mi nei nel "
    "nella non nostro o per perché più quando quella quello questa questo se si sono su "
    "sua sul sulla suo tra un una uno",
    "nl": "aan als bij dan dat de deze die dit door een en er had heeft hem het hij hoe hun ik "
    "in is je kan maar met naar nog of om omdat ook op over te tot uit van veel voor waar "
    "was wat we wel wie wordt worden ze zich zijn zo zou",
    "sv": "att av de den det du efter eller en ett för från ha han har hon i inte jag kan man "
    "med men när och om på sin sina som så till under upp ut vad var vi vid är över",
    "da": "af alle at blev da de den der deres det dette du efter eller en er et for fra ham "
    "han har hun i ikke jeg kan man med men mod nu når og også om op på sig sin skal som "
    "så til ud ved vi være været",
    "no": "av ble da de den det dette du eller en er et etter for fra ham han har hun i ikke "
    "jeg kan man med men mot når og også om på seg sin skal som så til ut var ved vi være "
    "vært",
    "fi": "ei että ja joka jos kuin kun minä mitä mutta ne niin nyt ole oli on ovat se sekä sen "
    "siis tai tämä vain voi",
    "pl": "a ale bez być był była było co czy dla do gdy i ich ile im ja jak jako jego jej jest "
    "już które który lub ma na nie niż o od oraz po pod przez przy są się ta tak także te "
    "tej ten to tym tylko w we z za ze że",
    "tr": "ama bir bu çok da daha de değil en gibi hem için ile ise kadar ki mi mu mı ne o olan "
    "olarak şu ve veya ya",
    "ro": "a ai al ale am ar are au ca că ce cu de din după e este fi în la lui mai nu o pe "
    "pentru prin sa să sau se și sunt un una unei unui",
    "hu": "a az be egy el és ez hogy is ki le már meg mint nem van vagy volt",
    "id": "adalah akan atau bahwa dalam dan dari dengan di ini itu ke oleh pada sebagai telah "
    "tidak untuk yang",
    "ca": "a al amb com de del dels el els en és i la les més no o per però que se són un una",
    "ru": "а без был была были было быть в вам вас во вот все всё вы где да для до его ее её "
    "если есть же за здесь и из или им их к как ко когда кто ли мне мы на над него нее но "
    "о об он она они оно от по под при с свой себя со так также там то того тоже той "
    "только у уже что чтобы это этого этой этом эту я",
    "el": "από για δεν είναι ένα η θα και με να ο οι που σε στη στην στο τα τη την της το τον "
    "του των ως",
    "ar": "إلى التي الذي أن إن أو ثم على عن في قد كان كانت كل لا لم لن ما مع من هذا هذه هو هي و "
    "يكون",
    "fa": "از است اما این آن با بر برای به تا در را شد شده که می و هم یا",
    "hi": "और इस उस एक का कि की के को था थी थे ने पर में यह या वह से है हैं हो",
}

STOPWORDS: dict[str, frozenset[str]] = {code: word_set(listed) for code, listed in _WORDS.items()}
"""By ISO 639-1 code. Negations are kept out of the English list on purpose: they are content."""

_LATIN = ("en", "de", "fr", "es", "pt", "it", "nl", "sv", "da", "no", "fi", "pl", "tr", "ro", "hu",
          "id", "ca")  # fmt: skip


def _hints() -> dict[str, tuple[str, ...]]:
    hints: dict[str, tuple[str, ...]] = {}
    for code in _LATIN:
        for word in STOPWORDS[code]:
            hints[word] = (*hints.get(word, ()), code)
    return hints


HINTS: dict[str, tuple[str, ...]] = _hints()
"""Stop word -> the Latin-script languages in which it is one."""
