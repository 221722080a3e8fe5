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
import { countText } from '../../format/figures.ts'
import { UserLink } from '../../domain/user-link.tsx'
import { shownText } from '../../format/shown-text.ts'

interface EventTableProps {
  readonly events: readonly Event[]
  readonly names: Names
}

export function EventTable({ events, names }: EventTableProps): ReactElement {
  return (
    <Table label="Events" head={['Event', 'Outcome', 'Type', 'User', 'Source', 'Received']}>
      {events.map((event, index) => (
        <EventRow
          key={event.id}
          event={event}
          index={index}
          source={names.source(event.sourceId)}
          space={names.spaceOf(event.sourceId)}
        />
      ))}
    </Table>
  )
}

interface EventRowProps {
  readonly event: Event
  readonly index: number
  readonly source: string
  readonly space: string
}

/** Avoids re-rendering hundreds of rows when older ones load. */
const EventRow = memo(function EventRow({
  event,
  index,
  source,
  space,
}: EventRowProps): ReactElement {
  const navigate = useNavigate()
  const { id, sourceId, receivedAt, duplicates } = event
  const computed = isComputed(sourceId)
  const summary = summaryOf(event.event, computed)
  const user = summary.userId ?? summary.anonymousId
  const userKind = summary.userId === null ? 'anonymousId' : 'userId'
  return (
    <Row data-row={index} onOpen={() => void navigate({ to: '/events/$id', params: { id } })}>
      <Cell className="max-w-80 min-w-40">
        <Link
          to="/events/$id"
          params={{ id }}
          preload={false}
          className="text-accent font-medium hover:underline"
        >
          {shownText(titleOf(summary), 80)}
        </Link>
        <span className="ml-2 inline-flex flex-wrap gap-1 align-middle">
          {computed && (
            <StateBadge tone="waiting" icon="audiences">
              computed
            </StateBadge>
          )}
          {duplicates > 0 && (
            <StateBadge tone="declined">{countText(duplicates, 'duplicate')}</StateBadge>
          )}
        </span>
      </Cell>
      <Cell className="min-w-28">
        <OutcomeBadges outcomes={event.outcomes} />
      </Cell>
      <Cell className="text-ink-soft">{shownText(summary.type, 20)}</Cell>
      <Cell className="max-w-72 min-w-32">
        {user === null ? (
          <span className="text-ink-faint">none</span>
        ) : (
          <span title={userKind}>
            {summary.userId === null ? (
              <code>{shownText(user, 48)}</code>
            ) : (
              <UserLink userId={summary.userId} space={space} />
            )}{' '}
            <CopyButton text={user} what={`the ${userKind}`} />
          </span>
        )}
      </Cell>
      <Cell className="max-w-56 min-w-24">{source}</Cell>
      <Cell className="text-ink-soft">
        <Time at={receivedAt} />
      </Cell>
    </Row>
  )
})
