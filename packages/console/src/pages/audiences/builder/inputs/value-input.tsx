import { OPERATOR_TABLE, type Operator, parseTimestamp, VALUE_KINDS } from '@hookline/protocol'
import type { ReactElement } from 'react'
import { TextArea } from '../../../../design/controls/field.tsx'
import { timeOfInput } from '../../../../format/input-time.ts'
import { FORMS, type ValueDraft, type ValueForm } from '../../draft/value-draft.ts'
import { InlineInput, InlineSelect } from './inline-input.tsx'

const FORM_WORDS: Readonly<Record<ValueForm, string>> = {
  text: 'text',
  number: 'number',
  true: 'true',
  false: 'false',
  json: 'JSON',
  list: 'list',
  date: 'date',
}

interface ValueInputProps {
  readonly op: Operator
  readonly value: ValueDraft
  readonly onChange: (value: ValueDraft) => void
}

/** The value that an operator compares with: its form, and what is written. */
export function ValueInput({ op, value, onChange }: ValueInputProps): ReactElement {
  const { takes } = OPERATOR_TABLE[op]
  const forms = FORMS[takes]
  return (
    <>
      {forms.length > 1 && (
        <InlineSelect
          label="Form of the value"
          title={`It takes ${VALUE_KINDS[takes]}.`}
          value={value.form}
          options={forms.map((each) => [each, FORM_WORDS[each]])}
          onPick={(form) => onChange({ form, text: value.text })}
        />
      )}
      <WrittenValue value={value} onChange={(text) => onChange({ form: value.form, text })} />
      {takes === 'days' && <span>days</span>}
    </>
  )
}

interface WrittenValueProps {
  readonly value: ValueDraft
  readonly onChange: (text: string) => void
}

function WrittenValue({ value: { form, text }, onChange }: WrittenValueProps): ReactElement | null {
  if (form === 'true' || form === 'false') return null
  if (form === 'number')
    return (
      <InlineInput
        label="Value"
        inputMode="decimal"
        size="short"
        value={text}
        onChange={onChange}
      />
    )
  if (form === 'date') return <MomentInput label="Date, in UTC" value={text} onChange={onChange} />
  if (form === 'list') return <ListInput value={text} onChange={onChange} />
  return (
    <InlineInput
      label={form === 'json' ? 'Value as JSON' : 'Value'}
      value={text}
      onChange={onChange}
    />
  )
}

function ListInput({
  value,
  onChange,
}: {
  value: string
  onChange: (text: string) => void
}): ReactElement {
  return (
    <span className="block min-w-36 flex-1">
      <TextArea
        aria-label="Values, one in each line"
        placeholder={'One in each line.\n5 is a number, "5" is a text.'}
        rows={3}
        value={value}
        onChange={({ target }) => onChange(target.value)}
      />
    </span>
  )
}

interface MomentInputProps {
  readonly label: string
  readonly value: string
  readonly onChange: (value: string) => void
}

/** A moment in UTC. A text that is no moment is shown as it is. */
export function MomentInput({ label, value, onChange }: MomentInputProps): ReactElement {
  const moment = parseTimestamp(value)
  if (value !== '' && moment === undefined)
    return <InlineInput label={label} value={value} onChange={onChange} />
  return (
    <InlineInput
      type="datetime-local"
      step={1}
      label={label}
      value={moment === undefined ? '' : new Date(moment).toISOString().slice(0, 19)}
      onChange={(written) => onChange(timeOfInput(written, 'utc') ?? '')}
    />
  )
}
