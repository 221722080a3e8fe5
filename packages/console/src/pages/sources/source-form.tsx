import type { ReactElement } from 'react'
import { faultAt } from '../../api/problem.ts'
import { Field, TextInput } from '../../design/controls/field.tsx'
import { rateLimitFault, type SourceFields } from './source-fields.ts'

interface SourceInputsProps {
  readonly fields: SourceFields
  readonly onChange: (fields: SourceFields) => void
  /** What the service said of the last try. */
  readonly error: unknown
}

interface NameInputProps extends SourceInputsProps {
  readonly autoFocus?: boolean
}

export function NameInput({ fields, onChange, error, autoFocus }: NameInputProps): ReactElement {
  return (
    <Field
      label="Name"
      hint="What sends the events: “Shop, web”, “Backend”."
      fault={faultAt(error, '/name')}
    >
      {(ids) => (
        <TextInput
          {...ids}
          required
          maxLength={200}
          autoFocus={autoFocus}
          value={fields.name}
          onChange={({ target }) => onChange({ ...fields, name: target.value })}
        />
      )}
    </Field>
  )
}

/** What most sources leave as it is. */
export function LimitInputs({ fields, onChange, error }: SourceInputsProps): ReactElement {
  return (
    <>
      <Field
        label="Rate limit, in calls per second"
        hint="Calls above it are refused with 429, and client libraries send them again later. Leave it empty for no limit."
        fault={rateLimitFault(fields) ?? faultAt(error, '/rateLimit')}
      >
        {(ids) => (
          <TextInput
            {...ids}
            inputMode="numeric"
            placeholder="No limit"
            value={fields.rateLimit}
            onChange={({ target }) => onChange({ ...fields, rateLimit: target.value })}
          />
        )}
      </Field>
      <Field
        label="Space"
        hint="Sources of one space have one profile for each user: audiences then know what a user did in all of them. Use another space for other users, such as those of a test system."
        fault={faultAt(error, '/space')}
      >
        {(ids) => (
          <TextInput
            {...ids}
            value={fields.space}
            onChange={({ target }) => onChange({ ...fields, space: target.value })}
          />
        )}
      </Field>
    </>
  )
}
