import { OPERATOR_TABLE, type Operator, parseTimestamp, VALUE_KINDS } from '@hookline/protocol'
import type { ReactElement } from 'react'
import { TextArea } from '../../../design/controls/field.tsx'
import { timeOfInput } from '../../../format/input-time.ts'
import { FORMS, type ValueDraft } from '../draft/comparison-draft.ts'
import { InlineInput, InlineSelect } from './inline-input.tsx'

interface ValueInputProps {
  readonly op: Operator
  readonly value: ValueDraft
  readonly onChange: (value: ValueDraft) => void
}

/** The value of a comparison and its type. */
export function ValueInput({ op, value, onChange }: ValueInputProps): ReactElement {
  const { takes } = OPERATOR_TABLE[op]
  const forms = FORMS[takes]
  return (
    <>
      {forms.length > 1 && (
        <InlineSelect
          label="Value type"
          title={`Accepts ${VALUE_KINDS[takes]}.`}
          value={value.form}
          options={forms.map((form) => [form, form === 'json' ? 'JSON' : form])}
          onPick={(form) => onChange({ ...value, form })}
        />
      )}
      <ValueText value={value} onChange={(text) => onChange({ ...value, text })} />
      {takes === 'days' && <span>days</span>}
    </>
  )
}

interface ValueTextProps {
  readonly value: ValueDraft
  readonly onChange: (text: string) => void
}

function ValueText({ value: { form, text }, onChange }: ValueTextProps): ReactElement | null {
  if (form === 'true' || form === 'false') return null
  if (form === 'date') return <TimeInput label="Date (UTC)" value={text} onChange={onChange} />
  if (form === 'list')
    return (
      <span className="block min-w-36 flex-1">
        <TextArea
          aria-label="Values, one per line"
          placeholder={'One per line.\n5 is a number, "5" is a string.'}
          rows={3}
          value={text}
          onChange={({ target }) => onChange(target.value)}
        />
      </span>
    )
  return (
    <InlineInput
      label={form === 'json' ? 'Value as JSON' : 'Value'}
      {...(form === 'number' && { inputMode: 'decimal', size: 'short' })}
      value={text}
      onChange={onChange}
    />
  )
}

interface TimeInputProps {
  readonly label: string
  readonly value: string
  readonly onChange: (value: string) => void
}

/** A time in UTC. Text that is not a valid time is shown unchanged. */
export function TimeInput({ label, value, onChange }: TimeInputProps): ReactElement {
  const time = parseTimestamp(value)
  if (value !== '' && time === undefined)
    return <InlineInput label={label} value={value} onChange={onChange} />
  return (
    <InlineInput
      type="datetime-local"
      step={1}
      label={label}
      value={time === undefined ? '' : new Date(time).toISOString().slice(0, 19)}
      onChange={(text) => onChange(timeOfInput(text, 'utc') ?? '')}
    />
  )
}
