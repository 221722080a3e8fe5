import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { memo, type ReactElement } from 'react'
import type { Destination } from '@hookline/cli/management-client'
import { classNames } from '../../design/class-names.ts'
import { useOnScreen } from '../../design/lists/use-on-screen.ts'
import { Sparkline } from '../../design/figures/sparkline.tsx'
import { Cell, Row, Table } from '../../design/lists/table.tsx'
import {
  StateAndReason,
  useDestinationState,
} from '../../domain/destinations/destination-badge.tsx'
import { destinationQuery, type Health } from '../../domain/destinations/destination-query.ts'
import { WaitingText } from '../../domain/destinations/waiting-text.tsx'
import { webhookHost } from '../../domain/destinations/webhook-host.ts'
import type { Names } from '../../domain/names.ts'
import { type StatisticsPoint, statisticsQuery } from '../../domain/statistics.ts'
import { totalsOf } from '../../domain/totals.ts'
import { countText, percent, wholeNumber } from '../../format/figures.ts'
import { shownText } from '../../format/shown-text.ts'
import { useRowKeys } from '../../shell/keys/row-keys.ts'

const HEAD = ['Name', 'State', 'Source', 'Webhooks', 'Backlog', 'Success rate (1 h)', 'Delivered']
const NO_POINTS: readonly StatisticsPoint[] = []

interface DestinationTableProps {
  readonly destinations: readonly Destination[]
  readonly names: Names
}

export function DestinationTable({ destinations, names }: DestinationTableProps): ReactElement {
  const { data: statistics } = useQuery(statisticsQuery('1h', { by: 'destination' }))
  const pointsOf = new Map(statistics?.series?.map(({ id, points }) => [id, points]))
  useRowKeys(destinations.length)
  return (
    <Table label="Destinations" head={HEAD}>
      {destinations.map((destination, index) => (
        <DestinationRow
          key={destination.id}
          index={index}
          destination={destination}
          source={names.source(destination.sourceId)}
          points={pointsOf.get(destination.id) ?? NO_POINTS}
        />
      ))}
    </Table>
  )
}

interface DestinationRowProps {
  readonly index: number
  readonly destination: Destination
  readonly source: string
  readonly points: readonly StatisticsPoint[]
}

/** Fetches its health only while on screen, as there may be hundreds of rows. */
const DestinationRow = memo(function DestinationRow(row: DestinationRowProps): ReactElement {
  const { index, destination, source, points } = row
  const { id, name, settings } = destination
  const [element, isOnScreen] = useOnScreen<HTMLTableRowElement>()
  const { data } = useQuery({ ...destinationQuery(id), enabled: isOnScreen })
  const state = useDestinationState(destination, data?.health)
  const { delivered } = totalsOf(points)
  return (
    <Row ref={element} data-row={index} className="focus-within:bg-accent-soft">
      <Cell className="max-w-72 min-w-32">
        <Link
          to="/destinations/$id"
          params={{ id }}
          preload={false}
          className="text-accent font-medium hover:underline"
        >
          {shownText(name, 80)}
        </Link>
      </Cell>
      <Cell className="max-w-64 min-w-44">
        <StateAndReason {...state} />
      </Cell>
      <Cell className="max-w-48 min-w-32">{source}</Cell>
      <Cell className="max-w-72 min-w-48">
        {settings.webhooks.map(({ url }) => (
          <code key={url} className="block" title={shownText(url)}>
            {shownText(webhookHost(url), 60)}
          </code>
        ))}
      </Cell>
      <Cell className="min-w-24">{data && <WaitingText {...data.health} />}</Cell>
      <Cell className="min-w-32 tabular-nums">
        {data && <LastHour {...data.health} isFailing={state.isFailing ?? false} />}
      </Cell>
      <Cell className="text-delivered">
        <Sparkline
          values={points.map((point) => point.delivered)}
          label={`${wholeNumber(delivered)} delivered in the last hour`}
        />
      </Cell>
    </Row>
  )
})

interface LastHourProps extends Pick<Health, 'lastHour'> {
  readonly isFailing: boolean
}

function LastHour({ lastHour, isFailing }: LastHourProps): ReactElement {
  const { attempts, delivered } = lastHour
  if (attempts === 0) return <span className="text-ink-faint">none</span>
  return (
    <>
      <span className={classNames(isFailing && 'text-failed')}>{percent(delivered, attempts)}</span>
      <span className="text-ink-faint block whitespace-nowrap">
        of {countText(attempts, 'attempt')}
      </span>
    </>
  )
}
