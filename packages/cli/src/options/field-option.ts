import { type Json, type JsonObject, roundedNumbers } from '@hookline/protocol'
import { InvalidArgumentError } from 'commander'

/**
 * Adds `key=value` to the fields of the options before it. The value is parsed as JSON. What is not JSON
 * is text, and so is a number that JavaScript rounds.
 */
export function addField(text: string, fields: JsonObject = {}): JsonObject {
  const equals = text.indexOf('=')
  if (equals < 1) throw new InvalidArgumentError('It must have the form key=value.')
  // fromEntries, not an assignment: __proto__ is a key like any other.
  return {
    ...fields,
    ...Object.fromEntries([[text.slice(0, equals), valueOf(text.slice(equals + 1))]]),
  }
}

function valueOf(text: string): Json {
  if (roundedNumbers(text).values.size > 0) return text
  try {
    return JSON.parse(text) as Json
  } catch {
    return text
  }
}
