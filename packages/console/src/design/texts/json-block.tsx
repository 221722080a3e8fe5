import type { ReactElement } from 'react'
import { shownLines } from '../../format/shown-text.ts'
import { CopyButton } from '../controls/copy-button.tsx'

/** A name, a text, a number or a word of JSON. What is between them is left as it is. */
const TOKEN = /("(?:[^"\\]|\\.)*")(\s*:)?|-?\d[\d.eE+-]*|\b(?:true|false|null)\b/g

interface JsonBlockProps {
  readonly value: unknown
  /** What it is: "the event". */
  readonly what: string
}

/** A JSON value, indented, with its names and values told apart. */
export function JsonBlock({ value, what }: JsonBlockProps): ReactElement {
  const text = JSON.stringify(value, null, 2) ?? 'undefined'
  return (
    <div className="bg-sunken border-line rounded-small relative min-w-0 border">
      <CopyButton text={text} what={what} className="bg-sunken absolute top-1.5 right-1.5" />
      <pre
        tabIndex={0}
        aria-label={what}
        className="text-dense max-h-[32rem] overflow-auto p-3 pr-9 break-words whitespace-pre-wrap"
      >
        <code>{coloured(shownLines(text))}</code>
      </pre>
    </div>
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
