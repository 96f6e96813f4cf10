"""Cuts texts into the word pieces of the bundled model, as the program's own tokenizer does (BERT, lower case, no accents)."""
import json
import re
import unicodedata

CLS, SEP, UNKNOWN = 101, 102, 100
LONGEST_WORD = 100

# Chinese, Japanese and Korean characters, each of which is a word of its own.
_CJK = "\u4e00-\u9fff\u3400-\u4dbf\U00020000-\U0002a6df\U0002a700-\U0002b73f\U0002b740-\U0002b81f\U0002b820-\U0002ceaf\uf900-\ufaff\U0002f800-\U0002fa1f"
_CJK_CHARACTER = re.compile(f"([{_CJK}])")


class WordPiece:
    """Converts texts to token ids, without special tokens."""

    def __init__(self, definition):
        """definition: the bytes of the model's tokenizer.json"""
        self.vocabulary = json.loads(definition)["model"]["vocab"]
        self._words = {}
        self._kinds = {}

    def ids(self, text):
        found = []
        for word in self._basic(text):
            pieces = self._words.get(word)
            if pieces is None:
                pieces = self._words[word] = self._cut(word)
            found += pieces
        return found

    def _kind(self, character):
        """Returns the kind of a character. s: white space; x: dropped; p: punctuation; w: part of a word"""
        kind = self._kinds.get(character)
        if kind is None:
            category = unicodedata.category(character)
            if character in "\t\n\r" or character.isspace() and category[0] != "C" or category[0] == "Z":
                kind = "s"
            elif category[0] == "C" or character == "\ufffd":
                kind = "x"
            elif category[0] == "P" or character.isascii() and not character.isalnum():
                kind = "p"
            else:
                kind = "w"
            self._kinds[character] = kind
        return kind

    def _basic(self, text):
        text = "".join(" " if k == "s" else c for c in text if (k := self._kind(c)) != "x")
        text = _CJK_CHARACTER.sub(r" \1 ", text)
        text = "".join(c for c in unicodedata.normalize("NFD", text) if unicodedata.category(c) != "Mn").lower()
        for word in text.split():
            start = 0
            for at, character in enumerate(word):
                if self._kind(character) == "p":
                    if at > start:
                        yield word[start:at]
                    yield character
                    start = at + 1
            if start < len(word):
                yield word[start:]

    def _cut(self, word):
        if len(word) > LONGEST_WORD:
            return [UNKNOWN]
        pieces, start = [], 0
        while start < len(word):
            for end in range(len(word), start, -1):
                piece = word[start:end] if start == 0 else "##" + word[start:end]
                if piece in self.vocabulary:
                    break
            else:
                return [UNKNOWN]
            pieces.append(self.vocabulary[piece])
            start = end
        return pieces
