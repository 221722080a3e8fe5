import { statusError } from '@hookline/protocol'
import { Fragment, type ReactElement } from 'react'
import { StateBadge } from '../../design/state-badge.tsx'
import { Cell, Row, Table } from '../../design/lists/table.tsx'
import { Time } from '../../design/texts/time.tsx'
import { duration } from '../../format/figures.ts'
import { shownText } from '../../format/shown-text.ts'
import { attemptNames } from './attempt-names.ts'
import { phasesOf } from './phases.ts'
import { shownOutcome } from './states.ts'
import type { TracedAttempt, TracedDelivery } from './trace-query.ts'

/** The maximum number of rows. The timeline can show all attempts. */
const MAX_ROWS = 50
const HEAD = ['Attempt', 'Result', 'Duration', 'Error', 'Started']

interface AttemptTableProps {
  readonly delivery: TracedDelivery | undefined
}

/** Attempts, newest first. */
export function AttemptTable({ delivery }: AttemptTableProps): ReactElement | undefined {
  if (delivery === undefined || delivery.attempts.length === 0) return undefined
  const several = new Set(delivery.attempts.map(({ url }) => url)).size > 1
  const names = attemptNames(delivery.attempts)
  const newest = delivery.attempts
    .toSorted((a, b) => Date.parse(b.startedAt) - Date.parse(a.startedAt))
    .slice(0, MAX_ROWS)
  return (
    <div className="-mx-4">
      <Table label={`Attempts of ${delivery.id}`} head={HEAD}>
        {newest.map((attempt) => (
          <AttemptRow
            key={attempt.id}
            attempt={attempt}
            name={names.get(attempt.id)!}
            showsUrl={several}
          />
        ))}
      </Table>
    </div>
  )
}

interface AttemptRowProps {
  readonly attempt: TracedAttempt
  readonly name: string
  readonly showsUrl: boolean
}

function AttemptRow({ attempt, name, showsUrl }: AttemptRowProps): ReactElement {
  const { url, outcome, status, durationMs, error, startedAt } = attempt
  const isRepeated = status !== undefined && error === statusError(status)
  const { tone } = shownOutcome(outcome)
  return (
    <Row>
      <Cell>
        {name}
        {showsUrl && <span className="text-ink-faint block">{shownText(url, 60)}</span>}
      </Cell>
      <Cell className="whitespace-nowrap">
        <StateBadge tone={tone}>{String(status ?? shownText(attempt.class, 40))}</StateBadge>
      </Cell>
      <Cell className="tabular-nums">
        {duration(durationMs)}
        <Phases attempt={attempt} />
      </Cell>
      <Cell className={error === undefined ? '' : 'min-w-40 max-w-96'}>
        {error !== undefined && !isRepeated && shownText(error)}
      </Cell>
      <Cell>
        <Time at={startedAt} />
      </Cell>
    </Row>
  )
}

/** A single phase would repeat the duration. */
function Phases({ attempt }: Pick<AttemptRowProps, 'attempt'>): ReactElement | undefined {
  const phases = phasesOf(attempt)
  if (phases.length < 2) return undefined
  return (
    <span className="text-ink-faint block max-sm:ml-2 max-sm:inline">
      {phases.map(({ key, words, ms }, index) => (
        <Fragment key={key}>
          {index > 0 && ' · '}
          <span className="whitespace-nowrap">
            {words} {duration(ms)}
          </span>
        </Fragment>
      ))}
    </span>
  )
}
