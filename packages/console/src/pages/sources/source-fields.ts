import { equalJson, isJsonObject, type Json, type JsonObject } from '@hookline/protocol'
import { jsonIn } from '../../domain/conditions/draft/written.ts'

export interface SourceFields {
  readonly name: string
  /** Empty for no limit. */
  readonly rateLimit: string
  readonly space: string
  /** JSON; empty to store all fields. */
  readonly fields: string
}

interface SourceBody {
  readonly name: string
  readonly rateLimit: number | null
  readonly space: string
  readonly fields?: object | null
}

/** Checked here: a number that does not parse has no JSON value for the service to reject. */
export function rateLimitError({ rateLimit }: SourceFields): string | undefined {
  if (/^\s*(?:[1-9]\d{0,15})?\s*$/.test(rateLimit)) return undefined
  return 'Enter a whole number of at least 1, or leave empty for no limit.'
}

export function jsonError({ fields }: SourceFields): string | undefined {
  return rulesIn(fields) === undefined ? 'Enter a JSON object.' : undefined
}

export function bodyOf({ name, rateLimit, space, fields }: SourceFields): SourceBody {
  return {
    name,
    rateLimit: rateLimit.trim() === '' ? null : Number(rateLimit),
    space: space.trim(),
    fields: rulesIn(fields) ?? null,
  }
}

export function fieldsOf({ name, rateLimit, space, fields }: SourceBody): SourceFields {
  return {
    name,
    rateLimit: rateLimit === null ? '' : String(rateLimit),
    space,
    fields: fields ? JSON.stringify(fields, null, 2) : '',
  }
}

/** The rules in the text; `null` for none, `undefined` if it is not a JSON object. */
function rulesIn(text: string): JsonObject | null | undefined {
  if (text.trim() === '') return null
  const value = jsonIn(text)
  return isJsonObject(value) ? value : undefined
}

/** Only the edited fields, so that concurrent edits by others are kept. */
export function changeOf(before: SourceBody, fields: SourceFields): Partial<SourceBody> {
  const stored: Readonly<Record<string, unknown>> = { fields: null, ...before }
  return Object.fromEntries(
    Object.entries(bodyOf(fields)).filter(
      ([name, value]) => !equalJson(value as Json, stored[name] as Json),
    ),
  )
}
