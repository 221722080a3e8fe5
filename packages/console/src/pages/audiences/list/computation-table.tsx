import { useQuery } from '@tanstack/react-query'
import { type ReactElement, useState } from 'react'
import { Button } from '../../../design/controls/button.tsx'
import { FilterInput } from '../../../design/controls/filter-input.tsx'
import { Cell, Row, Table } from '../../../design/lists/table.tsx'
import { countText, wholeNumber } from '../../../format/figures.ts'
import { shownText } from '../../../format/shown-text.ts'
import { useRowKeys } from '../../../shell/keys/row-keys.ts'
import { useUrlState } from '../../../shell/url-state.ts'
import { changesQuery } from '../record/changes-query.ts'
import type { Computation, ComputationKind, ComputationProps } from '../record/computation-kind.ts'
import { ComputationState } from '../record/computation-state.tsx'
import { PageLink } from '../record/page-link.tsx'

const STEP = 50

interface ComputationTableProps {
  readonly kind: ComputationKind
  readonly records: readonly Computation[]
}

/** Audiences or computed traits, newest first. */
export function ComputationTable({ kind, records }: ComputationTableProps): ReactElement {
  const [{ q = '' }, setUrl] = useUrlState<'q'>()
  const [limit, setLimit] = useState(STEP)
  const found = filterRecords(records, q).toReversed()
  const shown = found.slice(0, limit)
  useRowKeys(shown.length)
  return (
    <>
      <div className="px-4 py-3">
        <FilterInput
          data-filter
          className="max-w-72"
          aria-label={`Filter ${kind.one}s`}
          placeholder="Filter by name, key, ID or space"
          value={q}
          onWrite={(text) => setUrl({ q: text })}
        />
      </div>
      <Table
        label={`${kind.one}s`}
        head={['Name', 'State', 'Users', 'Last 24 h', 'Destinations', 'Space']}
      >
        {shown.map((record, index) => (
          <RecordRow key={record.id} index={index} kind={kind} record={record} />
        ))}
      </Table>
      <footer className="text-ink-soft text-dense flex flex-wrap items-center gap-3 px-4 py-3">
        <span>
          {found.length < records.length && `${wholeNumber(found.length)} of `}
          {countText(records.length, kind.one)}
        </span>
        {found.length > limit && <Button onClick={() => setLimit(limit + STEP)}>Show more</Button>}
      </footer>
    </>
  )
}

interface RecordRowProps extends ComputationProps {
  readonly index: number
}

function RecordRow({ index, kind, record }: RecordRowProps): ReactElement {
  const { id, name, key, size, destinationIds, space } = record
  return (
    <Row data-row={index} className="focus-within:bg-accent-soft">
      <Cell className="min-w-48">
        <PageLink search={{ [kind.param]: id }} className="font-medium">
          {shownText(name, 100)}
        </PageLink>
        <div className="text-ink-faint text-note">
          <code>{shownText(key, 100)}</code>
          {'manual' in record && record.manual && ' · manual'}
        </div>
      </Cell>
      <Cell>
        <ComputationState record={record} />
      </Cell>
      <Cell className="tabular-nums">{wholeNumber(size)}</Cell>
      <Cell className="whitespace-nowrap tabular-nums">
        <DayChanges kind={kind} record={record} />
      </Cell>
      <Cell className="tabular-nums">
        {destinationIds.length === 0 ? (
          <span className="text-ink-faint">none</span>
        ) : (
          wholeNumber(destinationIds.length)
        )}
      </Cell>
      <Cell>{shownText(space, 50)}</Cell>
    </Row>
  )
}

/** The users who entered and left in the last 24 hours, or the changes to a trait. */
function DayChanges({ kind, record }: ComputationProps): ReactElement {
  const { data } = useQuery(changesQuery(kind, record, 1))
  if (data === undefined) return <span className="text-ink-faint">–</span>
  const sum = (field: 'entered' | 'left'): number =>
    data.data.reduce((total, hour) => total + hour[field], 0)
  const [entered, left] = [sum('entered'), sum('left')]
  if (entered + left === 0) return <span className="text-ink-faint">no change</span>
  // A user's trait can change many times.
  if (kind.param === 'trait') return <>{countText(entered + left, 'change')}</>
  return (
    <>
      +{wholeNumber(entered)} −{wholeNumber(left)}
    </>
  )
}

function filterRecords(records: readonly Computation[], text: string): readonly Computation[] {
  const part = text.trim().toLowerCase()
  return records.filter(({ name, key, id, space }) =>
    [name, key, id, space].some((each) => each.toLowerCase().includes(part)),
  )
}
