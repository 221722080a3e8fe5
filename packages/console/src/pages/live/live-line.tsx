import { EVENT_OUTCOMES } from '@hookline/protocol'
import { memo, type ReactElement } from 'react'
import { classNames } from '../../design/class-names.ts'
import { StateBadge } from '../../design/state-badge.tsx'
import { titleOf } from '../../domain/events/event-summary.ts'
import { OUTCOME_TONES } from '../../domain/events/outcome-tones.ts'
import type { Names } from '../../domain/names.ts'
import { duration } from '../../format/figures.ts'
import { shownText } from '../../format/shown-text.ts'
import { useZone } from '../../format/time-zone.ts'
import { absoluteTime } from '../../format/times.ts'
import type { LiveOutcome, LiveRow } from './live-row.ts'

const MOST_CHARACTERS = 60
const MOST_GROUPS = 2

interface LiveLineProps {
  readonly row: LiveRow
  readonly names: Names
  readonly isOpen: boolean
  readonly onOpen: (eventId: string) => void
}

/** One event: when, what, of whom, from where, and what became of it so far. */
export const LiveLine = memo(
  function LiveLine({ row, names, isOpen, onOpen }: LiveLineProps): ReactElement {
    const { event, eventId, at } = row
    const user = event?.userId ?? event?.anonymousId ?? ''
    return (
      <button
        type="button"
        aria-current={isOpen || undefined}
        className={classNames(
          'text-dense border-line hover:bg-hover flex h-full w-full flex-wrap items-center gap-x-3 overflow-hidden border-b px-3 text-left -outline-offset-2 md:flex-nowrap',
          isOpen && 'bg-accent-soft',
        )}
        onClick={() => onOpen(eventId)}
      >
        <Clock at={at} />
        <span className="text-ink-faint w-14 shrink-0 truncate">
          {event === null ? 'retry' : shownText(event.type, 12)}
        </span>
        <span className="min-w-0 flex-[2] truncate font-medium">
          {event === null ? shownText(eventId) : shownText(titleOf(event), MOST_CHARACTERS)}
        </span>
        <span className="text-ink-soft hidden min-w-0 flex-1 truncate @2xl:inline">
          {shownText(user, MOST_CHARACTERS)}
        </span>
        <span className="text-ink-faint hidden min-w-0 flex-1 truncate @4xl:inline">
          {event === null ? 'of an earlier event' : names.source(event.sourceId)}
        </span>
        <span className="flex w-full shrink-0 items-center gap-1 overflow-hidden md:w-72 md:justify-end">
          <Outcomes row={row} names={names} />
        </span>
      </button>
    )
  },
  // The names are made anew with each drawing, and rarely differ.
  (before, after) =>
    before.row === after.row &&
    before.isOpen === after.isOpen &&
    before.names.key === after.names.key,
)

function Clock({ at }: { readonly at: string }): ReactElement {
  const exact = absoluteTime(Date.parse(at), useZone())
  return (
    <time
      dateTime={at}
      title={exact}
      className="text-ink-faint w-24 shrink-0 font-mono tabular-nums"
    >
      {exact.slice(11, 23)}
    </time>
  )
}

interface OutcomesProps {
  readonly row: LiveRow
  readonly names: Names
}

function Outcomes({ row, names }: OutcomesProps): ReactElement {
  const { outcomes, event, isDuplicate } = row
  return (
    <>
      {event?.computed === true && (
        <StateBadge tone="waiting" icon="audiences">
          {event.change ?? 'computed'}
        </StateBadge>
      )}
      {isDuplicate && <StateBadge tone="declined">duplicate</StateBadge>}
      {outcomes.length === 1 && <Outcome outcome={outcomes[0]!} names={names} />}
      {outcomes.length > 1 && <Groups outcomes={outcomes} names={names} />}
    </>
  )
}

interface GroupsProps {
  readonly outcomes: readonly LiveOutcome[]
  readonly names: Names
}

/** Several destinations by what became of the event there. There is room for the two states that need a person most. */
function Groups({ outcomes, names }: GroupsProps): ReactElement {
  const groups = EVENT_OUTCOMES.flatMap((state) => {
    const those = outcomes.filter((each) => each.state === state)
    return those.length === 0 ? [] : [{ state, those }]
  })
  const rest = groups.slice(MOST_GROUPS).flatMap(({ those }) => those)
  const titleOfAll = (those: readonly LiveOutcome[]): string =>
    those.map((each) => `${names.destination(each.destinationId)}: ${detailOf(each)}`).join('\n')
  return (
    <>
      {groups.slice(0, MOST_GROUPS).map(({ state, those }) => (
        <span key={state} className="inline-flex" title={titleOfAll(those)}>
          <StateBadge tone={OUTCOME_TONES[state]}>{`${those.length} ${state}`}</StateBadge>
        </span>
      ))}
      {rest.length > 0 && (
        <span className="text-ink-faint text-note" title={titleOfAll(rest)}>
          +{rest.length}
        </span>
      )}
    </>
  )
}

interface OutcomeProps {
  readonly outcome: LiveOutcome
  readonly names: Names
}

function Outcome({ outcome, names }: OutcomeProps): ReactElement {
  return (
    <span className="inline-flex" title={names.destination(outcome.destinationId)}>
      <StateBadge tone={OUTCOME_TONES[outcome.state]}>{detailOf(outcome)}</StateBadge>
    </span>
  )
}

/** `delivered 200, 12 ms` */
function detailOf({ state, status, detail, durationMs }: LiveOutcome): string {
  const what = status ?? (state === 'pending' || state === 'delivered' ? null : detail)
  const words = what === null ? state : `${state} ${shownText(String(what), 30)}`
  return durationMs === null ? words : `${words}, ${duration(durationMs)}`
}
