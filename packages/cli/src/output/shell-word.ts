import { printable } from './safe-text.ts'

/** A text as one word of a shell command that a person may paste. */
export function shellWord(text: string): string {
  return /^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`
}

/** A destination in a command to paste: its name, or its id where the name is shared or cannot be shown as it is. */
export function destinationWord(id: string, names: ReadonlyMap<string, string>): string {
  const name = names.get(id)
  const alike = [...names.values()].filter((each) => each === name)
  if (name === undefined || alike.length > 1) return id
  return printable(name) !== name || name.startsWith('-') ? id : shellWord(name)
}
