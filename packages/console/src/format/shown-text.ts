const MAX_CHARACTERS = 300

/** Control characters and direction marks, which could disguise text. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu

/** Untrusted text in one line: truncated, with invisible characters replaced. */
export function shownText(text: string, limit = MAX_CHARACTERS): string {
  const truncated = text.length > limit ? `${text.slice(0, limit)}…` : text
  return truncated.replace(INVISIBLE, visibleSign)
}

/** Untrusted text in full, with its line feeds and tabs. */
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
