// Text columns cannot hold U+0000, which client JSON may contain. The escape is a private use character.
const ESCAPE = '\uf8ff'
const NUL = `${ESCAPE}0`
const ESCAPED = `${ESCAPE}1`

/** Escapes a string for a column. `fromText` returns the original. */
export function toText(text: string): string {
  if (!text.includes('\0') && !text.includes(ESCAPE)) return text
  return text.replaceAll(ESCAPE, ESCAPED).replaceAll('\0', NUL)
}

/** Escapes JSON, which has no U+0000. */
export function jsonToText(json: string): string {
  return json.replaceAll(ESCAPE, ESCAPED)
}

export function fromText(stored: string): string {
  if (!stored.includes(ESCAPE)) return stored
  return stored.replaceAll(NUL, '\0').replaceAll(ESCAPED, ESCAPE)
}

export function toTextOrNull(text: string | undefined): string | null {
  return text === undefined ? null : toText(text)
}
