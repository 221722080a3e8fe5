/** Checks shared by conditions and computed traits. Each adds to `faults`; `pointer` is the JSON Pointer of its input. */
import {
  containsNumber,
  EVENT_TYPES,
  DURATION_UNITS,
  isDeeperThan,
  isJsonObject,
  type Json,
  type JsonObject,
  LIMITS,
  type Operator,
  OPERATOR_TABLE,
  OPERATORS,
  parseTimestamp,
  pathOf,
  VALUE_KINDS,
  type ValueKind,
} from '@hookline/protocol'
import { type Fault, fault, unknownFields } from '../../util/fault.ts'
import { isScalar } from './compute-value.ts'
import { durationMs } from './window.ts'

const MAX_CHARACTERS = LIMITS.conditionTextCharacters

/** Whether `value` is a non-empty string within the limit. `hint` describes the expected value. */
export function checkText(
  value: unknown,
  pointer: string,
  hint: string,
  faults: Fault[],
): value is string {
  if (value === undefined) faults.push(fault(pointer, 'required', 'This field is required.', hint))
  else if (typeof value !== 'string')
    faults.push(fault(pointer, 'invalid_type', 'Must be a string.', hint))
  else if (value === '') faults.push(fault(pointer, 'too_short', 'Must not be empty.', hint))
  else if (value.length > MAX_CHARACTERS) {
    const shorter = `Use at most ${MAX_CHARACTERS} characters.`
    faults.push(fault(pointer, 'too_long', 'Too long.', shorter))
  } else return true
  return false
}

/** Checks the path of a trait or property, such as `address.city`. */
export function checkPath(value: unknown, pointer: string, faults: Fault[]): void {
  const hint = 'Use a name, or a path with a dot between its names: "address.city".'
  if (checkText(value, pointer, hint, faults) && pathOf(value).includes('')) {
    faults.push(fault(pointer, 'invalid_format', 'The path contains an empty name.', hint))
  }
}

export function checkComparison(input: JsonObject, pointer: string, faults: Fault[]): void {
  const op = OPERATORS.find((each) => each === input['op'])
  const found =
    op === undefined
      ? operatorFault(input['op'], `${pointer}/op`)
      : valueFault(op, input['value'], `${pointer}/value`)
  if (found !== undefined) faults.push(found)
}

function operatorFault(operator: Json | undefined, pointer: string): Fault {
  const hint = `Use one of ${OPERATORS.join(', ')}.`
  return operator === undefined
    ? fault(pointer, 'required', 'op is missing.', hint)
    : fault(pointer, 'not_allowed', 'Unknown operator.', hint)
}

function valueFault(op: Operator, value: Json | undefined, pointer: string): Fault | undefined {
  const { takes } = OPERATOR_TABLE[op]
  if (takes === 'none') {
    const hint = 'Omit the value.'
    return value === undefined
      ? undefined
      : fault(pointer, 'not_allowed', `${op} does not take a value.`, hint)
  }
  const hint = `Use ${VALUE_KINDS[takes]}.`
  if (value === undefined) return fault(pointer, 'required', 'value is missing.', hint)
  if (value === null) {
    const remedy = 'null counts as missing: use exists or not_exists.'
    return fault(pointer, 'not_allowed', 'The value is null.', remedy)
  }
  if ([value].flat().some((each) => typeof each === 'string' && each.length > MAX_CHARACTERS)) {
    const shorter = `Use at most ${MAX_CHARACTERS} characters per string.`
    return fault(pointer, 'too_long', 'The string is too long.', shorter)
  }
  return FITS[takes](value)
    ? undefined
    : fault(pointer, 'not_allowed', `${op} does not support this value.`, hint)
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

/** Checks the depth first, because `JSON.stringify` recurses. */
function isSmall(value: Json): boolean {
  return (
    !isDeeperThan(value, LIMITS.conditionLevels) &&
    !containsNumber(value, (number) => !Number.isFinite(number)) &&
    JSON.stringify(value).length <= LIMITS.conditionValueCharacters
  )
}

const TYPES = EVENT_TYPES.filter((type) => type !== 'track')
const NAMED: readonly unknown[] = ['page', 'screen']
const MAX_FILTERS = LIMITS.filtersPerClause

export const SELECTION_FIELDS = {
  event: ['event', 'where'],
  type: ['type', 'name', 'where'],
} as const

export function checkSelection(input: JsonObject, pointer: string, faults: Fault[]): void {
  if (Object.hasOwn(input, 'type')) checkType(input, pointer, faults)
  else checkText(input['event'], `${pointer}/event`, 'Use the name of a track event.', faults)
  if (input['where'] !== undefined) checkWhere(input['where'], `${pointer}/where`, faults)
}

function checkType({ type, name }: JsonObject, pointer: string, faults: Fault[]): void {
  if (!TYPES.some((each) => each === type)) {
    const hint = `Use one of ${TYPES.join(', ')}. For track calls, use event with the event's name.`
    faults.push(fault(`${pointer}/type`, 'not_allowed', 'Unknown type.', hint))
  } else if (name !== undefined && !NAMED.includes(type)) {
    const hint = 'Omit it: only page and screen calls have names.'
    faults.push(fault(`${pointer}/name`, 'not_allowed', 'Calls of this type have no name.', hint))
  } else if (name !== undefined) {
    checkText(name, `${pointer}/name`, 'Use the name of the page or the screen.', faults)
  }
}

function checkWhere(where: Json, pointer: string, faults: Fault[]): void {
  const hint = `Use a list of up to ${MAX_FILTERS} filters: [{"property": "revenue", "op": ">", "value": 50}].`
  if (!Array.isArray(where)) {
    faults.push(fault(pointer, 'invalid_type', 'where must be a list.', hint))
  } else if (where.length > MAX_FILTERS) {
    faults.push(fault(pointer, 'too_many', 'Too many filters.', hint))
  } else {
    for (const [index, filter] of where.entries()) {
      checkFilter(filter, `${pointer}/${index}`, faults)
    }
  }
}

function checkFilter(filter: Json, pointer: string, faults: Fault[]): void {
  if (!isJsonObject(filter)) {
    const hint = 'Use an object: {"property": "revenue", "op": ">", "value": 50}.'
    faults.push(fault(pointer, 'invalid_type', 'A filter must be an object.', hint))
    return
  }
  faults.push(...unknownFields(filter, ['property', 'op', 'value'], pointer))
  checkPath(filter['property'], `${pointer}/property`, faults)
  checkComparison(filter, pointer, faults)
}

const UNITS = Object.keys(DURATION_UNITS)
const MAX_WINDOW_MS = durationMs({ days: LIMITS.windowDays })

export const WINDOW_FIELDS = ['within', 'between']

export function checkWindow(input: JsonObject, pointer: string, faults: Fault[]): void {
  const { within, between } = input
  if (within !== undefined && between !== undefined) {
    const hint = 'Use within for a window that ends now, or between for a fixed one.'
    faults.push(
      fault(`${pointer}/between`, 'exclusive', 'between and within are mutually exclusive.', hint),
    )
  }
  if (within !== undefined) faults.push(...withinFaults(within, `${pointer}/within`))
  if (between !== undefined) faults.push(...betweenFaults(between, `${pointer}/between`))
}

function withinFaults(within: Json, pointer: string): Fault[] {
  const hint = `Use a whole number of ${UNITS.join(', ')}, up to ${LIMITS.windowDays} days: {"days": 30}.`
  if (!isJsonObject(within)) {
    return [fault(pointer, 'invalid_type', 'within must be an object.', hint)]
  }
  const unknown = unknownFields(within, UNITS, pointer)
  if (unknown.length > 0) return unknown
  const [length, ...others] = Object.values(within)
  if (length === undefined) return [fault(pointer, 'required', 'The duration is missing.', hint)]
  if (others.length > 0) return [fault(pointer, 'exclusive', 'Use only one unit.', hint)]
  const isLength =
    Number.isInteger(length) && Number(length) >= 1 && durationMs(within) <= MAX_WINDOW_MS
  return isLength ? [] : [fault(pointer, 'out_of_range', 'Invalid duration.', hint)]
}

function betweenFaults(between: Json, pointer: string): Fault[] {
  const hint = 'Use two timestamps: ["2026-01-01T00:00:00.000Z", "2026-02-01T00:00:00.000Z"].'
  if (!Array.isArray(between) || between.length !== 2) {
    return [fault(pointer, 'invalid_type', 'between must be a list of two timestamps.', hint)]
  }
  const times = between.map((each: Json) =>
    typeof each === 'string' ? parseTimestamp(each) : undefined,
  )
  const faults = times.flatMap((time, index) =>
    time === undefined
      ? [fault(`${pointer}/${index}`, 'invalid_format', 'Invalid timestamp.', hint)]
      : [],
  )
  const [from, to] = times
  if (from !== undefined && to !== undefined && from >= to) {
    const order = 'Use the earlier timestamp first. The window ends before the second one.'
    faults.push(fault(pointer, 'out_of_range', 'The time window is empty.', order))
  }
  return faults
}
