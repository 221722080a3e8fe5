import { useQuery } from '@tanstack/react-query'
import type { ReactElement } from 'react'
import type { Source } from '@hookline/cli/management-client'
import { destinationsQuery } from '../../api/queries.ts'
import { classNames } from '../../design/class-names.ts'
import { Sparkline } from '../../design/figures/sparkline.tsx'
import { StateBadge } from '../../design/state-badge.tsx'
import { Cell, Row, Table } from '../../design/lists/table.tsx'
import { Time } from '../../design/texts/time.tsx'
import { useOnScreen } from '../../design/lists/use-on-screen.ts'
import { lastUseOf } from '../../domain/last-use.ts'
import { statisticsQuery } from '../../domain/statistics.ts'
import { totalsOf } from '../../domain/totals.ts'
import { shortNumber, wholeNumber } from '../../format/figures.ts'
import { shownText } from '../../format/shown-text.ts'

const HEAD = ['Name', 'State', 'Received in 24 h', 'Rejected in 24 h', 'Write keys', 'Last used']

/** How often the counts are refetched: each row is a request, and counts are written once a minute. */
const REFETCH_MS = 30_000

interface SourceTableProps {
  readonly sources: readonly Source[]
  readonly openId: string | undefined
  readonly onOpen: (id: string) => void
}

export function SourceTable({ sources, openId, onOpen }: SourceTableProps): ReactElement {
  return (
    <Table label="Sources" head={HEAD}>
      {sources.map((source, index) => (
        <SourceRow
          key={source.id}
          source={source}
          index={index}
          isOpen={source.id === openId}
          onOpen={onOpen}
        />
      ))}
    </Table>
  )
}

export function SourceState({ source }: { readonly source: Source }): ReactElement {
  const { data: destinations } = useQuery(destinationsQuery)
  if (!source.enabled) return <StateBadge tone="held">Disabled</StateBadge>
  if (source.writeKeys.length === 0) return <StateBadge tone="failed">No write key</StateBadge>
  if (lastUseOf(source) === undefined) return <StateBadge tone="waiting">Never used</StateBadge>
  // Its events are stored, but not delivered.
  if (destinations?.some(({ sourceId, enabled }) => sourceId === source.id && enabled) === false)
    return <StateBadge tone="held">No enabled destination</StateBadge>
  return <StateBadge tone="delivered">Enabled</StateBadge>
}

function LastUse({ at }: { readonly at: string | undefined }): ReactElement | string {
  return at === undefined ? 'never' : <Time at={at} />
}

interface SourceRowProps extends Pick<SourceTableProps, 'onOpen'> {
  readonly source: Source
  readonly index: number
  readonly isOpen: boolean
}

/** Its volume is fetched once it has been on screen. */
function SourceRow({ source, index, isOpen, onOpen }: SourceRowProps): ReactElement {
  const { id, name, writeKeys } = source
  const [row, wasOnScreen] = useOnScreen<HTMLTableRowElement>({ once: true })
  const { data, error } = useQuery({
    ...statisticsQuery('24h', { sourceId: id }),
    enabled: wasOnScreen,
    refetchInterval: REFETCH_MS,
  })
  const { received, rejected } = totalsOf(data?.points ?? [])
  const unknown = <span className="text-ink-faint">{error === null ? '…' : '–'}</span>
  return (
    <Row ref={row} data-row={index} isCurrent={isOpen} onOpen={() => onOpen(id)}>
      <Cell className="max-w-72 min-w-40">
        <button
          type="button"
          className="text-accent line-clamp-2 text-left font-medium hover:underline"
          onClick={() => onOpen(id)}
        >
          {shownText(name, 120)}
        </button>
      </Cell>
      <Cell>
        <SourceState source={source} />
      </Cell>
      <Cell>
        {data === undefined ? (
          unknown
        ) : (
          <span className="inline-flex items-center gap-3">
            <Sparkline
              className={classNames(
                'h-5 w-24 shrink-0',
                received > 0 ? 'text-accent' : 'text-line-strong',
              )}
              label={`Received in the last 24 hours: ${wholeNumber(received)}`}
              values={data.points.map((point) => point.received)}
            />
            <span className="tabular-nums">{shortNumber(received)}</span>
          </span>
        )}
      </Cell>
      <Cell className={rejected > 0 ? 'text-failed tabular-nums' : 'text-ink-soft tabular-nums'}>
        {data === undefined ? unknown : shortNumber(rejected)}
      </Cell>
      <Cell className="tabular-nums">{writeKeys.length}</Cell>
      <Cell className="text-ink-soft">
        <LastUse at={lastUseOf(source)} />
      </Cell>
    </Row>
  )
}
