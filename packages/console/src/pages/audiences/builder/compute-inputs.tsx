import { COMPUTE_FUNCTIONS, COMPUTE_TABLE, type ComputeFunction } from '@hookline/protocol'
import type { ReactElement } from 'react'
import type { ComputeDraft } from '../draft/compute-draft.ts'
import { faultsIn } from '../draft/faults.ts'
import { FUNCTION_WORDS } from '../draft/words.ts'
import { useBuilder } from './builder-context.ts'
import { AddFilterButton, EventsInputs } from './events-inputs.tsx'
import { FaultList } from './fault-list.tsx'
import { InlineInput, InlineSelect } from './inputs/inline-input.tsx'
import type { DefinitionInputsProps } from './inputs-props.ts'

const FUNCTIONS = COMPUTE_FUNCTIONS.map((fn): [ComputeFunction, string] => [
  fn,
  `${fn}: ${FUNCTION_WORDS[fn]}`,
])

/** The inputs of how a computed trait is made. */
export function ComputeInputs({
  draft,
  pointer,
  onChange,
}: DefinitionInputsProps<ComputeDraft>): ReactElement {
  const { faults, suggestions } = useBuilder()
  const { fn, property, events } = draft
  const { meaning, from, whenEmpty } = COMPUTE_TABLE[fn]
  return (
    <div className="flex flex-col gap-2">
      <div className="flex flex-wrap items-center gap-2">
        <InlineSelect
          label="Function"
          value={fn}
          options={FUNCTIONS}
          onPick={(picked) => onChange({ ...draft, fn: picked })}
        />
        {fn !== 'count' && (
          <>
            <span>of</span>
            <InlineInput
              label="Property"
              value={property}
              offers={suggestions.properties}
              onChange={(written) => onChange({ ...draft, property: written })}
            />
            <span>in</span>
          </>
        )}
        <EventsInputs events={events} onChange={(next) => onChange({ ...draft, events: next })} />
      </div>
      <div>
        <AddFilterButton
          events={events}
          onChange={(next) => onChange({ ...draft, events: next })}
        />
      </div>
      <p className="text-ink-faint text-note">
        {meaning} It is made from {from}. When no event is left, it becomes{' '}
        <code>{JSON.stringify(whenEmpty)}</code>.
      </p>
      <FaultList faults={faultsIn(faults, pointer)} />
    </div>
  )
}
