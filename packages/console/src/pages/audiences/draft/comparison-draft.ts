import {
  type Json,
  type JsonObject,
  type Operator,
  OPERATOR_TABLE,
  OPERATORS,
} from '@hookline/protocol'
import { adaptedValue, type ValueDraft, valueDraftOf, valueOf } from './value-draft.ts'

/** A comparison that is being written. `value` is null where the operator has none. */
export interface ComparisonDraft {
  readonly op: Operator
  readonly value: ValueDraft | null
}

export const NEW_COMPARISON: ComparisonDraft = {
  op: 'equals',
  value: { form: 'text', text: '' },
}

/** The draft of a comparison. What is not as it must be gets a default: `shownBy` of `definition-draft.ts` finds that. */
export function comparisonDraftOf(json: JsonObject): ComparisonDraft {
  const op = OPERATORS.find((each) => each === json['op']) ?? 'equals'
  return { op, value: valueDraftOf(json['value'], OPERATOR_TABLE[op].takes) }
}

export function comparisonOf({ op, value }: ComparisonDraft): JsonObject {
  const given: Json | undefined = value === null ? undefined : valueOf(value)
  return { op, ...(given !== undefined && { value: given }) }
}

/** The comparison with another operator. Its value stays where the operator takes it. */
export function withOperator({ value }: ComparisonDraft, op: Operator): ComparisonDraft {
  return { op, value: adaptedValue(value, OPERATOR_TABLE[op].takes) }
}

/** Whether nothing is missing in it. */
export function isCompared({ value }: ComparisonDraft): boolean {
  return value === null || valueOf(value) !== undefined
}
