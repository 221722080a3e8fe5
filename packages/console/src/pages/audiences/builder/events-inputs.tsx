import type { EventType } from '@hookline/protocol'
import type { ReactElement, ReactNode } from 'react'
import { Button } from '../../../design/controls/button.tsx'
import { Icon } from '../../../design/icon.tsx'
import { type EventsDraft, type FilterDraft, hasName, newFilter } from '../draft/events-draft.ts'
import { EVENT_WORDS } from '../draft/words.ts'
import { useBuilder } from './builder-context.ts'
import { ComparisonInputs } from './inputs/comparison-inputs.tsx'
import { InlineInput, InlineSelect } from './inputs/inline-input.tsx'
import { WindowInputs } from './inputs/window-inputs.tsx'
import { SmallButton } from './part-buttons.tsx'

const TYPES = Object.entries(EVENT_WORDS) as [EventType, string][]

interface EventsInputsProps {
  readonly events: EventsDraft
  readonly onChange: (events: EventsDraft) => void
  /** Inputs between the event name and the window. */
  readonly children?: ReactNode
}

/** Selects events by type, name, window and property filters. */
export function EventsInputs({ events, onChange, children }: EventsInputsProps): ReactElement {
  const { suggestions } = useBuilder()
  const { type, name, where, window } = events
  const replace = (id: string, filters: readonly FilterDraft[]): void => {
    const next = (where ?? []).flatMap((each) => (each.id === id ? filters : [each]))
    onChange({ ...events, where: next.length === 0 ? null : next })
  }
  return (
    <>
      <InlineSelect
        label="Event type"
        value={type}
        options={TYPES}
        onPick={(next) => onChange({ ...events, type: next, name: hasName(next) ? name : '' })}
      />
      {hasName(type) && (
        <InlineInput
          label={type === 'track' ? 'Event name' : 'Name (optional)'}
          size="name"
          value={name}
          suggestions={suggestions[type]}
          onChange={(next) => onChange({ ...events, name: next })}
        />
      )}
      {children}
      <Line>
        <WindowInputs window={window} onChange={(next) => onChange({ ...events, window: next })} />
      </Line>
      {where !== null && (
        <div className="flex basis-full flex-col gap-2">
          {where.map((filter) => (
            <Filter
              key={filter.id}
              filter={filter}
              onChange={(next) => replace(filter.id, [next])}
              onRemove={() => replace(filter.id, [])}
            />
          ))}
        </div>
      )}
    </>
  )
}

/** Inputs on a separate line, so that changes in one line do not move others. */
export function Line({ children }: { readonly children: ReactNode }): ReactElement {
  return <div className="flex min-w-0 basis-full flex-wrap items-center gap-2">{children}</div>
}

interface AddFilterButtonProps extends Omit<EventsInputsProps, 'children'> {
  readonly className: string
}

export function AddFilterButton(props: AddFilterButtonProps): ReactElement {
  const { events, onChange, className } = props
  return (
    <SmallButton
      className={className}
      onClick={() => onChange({ ...events, where: [...(events.where ?? []), newFilter()] })}
    >
      <Icon name="plus" className="size-3" /> Filter by property
    </SmallButton>
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
        suggestions={suggestions.properties}
        onChange={(property) => onChange({ ...filter, property })}
      />
      <ComparisonInputs
        comparison={filter.comparison}
        onChange={(comparison) => onChange({ ...filter, comparison })}
      />
      <Button look="quiet" className="px-1.5" aria-label="Remove filter" onClick={onRemove}>
        <Icon name="cross" className="size-3" />
      </Button>
    </div>
  )
}
