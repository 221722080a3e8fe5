import { inexactIntegers, type Json, type JsonObject } from '@hookline/protocol'
import { InvalidArgumentError } from 'commander'

/**
 * Adds `key=value` to the fields given before. A value that is JSON is taken as such, any other as
 * text; so is a number too large to be carried exactly.
 */
export function addField(text: string, fields: JsonObject = {}): JsonObject {
  const equals = text.indexOf('=')
  if (equals < 1) throw new InvalidArgumentError('It must be like key=value.')
  // Not an assignment: __proto__ is a key like any other.
  return {
    ...fields,
    ...Object.fromEntries([[text.slice(0, equals), valueOf(text.slice(equals + 1))]]),
  }
}

function valueOf(text: string): Json {
  if (inexactIntegers(text).size > 0) return text
  try {
    return JSON.parse(text) as Json
  } catch {
    return text
  }
}
