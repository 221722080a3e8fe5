/**
 * Characters that make a terminal act, or show text in another order than it is stored: C0, DEL and C1, and the controls of
 * bidirectional text.
 */
const CONTROLS = String.raw`\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069`

const CONTROL = new RegExp(`[${CONTROLS}]`, 'g')
/** A colour or weight, which `styleText` makes; or a control character. */
const STYLE_OR_CONTROL = new RegExp(String.raw`(\u001b\[[\d;]*m)|(?![\n\t])[${CONTROLS}]`, 'g')

/** Text from outside, safe to print: � replaces control characters, which could move the cursor or hide text. */
export function printable(text: string): string {
  return text.replaceAll(CONTROL, '\ufffd')
}

/** Text for people as it goes to the terminal. Its lines and colours are kept; � replaces every other control character. */
export function terminalText(text: string): string {
  return text.replaceAll(STYLE_OR_CONTROL, (_all, style: string | undefined) => style ?? '\ufffd')
}

/** JSON that is safe to print. A program that parses it gets the same value. */
export function jsonText(value: unknown, space?: number): string {
  // Inside strings, line breaks are escaped already: the ones that are left are between the lines of the document.
  return JSON.stringify(value, null, space).replaceAll(CONTROL, (character) =>
    character === '\n' ? character : escaped(character),
  )
}

function escaped(character: string): string {
  return String.raw`\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}
