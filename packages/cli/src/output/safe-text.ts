import { OWN_STYLE } from '../layout/style.ts'

/** Control, formatting, line separator, surrogate and ignorable characters, and marks after the fourth on a letter. */
const HIDDEN = String.raw`[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]|(?<=\p{M}{4})\p{M}`

/** Invisible parts of emoji and Persian words. */
const PART_OF_VISIBLE = [
  String.raw`(?<=\p{Extended_Pictographic})\ufe0f`,
  String.raw`(?<=\p{Extended_Pictographic}\ufe0f?\p{Emoji_Modifier}?)\u200d(?=\p{Extended_Pictographic})`,
  String.raw`(?<=\p{Script=Arabic})\u200c(?=\p{Script=Arabic})`,
].join('|')

const IN_VALUES = new RegExp(`(${PART_OF_VISIBLE})|${HIDDEN}`, 'gu')
const IN_TEXT = new RegExp(String.raw`${OWN_STYLE}|(${PART_OF_VISIBLE}|[\n\t])|${HIDDEN}`, 'gu')

/** Makes external text safe to print on one line: hidden characters become escapes like `\x1b`. */
export function printableText(text: string): string {
  return text.replaceAll(IN_VALUES, (all, kept: string | undefined) => kept ?? escapeCharacter(all))
}

/** Escapes hidden characters except line breaks, tabs and our own styles. */
export function terminalText(text: string): string {
  return text.replaceAll(IN_TEXT, (all, style: string | undefined, kept: string | undefined) =>
    style === undefined ? (kept ?? escapeCharacter(all)) : `\u001b${style}`,
  )
}

/** JSON that parses to this value, with hidden characters escaped. */
export function jsonText(value: unknown, space?: number): string {
  // The remaining line breaks separate lines in the document.
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

function escapeCharacter(character: string): string {
  const code = character.codePointAt(0)!
  const hex = code.toString(16)
  if (code < 0x100) return SHORT[character] ?? String.raw`\x${hex.padStart(2, '0')}`
  return code < 0x10000 ? String.raw`\u${hex.padStart(4, '0')}` : String.raw`\u{${hex}}`
}

function jsonEscape(character: string): string {
  const units = character.split('').map((unit) => unit.charCodeAt(0).toString(16).padStart(4, '0'))
  return units.map((unit) => String.raw`\u${unit}`).join('')
}
