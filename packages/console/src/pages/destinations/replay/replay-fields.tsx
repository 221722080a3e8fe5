import { EVENT_TYPES } from '@hookline/protocol'
import type { ReactElement } from 'react'
import { Checkbox, Field, TextInput } from '../../../design/controls/field.tsx'
import { TimeField } from '../../../design/controls/time-field.tsx'
import { REPLAY_STATES, type ReplayDraft, type ReplayState, toggleValue } from './replay-draft.ts'

const STATE_WORDS: Readonly<Record<ReplayState, string>> = {
  rejected: 'rejected (not retried)',
  expired: 'expired (the retry window ended)',
  quarantined: 'quarantined (corrupted data or a bug)',
  delivered: 'delivered (sent again)',
}

interface ReplayFieldsProps {
  readonly draft: ReplayDraft
  readonly onChange: (draft: ReplayDraft) => void
  readonly errorOf: (pointer: string) => string | undefined
}

export function ReplayFields(props: ReplayFieldsProps): ReactElement {
  const { draft, onChange, errorOf } = props
  return (
    <>
      <div className="grid grid-cols-1 gap-4 sm:grid-cols-2">
        <StateBoxes {...props} />
        <TypeBoxes {...props} />
      </div>
      <div className="grid grid-cols-1 gap-3 sm:grid-cols-2 lg:grid-cols-4">
        <TimeField
          label="Received at or after"
          hint="Empty: no limit."
          fieldError={errorOf('/from')}
          at={draft.from}
          onChange={(from) => onChange({ ...draft, from })}
        />
        <TimeField
          label="Received before"
          hint="Empty: now."
          fieldError={errorOf('/to')}
          at={draft.to}
          onChange={(to) => onChange({ ...draft, to })}
        />
        <Field label="Contains" fieldError={errorOf('/text')}>
          {(ids) => (
            <TextInput
              {...ids}
              maxLength={1024}
              value={draft.text}
              onChange={({ target }) => onChange({ ...draft, text: target.value })}
            />
          )}
        </Field>
        <Field
          label="Max per second"
          hint="Empty: no limit."
          fieldError={errorOf('/ratePerSecond')}
        >
          {(ids) => (
            <TextInput
              {...ids}
              inputMode="numeric"
              value={draft.rate}
              onChange={({ target }) =>
                onChange({ ...draft, rate: target.value.replaceAll(/\D/g, '') })
              }
            />
          )}
        </Field>
      </div>
    </>
  )
}

function StateBoxes({ draft, onChange }: ReplayFieldsProps): ReactElement {
  return (
    <fieldset className="flex flex-col gap-1.5">
      <legend className="text-dense mb-1 font-medium">Deliveries</legend>
      {REPLAY_STATES.map((state) => (
        <Checkbox
          key={state}
          label={STATE_WORDS[state]}
          checked={draft.states.includes(state)}
          onToggle={(isIn) =>
            onChange({ ...draft, states: toggleValue(draft.states, state, isIn) })
          }
        />
      ))}
      <Checkbox
        label="declined (destination disabled, filter, sample or transform)"
        checked={draft.includeDeclined}
        onToggle={(includeDeclined) => onChange({ ...draft, includeDeclined })}
      />
    </fieldset>
  )
}

function TypeBoxes({ draft, onChange }: ReplayFieldsProps): ReactElement {
  return (
    <fieldset>
      <legend className="text-dense mb-1 font-medium">Event types (leave empty for all)</legend>
      <div className="grid grid-cols-2 gap-1.5">
        {EVENT_TYPES.map((type) => (
          <Checkbox
            key={type}
            label={type}
            checked={draft.types.includes(type)}
            onToggle={(isIn) => onChange({ ...draft, types: toggleValue(draft.types, type, isIn) })}
          />
        ))}
      </div>
    </fieldset>
  )
}
