/** Checks shared by conditions and computed traits. Each adds to `errors`; `pointer` is the JSON Pointer of its input. */
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
import { type FieldError, fieldError, unknownFields } from '../../util/field-error.ts'
import { isScalar } from './compute-value.ts'
import { durationMs } from './window.ts'

const MAX_CHARACTERS = LIMITS.conditionTextCharacters

/** Whether `value` is a non-empty string within the limit. `hint` describes the expected value. */
export function checkText(
  value: unknown,
  pointer: string,
  hint: string,
  errors: FieldError[],
): value is string {
  if (value === undefined)
    errors.push(fieldError(pointer, 'required', 'This field is required.', hint))
  else if (typeof value !== 'string')
    errors.push(fieldError(pointer, 'invalid_type', 'Must be a string.', hint))
  else if (value === '') errors.push(fieldError(pointer, 'too_short', 'Must not be empty.', hint))
  else if (value.length > MAX_CHARACTERS) {
    const shorter = `Use at most ${MAX_CHARACTERS} characters.`
    errors.push(fieldError(pointer, 'too_long', 'Too long.', shorter))
  } else return true
  return false
}

/** Checks the path of a trait or property, such as `address.city`. */
export function checkPath(value: unknown, pointer: string, errors: FieldError[]): void {
  const hint = 'Use a name, or a path of names separated by dots: "address.city".'
  if (checkText(value, pointer, hint, errors) && pathOf(value).includes('')) {
    errors.push(fieldError(pointer, 'invalid_format', 'The path contains an empty name.', hint))
  }
}

export function checkComparison(input: JsonObject, pointer: string, errors: FieldError[]): void {
  const op = OPERATORS.find((each) => each === input['op'])
  const error =
    op === undefined
      ? operatorError(input['op'], `${pointer}/op`)
      : valueError(op, input['value'], `${pointer}/value`)
  if (error !== undefined) errors.push(error)
}

function operatorError(operator: Json | undefined, pointer: string): FieldError {
  const hint = `Use one of ${OPERATORS.join(', ')}.`
  return operator === undefined
    ? fieldError(pointer, 'required', 'op is missing.', hint)
    : fieldError(pointer, 'not_allowed', 'Unknown operator.', hint)
}

function valueError(
  op: Operator,
  value: Json | undefined,
  pointer: string,
): FieldError | undefined {
  const { takes } = OPERATOR_TABLE[op]
  if (takes === 'none') {
    const hint = 'Omit the value.'
    return value === undefined
      ? undefined
      : fieldError(pointer, 'not_allowed', `${op} does not take a value.`, hint)
  }
  const hint = `Use ${VALUE_KINDS[takes]}.`
  if (value === undefined) return fieldError(pointer, 'required', 'value is missing.', hint)
  if (value === null) {
    const remedy = 'null counts as missing: use exists or not_exists.'
    return fieldError(pointer, 'not_allowed', 'The value is null.', remedy)
  }
  if ([value].flat().some((each) => typeof each === 'string' && each.length > MAX_CHARACTERS)) {
    const shorter = `Use at most ${MAX_CHARACTERS} characters per string.`
    return fieldError(pointer, 'too_long', 'The string is too long.', shorter)
  }
  return FITS[takes](value)
    ? undefined
    : fieldError(pointer, 'not_allowed', `${op} does not support this value.`, hint)
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

export function checkSelection(input: JsonObject, pointer: string, errors: FieldError[]): void {
  if (Object.hasOwn(input, 'type')) checkType(input, pointer, errors)
  else checkText(input['event'], `${pointer}/event`, 'Use the name of a track event.', errors)
  if (input['where'] !== undefined) checkWhere(input['where'], `${pointer}/where`, errors)
}

function checkType({ type, name }: JsonObject, pointer: string, errors: FieldError[]): void {
  if (!TYPES.some((each) => each === type)) {
    const hint = `Use one of ${TYPES.join(', ')}. For track calls, use event with the event's name.`
    errors.push(fieldError(`${pointer}/type`, 'not_allowed', 'Unknown type.', hint))
  } else if (name !== undefined && !NAMED.includes(type)) {
    const hint = 'Omit it: only page and screen calls have names.'
    errors.push(
      fieldError(`${pointer}/name`, 'not_allowed', 'Calls of this type have no name.', hint),
    )
  } else if (name !== undefined) {
    checkText(name, `${pointer}/name`, 'Use the name of the page or the screen.', errors)
  }
}

function checkWhere(where: Json, pointer: string, errors: FieldError[]): void {
  const hint = `Use a list of up to ${MAX_FILTERS} filters: [{"property": "revenue", "op": ">", "value": 50}].`
  if (!Array.isArray(where)) {
    errors.push(fieldError(pointer, 'invalid_type', 'where must be a list.', hint))
  } else if (where.length > MAX_FILTERS) {
    errors.push(fieldError(pointer, 'too_many', 'Too many filters.', hint))
  } else {
    for (const [index, filter] of where.entries()) {
      checkFilter(filter, `${pointer}/${index}`, errors)
    }
  }
}

function checkFilter(filter: Json, pointer: string, errors: FieldError[]): void {
  if (!isJsonObject(filter)) {
    const hint = 'Use an object: {"property": "revenue", "op": ">", "value": 50}.'
    errors.push(fieldError(pointer, 'invalid_type', 'A filter must be an object.', hint))
    return
  }
  errors.push(...unknownFields(filter, ['property', 'op', 'value'], pointer))
  checkPath(filter['property'], `${pointer}/property`, errors)
  checkComparison(filter, pointer, errors)
}

const UNITS = Object.keys(DURATION_UNITS)
const MAX_WINDOW_MS = durationMs({ days: LIMITS.windowDays })

export const WINDOW_FIELDS = ['within', 'between']

export function checkWindow(input: JsonObject, pointer: string, errors: FieldError[]): void {
  const { within, between } = input
  if (within !== undefined && between !== undefined) {
    const hint = 'Use within for a window that ends now, or between for a fixed one.'
    errors.push(
      fieldError(
        `${pointer}/between`,
        'exclusive',
        'between and within are mutually exclusive.',
        hint,
      ),
    )
  }
  if (within !== undefined) errors.push(...withinErrors(within, `${pointer}/within`))
  if (between !== undefined) errors.push(...betweenErrors(between, `${pointer}/between`))
}

function withinErrors(within: Json, pointer: string): FieldError[] {
  const hint = `Use a whole number of ${UNITS.join(', ')}, up to ${LIMITS.windowDays} days: {"days": 30}.`
  if (!isJsonObject(within)) {
    return [fieldError(pointer, 'invalid_type', 'within must be an object.', hint)]
  }
  const unknown = unknownFields(within, UNITS, pointer)
  if (unknown.length > 0) return unknown
  const [length, ...others] = Object.values(within)
  if (length === undefined)
    return [fieldError(pointer, 'required', 'The duration is missing.', hint)]
  if (others.length > 0)
    return [fieldError(pointer, 'exclusive', 'within has several units.', hint)]
  const isValid =
    Number.isInteger(length) && Number(length) >= 1 && durationMs(within) <= MAX_WINDOW_MS
  return isValid ? [] : [fieldError(pointer, 'out_of_range', 'Invalid duration.', hint)]
}

function betweenErrors(between: Json, pointer: string): FieldError[] {
  const hint = 'Use two timestamps: ["2026-01-01T00:00:00.000Z", "2026-02-01T00:00:00.000Z"].'
  if (!Array.isArray(between) || between.length !== 2) {
    return [fieldError(pointer, 'invalid_type', 'between must be a list of two timestamps.', hint)]
  }
  const times = between.map((each: Json) =>
    typeof each === 'string' ? parseTimestamp(each) : undefined,
  )
  const errors = times.flatMap((time, index) =>
    time === undefined
      ? [fieldError(`${pointer}/${index}`, 'invalid_format', 'Invalid timestamp.', hint)]
      : [],
  )
  const [from, to] = times
  if (from !== undefined && to !== undefined && from >= to) {
    const order = 'Use the earlier timestamp first. The window ends before the second one.'
    errors.push(fieldError(pointer, 'out_of_range', 'The time window is empty.', order))
  }
  return errors
}
