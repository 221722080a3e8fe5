import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactElement } from 'react'
import type { Destination } from '@hookline/cli/management-client'
import { destinationsQuery } from '../../api/queries.ts'
import { Panel } from '../../design/panel.tsx'
import { useOnScreen } from '../../design/lists/use-on-screen.ts'
import { Sparkline } from '../../design/figures/sparkline.tsx'
import { Empty, Loaded } from '../../design/states.tsx'
import { Cell, Row, Table } from '../../design/lists/table.tsx'
import { DestinationBadge } from '../../domain/destinations/destination-badge.tsx'
import { destinationQuery } from '../../domain/destinations/destination-query.ts'
import { WaitingText } from '../../domain/destinations/waiting-text.tsx'
import { type PeriodName, PERIODS } from '../../domain/periods.ts'
import { type StatisticsPoint, statisticsQuery } from '../../domain/statistics.ts'
import { describeP95, p95Of, totalsOf } from '../../domain/totals.ts'
import { percent, shortNumber, wholeNumber } from '../../format/figures.ts'
import { shownText } from '../../format/shown-text.ts'

/** The health of each destination, most failures first. */
export function DestinationsPanel({ period }: { readonly period: PeriodName }): ReactElement {
  const destinations = useQuery(destinationsQuery)
  const { data: statistics } = useQuery(statisticsQuery(period, { by: 'destination' }))
  const pointsOf = new Map(statistics?.series?.map(({ id, points }) => [id, points]))
  const failedOf = ({ id }: Destination): number => totalsOf(pointsOf.get(id) ?? []).failed
  const byFailed = (a: Destination, b: Destination): number => failedOf(b) - failedOf(a)
  return (
    <Panel title="Destinations" isFlush>
      <Loaded query={destinations} lines={3}>
        {(all) =>
          all.length === 0 ? (
            <Empty
              title="No destinations yet"
              action={
                <Link to="/get-started" className="text-accent underline">
                  Get started
                </Link>
              }
            >
              Events are stored but not delivered. A destination sends a source’s events to your
              webhooks.
            </Empty>
          ) : (
            <Table
              label="Destination health"
              head={[
                'Name',
                'State',
                PERIODS[period].words,
                'Delivered',
                'Failed',
                'Backlog',
                'p95',
              ]}
            >
              {all.toSorted(byFailed).map((destination) => (
                <DestinationRow
                  key={destination.id}
                  destination={destination}
                  points={pointsOf.get(destination.id) ?? []}
                />
              ))}
            </Table>
          )
        }
      </Loaded>
    </Panel>
  )
}

interface DestinationRowProps {
  readonly destination: Destination
  readonly points: readonly StatisticsPoint[]
}

function DestinationRow({ destination, points }: DestinationRowProps): ReactElement {
  const { id, name } = destination
  const { delivered, failed } = totalsOf(points)
  const [element, isOnScreen] = useOnScreen<HTMLTableRowElement>()
  const { data } = useQuery({ ...destinationQuery(id), enabled: isOnScreen })
  return (
    <Row ref={element}>
      <Cell>
        <Link to="/destinations/$id" params={{ id }} className="text-accent underline">
          {shownText(name)}
        </Link>
      </Cell>
      <Cell>
        <DestinationBadge destination={destination} health={data?.health} />
      </Cell>
      <Cell className="text-delivered">
        <Sparkline
          values={points.map((point) => point.delivered)}
          label={`${wholeNumber(delivered)} delivered`}
        />
      </Cell>
      <Cell className="tabular-nums">{percent(delivered, delivered + failed)}</Cell>
      <Cell className={failed > 0 ? 'text-failed tabular-nums' : 'tabular-nums'}>
        {shortNumber(failed)}
      </Cell>
      <Cell className="min-w-24 tabular-nums">{data && <WaitingText {...data.health} />}</Cell>
      <Cell className="tabular-nums">{describeP95(p95Of(points))}</Cell>
    </Row>
  )
}
