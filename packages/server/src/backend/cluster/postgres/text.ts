// A text column of PostgreSQL cannot hold U+0000, which JSON of a client may have. The escape is a character for private use.
const ESCAPE = '\uf8ff'
const NUL = `${ESCAPE}0`
const ESCAPED = `${ESCAPE}1`

/** The text as a column keeps it. Different texts stay different; `fromText` returns the original. */
export function toText(text: string): string {
  if (!text.includes('\0') && !text.includes(ESCAPE)) return text
  return text.replaceAll(ESCAPE, ESCAPED).replaceAll('\0', NUL)
}

/** The same for JSON, which has no U+0000: PostgreSQL refuses other texts. */
export function jsonToText(json: string): string {
  return json.replaceAll(ESCAPE, ESCAPED)
}

/** The text that a column keeps. */
export function fromText(stored: string): string {
  if (!stored.includes(ESCAPE)) return stored
  return stored.replaceAll(NUL, '\0').replaceAll(ESCAPED, ESCAPE)
}

/** The same for a column that may be empty. */
export function toTextOrNull(text: string | undefined): string | null {
  return text === undefined ? null : toText(text)
}
