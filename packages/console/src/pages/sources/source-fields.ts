/** What a person has written of a source. */
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

/** What is wrong with the rate limit. JSON has no value for what is no number, so the service cannot say it. */
export function rateLimitFault({ rateLimit }: SourceFields): string | undefined {
  if (/^\s*(?:[1-9]\d{0,15})?\s*$/.test(rateLimit)) return undefined
  return 'Write a whole number from 1, or leave it empty for no limit.'
}

/** The fields as the API takes them. */
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

/** Only what differs: another person may have changed the rest meanwhile. */
export function changeOf(before: SourceBody, fields: SourceFields): Partial<SourceBody> {
  const body = bodyOf(fields)
  return Object.fromEntries(
    Object.entries(body).filter(([name, value]) => value !== before[name as keyof SourceBody]),
  )
}
