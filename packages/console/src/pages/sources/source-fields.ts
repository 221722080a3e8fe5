export interface SourceFields {
  readonly name: string
  /** Empty for no limit. */
  readonly rateLimit: string
  readonly space: string
}

interface SourceBody {
  readonly name: string
  readonly rateLimit: number | null
  readonly space: string
}

/** Checked here: a number that does not parse has no JSON value for the service to reject. */
export function rateLimitFault({ rateLimit }: SourceFields): string | undefined {
  if (/^\s*(?:[1-9]\d{0,15})?\s*$/.test(rateLimit)) return undefined
  return 'Enter a whole number of at least 1, or leave empty for no limit.'
}

export function bodyOf({ name, rateLimit, space }: SourceFields): SourceBody {
  return {
    name,
    rateLimit: rateLimit.trim() === '' ? null : Number(rateLimit),
    space: space.trim(),
  }
}

export function fieldsOf({ name, rateLimit, space }: SourceBody): SourceFields {
  return { name, rateLimit: rateLimit === null ? '' : String(rateLimit), space }
}

/** Only the edited fields, so that concurrent edits of others are kept. */
export function changeOf(before: SourceBody, fields: SourceFields): Partial<SourceBody> {
  const body = bodyOf(fields)
  return Object.fromEntries(
    Object.entries(body).filter(([name, value]) => value !== before[name as keyof SourceBody]),
  )
}
