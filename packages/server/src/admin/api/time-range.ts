import { parseTimestamp } from '@hookline/protocol'
import Type from 'typebox'
import { fault } from '../../util/fault.ts'
import { Problem } from '../problems/problem.ts'

const HINT = 'A time in ISO 8601, like 2026-01-31T12:00:00Z.'

/** The query parameters of what can be narrowed to a time. */
export const timeRangeQuery = {
  from: Type.Optional(Type.String({ maxLength: 40, description: `From this moment on. ${HINT}` })),
  to: Type.Optional(Type.String({ maxLength: 40, description: `Before this moment. ${HINT}` })),
}

/**
 * The moments that the query names, in milliseconds since the epoch.
 * @throws {Problem} `invalid_query` where one cannot be read
 */
export function parseTimeRange(query: { readonly from?: string; readonly to?: string }): {
  readonly from?: number
  readonly to?: number
} {
  const read = (['from', 'to'] as const)
    .filter((name) => query[name] !== undefined)
    .map((name) => [name, parseTimestamp(query[name])] as const)
  const faults = read
    .filter(([, ms]) => ms === undefined)
    .map(([name]) => fault(`/${name}`, 'wrong_form', `${name} is not a time.`, HINT))
  if (faults.length > 0) throw new Problem('invalid_query', { faults })
  return Object.fromEntries(read) as { from?: number; to?: number }
}
