import { parseTimestamp } from '@hookline/protocol'
import Type from 'typebox'
import { fault } from '../../util/fault.ts'
import { Problem } from '../problems/problem.ts'

const HINT = 'A time in ISO 8601, like 2026-01-31T12:00:00Z.'

/** The query parameters of lists that can be limited to a time range. */
export const timeRangeQuery = {
  from: Type.Optional(
    Type.String({ maxLength: 40, description: `At this time or later. ${HINT}` }),
  ),
  to: Type.Optional(Type.String({ maxLength: 40, description: `Before this time. ${HINT}` })),
}

/**
 * The time range of the query, in milliseconds since the epoch.
 * @throws {Problem} `invalid_query` if a time cannot be parsed
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
