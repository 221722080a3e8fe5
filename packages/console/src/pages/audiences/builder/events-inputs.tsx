import type { EventType } from '@hookline/protocol'
import type { ReactElement, ReactNode } from 'react'
import { useBuilder } from '../../../domain/conditions/builder/builder-context.ts'
import { InlineInput, InlineSelect } from '../../../domain/conditions/builder/inline-input.tsx'
import { AddWhereButton, WhereInputs } from '../../../domain/conditions/builder/where-inputs.tsx'
import { EVENT_WORDS } from '../../../domain/conditions/draft/words.ts'
import { type EventsDraft, hasName, WHERE_SUBJECTS } from '../draft/events-draft.ts'
import { WindowInputs } from './window-inputs.tsx'

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
      <WhereInputs
        where={where}
        subjects={WHERE_SUBJECTS}
        onChange={(next) => onChange({ ...events, where: next })}
      />
    </>
  )
}

/** Inputs on a separate line, so that changes in one line do not move others. */
export function Line({ children }: { readonly children: ReactNode }): ReactElement {
  return <div className="flex min-w-0 basis-full flex-wrap items-center gap-2">{children}</div>
}

interface AddFilterButtonProps extends Omit<EventsInputsProps, 'children'> {
  readonly className?: string
}

export function AddFilterButton(props: AddFilterButtonProps): ReactElement {
  const { events, onChange, ...rest } = props
  return (
    <AddWhereButton
      label="Filter by property"
      subject="property"
      where={events.where}
      onChange={(where) => onChange({ ...events, where })}
      {...rest}
    />
  )
}
