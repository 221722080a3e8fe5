import type { ReactElement } from 'react'
import { errorAt, errorIn } from '../../api/problem.ts'
import { Field, TextArea, TextInput } from '../../design/controls/field.tsx'
import { jsonError, rateLimitError, type SourceFields } from './source-fields.ts'

interface SourceInputsProps {
  readonly fields: SourceFields
  readonly onChange: (fields: SourceFields) => void
  /** The error from the last submission. */
  readonly error: unknown
}

interface NameInputProps extends SourceInputsProps {
  readonly autoFocus?: boolean
}

export function NameInput({ fields, onChange, error, autoFocus }: NameInputProps): ReactElement {
  return (
    <Field
      label="Name"
      hint="For example “Web shop” or “Backend”."
      fieldError={errorAt(error, '/name')}
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

export function LimitInputs({ fields, onChange, error }: SourceInputsProps): ReactElement {
  return (
    <>
      <Field
        label="Rate limit (calls per second)"
        hint="Calls over the limit get a 429, and most client libraries retry them."
        fieldError={rateLimitError(fields) ?? errorAt(error, '/rateLimit')}
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
        hint="Sources in the same space share user profiles and audiences. Use a separate space for users who must be kept apart, such as test users."
        fieldError={errorAt(error, '/space')}
      >
        {(ids) => (
          <TextInput
            {...ids}
            value={fields.space}
            onChange={({ target }) => onChange({ ...fields, space: target.value })}
          />
        )}
      </Field>
      <Field
        label="Fields to drop or hash, as JSON"
        hint='Applied before a call is stored. Empty: store all fields. Example: {"drop": ["context.ip"], "hash": [{"path": "traits.email", "normalize": "email"}]}'
        fieldError={jsonError(fields) ?? errorIn(error, '/fields')}
      >
        {(ids) => (
          <TextArea
            {...ids}
            rows={4}
            value={fields.fields}
            onChange={({ target }) => onChange({ ...fields, fields: target.value })}
          />
        )}
      </Field>
    </>
  )
}
