import { Errors } from 'typebox/value'

/** The errors of `value` by the JSON Schema, each with its path. */
export function schemaFaults(schema: object, value: unknown): string[] {
  return Errors(schema, value).map(({ instancePath, message }) => `${instancePath} ${message}`)
}
