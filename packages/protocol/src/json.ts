/** Any value that JSON carries. */
export type Json = string | number | boolean | null | readonly Json[] | JsonObject

/** A JSON object. Keys come from outside: read them with `Object.hasOwn`, copy them with spread. */
export interface JsonObject {
  readonly [key: string]: Json | undefined
}

/** True for a JSON object: not an array, not `null`. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Whether `value` is nested deeper than `levels`; the outermost object or array is level 1. */
export function isDeeperThan(value: Json | undefined, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  return levels === 0 || someChild(value, (child) => isDeeperThan(child, levels - 1))
}

/** Whether one number anywhere in `value` is meant. */
export function containsNumber(
  value: Json | undefined,
  isMeant: (number: number) => boolean,
): boolean {
  if (typeof value === 'number') return isMeant(value)
  if (typeof value !== 'object' || value === null) return false
  return someChild(value, (child) => containsNumber(child, isMeant))
}

/** Without an array of the values, of which there would be one for each object of each call. JSON inherits no key. */
function someChild(
  value: readonly Json[] | JsonObject,
  is: (child: Json | undefined) => boolean,
): boolean {
  if (Array.isArray(value)) return value.some(is)
  const object = value as JsonObject
  for (const key in object) if (is(object[key])) return true
  return false
}

/** Whether more than one integer reads as this number: it may have been spelled as one that JavaScript cannot hold. */
export function isBeyondExact(number: number): boolean {
  return Math.abs(number) >= 2 ** 53
}

/**
 * The numbers that the JSON text spells as an integer which JavaScript cannot hold exactly, as they
 * read after parsing. Each of them `isBeyondExact`: a text whose values have none need not be searched.
 */
export function inexactIntegers(text: string): ReadonlySet<number> {
  const found = new Set<number>()
  for (const [digits] of text.matchAll(/(?<![\d.])-?\d{16,}(?![\d.eE])/g)) {
    const value = Number(digits)
    // Infinity first: a hostile run of 500,000 digits is not worth a BigInt.
    if (!Number.isFinite(value) || BigInt(digits) !== BigInt(value)) found.add(value)
  }
  return found
}
