/* Literals for snippets. Imported write keys may contain any character. */

/** A POSIX shell argument. */
export function shellText(text: string): string {
  return /^[\w.:/@%+,=-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`
}

/** A JavaScript string in single quotes. */
export function scriptText(text: string): string {
  const inside = JSON.stringify(text).slice(1, -1)
  return `'${inside.replaceAll(String.raw`\"`, '"').replaceAll("'", String.raw`\'`)}'`
}

/** A Python or Go string: both support the escapes of JSON. */
export function jsonText(text: string): string {
  return JSON.stringify(text)
}
