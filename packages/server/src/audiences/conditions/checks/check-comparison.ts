import {
  containsNumber,
  isDeeperThan,
  type Json,
  type JsonObject,
  LIMITS,
  type Operator,
  OPERATOR_TABLE,
  OPERATORS,
  parseTimestamp,
  VALUE_KINDS,
  type ValueKind,
} from '@hookline/protocol'
import { type Fault, fault } from '../../../util/fault.ts'

/** Adds faults of the `op` and the `value` of `input`. `pointer` is that of `input`. */
export function checkComparison(input: JsonObject, pointer: string, faults: Fault[]): void {
  const op = OPERATORS.find((each) => each === input['op'])
  const found =
    op === undefined
      ? operatorFault(input['op'], `${pointer}/op`)
      : valueFault(op, input['value'], `${pointer}/value`)
  if (found !== undefined) faults.push(found)
}

function operatorFault(given: Json | undefined, pointer: string): Fault {
  const hint = `Give one of ${OPERATORS.join(', ')}.`
  return given === undefined
    ? fault(pointer, 'required', 'op is missing.', hint)
    : fault(pointer, 'not_allowed', 'There is no such operator.', hint)
}

function valueFault(op: Operator, value: Json | undefined, pointer: string): Fault | undefined {
  const { takes } = OPERATOR_TABLE[op]
  if (takes === 'none') {
    const hint = 'Leave the value out.'
    return value === undefined
      ? undefined
      : fault(pointer, 'not_allowed', `${op} compares with no value.`, hint)
  }
  const hint = `Give ${VALUE_KINDS[takes]}.`
  if (value === undefined) return fault(pointer, 'required', 'value is missing.', hint)
  if (value === null) {
    const remedy = 'null is a missing value: use exists or not_exists, which take no value.'
    return fault(pointer, 'not_allowed', 'The value is null.', remedy)
  }
  if (hasLongText(value)) return fault(pointer, 'too_long', 'A text is too long.', SHORTER)
  return FITS[takes](value)
    ? undefined
    : fault(pointer, 'not_allowed', `${op} cannot compare with this value.`, hint)
}

const SHORTER = `Keep each text at ${LIMITS.conditionTextCharacters} characters or fewer.`

function hasLongText(value: Json): boolean {
  return Array.isArray(value)
    ? value.some((each) => typeof each === 'string' && hasLongText(each))
    : typeof value === 'string' && value.length > LIMITS.conditionTextCharacters
}

const FITS: Readonly<Record<Exclude<ValueKind, 'none'>, (value: Json) => boolean>> = {
  any: (value) => (typeof value !== 'object' ? isScalar(value) : isSmall(value)),
  scalar: isScalar,
  number: Number.isFinite,
  text: (value) => typeof value === 'string',
  list: (value) =>
    Array.isArray(value) &&
    value.length >= 1 &&
    value.length <= LIMITS.oneOfValues &&
    value.every(isScalar),
  date: (value) => parseTimestamp(value) !== undefined,
  days: (value) =>
    Number.isInteger(value) && Number(value) >= 1 && Number(value) <= LIMITS.windowDays,
}

function isScalar(value: Json): boolean {
  return typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value)
}

/** Its depth comes first, because `JSON.stringify` recurs. */
function isSmall(value: Json): boolean {
  return (
    !isDeeperThan(value, LIMITS.conditionLevels) &&
    !containsNumber(value, (number) => !Number.isFinite(number)) &&
    JSON.stringify(value).length <= LIMITS.conditionValueCharacters
  )
}
