import { isJsonObject } from '@hookline/protocol'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactElement } from 'react'
import { api } from '../../../../api/client.ts'
import { problemOf } from '../../../../api/problem.ts'
import { Cell, Row, Table } from '../../../../design/lists/table.tsx'
import { countText, wholeNumber } from '../../../../format/figures.ts'
import { shownText } from '../../../../format/shown-text.ts'
import { useDebounced } from '../../../../shell/use-debounced.ts'
import { type FilterDraft, isFilterComplete } from './filter-draft.ts'

/** Previews a filter shortly after its last edit; `null` while it is incomplete, and without a filter. */
export function useFilterPreview(id: string, filter: FilterDraft) {
  const json = isFilterComplete(filter) ? filter?.json : undefined
  const text = useDebounced(isJsonObject(json) ? JSON.stringify(json) : '')
  return useQuery({
    queryKey: ['filter-preview', id, text],
    // `null` also replaces the previous result, which would otherwise be shown for the next filter.
    queryFn: ({ signal }) =>
      text === ''
        ? null
        : api.previewFilter(id, { filter: JSON.parse(text) as object }, {}, { signal }),
    placeholderData: keepPreviousData,
    refetchOnWindowFocus: false,
  })
}

const MAX_ROWS = 10

interface FilterPreviewProps {
  readonly isComplete: boolean
  readonly preview: ReturnType<typeof useFilterPreview>
}

/** How many of the most recent events the filter selects. */
export function FilterPreview({ isComplete, preview }: FilterPreviewProps): ReactElement {
  return (
    <div aria-live="polite" aria-busy={preview.isFetching} className="flex flex-col gap-2">
      {isComplete ? (
        <Counts {...preview} />
      ) : (
        <p className="text-ink-soft">Fill in all fields to see matching events.</p>
      )}
    </div>
  )
}

function Counts({ data, error }: FilterPreviewProps['preview']): ReactElement {
  if (error !== null) return <p className="text-failed">{problemOf(error).message}</p>
  if (data == null) return <p className="text-ink-soft">Counting…</p>
  const { selected, examined, byName, excludedExamples } = data
  // Prefers an event that a comparison excludes: it explains more than an event of the wrong type.
  const excluded =
    excludedExamples.find(({ reasons }) => reasons.some((each) => each.includes('/where/'))) ??
    excludedExamples[0]
  return (
    <>
      <p className="font-medium">
        Selects {wholeNumber(selected)} of {countText(examined, 'recent event')}.
      </p>
      {byName.length > 0 && (
        <Table label="Selected events by name" head={['Type', 'Event', 'Selected', 'Examined']}>
          {byName.slice(0, MAX_ROWS).map((row) => (
            <Row key={`${row.type} ${row.event}`}>
              <Cell>{row.type}</Cell>
              <Cell>{row.event === null ? '' : shownText(row.event, 60)}</Cell>
              <Cell>{wholeNumber(row.selected)}</Cell>
              <Cell>{wholeNumber(row.examined)}</Cell>
            </Row>
          ))}
        </Table>
      )}
      {excluded !== undefined && (
        <p className="text-ink-soft text-dense">
          For example, the filter excludes{' '}
          <Link to="/events/$id" params={{ id: excluded.id }} className="text-accent underline">
            {excluded.id}
          </Link>
          : {shownText(excluded.reasons.join('; '), 300)}.
        </p>
      )}
    </>
  )
}
