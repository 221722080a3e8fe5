import { storedError, storedPartsIn } from './stored-parts.ts'

/**
 * The column `webhooks` of a delivery that another backend has stored, with lanes of the same numbers. One that cannot be read
 * becomes a list that has no part: whoever claims the delivery puts it into quarantine.
 */
export function movedParts(column: string): string {
  const parts = storedPartsIn(column)
  if (parts === undefined) return UNREADABLE_PARTS
  return JSON.stringify(
    parts.map(({ last, ...part }) => ({ ...part, ...(last && { last: withStoredError(last) }) })),
  )
}

/** A column `document` of `attempts`, and whether it has the body of a response. */
export function movedAttempt(column: string): {
  readonly document: string
  readonly hasBody: boolean
} {
  try {
    const attempt = JSON.parse(column) as { readonly error?: string; readonly body?: unknown }
    return {
      document: JSON.stringify(withStoredError(attempt)),
      hasBody: attempt.body !== undefined,
    }
  } catch {
    return { document: UNREADABLE, hasBody: false }
  }
}

/** JSON that PostgreSQL reads, with nothing that can be shown. */
const UNREADABLE = '{}'
const UNREADABLE_PARTS = '[{}]'

function withStoredError<A extends { readonly error?: string }>(attempt: A): A {
  return attempt.error === undefined ? attempt : { ...attempt, error: storedError(attempt.error) }
}
