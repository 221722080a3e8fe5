import type { ReactElement } from 'react'
import type { Destination } from '@hookline/cli/management-client'
import { Select } from '../../design/controls/field.tsx'
import { FilterInput } from '../../design/controls/filter-input.tsx'
import { useNames } from '../../domain/names.ts'
import { useUrlState } from '../../shell/url-state.ts'

/** With fewer, the eye is faster than a filter. */
const FEW = 8

/** Narrows a long list by text and source. */
export function DestinationFilter({
  all,
}: {
  readonly all: readonly Destination[]
}): ReactElement | undefined {
  const [{ text = '', source = '' }, setUrl] = useUrlState<'text' | 'source'>()
  const names = useNames()
  if (all.length < FEW && text === '' && source === '') return undefined
  const sources = [...new Set([...all.map(({ sourceId }) => sourceId), source])].filter(Boolean)
  return (
    <search className="flex flex-wrap gap-2">
      <FilterInput
        data-filter
        type="search"
        aria-label="Filter by name, id or URL"
        placeholder="Name, id or URL"
        className="max-w-xs"
        value={text}
        onWrite={(next) => setUrl({ text: next })}
      />
      <Select
        aria-label="Source"
        value={source}
        onPick={(picked) => setUrl({ source: picked })}
        options={[['', 'All sources'], ...sources.map((id) => [id, names.source(id)] as const)]}
      />
    </search>
  )
}

interface Filter {
  readonly text: string | undefined
  readonly source: string | undefined
}

/** The destinations of the source that have the text in their name, id or URLs, upper and lower case alike. */
export function matching(
  all: readonly Destination[],
  { text = '', source = '' }: Filter,
): readonly Destination[] {
  const wanted = text.trim().toLowerCase()
  return all.filter(({ id, name, sourceId, settings }) => {
    if (source !== '' && sourceId !== source) return false
    return [id, name, ...settings.webhooks.map(({ url }) => url)].some((each) =>
      each.toLowerCase().includes(wanted),
    )
  })
}
