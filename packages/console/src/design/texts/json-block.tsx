import type { ReactElement } from 'react'
import { shownLines } from '../../format/shown-text.ts'
import { CodeBlock } from './code-block.tsx'

/** A name, string, number or keyword. */
const TOKEN = /("(?:[^"\\]|\\.)*")(\s*:)?|-?\d[\d.eE+-]*|\b(?:true|false|null)\b/g

interface JsonBlockProps {
  readonly value: unknown
  /** The label for screen readers: "the event". */
  readonly what: string
}

export function JsonBlock({ value, what }: JsonBlockProps): ReactElement {
  const text = JSON.stringify(value, null, 2) ?? 'undefined'
  return (
    <CodeBlock text={text} what={what}>
      {coloured(shownLines(text))}
    </CodeBlock>
  )
}

function coloured(text: string): (string | ReactElement)[] {
  const parts: (string | ReactElement)[] = []
  let end = 0
  for (const match of text.matchAll(TOKEN)) {
    const [token, quoted, colon] = match
    parts.push(text.slice(end, match.index))
    end = match.index + token.length
    const look =
      quoted === undefined ? 'text-held' : colon === undefined ? 'text-delivered' : 'text-ink-soft'
    parts.push(
      <span key={match.index} className={look}>
        {token}
      </span>,
    )
  }
  return [...parts, text.slice(end)]
}
