import type { Json, ValueKind } from '@hookline/protocol'
import { jsonIn, numberIn } from './written.ts'

/** How a value is written: a text and a number look alike while they are written, and are not the same. */
export type ValueForm = 'text' | 'number' | 'true' | 'false' | 'json' | 'list' | 'date'

/** A value as a person writes it. It may not be finished. */
export interface ValueDraft {
  readonly form: ValueForm
  readonly text: string
}

/** The forms of a value for an operator, by what the operator takes; the first one is that of a new value. */
export const FORMS: Readonly<Record<ValueKind, readonly ValueForm[]>> = {
  none: [],
  any: ['text', 'number', 'true', 'false', 'json'],
  scalar: ['text', 'number', 'true', 'false'],
  number: ['number'],
  text: ['text'],
  list: ['list'],
  date: ['date', 'number'],
  days: ['number'],
}

/** The draft of a value. A value that the operator does not take gets a form that it has, and is another value then. */
export function valueDraftOf(value: Json | undefined, takes: ValueKind): ValueDraft | null {
  const forms = FORMS[takes]
  const [first] = forms
  if (first === undefined) return null
  const draft = draftOf(value ?? '', takes)
  return forms.includes(draft.form) ? draft : { form: first, text: '' }
}

function draftOf(value: Json, takes: ValueKind): ValueDraft {
  if (typeof value === 'string') return { form: takes === 'date' ? 'date' : 'text', text: value }
  if (typeof value === 'number') return { form: 'number', text: JSON.stringify(value) }
  if (typeof value === 'boolean') return { form: value ? 'true' : 'false', text: '' }
  if (takes === 'list' && Array.isArray(value)) return { form: 'list', text: linesOf(value) }
  return { form: 'json', text: JSON.stringify(value) }
}

/** The value that is written; `undefined` while it is none. */
export function valueOf({ form, text }: ValueDraft): Json | undefined {
  switch (form) {
    case 'text':
      return text
    case 'date':
      return text === '' ? undefined : text
    case 'number':
      return numberIn(text)
    case 'true':
      return true
    case 'false':
      return false
    case 'list':
      return text === '' ? undefined : linesIn(text).map(valueOfLine)
    case 'json':
      return jsonIn(text)
  }
}

/** The same value for an operator that takes another kind, as far as it has a form for it. */
export function adaptedValue(before: ValueDraft | null, takes: ValueKind): ValueDraft | null {
  const forms = FORMS[takes]
  const [first] = forms
  if (first === undefined) return null
  if (before === null) return { form: first, text: '' }
  if (forms.includes(before.form)) return before
  const value = valueOf(before)
  if (first === 'list') return { form: 'list', text: value === undefined ? '' : lineOf(value) }
  if (before.form === 'list') return valueDraftOf(valueOfLine(linesIn(before.text)[0] ?? ''), takes)
  return {
    form: first,
    text: first === 'text' || valueOf({ ...before, form: first }) !== undefined ? before.text : '',
  }
}

/** One value in each line: `5` is a number, `true` is true, `"5"` and `five` are texts. */
function linesOf(values: readonly Json[]): string {
  return values.map(lineOf).join('\n')
}

function linesIn(text: string): string[] {
  return text.split('\n').filter((line) => line !== '')
}

function lineOf(value: Json): string {
  const isPlain =
    typeof value === 'string' &&
    value !== '' &&
    !/[\n\r]/.test(value) &&
    valueOfLine(value) === value
  return isPlain ? value : JSON.stringify(value)
}

function valueOfLine(line: string): Json {
  const value = jsonIn(line)
  return value === undefined ? line : value
}
