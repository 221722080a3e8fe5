import type { ReactElement } from 'react'
import { inputTime, timeOfInput } from '../../format/input-time.ts'
import { useZone } from '../../format/time-zone.ts'
import { Field, TextInput } from './field.tsx'

interface TimeFieldProps {
  readonly label: string
  readonly hint?: string
  readonly fieldError?: string | undefined
  /** ISO 8601. */
  readonly at: string | undefined
  readonly onChange: (at: string | undefined) => void
}

/** Uses the displayed time zone. */
export function TimeField({
  label,
  hint = '',
  fieldError,
  at,
  onChange,
}: TimeFieldProps): ReactElement {
  const zone = useZone()
  const zoneWords = zone === 'utc' ? 'UTC.' : 'Local time.'
  return (
    <Field label={label} hint={`${zoneWords} ${hint}`} fieldError={fieldError}>
      {(ids) => (
        <TextInput
          {...ids}
          key={zone}
          type="datetime-local"
          step={1}
          defaultValue={inputTime(at, zone)}
          onChange={({ target }) => onChange(timeOfInput(target.value, zone))}
        />
      )}
    </Field>
  )
}
