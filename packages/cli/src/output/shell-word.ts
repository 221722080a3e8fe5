import { printableText } from './safe-text.ts'

export function shellWord(text: string): string {
  return /^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`
}

/**
 * The name of a destination, quoted for a shell; its id if the name is unknown, not unique or not
 * printable, or begins with `-`.
 */
export function destinationWord(id: string, names: ReadonlyMap<string, string>): string {
  const name = names.get(id)
  const alike = [...names.values()].filter((each) => each === name)
  if (name === undefined || alike.length > 1) return id
  return printableText(name) !== name || name.startsWith('-') ? id : shellWord(name)
}
