import { type ReactElement, useState } from 'react'
import { countText } from '../../format/figures.ts'
import { shownLines } from '../../format/shown-text.ts'
import { CodeBlock } from './code-block.tsx'

/** A name, string, number or keyword. */
const TOKEN = /("(?:[^"\\]|\\.)*")(\s*:)?|-?\d[\d.eE+-]*|\b(?:true|false|null)\b/g

interface JsonBlockProps {
  readonly value: unknown
  /** The label for screen readers: "the event". */
  readonly what: string
}

/** In longer texts, objects and lists can be folded. */
const FOLDABLE_FROM = 1_000
/** Objects and lists at this depth and below are folded initially. */
const FOLDED_DEPTH = 2

/** JSON in colour. */
export function JsonBlock({ value, what }: JsonBlockProps): ReactElement {
  const text = JSON.stringify(value, null, 2) ?? 'undefined'
  return (
    <CodeBlock text={text} what={what}>
      {text.length < FOLDABLE_FROM ? (
        colourTokens(shownLines(text))
      ) : (
        <Foldable label="" value={value} end="" depth={0} />
      )}
    </CodeBlock>
  )
}

interface FoldableProps {
  /** The name of a member, with its colon. */
  readonly label: string
  readonly value: unknown
  /** The comma, except after the last value. */
  readonly end: string
  readonly depth: number
}

/** A value that can be opened. Its members are rendered when it is first opened: a body may have thousands. */
function Foldable({ label, value, end, depth }: FoldableProps): ReactElement {
  const isOpen = depth < FOLDED_DEPTH
  const [wasOpened, setOpened] = useState(isOpen)
  const members = typeof value === 'object' && value !== null ? Object.entries(value) : []
  if (members.length === 0)
    return (
      <span className="block">{colourTokens(shownLines(label + JSON.stringify(value) + end))}</span>
    )
  const isList = Array.isArray(value)
  const [first, last] = isList ? ['[', ']'] : ['{', '}']
  return (
    <details open={isOpen} onToggle={() => setOpened(true)}>
      <summary>
        {colourTokens(shownLines(label))}
        {first}
        <span className="text-ink-faint [details[open]>summary>&]:hidden">
          {` ${countText(members.length, isList ? 'value' : 'field')} `}
          {last + end}
        </span>
      </summary>
      <span className="block pl-4">
        {wasOpened &&
          members.map(([name, each], index) => (
            <Foldable
              key={name}
              label={isList ? '' : `${JSON.stringify(name)}: `}
              value={each}
              end={index === members.length - 1 ? '' : ','}
              depth={depth + 1}
            />
          ))}
      </span>
      {last + end}
    </details>
  )
}

function colourTokens(text: string): (string | ReactElement)[] {
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
