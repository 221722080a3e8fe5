import { INGEST_CODES, type IngestCodeName } from '@hookline/protocol'
import type { ReactElement } from 'react'
import { classNames } from '../../design/class-names.ts'
import { Cell, Row, Table } from '../../design/lists/table.tsx'
import { wholeNumber } from '../../format/figures.ts'
import { shownText } from '../../format/shown-text.ts'

interface Point {
  readonly rejected: Readonly<Record<string, number>>
}

interface RejectedCallsProps {
  readonly points: readonly Point[]
  readonly className?: string
}

/** Rejected calls by reason, with remedies. */
export function RejectedCalls({ points, className }: RejectedCallsProps): ReactElement {
  const refusals = refusalsIn(points)
  if (refusals.length === 0)
    return <p className={classNames('text-ink-soft', className)}>No rejected calls.</p>
  return (
    <Table label="Rejected calls by reason" head={['Reason', 'Calls', 'What to do']}>
      {refusals.map(({ code, count, meaning, remedy }) => (
        <Row key={code}>
          <Cell className="min-w-48">
            <p>{meaning}</p>
            <code className="text-ink-faint text-note">{shownText(code)}</code>
          </Cell>
          <Cell className="tabular-nums">{wholeNumber(count)}</Cell>
          <Cell className="text-ink-soft min-w-64">{remedy}</Cell>
        </Row>
      ))}
    </Table>
  )
}

/** Counts by code, the most frequent first. */
export function refusalsIn(points: readonly Point[]) {
  const counts = new Map<string, number>()
  for (const { rejected } of points)
    for (const [code, count] of Object.entries(rejected))
      counts.set(code, (counts.get(code) ?? 0) + count)
  return [...counts]
    .filter(([, count]) => count > 0)
    .toSorted(([a, before], [b, after]) => after - before || a.localeCompare(b))
    .map(([code, count]) => ({ code, count, ...explanationOf(code) }))
}

function explanationOf(code: string): { readonly meaning: string; readonly remedy: string } {
  // Counted as rejected, although these calls got a 200.
  if (code === 'suppressed')
    return {
      meaning: 'The user is suppressed: the call got a 200 but was not stored.',
      remedy: 'No action needed. Suppressions are listed, and can be ended, under Privacy.',
    }
  if (!Object.hasOwn(INGEST_CODES, code))
    return { meaning: 'Unknown code from a newer version of Hookline.', remedy: 'Reload the page.' }
  const { message, help } = INGEST_CODES[code as IngestCodeName]
  return { meaning: message, remedy: help }
}
