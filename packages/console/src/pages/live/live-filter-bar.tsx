import { EVENT_TYPES } from '@hookline/protocol'
import { useQuery } from '@tanstack/react-query'
import type { ReactElement } from 'react'
import { destinationsQuery, sourcesQuery } from '../../api/queries.ts'
import { Button } from '../../design/controls/button.tsx'
import { Select } from '../../design/controls/field.tsx'
import { FilterInput } from '../../design/controls/filter-input.tsx'
import { shownText } from '../../format/shown-text.ts'
import { LIVE_FILTERS, type LiveFilterName, type LiveFilters, OUTCOMES } from './live-filters.ts'

interface LiveFilterBarProps {
  readonly filters: LiveFilters
  readonly onChange: (change: Readonly<Partial<Record<LiveFilterName, string | undefined>>>) => void
}

interface Named {
  readonly id: string
  readonly name: string
}

/** The filters apply with every letter: they only choose among what is here already. */
export function LiveFilterBar({ filters, onChange }: LiveFilterBarProps): ReactElement {
  const { data: sources = [] } = useQuery(sourcesQuery)
  const { data: destinations = [] } = useQuery(destinationsQuery)
  const choices = [
    ['source', 'Source', optionsOf('Source', sources)],
    ['destination', 'Destination', optionsOf('Destination', destinations)],
    ['type', 'Type', [['', 'Type'], ...EVENT_TYPES.map((type) => [type, type] as const)]],
    ['outcome', 'Outcome', OUTCOMES],
  ] as const
  const texts = [
    ['text', 'Contains', 'Any text'],
    ['event', 'Event name', 'Event name'],
    ['user', 'User', 'User'],
  ] as const
  return (
    <div
      role="search"
      aria-label="Filter what is live"
      className="grid grid-cols-2 gap-2 md:grid-cols-4 xl:grid-cols-[repeat(3,1fr)_repeat(4,fit-content(9.5rem))_auto]"
    >
      {texts.map(([name, label, placeholder]) => (
        <FilterInput
          key={name}
          data-filter={name === 'text' ? '' : undefined}
          aria-label={label}
          placeholder={placeholder}
          value={filters[name] ?? ''}
          onWrite={(text) => onChange({ [name]: text })}
        />
      ))}
      {choices.map(([name, label, options]) => (
        <Select
          key={name}
          aria-label={label}
          className="w-full"
          options={options as readonly (readonly [string, string])[]}
          value={filters[name] ?? ''}
          onPick={(value) => onChange({ [name]: value })}
        />
      ))}
      <Button
        look="quiet"
        disabled={Object.keys(filters).length === 0}
        onClick={() => onChange(Object.fromEntries(LIVE_FILTERS.map((name) => [name, undefined])))}
      >
        Clear
      </Button>
    </div>
  )
}

function optionsOf(all: string, records: readonly Named[]): readonly (readonly [string, string])[] {
  return [['', all], ...records.map(({ id, name }) => [id, shownText(name, 60)] as const)]
}
