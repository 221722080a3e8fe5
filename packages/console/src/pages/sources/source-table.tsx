import { useQuery } from '@tanstack/react-query'
import type { ReactElement } from 'react'
import type { Source } from '@hookline/cli/management-client'
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

/** Each row is a request, and counts are written once a minute. */
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
        <Row
          key={source.id}
          data-row={index}
          isCurrent={source.id === openId}
          className="cursor-pointer"
          onClick={() => onOpen(source.id)}
        >
          <Cell className="max-w-72 min-w-40">
            <button
              type="button"
              className="text-accent line-clamp-2 text-left font-medium hover:underline"
              onClick={(event) => {
                event.stopPropagation()
                onOpen(source.id)
              }}
            >
              {shownText(source.name, 120)}
            </button>
          </Cell>
          <Cell>
            <SourceState source={source} />
          </Cell>
          <Volume sourceId={source.id} />
          <Cell className="tabular-nums">{source.writeKeys.length}</Cell>
          <Cell className="text-ink-soft">
            <LastUse at={lastUseOf(source)} />
          </Cell>
        </Row>
      ))}
    </Table>
  )
}

export function SourceState({ source }: { readonly source: Source }): ReactElement {
  if (!source.enabled) return <StateBadge tone="held">Disabled</StateBadge>
  if (source.writeKeys.length === 0) return <StateBadge tone="failed">No write key</StateBadge>
  if (lastUseOf(source) === undefined) return <StateBadge tone="waiting">Never used</StateBadge>
  return <StateBadge tone="delivered">Enabled</StateBadge>
}

function LastUse({ at }: { readonly at: string | undefined }): ReactElement | string {
  return at === undefined ? 'never' : <Time at={at} />
}

/** The two volume cells of a row, fetched once the row has been on screen. */
function Volume({ sourceId }: { readonly sourceId: string }): ReactElement {
  const [cell, wasOnScreen] = useOnScreen<HTMLTableCellElement>({ once: true })
  const { data, error } = useQuery({
    ...statisticsQuery('24h', { sourceId }),
    enabled: wasOnScreen,
    refetchInterval: REFETCH_MS,
  })
  const unknown = error === null ? '…' : '–'
  if (data === undefined)
    return (
      <>
        <Cell ref={cell} className="text-ink-faint h-9">
          {unknown}
        </Cell>
        <Cell className="text-ink-faint">{unknown}</Cell>
      </>
    )
  const { received, rejected } = totalsOf(data.points)
  return (
    <>
      {/* Data from an earlier visit is there before the cell has been on screen. */}
      <Cell ref={cell}>
        <span className="flex items-center gap-3">
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
      </Cell>
      <Cell className={rejected > 0 ? 'text-failed tabular-nums' : 'text-ink-soft tabular-nums'}>
        {shortNumber(rejected)}
      </Cell>
    </>
  )
}
