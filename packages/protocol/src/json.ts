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
  if (levels === 0) return true
  for (const child of Object.values(value)) {
    if (typeof child === 'object' && isDeeperThan(child, levels - 1)) return true
  }
  return false
}

/**
 * The numbers that the JSON text spells as an integer which JavaScript cannot hold exactly, as they
 * read after parsing. Empty for nearly every text, so the caller walks the values only when needed.
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

/** Whether one of `numbers` stands anywhere in `value`. */
export function containsNumber(value: Json | undefined, numbers: ReadonlySet<number>): boolean {
  if (typeof value === 'number') return numbers.has(value)
  if (typeof value !== 'object' || value === null) return false
  return Object.values(value).some((child) => containsNumber(child, numbers))
}
