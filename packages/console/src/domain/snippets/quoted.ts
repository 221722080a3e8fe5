/*
 * Texts as literals of the languages of the snippets. Write keys that were imported may contain any character.
 */

/** As an argument of a POSIX shell. */
export function shellText(text: string): string {
  return /^[\w.:/@%+,=-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`
}

/** As a string of JavaScript, in single quotes. */
export function scriptText(text: string): string {
  const inside = JSON.stringify(text).slice(1, -1)
  return `'${inside.replaceAll(String.raw`\"`, '"').replaceAll("'", String.raw`\'`)}'`
}

/** As a string of Python and of Go: both know the escapes of JSON. */
export function jsonText(text: string): string {
  return JSON.stringify(text)
}
