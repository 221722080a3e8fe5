import {
  COUNT_OPERATORS,
  isId,
  isJsonObject,
  type Json,
  type JsonObject,
  LIMITS,
} from '@hookline/protocol'
import { type Fault, fault, unknownFields } from '../../../util/fault.ts'
import { checkComparison } from './check-comparison.ts'
import { checkPath } from './check-path.ts'
import { checkSelection, SELECTION_FIELDS } from './check-selection.ts'
import { checkText } from './check-text.ts'
import { checkWindow, WINDOW_FIELDS } from './check-window.ts'

/** How each kind of clause is checked, by the field that it is recognised by. */
const CLAUSES = {
  trait: {
    fields: ['trait', 'op', 'value'],
    check: (input, pointer, faults) => {
      checkPath(input['trait'], `${pointer}/trait`, faults)
      checkComparison(input, pointer, faults)
    },
  },
  event: { fields: [...SELECTION_FIELDS.event, 'count', ...WINDOW_FIELDS], check: checkEvents },
  type: { fields: [...SELECTION_FIELDS.type, 'count', ...WINDOW_FIELDS], check: checkEvents },
  computedTrait: {
    fields: ['computedTrait', 'op', 'value'],
    check: (input, pointer, faults) => {
      const hint = 'Give the key of a computed trait.'
      checkText(input['computedTrait'], `${pointer}/computedTrait`, hint, faults)
      checkComparison(input, pointer, faults)
    },
  },
  audience: { fields: ['audience'], check: checkAudience },
} as const satisfies Readonly<Record<string, ClauseCheck>>

interface ClauseCheck {
  readonly fields: readonly string[]
  readonly check: (input: JsonObject, pointer: string, faults: Fault[]) => void
}

export type ClauseKind = keyof typeof CLAUSES

/** The fields that clauses are recognised by. */
export const CLAUSE_KINDS = Object.keys(CLAUSES) as readonly ClauseKind[]

/** Adds faults of a clause of this kind. */
export function checkClause(
  kind: ClauseKind,
  input: JsonObject,
  pointer: string,
  faults: Fault[],
): void {
  const { fields, check }: ClauseCheck = CLAUSES[kind]
  faults.push(...unknownFields(input, fields, pointer))
  check(input, pointer, faults)
}

function checkEvents(input: JsonObject, pointer: string, faults: Fault[]): void {
  checkSelection(input, pointer, faults)
  checkWindow(input, pointer, faults)
  if (input['count'] !== undefined) checkCount(input['count'], `${pointer}/count`, faults)
}

function checkCount(count: Json, pointer: string, faults: Fault[]): void {
  if (!isJsonObject(count)) {
    const hint = 'Give an object, such as {"op": ">=", "n": 2}.'
    faults.push(fault(pointer, 'wrong_type', 'count must be an object.', hint))
    return
  }
  faults.push(...unknownFields(count, ['op', 'n'], pointer))
  if (!COUNT_OPERATORS.some((op) => op === count['op'])) {
    const hint = `Give one of ${COUNT_OPERATORS.join(' ')}.`
    faults.push(fault(`${pointer}/op`, 'not_allowed', 'op compares no numbers of events.', hint))
  }
  const { n } = count
  if (!Number.isInteger(n) || Number(n) < 0 || Number(n) > LIMITS.countedEvents) {
    const hint = `Give a whole number from 0 to ${LIMITS.countedEvents}.`
    faults.push(fault(`${pointer}/n`, 'out_of_range', 'n is no number of events.', hint))
  }
}

function checkAudience({ audience }: JsonObject, pointer: string, faults: Fault[]): void {
  const hint = 'Give the id of an audience: "aud_…".'
  if (!checkText(audience, `${pointer}/audience`, hint, faults)) return
  if (!isId('aud', audience)) {
    faults.push(fault(`${pointer}/audience`, 'wrong_form', 'It is no id of an audience.', hint))
  }
}
