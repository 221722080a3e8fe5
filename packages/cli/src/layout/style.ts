import { randomBytes } from 'node:crypto'
import { styleText } from 'node:util'

export type Format = Parameters<typeof styleText>[0]

/** Marks our style sequences. Random, so that external text cannot contain it. */
const MARK = randomBytes(9).toString('base64url')

/** Matches our style sequences. The group is the sequence without ESC and mark. */
export const OWN_STYLE = String.raw`\u001b${MARK}(\[[\d;]*m)`

const OWN_STYLES = new RegExp(OWN_STYLE, 'g')

/** Styles text if the stream supports it. `terminalText` makes the sequences effective. */
export function styledText(format: Format, text: string, stream: NodeJS.WriteStream): string {
  const [start = '', end = ''] = styleText(format, '\n', { stream }).split('\n')
  return withMark(start) + text + withMark(end)
}

export function withoutStyles(text: string): string {
  return text.replaceAll(OWN_STYLES, '')
}

function withMark(sequence: string): string {
  return sequence.replaceAll('\u001b', `\u001b${MARK}`)
}
