import { Errors } from 'typebox/value'

/** What of `value` breaks the JSON Schema, in words. */
export function schemaFaults(schema: object, value: unknown): string[] {
  return Errors(schema, value).map(({ instancePath, message }) => `${instancePath} ${message}`)
}
