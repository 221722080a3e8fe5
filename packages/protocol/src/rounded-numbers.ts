import { isRounded } from './exact-number.ts'
import { containsNumber, isUnsafeInteger, isJsonObject, type Json } from './json.ts'
import { revive } from './revive.ts'

/** A number with 16 characters or more, or with an exponent. All others are preserved. */
const SUSPECT = /(?:^|[:,[\s])(-?(?:[\d.]{16}|[\d.]+[eE])[\d.eE+-]*)/g

/** A negative exponent of at least three digits at the end of a value. In a UUID, other characters would follow. */
const SMALL = /[eE]-\d{3,}[\s,\]}]/
const MANY_ZEROS = '0'.repeat(300)

/** The numbers of a JSON text that JavaScript rounds. */
export interface RoundedNumbers {
  /** Their rounded values. */
  readonly values: ReadonlySet<number>
  /** Whether numbers that are not rounded may also have one of these values. */
  readonly isAmbiguous: boolean
}

/**
 * Finds the numbers in a JSON text that JavaScript rounds (`isRounded`). Each of them becomes 0 or a number for
 * which `isUnsafeInteger` holds. May also match inside strings, and reports ambiguous values for the caller to check.
 */
export function roundedNumbers(text: string): RoundedNumbers {
  const values = new Set<number>()
  const exact = new Set<number>()
  for (const [, source = ''] of text.matchAll(SUSPECT)) {
    const value = Number(source)
    if (mayBeRounded(value)) (isRounded(source) ? values : exact).add(value)
  }
  return { values, isAmbiguous: values.has(0) || [...values].some((value) => exact.has(value)) }
}

/** A cheap check of whether the JSON text may have a nonzero number that becomes 0. */
export function mayRoundToZero(text: string): boolean {
  return SMALL.test(text) || text.includes(MANY_ZEROS)
}

/**
 * The indexes of the calls with rounded numbers. A number in the shared context or integrations of a batch counts for all its
 * calls. `text` is the JSON of the request.
 */
export function callsWithRoundedNumbers(
  text: string,
  { isBatch }: { readonly isBatch: boolean },
): Pick<ReadonlySet<number>, 'has'> {
  const body = revive(text, (_name, value, { source }) =>
    typeof value === 'number' && mayBeRounded(value) && isRounded(source) ? ROUNDED : value,
  )
  if (body === undefined) return EVERY
  if (!isBatch || !isJsonObject(body)) return isMarked(body) ? EVERY : new Set()
  const { batch = [], context, integrations } = body
  if (isMarked(context) || isMarked(integrations)) return EVERY
  const found = new Set<number>()
  if (!Array.isArray(batch)) return found
  for (const [index, call] of batch.entries()) if (isMarked(call)) found.add(index)
  return found
}

/** A marker: JSON cannot contain NaN. */
const ROUNDED = Number.NaN
const EVERY = { has: () => true }

function mayBeRounded(value: number): boolean {
  return value === 0 || isUnsafeInteger(value)
}

function isMarked(value: Json | undefined): boolean {
  return containsNumber(value, Number.isNaN)
}
