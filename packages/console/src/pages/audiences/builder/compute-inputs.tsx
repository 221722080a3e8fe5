import { COMPUTE_FUNCTIONS, COMPUTE_TABLE } from '@hookline/protocol'
import type { ReactElement } from 'react'
import { useBuilder } from '../../../domain/conditions/builder/builder-context.ts'
import { ErrorList, errorsIn } from '../../../domain/conditions/builder/error-list.tsx'
import { InlineInput, InlineSelect } from '../../../domain/conditions/builder/inline-input.tsx'
import { type ComputeDraft, FUNCTION_WORDS } from '../draft/compute-draft.ts'
import type { EventsDraft } from '../draft/events-draft.ts'
import { AddFilterButton, EventsInputs } from './events-inputs.tsx'

const FUNCTIONS = COMPUTE_FUNCTIONS.map((fn) => [fn, `${fn}: ${FUNCTION_WORDS[fn]}`] as const)

interface ComputeInputsProps {
  readonly draft: ComputeDraft
  readonly onChange: (draft: ComputeDraft) => void
}

export function ComputeInputs({ draft, onChange }: ComputeInputsProps): ReactElement {
  const { errors, suggestions } = useBuilder()
  const { fn, property, events } = draft
  const { meaning, from, whenEmpty } = COMPUTE_TABLE[fn]
  const changeEvents = (next: EventsDraft): void => onChange({ ...draft, events: next })
  return (
    <div className="flex flex-col gap-2">
      <div className="flex flex-wrap items-center gap-2">
        <InlineSelect
          label="Function"
          value={fn}
          options={FUNCTIONS}
          onPick={(next) => onChange({ ...draft, fn: next })}
        />
        {fn !== 'count' && (
          <>
            <span>of</span>
            <InlineInput
              label="Property"
              value={property}
              suggestions={suggestions.properties}
              onChange={(next) => onChange({ ...draft, property: next })}
            />
            <span>in</span>
          </>
        )}
        <EventsInputs events={events} onChange={changeEvents} />
      </div>
      <AddFilterButton className="self-start" events={events} onChange={changeEvents} />
      <p className="text-ink-faint text-note">
        {meaning} {fn !== 'count' && `Computed from ${from}. `}If there are no events:{' '}
        <code>{JSON.stringify(whenEmpty)}</code>.
      </p>
      <ErrorList errors={errorsIn(errors, '/compute')} />
    </div>
  )
}
