import { Errors } from 'typebox/value'

/** Validates `value` against a JSON Schema. Returns the errors, each with its path. */
export function schemaErrors(schema: object, value: unknown): string[] {
  return Errors(schema, value).map(({ instancePath, message }) => `${instancePath} ${message}`)
}
