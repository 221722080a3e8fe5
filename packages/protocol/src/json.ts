export type Json = string | number | boolean | null | readonly Json[] | JsonObject

/** A JSON object. Its keys are untrusted: read them with `Object.hasOwn` and copy them with spread. */
export interface JsonObject {
  readonly [key: string]: Json | undefined
}

/** Whether the value is an object, but not an array or `null`. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/**
 * Parses a JSON object.
 * @throws {SyntaxError} if the text is not a JSON object
 */
export function jsonObjectIn(text: string): JsonObject {
  const parsed: unknown = JSON.parse(text)
  if (!isJsonObject(parsed)) throw new SyntaxError('Not a JSON object.')
  return parsed
}

/** Whether two JSON values are equal: the type and the order of lists matter, the order of object keys does not. */
export function equalJson(a: Json | undefined, b: Json | undefined): boolean {
  if (a === b) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (Array.isArray(a)) return Array.isArray(b) && equalLists(a, b)
  return !Array.isArray(b) && equalObjects(a as JsonObject, b as JsonObject)
}

function equalLists(a: readonly Json[], b: readonly Json[]): boolean {
  return a.length === b.length && a.every((each, index) => equalJson(each, b[index]))
}

function equalObjects(a: JsonObject, b: JsonObject): boolean {
  const keys = Object.keys(a)
  return (
    keys.length === Object.keys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && equalJson(a[key], b[key]))
  )
}

/** Whether `value` is nested deeper than `levels`; the outermost object or array is level 1. */
export function isDeeperThan(value: Json | undefined, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  return levels === 0 || someChild(value, (child) => isDeeperThan(child, levels - 1))
}

/** Whether `value` contains, at any depth, a number that matches. */
export function containsNumber(
  value: Json | undefined,
  matches: (number: number) => boolean,
): boolean {
  if (typeof value === 'number') return matches(value)
  if (typeof value !== 'object' || value === null) return false
  return someChild(value, (child) => containsNumber(child, matches))
}

/** `for…in` avoids the array that `Object.values` would allocate for every object. Parsed JSON has no inherited keys. */
function someChild(
  value: readonly Json[] | JsonObject,
  matches: (child: Json | undefined) => boolean,
): boolean {
  if (Array.isArray(value)) return value.some(matches)
  const object = value as JsonObject
  for (const key in object) if (matches(object[key])) return true
  return false
}

/** Whether a number is outside the safe-integer range (2^53), or NaN. */
export function isUnsafeInteger(number: number): boolean {
  return !(Math.abs(number) < 2 ** 53)
}
