import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactElement } from 'react'
import type { Event } from '@hookline/cli/management-client'
import { api } from '../../api/client.ts'
import { Cell, Row, Table } from '../../design/lists/table.tsx'
import { Panel } from '../../design/panel.tsx'
import { Empty, Loaded } from '../../design/states.tsx'
import { Time } from '../../design/texts/time.tsx'
import { OutcomeBadges } from '../../domain/events/outcome-badges.tsx'
import { summaryOf, titleOf } from '../../domain/events/event-summary.ts'
import { countText } from '../../format/figures.ts'
import { shownText } from '../../format/shown-text.ts'

const SHOWN = 10
const REFETCH_MS = 10_000

interface LastAlertsProps {
  readonly sourceId: string
  readonly hasChannels: boolean
  /** The number of alerts that are held back. */
  readonly heldBack: number
}

export function LastAlertsPanel({
  sourceId,
  hasChannels,
  heldBack,
}: LastAlertsProps): ReactElement {
  const query = useQuery({
    queryKey: ['events', 'alerts', sourceId],
    queryFn: ({ signal }) => api.listEvents({ sourceId, limit: SHOWN }, { signal }),
    refetchInterval: REFETCH_MS,
  })
  const all = (
    <Link to="/events" search={{ source: sourceId }} className="text-accent underline">
      All alerts
    </Link>
  )
  return (
    <Panel title="Recent alerts" actions={all} isFlush>
      {heldBack > 0 && (
        <p className="text-ink-soft px-4 pb-3">
          {countText(heldBack, 'alert')} held back by the hourly limits. The next alert about each
          problem includes the number held back.
        </p>
      )}
      <Loaded query={query} lines={3}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty title="No alerts">
              {hasChannels
                ? 'Alerts appear here when a problem begins or ends.'
                : 'Problems are reported once there is a channel.'}
            </Empty>
          ) : (
            <Table label="Newest alerts" head={['Alert', 'About', 'Outcome', 'Time']}>
              {data.map((event) => (
                <AlertRow key={event.id} event={event} />
              ))}
            </Table>
          )
        }
      </Loaded>
    </Panel>
  )
}

function AlertRow({
  event: { id, event, outcomes, receivedAt },
}: {
  readonly event: Event
}): ReactElement {
  const { title = '' } = (event['properties'] ?? {}) as { readonly title?: string }
  return (
    <Row>
      <Cell className="min-w-40">
        <Link
          to="/events/$id"
          params={{ id }}
          preload={false}
          className="text-accent font-medium hover:underline"
        >
          {shownText(titleOf(summaryOf(event, false)), 80)}
        </Link>
      </Cell>
      <Cell className="max-w-xl min-w-64">{shownText(title)}</Cell>
      <Cell className="min-w-28">
        <OutcomeBadges outcomes={outcomes} />
      </Cell>
      <Cell className="text-ink-soft">
        <Time at={receivedAt} />
      </Cell>
    </Row>
  )
}
