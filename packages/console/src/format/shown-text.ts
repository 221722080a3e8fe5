/** A text of a sender is shown up to this length; the rest is one click away, in the raw event. */
const MOST_CHARACTERS = 300

/** Control characters, and marks that change the direction of what follows: they could make a text look like another one. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu

/** A text of a sender or receiver in one line: bounded, with a visible sign in place of what cannot be seen. */
export function shownText(text: string, most = MOST_CHARACTERS): string {
  const bounded = text.length > most ? `${text.slice(0, most)}…` : text
  return bounded.replace(INVISIBLE, visibleSign)
}

/** The same for a text of several lines: line feeds and tabs stay. */
export function shownLines(text: string): string {
  return text.replace(INVISIBLE, (sign) =>
    sign === '\n' || sign === '\t' ? sign : visibleSign(sign),
  )
}

function visibleSign(sign: string): string {
  const code = sign.codePointAt(0)!
  if (code < 0x20) return String.fromCharCode(0x2400 + code)
  return code === 0x7f ? '␡' : `⟨U+${code.toString(16).toUpperCase().padStart(4, '0')}⟩`
}
