import truncatedWidth from 'fast-string-truncated-width'
import { withoutStyles } from './style.ts'

const GRAPHEMES = new Intl.Segmenter(undefined, { granularity: 'grapheme' })

/** The width on a terminal: two columns for CJK and emoji, none for our styles. */
export function columnsOf(text: string): number {
  return truncatedWidth(withoutStyles(text)).width
}

/** Truncates text with … */
export function cutText(text: string, columns: number): string {
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

/** Wraps text between words. Long words stay whole: they may be ids or URLs. */
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

/** Wraps text at any character, because a response body may have no spaces. */
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
