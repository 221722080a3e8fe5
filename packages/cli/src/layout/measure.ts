import truncatedWidth from 'fast-string-truncated-width'
import { withoutStyles } from './style.ts'

const GRAPHEMES = new Intl.Segmenter(undefined, { granularity: 'grapheme' })

/** How many columns of a terminal a text takes: two for each CJK character and emoji, none for our styles. */
export function columnsOf(text: string): number {
  return truncatedWidth(withoutStyles(text)).width
}

/** The text, or as much of its beginning as fits with a … at its end. */
export function cut(text: string, columns: number): string {
  if (columnsOf(text) <= columns) return text
  const parts: string[] = []
  let left = columns - 1
  for (const { segment } of GRAPHEMES.segment(text)) {
    left -= columnsOf(segment)
    if (left < 0) break
    parts.push(segment)
  }
  return `${parts.join('').trimEnd()}…`
}

/** The lines of a text that is broken between words. A word that is too long stays whole: it may be an id or a URL. */
export function wordLines(text: string, columns: number): string[] {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`
    if (line !== '' && columnsOf(longer) > columns) {
      lines.push(line)
      line = word
    } else line = longer
  }
  return [...lines, line]
}

/** The lines of a text without words, such as the body of a response: each is as long as it can be. */
export function fullLines(text: string, columns: number): string[] {
  const lines = ['']
  let left = columns
  for (const { segment } of GRAPHEMES.segment(text)) {
    const width = columnsOf(segment)
    if (width > left) {
      lines.push('')
      left = columns
    }
    lines[lines.length - 1] += segment
    left -= width
  }
  return lines
}
