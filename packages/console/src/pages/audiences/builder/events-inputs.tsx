import { EVENT_TYPES, type EventType } from '@hookline/protocol'
import type { ReactElement, ReactNode } from 'react'
import { Button } from '../../../design/controls/button.tsx'
import { Icon } from '../../../design/icon.tsx'
import { type EventsDraft, type FilterDraft, hasName, newFilter } from '../draft/events-draft.ts'
import { EVENT_WORDS } from '../draft/words.ts'
import { useBuilder } from './builder-context.ts'
import { ComparisonInputs } from './inputs/comparison-inputs.tsx'
import { InlineInput, InlineSelect } from './inputs/inline-input.tsx'
import { WindowInputs } from './inputs/window-inputs.tsx'

const TYPES = ['track', ...EVENT_TYPES.filter((type) => type !== 'track')].map(
  (type): [EventType, string] => [type as EventType, EVENT_WORDS[type as EventType]],
)

interface EventsInputsProps {
  readonly events: EventsDraft
  readonly onChange: (events: EventsDraft) => void
  /** What stands between the name of the event and the window. */
  readonly children?: ReactNode
}

/** Which events: their type and name, their window, and filters of their properties. */
export function EventsInputs({ events, onChange, children }: EventsInputsProps): ReactElement {
  const { suggestions } = useBuilder()
  const { type, name, window } = events
  return (
    <>
      <InlineSelect
        label="Type of the events"
        value={type}
        options={TYPES}
        onPick={(picked) =>
          onChange({ ...events, type: picked, name: hasName(picked) ? name : '' })
        }
      />
      {hasName(type) && (
        <InlineInput
          label={type === 'track' ? 'Name of the event' : 'Name, or any'}
          size="name"
          value={name}
          offers={suggestions[type as 'track' | 'page' | 'screen']}
          onChange={(written) => onChange({ ...events, name: written })}
        />
      )}
      {children}
      <Line>
        <WindowInputs window={window} onChange={(next) => onChange({ ...events, window: next })} />
      </Line>
      {events.where !== null && (
        <Filters filters={events.where} onChange={(where) => onChange({ ...events, where })} />
      )}
    </>
  )
}

/** Inputs on a line of their own, so that what is chosen in one line moves nothing in another. */
export function Line({ children }: { readonly children: ReactNode }): ReactElement {
  return <div className="flex min-w-0 basis-full flex-wrap items-center gap-2">{children}</div>
}

/** Adds a filter to the events of a clause. */
export function AddFilterButton({
  events,
  onChange,
}: Pick<EventsInputsProps, 'events' | 'onChange'>): ReactElement {
  return (
    <Button
      look="quiet"
      className="min-h-6 px-2 py-0.5"
      onClick={() => onChange({ ...events, where: [...(events.where ?? []), newFilter()] })}
    >
      <Icon name="plus" className="size-3" /> Filter by a property
    </Button>
  )
}

interface FiltersProps {
  readonly filters: readonly FilterDraft[]
  readonly onChange: (filters: readonly FilterDraft[] | null) => void
}

function Filters({ filters, onChange }: FiltersProps): ReactElement {
  const change = (id: string, replaced: readonly FilterDraft[]): void => {
    const next = filters.flatMap((each) => (each.id === id ? replaced : [each]))
    onChange(next.length === 0 ? null : next)
  }
  return (
    <div className="flex basis-full flex-col gap-2">
      {filters.map((filter) => (
        <Filter
          key={filter.id}
          filter={filter}
          onChange={(next) => change(filter.id, [next])}
          onRemove={() => change(filter.id, [])}
        />
      ))}
    </div>
  )
}

interface FilterProps {
  readonly filter: FilterDraft
  readonly onChange: (filter: FilterDraft) => void
  readonly onRemove: () => void
}

function Filter({ filter, onChange, onRemove }: FilterProps): ReactElement {
  const { suggestions } = useBuilder()
  return (
    <div role="group" aria-label="Filter" className="flex flex-wrap items-center gap-2">
      <span className="text-ink-soft">where</span>
      <InlineInput
        label="Property"
        autoFocus={filter.property === ''}
        value={filter.property}
        offers={suggestions.properties}
        onChange={(property) => onChange({ ...filter, property })}
      />
      <ComparisonInputs
        comparison={filter.comparison}
        onChange={(comparison) => onChange({ ...filter, comparison })}
      />
      <Button look="quiet" className="px-1.5" aria-label="Remove the filter" onClick={onRemove}>
        <Icon name="cross" className="size-3" />
      </Button>
    </div>
  )
}
