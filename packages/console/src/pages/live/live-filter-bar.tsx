import { EVENT_TYPES } from '@hookline/protocol'
import { useQuery } from '@tanstack/react-query'
import type { ReactElement } from 'react'
import { destinationsQuery, sourcesQuery } from '../../api/queries.ts'
import { Button } from '../../design/controls/button.tsx'
import { Select } from '../../design/controls/field.tsx'
import { FilterInput } from '../../design/controls/filter-input.tsx'
import { shownText } from '../../format/shown-text.ts'
import { LIVE_FILTERS, type LiveFilterName, type LiveFilters, OUTCOMES } from './live-filters.ts'
import { SaveViewButton } from '../../shell/saved-views.tsx'

interface LiveFilterBarProps {
  readonly filters: LiveFilters
  readonly onChange: (change: Readonly<Partial<Record<LiveFilterName, string | undefined>>>) => void
}

type Option = readonly [value: string, label: string]

const TEXTS = [
  ['text', 'Contains text'],
  ['event', 'Event name'],
  ['user', 'User'],
] as const

export function LiveFilterBar({ filters, onChange }: LiveFilterBarProps): ReactElement {
  const { data: sources = [] } = useQuery(sourcesQuery)
  const { data: destinations = [] } = useQuery(destinationsQuery)
  const choices: readonly (readonly [LiveFilterName, string, readonly Option[]])[] = [
    ['source', 'Source', sources.map(({ id, name }) => [id, shownText(name, 60)])],
    ['destination', 'Destination', destinations.map(({ id, name }) => [id, shownText(name, 60)])],
    ['type', 'Type', EVENT_TYPES.map((type) => [type, type])],
    ['outcome', 'Outcome', OUTCOMES.map((outcome) => [outcome, outcome])],
  ]
  return (
    <div
      role="search"
      aria-label="Filter live events"
      className="grid grid-cols-2 gap-2 md:grid-cols-4 xl:grid-cols-[repeat(3,1fr)_repeat(4,fit-content(9.5rem))_auto]"
    >
      {TEXTS.map(([name, label]) => (
        <FilterInput
          key={name}
          data-filter={name === 'text' ? '' : undefined}
          aria-label={label}
          placeholder={label}
          value={filters[name] ?? ''}
          onWrite={(text) => onChange({ [name]: text })}
        />
      ))}
      {choices.map(([name, label, options]) => (
        <Select
          key={name}
          aria-label={label}
          className="w-full"
          options={[['', label], ...options]}
          value={filters[name] ?? ''}
          onPick={(value) => onChange({ [name]: value })}
        />
      ))}
      <Button
        variant="quiet"
        disabled={Object.keys(filters).length === 0}
        onClick={() => onChange(Object.fromEntries(LIVE_FILTERS.map((name) => [name, undefined])))}
      >
        Clear
      </Button>
      {Object.keys(filters).length > 0 && <SaveViewButton />}
    </div>
  )
}
