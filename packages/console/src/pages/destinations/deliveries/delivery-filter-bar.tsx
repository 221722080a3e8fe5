import type { ReactElement } from 'react'
import { Button } from '../../../design/controls/button.tsx'
import { Select } from '../../../design/controls/field.tsx'
import { FilterInput } from '../../../design/controls/filter-input.tsx'
import { useUrlState } from '../../../shell/url-state.ts'
import {
  CLASS_CHOICES,
  type DeliveryFilters,
  type FilterName,
  FILTERS,
  RANGES,
  STATE_CHOICES,
} from './delivery-filters.ts'

interface DeliveryFilterBarProps {
  readonly filters: DeliveryFilters
  readonly isBusy: boolean
  readonly onRefresh: () => void
}

const CHOICES = [
  ['state', 'State', STATE_CHOICES],
  ['class', 'Result of the last attempt', CLASS_CHOICES],
  ['range', 'Received', RANGES],
] as const

export function DeliveryFilterBar(props: DeliveryFilterBarProps): ReactElement {
  const { filters, isBusy, onRefresh } = props
  const [, setUrl] = useUrlState<FilterName>()
  const clear = (): void => setUrl(Object.fromEntries(FILTERS.map((name) => [name, undefined])))
  return (
    <search className="flex flex-wrap items-center gap-2">
      {CHOICES.map(([name, label, options]) => (
        <Select
          key={name}
          aria-label={label}
          value={filters[name] ?? ''}
          options={options}
          onPick={(value) => setUrl({ [name]: value })}
        />
      ))}
      <FilterInput
        data-filter
        aria-label="HTTP status of the last attempt"
        placeholder="Status"
        inputMode="numeric"
        maxLength={3}
        className="max-w-24"
        value={filters.status ?? ''}
        clean={(text) => text.replaceAll(/\D/g, '')}
        onWrite={(status) => setUrl({ status })}
      />
      {Object.keys(filters).length > 0 && (
        <Button look="quiet" onClick={clear}>
          Clear the filters
        </Button>
      )}
      <Button className="sm:ml-auto" isBusy={isBusy} onClick={onRefresh}>
        Refresh
      </Button>
    </search>
  )
}
