import { OWN_STYLE } from '../layout/style.ts'

/**
 * Characters that make a terminal act, that show text in another order than it is stored, or that nobody sees: controls,
 * formats, line separators, half characters, and what Unicode calls ignorable. And a mark on a letter that has four.
 */
const HIDDEN = String.raw`[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]|(?<=\p{M}{4})\p{M}`

/** Invisible parts of what is visible: of emoji, and the joint inside Persian words. */
const PART_OF_VISIBLE = [
  String.raw`(?<=\p{Extended_Pictographic})\ufe0f`,
  String.raw`(?<=\p{Extended_Pictographic}\ufe0f?\p{Emoji_Modifier}?)\u200d(?=\p{Extended_Pictographic})`,
  String.raw`(?<=\p{Script=Arabic})\u200c(?=\p{Script=Arabic})`,
].join('|')

const IN_VALUES = new RegExp(`(${PART_OF_VISIBLE})|${HIDDEN}`, 'gu')
const IN_TEXT = new RegExp(String.raw`${OWN_STYLE}|(${PART_OF_VISIBLE}|[\n\t])|${HIDDEN}`, 'gu')

/** Text from outside on one line, safe to print: hidden characters are shown as escapes like `\x1b` and `\u200b`. */
export function printable(text: string): string {
  return text.replaceAll(IN_VALUES, (all, kept: string | undefined) => kept ?? shown(all))
}

/** Text for people as it goes to the terminal. Of the hidden characters, only its lines and our own styles take effect. */
export function terminalText(text: string): string {
  return text.replaceAll(IN_TEXT, (all, style: string | undefined, kept: string | undefined) =>
    style === undefined ? (kept ?? shown(all)) : `\u001b${style}`,
  )
}

/** JSON that is safe to print. A program that parses it gets the same value. */
export function jsonText(value: unknown, space?: number): string {
  // Inside strings, line breaks are escaped already: the ones that are left are between the lines of the document.
  return JSON.stringify(value, null, space).replaceAll(
    IN_VALUES,
    (all, kept: string | undefined) => kept ?? (all === '\n' ? all : jsonEscape(all)),
  )
}

const SHORT: Readonly<Record<string, string>> = {
  '\n': String.raw`\n`,
  '\r': String.raw`\r`,
  '\t': String.raw`\t`,
}

function shown(character: string): string {
  const code = character.codePointAt(0)!
  const hex = code.toString(16)
  if (code < 0x100) return SHORT[character] ?? String.raw`\x${hex.padStart(2, '0')}`
  return code < 0x10000 ? String.raw`\u${hex.padStart(4, '0')}` : String.raw`\u{${hex}}`
}

function jsonEscape(character: string): string {
  const units = character.split('').map((unit) => unit.charCodeAt(0).toString(16).padStart(4, '0'))
  return units.map((unit) => String.raw`\u${unit}`).join('')
}
