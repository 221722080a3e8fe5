import { isRounded } from './exact-number.ts'
import { containsNumber, isBeyondExact, isJsonObject, type Json } from './json.ts'
import { revive } from './revive.ts'

/** A number with 16 characters or more, or with an exponent. All others are kept exactly. */
const SUSPECT = /(?:^|[:,[\s])(-?(?:[\d.]{16}|[\d.]+[eE])[\d.eE+-]*)/g

/** An exponent of three digits at the end of a value; in a UUID, something else follows. */
const SMALL = /[eE]-\d{3,}[\s,\]}]/
const MANY_ZEROS = '0'.repeat(300)

/** The numbers of a JSON text that JavaScript rounds. */
export interface RoundedNumbers {
  /** What they become. */
  readonly values: ReadonlySet<number>
  /** Whether numbers of the text that are not rounded may have one of these values, too. */
  readonly isAmbiguous: boolean
}

/**
 * Finds the numbers in a JSON text that JavaScript rounds (`isRounded`). Each of them becomes 0, or a number that
 * `isBeyondExact`. It may also find numbers in texts, and then says that they are ambiguous where that matters.
 */
export function roundedNumbers(text: string): RoundedNumbers {
  const values = new Set<number>()
  const kept = new Set<number>()
  for (const [, source = ''] of text.matchAll(SUSPECT)) {
    const value = Number(source)
    if (mayBeRounded(value)) (isRounded(source) ? values : kept).add(value)
  }
  return { values, isAmbiguous: values.has(0) || [...values].some((value) => kept.has(value)) }
}

/** Whether the JSON text may have a number that is not 0, and becomes 0. Costs little. */
export function mayRoundToZero(text: string): boolean {
  return SMALL.test(text) || text.includes(MANY_ZEROS)
}

/** The places of the calls that have such numbers, or share them. `text` is the JSON of the request. */
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

/** JSON has no such value. */
const ROUNDED = Number.NaN
const EVERY = { has: () => true }

function mayBeRounded(value: number): boolean {
  return value === 0 || isBeyondExact(value)
}

function isMarked(value: Json | undefined): boolean {
  return containsNumber(value, Number.isNaN)
}
