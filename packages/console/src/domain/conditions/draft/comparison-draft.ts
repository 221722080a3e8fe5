import {
  type Json,
  type JsonObject,
  type Operator,
  OPERATOR_TABLE,
  OPERATORS,
  type ValueKind,
} from '@hookline/protocol'
import { jsonIn, numberIn } from './written.ts'

/** The type of a value: `5` as text and as a number look alike in an input. */
export type ValueForm = 'text' | 'number' | 'true' | 'false' | 'json' | 'list' | 'date'

/** A value being edited; possibly incomplete. */
export interface ValueDraft {
  readonly form: ValueForm
  readonly text: string
}

/** A comparison being edited. */
export interface ComparisonDraft {
  readonly op: Operator
  /** `null` if the operator takes no value. */
  readonly value: ValueDraft | null
}

/** The forms allowed for each kind of value; the first is the default. */
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

export const NEW_COMPARISON: ComparisonDraft = { op: 'equals', value: { form: 'text', text: '' } }

/** Parses a comparison. Invalid parts get defaults, which `shownBy` of `definition-draft.ts` detects. */
export function comparisonDraftOf(json: JsonObject): ComparisonDraft {
  const op = OPERATORS.find((each) => each === json['op']) ?? 'equals'
  return { op, value: valueDraftOf(json['value'] ?? '', OPERATOR_TABLE[op].takes) }
}

export function comparisonOf({ op, value: draft }: ComparisonDraft): JsonObject {
  const value = draft === null ? undefined : valueOf(draft)
  return { op, ...(value !== undefined && { value }) }
}

/** Changes the operator, converting the value if possible. */
export function withOperator({ value }: ComparisonDraft, op: Operator): ComparisonDraft {
  return { op, value: convertValue(value, OPERATOR_TABLE[op].takes) }
}

export function isComparisonComplete({ value }: ComparisonDraft): boolean {
  return value === null || valueOf(value) !== undefined
}

function valueDraftOf(value: Json, takes: ValueKind): ValueDraft | null {
  const [first] = FORMS[takes]
  if (first === undefined) return null
  const draft = draftOf(value, takes)
  return FORMS[takes].includes(draft.form) ? draft : { form: first, text: '' }
}

function draftOf(value: Json, takes: ValueKind): ValueDraft {
  if (typeof value === 'string') return { form: takes === 'date' ? 'date' : 'text', text: value }
  if (typeof value === 'number') return { form: 'number', text: JSON.stringify(value) }
  if (typeof value === 'boolean') return { form: value ? 'true' : 'false', text: '' }
  if (takes === 'list' && Array.isArray(value))
    return { form: 'list', text: value.map((each: Json) => lineOf(each)).join('\n') }
  return { form: 'json', text: JSON.stringify(value) }
}

/** The entered value; `undefined` while incomplete. */
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

function convertValue(before: ValueDraft | null, takes: ValueKind): ValueDraft | null {
  const [first] = FORMS[takes]
  if (first === undefined) return null
  if (before === null) return { form: first, text: '' }
  if (FORMS[takes].includes(before.form)) return before
  const value = valueOf(before)
  if (first === 'list') return { form: 'list', text: value === undefined ? '' : lineOf(value) }
  if (before.form === 'list') return valueDraftOf(valueOfLine(linesIn(before.text)[0] ?? ''), takes)
  const keepsText = first === 'text' || valueOf({ ...before, form: first }) !== undefined
  return { form: first, text: keepsText ? before.text : '' }
}

function linesIn(text: string): string[] {
  return text.split('\n').filter((line) => line !== '')
}

/** One line of a list: `5` is a number, `true` a boolean, `"5"` and `five` are text. */
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
