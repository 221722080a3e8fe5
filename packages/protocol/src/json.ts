/** Any JSON value. */
export type Json = string | number | boolean | null | readonly Json[] | JsonObject

/** A JSON object. Its keys are untrusted: read them with `Object.hasOwn` and copy them with spread. */
export interface JsonObject {
  readonly [key: string]: Json | undefined
}

/** True for a JSON object: not an array, not `null`. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/**
 * The JSON object that the text is.
 * @throws {SyntaxError} where it is none
 */
export function jsonObjectIn(text: string): JsonObject {
  const parsed: unknown = JSON.parse(text)
  if (!isJsonObject(parsed)) throw new SyntaxError('It is no JSON object.')
  return parsed
}

/** Whether two JSON values are the same: of the same type, lists in the same order, objects in any. `1` is not `"1"`. */
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

/** `for…in` saves the array that `Object.values` would make for each object of each call. JSON inherits no keys. */
function someChild(
  value: readonly Json[] | JsonObject,
  matches: (child: Json | undefined) => boolean,
): boolean {
  if (Array.isArray(value)) return value.some(matches)
  const object = value as JsonObject
  for (const key in object) if (matches(object[key])) return true
  return false
}

/** Whether several integers parse to this number: its JSON text may be an integer that JavaScript cannot represent. */
export function isBeyondExact(number: number): boolean {
  return Math.abs(number) >= 2 ** 53
}
