import { Link, useNavigate } from '@tanstack/react-router'
import { memo, type ReactElement } from 'react'
import type { Event } from '@hookline/cli/management-client'
import { CopyButton } from '../../design/controls/copy-button.tsx'
import { StateBadge } from '../../design/state-badge.tsx'
import { Cell, Row, Table } from '../../design/lists/table.tsx'
import { Time } from '../../design/texts/time.tsx'
import { OutcomeBadges } from '../../domain/events/outcome-badges.tsx'
import { isComputed, summaryOf, titleOf } from '../../domain/events/event-summary.ts'
import type { Names } from '../../domain/names.ts'
import { counted } from '../../format/figures.ts'
import { shownText } from '../../format/shown-text.ts'

const HEAD = ['Event', 'Outcome', 'Type', 'User', 'Source', 'Received']
const MOST_CHARACTERS = 80
const MOST_ID_CHARACTERS = 48

interface EventTableProps {
  readonly events: readonly Event[]
  readonly names: Names
}

/** Events, a row each. A click anywhere on the row opens its trace. */
export function EventTable({ events, names }: EventTableProps): ReactElement {
  return (
    <Table label="Events" head={HEAD}>
      {events.map((event, index) => (
        <EventRow
          key={event.id}
          event={event}
          index={index}
          source={names.source(event.sourceId)}
        />
      ))}
    </Table>
  )
}

interface EventRowProps {
  readonly event: Event
  readonly index: number
  readonly source: string
}

/** Drawn once: hundreds of rows stay as they are when older ones come below them. */
const EventRow = memo(function EventRow({ event, index, source }: EventRowProps): ReactElement {
  const navigate = useNavigate()
  const { id, sourceId, receivedAt, duplicates } = event
  const computed = isComputed(sourceId)
  const summary = summaryOf(event.event, computed)
  return (
    <Row
      data-row={index}
      className="focus-within:bg-accent-soft cursor-pointer"
      onClick={({ target }) => {
        const isControl = target instanceof Element && target.closest('a, button') !== null
        const isMarked = getSelection()?.isCollapsed === false
        if (!isControl && !isMarked) void navigate({ to: '/events/$id', params: { id } })
      }}
    >
      <Cell className="max-w-80 min-w-40">
        <Link
          to="/events/$id"
          params={{ id }}
          preload={false}
          className="text-accent font-medium hover:underline"
        >
          {shownText(titleOf(summary), MOST_CHARACTERS)}
        </Link>
        <span className="ml-2 inline-flex flex-wrap gap-1 align-middle">
          {computed && (
            <StateBadge tone="waiting" icon="audiences">
              computed
            </StateBadge>
          )}
          {duplicates > 0 && (
            <StateBadge tone="declined">{counted(duplicates, 'duplicate')}</StateBadge>
          )}
        </span>
      </Cell>
      <Cell className="min-w-28">
        <OutcomeBadges outcomes={event.outcomes} />
      </Cell>
      <Cell className="text-ink-soft">{shownText(summary.type, 20)}</Cell>
      <Cell className="max-w-72 min-w-32">
        <UserOf {...summary} />
      </Cell>
      <Cell className="max-w-56 min-w-24">{source}</Cell>
      <Cell className="text-ink-soft">
        <Time at={receivedAt} />
      </Cell>
    </Row>
  )
})

interface UserOfProps {
  readonly userId: string | null
  readonly anonymousId: string | null
}

function UserOf({ userId, anonymousId }: UserOfProps): ReactElement {
  const id = userId ?? anonymousId
  if (id === null) return <span className="text-ink-faint">none</span>
  return (
    <span title={userId === null ? 'Its anonymousId: the call had no userId.' : undefined}>
      <code>{shownText(id, MOST_ID_CHARACTERS)}</code>{' '}
      <CopyButton text={id} what={userId === null ? 'the anonymousId' : 'the userId'} />
    </span>
  )
}
