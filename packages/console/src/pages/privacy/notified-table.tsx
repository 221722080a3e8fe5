import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactElement } from 'react'
import type { Deletion } from '@hookline/cli/management-client'
import { destinationsQuery, sourcesQuery } from '../../api/queries.ts'
import { StateBadge } from '../../design/state-badge.tsx'
import { Cell, Row, Table } from '../../design/lists/table.tsx'
import { Time } from '../../design/texts/time.tsx'
import { wholeNumber } from '../../format/figures.ts'
import { shownText } from '../../format/shown-text.ts'
import { shownStatus } from './deletion-facts.ts'

const HEAD = ['Destination', 'Source', 'Result', 'Notices', 'Requests', 'Last notified']

/** For each source and destination of a deletion, whether it was notified. */
export function NotifiedTable({ notifications }: Pick<Deletion, 'notifications'>): ReactElement {
  const { data: sources = [] } = useQuery(sourcesQuery)
  const { data: destinations = [] } = useQuery(destinationsQuery)
  if (notifications.length === 0)
    return (
      <p className="text-ink-soft max-w-prose">
        No destination of these sources was enabled, so nobody was notified. What receivers got
        earlier is theirs to delete.
      </p>
    )
  return (
    <Table label="Notified destinations" head={HEAD}>
      {notifications.map((each) => {
        const source = sources.find(({ id }) => id === each.sourceId)
        const destination = destinations.find(({ id }) => id === each.destinationId)
        const { words, ...badge } = shownStatus(each, destination?.settings.webhooks.length)
        return (
          <Row key={`${each.sourceId}/${each.destinationId}`}>
            <Cell className="max-w-48 min-w-32">
              <Link
                to="/destinations/$id"
                params={{ id: each.destinationId }}
                className="text-accent hover:underline"
              >
                {shownText(destination?.name ?? each.destinationId, 80)}
              </Link>
            </Cell>
            <Cell className="text-ink-soft max-w-48">
              {shownText(source?.name ?? each.sourceId, 80)}
            </Cell>
            <Cell>
              <StateBadge {...badge}>{words}</StateBadge>
            </Cell>
            <Cell className="whitespace-nowrap">{noticesIn(each.notices)}</Cell>
            <Cell className="tabular-nums">{wholeNumber(each.attempts)}</Cell>
            <Cell className="text-ink-soft">
              {each.notifiedAt === null ? '–' : <Time at={each.notifiedAt} />}
            </Cell>
          </Row>
        )
      })}
    </Table>
  )
}

/** `3 accepted, 1 waiting` */
function noticesIn(counts: Deletion['notifications'][number]['notices']): string {
  const parts = [
    counts.delivered > 0 && `${wholeNumber(counts.delivered)} accepted`,
    counts.waiting > 0 && `${wholeNumber(counts.waiting)} waiting`,
    counts.failed > 0 && `${wholeNumber(counts.failed)} not accepted`,
  ]
  return parts.filter(Boolean).join(', ')
}
