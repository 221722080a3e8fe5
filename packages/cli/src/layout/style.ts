import { randomBytes } from 'node:crypto'
import { styleText } from 'node:util'

export type Format = Parameters<typeof styleText>[0]

/** Part of each style sequence that we write. Every process has another one, so that no text from outside can contain it. */
const MARK = randomBytes(9).toString('base64url')

/** The source of a pattern for a style sequence of ours. Its only group is the sequence without ESC and mark. */
export const OWN_STYLE = String.raw`\u001b${MARK}(\[[\d;]*m)`

const OWN_STYLES = new RegExp(OWN_STYLE, 'g')

/**
 * The text in a colour or weight, if the stream shows them: on a terminal that has colours, subject to NO_COLOR,
 * FORCE_COLOR and TERM=dumb. The sequences become effective in `terminalText`.
 */
export function styled(format: Format, text: string, stream: NodeJS.WriteStream): string {
  const [start = '', end = ''] = styleText(format, '\n', { stream }).split('\n')
  return marked(start) + text + marked(end)
}

/** The text as it is without our styles. */
export function withoutStyles(text: string): string {
  return text.replaceAll(OWN_STYLES, '')
}

function marked(sequence: string): string {
  return sequence.replaceAll('\u001b', `\u001b${MARK}`)
}
