import { type ReactElement, type ReactNode, useState } from 'react'
import { Button } from '../../design/controls/button.tsx'
import { duration } from '../../format/figures.ts'
import { shownText } from '../../format/shown-text.ts'
import type { Names } from '../names.ts'
import { endOf, PHASES, phasesOf } from './phases.ts'
import { shownOutcome } from './states.ts'
import { type TimeAxis, timeAxis } from './time-axis.ts'
import type { Trace, TracedAttempt } from './trace-query.ts'

/** A delivery that was replayed again and again has hundreds of attempts. The newest are shown first. */
const MOST_ATTEMPTS = 20

interface TimeLineProps {
  readonly trace: Trace
  readonly names: Names
}

interface Row {
  readonly key: string
  readonly label: ReactNode
  readonly at: number
  readonly attempt?: TracedAttempt
}

/** From receipt to each attempt, on one axis. Times in which nothing happened are cut short. */
export function TimeLine({ trace, names }: TimeLineProps): ReactElement {
  const [isWhole, setWhole] = useState(false)
  const all = attemptsOf(trace, names)
  const shown = isWhole ? all : all.slice(-MOST_ATTEMPTS)
  const rows = [...stepsOf(trace), ...shown, ...nextOf(trace, names)].toSorted(
    (a, b) => a.at - b.at,
  )
  const axis = timeAxis(
    rows.map(({ at, attempt }) => ({ from: at, to: attempt === undefined ? at : endOf(attempt) })),
  )
  const received = Date.parse(trace.receivedAt)
  return (
    <div className="flex flex-col gap-2">
      <Legend attempts={shown} />
      <ol className="text-dense flex flex-col" aria-label="What happened, in its order">
        {rows.map((row) => (
          <li
            key={row.key}
            className="border-line grid grid-cols-1 items-center gap-x-4 border-b py-1 last:border-0 sm:grid-cols-[15rem_1fr]"
          >
            <Rest before={row} axis={axis} />
            <div className="flex min-w-0 justify-between gap-2">
              <span className="min-w-0">{row.label}</span>
              <span className="text-ink-faint text-note shrink-0 tabular-nums">
                {row.at <= received ? '0 ms' : `+${duration(row.at - received)}`}
              </span>
            </div>
            <Track row={row} axis={axis} />
          </li>
        ))}
      </ol>
      {shown.length < all.length && (
        <Button className="self-start" onClick={() => setWhole(true)}>
          Show all {all.length} attempts
        </Button>
      )}
    </div>
  )
}

/** The time without anything before a row. On a wide screen it is written into the axis, which has no room on a narrow one. */
function Rest({ before, axis }: { readonly before: Row; readonly axis: TimeAxis }): ReactNode {
  const rest = axis.breaks.find(({ to }) => to === before.at)
  if (rest === undefined) return undefined
  return (
    <span className="text-ink-faint text-note sm:hidden">
      {duration(rest.to - rest.from)} later
    </span>
  )
}

function Track({ row, axis }: { readonly row: Row; readonly axis: TimeAxis }): ReactElement {
  const { at, attempt } = row
  return (
    <div className="relative h-5 min-w-0 overflow-hidden" aria-hidden="true">
      {axis.breaks.map((rest) => (
        <span
          key={rest.from}
          className="bg-sunken border-line text-ink-faint absolute inset-y-0 overflow-hidden border-x border-dashed text-center text-note leading-5 whitespace-nowrap"
          style={{ left: share(rest.left), width: share(rest.right - rest.left) }}
        >
          <span className="max-sm:hidden">{duration(rest.to - rest.from)}</span>
        </span>
      ))}
      {attempt === undefined ? (
        <span
          className="bg-ink-soft rounded-full absolute top-1.5 size-2 -translate-x-full"
          style={{ left: `max(0.5rem, ${share(axis.place(at))})` }}
        />
      ) : (
        <Bars attempt={attempt} axis={axis} />
      )}
    </div>
  )
}

/** The phases, one after the other from the start. The rest of the duration is what no phase measured. */
function Bars({
  attempt,
  axis,
}: {
  readonly attempt: TracedAttempt
  readonly axis: TimeAxis
}): ReactElement {
  const start = Date.parse(attempt.startedAt)
  const phases = phasesOf(attempt)
  const ends = phases.map((_, index) =>
    phases.slice(0, index + 1).reduce((sum, { ms }) => sum + ms, start),
  )
  return (
    <>
      <span
        className="bg-hover border-line-strong rounded-small absolute inset-y-0.5 min-w-1 border"
        style={spanOf(axis, start, endOf(attempt))}
      />
      {phases.map(({ key, look, ms }, index) => (
        <span
          key={key}
          className={`${look} absolute inset-y-1 min-w-0.5`}
          style={spanOf(axis, ends[index]! - ms, ends[index]!)}
        />
      ))}
    </>
  )
}

function spanOf(axis: TimeAxis, from: number, to: number): { left: string; width: string } {
  const left = Math.min(axis.place(from), 0.994)
  return { left: share(left), width: share(Math.max(0, axis.place(to) - left)) }
}

function share(part: number): string {
  return `${(part * 100).toFixed(3)}%`
}

function Legend({ attempts }: { readonly attempts: readonly Row[] }): ReactElement | undefined {
  const used = new Set(attempts.flatMap(({ attempt }) => phasesOf(attempt!).map(({ key }) => key)))
  if (used.size === 0) return undefined
  return (
    <ul
      aria-label="The phases of an attempt"
      className="text-note text-ink-soft flex flex-wrap gap-x-4"
    >
      {PHASES.filter(([key]) => used.has(key)).map(([key, words, look]) => (
        <li key={key} className="flex items-center gap-1.5">
          <span className={`${look} size-2`} aria-hidden="true" />
          {words}
        </li>
      ))}
    </ul>
  )
}

function stepsOf({ receivedAt, decisions, deliveries }: Trace): Row[] {
  const received = Date.parse(receivedAt)
  // A replay sets a new time from which the retry window counts: then nothing tells when it was decided.
  const decided = deliveries
    .filter(({ attempts, firstDueAt }) =>
      attempts.every(({ startedAt }) => startedAt >= firstDueAt),
    )
    .map(({ firstDueAt }) => Date.parse(firstDueAt))
  const declined = decisions.filter(({ decision }) => decision === 'declined').length
  const label = [
    `deliver to ${deliveries.length}`,
    ...(declined > 0 ? [`declined for ${declined}`] : []),
  ].join(', ')
  return [
    { key: 'received', label: 'Received', at: received },
    ...(decided.length === 0
      ? []
      : [
          {
            key: 'decided',
            label: `Decided: ${label}`,
            at: Math.max(received, Math.min(...decided)),
          },
        ]),
  ]
}

function attemptsOf({ deliveries }: Trace, names: Names): Row[] {
  const rows = deliveries.flatMap(({ destinationId, attempts }) =>
    attempts.map((attempt) => ({
      key: attempt.id,
      label: <AttemptLabel attempt={attempt} name={names.destination(destinationId)} />,
      at: Date.parse(attempt.startedAt),
      attempt,
    })),
  )
  return rows.toSorted((a, b) => a.at - b.at)
}

function nextOf({ deliveries }: Trace, names: Names): Row[] {
  return deliveries.flatMap(({ id, destinationId, nextAttemptAt }) =>
    nextAttemptAt === null
      ? []
      : [
          {
            key: `next ${id}`,
            label: `Next attempt, ${names.destination(destinationId)}`,
            at: Date.parse(nextAttemptAt),
          },
        ],
  )
}

const COLOURS = { delivered: 'text-delivered', retry: 'text-retrying', rejected: 'text-failed' }

function AttemptLabel({
  attempt,
  name,
}: {
  readonly attempt: TracedAttempt
  readonly name: string
}): ReactElement {
  const { number, outcome, status, durationMs } = attempt
  const phases = phasesOf(attempt).map(({ words, ms }) => `${words} ${duration(ms)}`)
  return (
    <span title={phases.join(' · ')}>
      <span className={`${COLOURS[outcome]} font-medium`}>
        {status ?? shownText(attempt.class, 30)} {shownOutcome(outcome).words}
      </span>{' '}
      <span className="text-ink-soft">
        {duration(durationMs)} · {name} #{number}
      </span>
      <span className="sr-only">: {phases.join(', ')}</span>
    </span>
  )
}
