import type { ReactElement, ReactNode } from 'react'
import { classNames } from '../../design/class-names.ts'
import { CodeBlock } from '../../design/texts/code-block.tsx'
import { countText, wholeNumber } from '../../format/figures.ts'
import { shownLines, shownText } from '../../format/shown-text.ts'
import { indentJson } from '../request-text.ts'
import {
  type Difference,
  type DifferenceMark,
  type MarkedLine,
  payloadDiff,
} from './payload-diff.ts'
import type { TestedPayloads } from './tested-payloads.ts'

interface PayloadColumnsProps {
  readonly payloads: TestedPayloads
}

/** The stored payload beside the body made from it, with differences marked. On a narrow screen, the body is below. */
export function PayloadColumns({ payloads }: PayloadColumnsProps): ReactElement {
  const { stored, formatted, precisionLost, sent } = payloads
  const shaped = formatted ?? (sent.kind === 'body' ? sent.body : '')
  const diff = payloadDiff(stored, shaped)
  return (
    <div className="flex flex-col gap-3">
      {diff !== undefined && <Differences differences={diff.differences} />}
      <div className="grid grid-cols-1 gap-3 md:auto-cols-fr md:grid-flow-col">
        <Column title="Stored payload">
          <Payload text={stored} lines={diff?.stored} what="the stored payload" />
        </Column>
        {formatted !== undefined && (
          <Column title="Before the transform">
            <Payload text={formatted} lines={diff?.sent} what="the payload before the transform" />
          </Column>
        )}
        <Column title="Body">
          {sent.kind === 'body' ? (
            <Payload
              text={sent.body}
              lines={formatted === undefined ? diff?.sent : undefined}
              what="the body"
            />
          ) : sent.kind === 'nothing' ? (
            <p>Nothing is sent: the transform returned nothing.</p>
          ) : (
            <p className="text-failed">{shownText(sent.error, 1_000)}</p>
          )}
        </Column>
      </div>
      {precisionLost !== undefined && (
        <p className="text-ink-soft text-note">
          The transform gets these numbers as text, because JavaScript cannot represent them
          exactly: {shownText(precisionLost.join(', '), 300)}
        </p>
      )}
    </div>
  )
}

interface ColumnProps {
  readonly title: string
  readonly children: ReactNode
}

function Column({ title, children }: ColumnProps): ReactElement {
  return (
    <section className="flex min-w-0 flex-col gap-1">
      <h3 className="text-dense font-medium">{title}</h3>
      {children}
    </section>
  )
}

const LOOKS: Readonly<Record<DifferenceMark, string>> = {
  removed: 'bg-failed-soft text-failed',
  changed: 'bg-retrying-soft text-retrying',
  hashed: 'bg-retrying-soft text-retrying',
  added: 'bg-delivered-soft text-delivered',
}

const MAX_SHOWN = 20

function Differences({
  differences,
}: {
  readonly differences: readonly Difference[]
}): ReactElement | null {
  if (differences.length === 0) return null
  return (
    <div className="text-dense flex flex-col gap-1">
      <p className="font-medium">{countText(differences.length, 'difference')}</p>
      <ul className="flex flex-wrap gap-x-4 gap-y-1">
        {differences.slice(0, MAX_SHOWN).map(({ path, mark }) => (
          <li key={path}>
            <MarkLabel mark={mark} /> <code>{shownText(path || '""', 120)}</code>
          </li>
        ))}
        {differences.length > MAX_SHOWN && (
          <li className="text-ink-faint">and {wholeNumber(differences.length - MAX_SHOWN)} more</li>
        )}
      </ul>
    </div>
  )
}

function MarkLabel({ mark }: { readonly mark: DifferenceMark }): ReactElement {
  return (
    <span
      className={classNames(
        'text-note rounded-small px-1.5 py-px font-sans font-medium select-none',
        LOOKS[mark],
      )}
    >
      {mark}
    </span>
  )
}

interface PayloadProps {
  readonly text: string
  /** `undefined`: nothing is marked. */
  readonly lines: readonly MarkedLine[] | undefined
  readonly what: string
}

function Payload({ text, lines, what }: PayloadProps): ReactElement {
  return (
    <CodeBlock text={indentJson(text)} what={what}>
      {lines?.map((line, index) => (
        <Line key={index} {...line} />
      ))}
    </CodeBlock>
  )
}

function Line({ text, mark, isFirst }: MarkedLine): ReactElement {
  const shown = shownLines(text)
  if (mark === undefined) return <span className="block">{shown}</span>
  return (
    <span className={classNames('block', LOOKS[mark])}>
      {mark === 'removed' ? <Struck text={shown} /> : shown}
      {isFirst === true && (
        <>
          {' '}
          <MarkLabel mark={mark} />
        </>
      )}
    </span>
  )
}

/** The indentation is not struck through. */
function Struck({ text }: { readonly text: string }): ReactElement {
  const content = text.trimStart()
  return (
    <>
      {text.slice(0, text.length - content.length)}
      <del>{content}</del>
    </>
  )
}
