import { type ReactElement, type ReactNode, useState } from 'react'
import { Button } from '../../design/controls/button.tsx'
import { countText, duration } from '../../format/figures.ts'
import { shownText } from '../../format/shown-text.ts'
import type { Names } from '../names.ts'
import { namedAttempts } from './attempt-names.ts'
import { endOf, PHASES, phasesOf } from './phases.ts'
import { shownOutcome } from './states.ts'
import { type TimeAxis, timeAxis } from './time-axis.ts'
import type { Trace, TracedAttempt } from './trace-query.ts'

/** The number of newest attempts shown until a click shows all. */
const MAX_ATTEMPTS = 20

interface TimeLineProps {
  readonly trace: Trace
  readonly names: Names
}

interface Step {
  readonly key: string
  readonly label: ReactNode
  readonly at: number
  readonly attempt?: TracedAttempt
}

/** From receipt to each attempt, on one axis. Idle times are shortened. */
export function TimeLine({ trace, names }: TimeLineProps): ReactElement {
  const [isWhole, setWhole] = useState(false)
  const all = attemptsOf(trace, names)
  const shown = isWhole ? all : all.slice(-MAX_ATTEMPTS)
  const rows = [...stepsOf(trace), ...shown, ...nextAttemptsOf(trace, names)].toSorted(
    (a, b) => a.at - b.at,
  )
  const axis = timeAxis(
    rows.map(({ at, attempt }) => ({ from: at, to: attempt === undefined ? at : endOf(attempt) })),
  )
  const received = Date.parse(trace.receivedAt)
  return (
    <div className="flex flex-col gap-2">
      <Legend attempts={shown} />
      <ol className="text-dense flex flex-col" aria-label="Timeline">
        {rows.map((row) => (
          <li
            key={row.key}
            className="border-line grid grid-cols-1 items-center gap-x-4 border-b py-1 last:border-0 sm:grid-cols-[15rem_1fr]"
          >
            <IdleTime before={row} axis={axis} />
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

/** For narrow screens, where the axis has no room for it. */
function IdleTime({ before, axis }: { readonly before: Step; readonly axis: TimeAxis }): ReactNode {
  const idle = axis.breaks.find(({ to }) => to === before.at)
  if (idle === undefined) return undefined
  return (
    <span className="text-ink-faint text-note sm:hidden">
      {duration(idle.to - idle.from)} later
    </span>
  )
}

function Track({ row, axis }: { readonly row: Step; readonly axis: TimeAxis }): ReactElement {
  const { at, attempt } = row
  return (
    <div className="relative h-5 min-w-0 overflow-hidden" aria-hidden="true">
      {axis.breaks.map(({ from, to, left, right }) => (
        <span
          key={from}
          className="bg-sunken border-line text-ink-faint absolute inset-y-0 overflow-hidden border-x border-dashed text-center text-note leading-5 whitespace-nowrap"
          style={{ left: percent(left), width: percent(right - left) }}
        >
          <span className="max-sm:hidden">{duration(to - from)}</span>
        </span>
      ))}
      {attempt === undefined ? (
        <span
          className="bg-ink-soft rounded-full absolute top-1.5 size-2 -translate-x-full"
          style={{ left: `max(0.5rem, ${percent(axis.place(at))})` }}
        />
      ) : (
        <Bars attempt={attempt} axis={axis} />
      )}
    </div>
  )
}

interface BarsProps {
  readonly attempt: TracedAttempt
  readonly axis: TimeAxis
}

/** The phases, one after the other. The rest of the duration was not measured. */
function Bars({ attempt, axis }: BarsProps): ReactElement {
  const start = Date.parse(attempt.startedAt)
  const phases = phasesOf(attempt)
  const startOf = (index: number): number =>
    phases.slice(0, index).reduce((sum, { ms }) => sum + ms, start)
  return (
    <>
      <span
        className="bg-hover border-line-strong rounded-small absolute inset-y-0.5 min-w-1 border"
        style={spanOf(axis, start, endOf(attempt))}
      />
      {phases.map(({ key, look }, index) => (
        <span
          key={key}
          className={`${look} absolute inset-y-1 min-w-0.5`}
          style={spanOf(axis, startOf(index), startOf(index + 1))}
        />
      ))}
    </>
  )
}

function spanOf(axis: TimeAxis, from: number, to: number): { left: string; width: string } {
  const left = Math.min(axis.place(from), 0.994)
  return { left: percent(left), width: percent(Math.max(0, axis.place(to) - left)) }
}

function percent(part: number): string {
  return `${(part * 100).toFixed(3)}%`
}

function Legend({ attempts }: { readonly attempts: readonly Step[] }): ReactElement | undefined {
  const used = new Set(attempts.flatMap(({ attempt }) => phasesOf(attempt!).map(({ key }) => key)))
  if (used.size === 0) return undefined
  return (
    <ul
      aria-label="Phases of an attempt"
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

function stepsOf({ receivedAt, decisions, deliveries }: Trace): Step[] {
  const received = Date.parse(receivedAt)
  const steps: Step[] = [{ key: 'received', label: 'Received', at: received }]
  // `firstDueAt` is the time of the decision, unless a replay or a manual retry has changed it. Skips
  // deliveries where it has changed: they have an attempt before it.
  const decided = deliveries
    .filter(({ attempts, firstDueAt }) =>
      attempts.every(({ startedAt }) => startedAt >= firstDueAt),
    )
    .map(({ firstDueAt }) => Date.parse(firstDueAt))
  if (decided.length === 0) return steps
  const declined = decisions.filter(({ decision }) => decision === 'declined').length
  const label = `Decision: deliver to ${countText(deliveries.length, 'destination')}${declined > 0 ? `, decline for ${declined}` : ''}`
  return [...steps, { key: 'decided', label, at: Math.max(received, Math.min(...decided)) }]
}

function attemptsOf(trace: Trace, names: Names): Step[] {
  return namedAttempts(trace, names).map(({ attempt, name }) => ({
    key: attempt.id,
    label: <AttemptLabel attempt={attempt} name={name} />,
    at: Date.parse(attempt.startedAt),
    attempt,
  }))
}

function nextAttemptsOf({ deliveries }: Trace, names: Names): Step[] {
  return deliveries.flatMap(({ id, destinationId, nextAttemptAt }) => {
    if (nextAttemptAt === null) return []
    const label = `Next attempt, ${names.destination(destinationId)}`
    return [{ key: `next ${id}`, label, at: Date.parse(nextAttemptAt) }]
  })
}

const COLOURS = {
  delivered: 'text-delivered',
  declined: 'text-declined',
  retry: 'text-retrying',
  rejected: 'text-failed',
}

interface AttemptLabelProps {
  readonly attempt: TracedAttempt
  readonly name: string
}

function AttemptLabel({ attempt, name }: AttemptLabelProps): ReactElement {
  const { outcome, status, durationMs } = attempt
  const phases = phasesOf(attempt).map(({ words, ms }) => `${words} ${duration(ms)}`)
  return (
    <span title={phases.join(' · ')}>
      <span className={`${COLOURS[outcome]} font-medium`}>
        {status ?? shownText(attempt.class, 30)} {shownOutcome(outcome).words}
      </span>{' '}
      <span className="text-ink-soft">
        {duration(durationMs)} · {name}
      </span>
      <span className="sr-only">: {phases.join(', ')}</span>
    </span>
  )
}
