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

const MAX_CHARACTERS = 60
const MAX_BADGES = 2

interface OutcomesProps {
  readonly row: LiveRow
  readonly names: Names
}

interface LiveLineProps extends OutcomesProps {
  readonly isOpen: boolean
  readonly onOpen: (eventId: string) => void
}

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
          {shownText(event === null ? eventId : titleOf(event), MAX_CHARACTERS)}
        </span>
        <span className="text-ink-soft min-w-0 flex-1 truncate">
          {shownText(user, MAX_CHARACTERS)}
        </span>
        <span className="text-ink-faint hidden min-w-0 flex-1 truncate @4xl:inline">
          {event === null ? 'earlier event' : names.source(event.sourceId)}
        </span>
        <span className="flex w-full shrink-0 items-center gap-1 overflow-hidden md:w-72 md:justify-end">
          <Outcomes row={row} names={names} />
        </span>
      </button>
    )
  },
  // `names` is a new object on every render but rarely differs.
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

/** Outcomes grouped by state, most urgent first; the row has room for two groups. */
function Outcomes({ row, names }: OutcomesProps): ReactElement {
  const { outcomes, event, isDuplicate } = row
  const groups = EVENT_OUTCOMES.map((state) =>
    outcomes.filter((each) => each.state === state),
  ).filter((group) => group.length > 0)
  const rest = groups.slice(MAX_BADGES).flat()
  const titleOfGroup = (group: readonly LiveOutcome[]): string =>
    group.map((each) => `${names.destination(each.destinationId)}: ${detailOf(each)}`).join('\n')
  return (
    <>
      {event?.computed === true && (
        <StateBadge tone="waiting" icon="audiences">
          {event.change ?? 'computed'}
        </StateBadge>
      )}
      {isDuplicate && <StateBadge tone="declined">duplicate</StateBadge>}
      {groups.slice(0, MAX_BADGES).map((group) => {
        const first = group[0]!
        return (
          <span key={first.state} className="inline-flex" title={titleOfGroup(group)}>
            <StateBadge tone={OUTCOME_TONES[first.state]}>
              {outcomes.length === 1 ? detailOf(first) : `${group.length} ${first.state}`}
            </StateBadge>
          </span>
        )
      })}
      {rest.length > 0 && (
        <span className="text-ink-faint text-note" title={titleOfGroup(rest)}>
          +{rest.length}
        </span>
      )}
    </>
  )
}

/** `delivered 200, 12 ms`, or `delivered 200, retry 2, 12 ms` */
function detailOf({ state, status, detail, durationMs, attempt }: LiveOutcome): string {
  const what = status ?? (state === 'pending' || state === 'delivered' ? null : detail)
  return [
    what === null ? state : `${state} ${shownText(String(what), 30)}`,
    ...((attempt ?? 1) > 1 ? [`retry ${attempt! - 1}`] : []),
    ...(durationMs === null ? [] : [duration(durationMs)]),
  ].join(', ')
}
