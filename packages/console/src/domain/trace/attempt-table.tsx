import type { ReactElement } from 'react'
import { StateBadge } from '../../design/state-badge.tsx'
import { Cell, Row, Table } from '../../design/lists/table.tsx'
import { Time } from '../../design/texts/time.tsx'
import { duration } from '../../format/figures.ts'
import { shownText } from '../../format/shown-text.ts'
import { phasesOf } from './phases.ts'
import { shownOutcome } from './states.ts'
import type { TracedAttempt, TracedDelivery } from './trace-query.ts'

/** Of a delivery with hundreds of attempts, the newest. All of them are on the timeline. */
const MOST = 50
const HEAD = ['Attempt', 'Result', 'Took', 'Error', 'Started']

/** The attempts of a delivery, newest first. */
export function AttemptTable({
  delivery,
}: {
  readonly delivery: TracedDelivery | undefined
}): ReactElement | undefined {
  if (delivery === undefined || delivery.attempts.length === 0) return undefined
  const several = new Set(delivery.attempts.map(({ url }) => url)).size > 1
  const newest = delivery.attempts
    .toSorted((a, b) => Date.parse(b.startedAt) - Date.parse(a.startedAt))
    .slice(0, MOST)
  return (
    <div className="-mx-4">
      <Table label={`Attempts of ${delivery.id}`} head={HEAD}>
        {newest.map((attempt) => (
          <AttemptRow key={attempt.id} attempt={attempt} showsUrl={several} />
        ))}
      </Table>
    </div>
  )
}

interface AttemptRowProps {
  readonly attempt: TracedAttempt
  readonly showsUrl: boolean
}

function AttemptRow({ attempt, showsUrl }: AttemptRowProps): ReactElement {
  const { number, url, outcome, status, durationMs, error, startedAt, replayId } = attempt
  const { tone, words } = shownOutcome(outcome)
  const phases = phasesOf(attempt).map((phase) => `${phase.words} ${duration(phase.ms)}`)
  return (
    <Row>
      <Cell>
        #{number}
        {replayId !== undefined && <span className="text-ink-faint"> replay</span>}
        {showsUrl && <span className="text-ink-faint block">{shownText(url, 60)}</span>}
      </Cell>
      <Cell className="whitespace-nowrap">
        <StateBadge tone={tone}>{words}</StateBadge>{' '}
        <code>{status ?? shownText(attempt.class, 40)}</code>
      </Cell>
      <Cell className="whitespace-nowrap tabular-nums">
        {duration(durationMs)}
        {phases.length > 1 && <span className="text-ink-faint block">{phases.join(' · ')}</span>}
      </Cell>
      <Cell className="max-w-96 min-w-40">{error === undefined ? '' : shownText(error)}</Cell>
      <Cell>
        <Time at={startedAt} />
      </Cell>
    </Row>
  )
}
