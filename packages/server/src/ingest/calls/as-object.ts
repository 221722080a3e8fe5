import { isJsonObject, type Json, type JsonObject } from '@hookline/protocol'

/** The value as an object; `undefined` where it is none. An empty array is an empty object: PHP has one value for both. */
export function asObject(value: Json | undefined): JsonObject | undefined {
  if (isJsonObject(value)) return value
  return Array.isArray(value) && value.length === 0 ? {} : undefined
}
