import { formatTimestamp, parseTimestamp } from '@hookline/protocol'
import Type from 'typebox'
import type { ChangeCounts } from '../../backend/memberships.ts'
import { time } from '../api/schema-parts.ts'
import { fault } from '../../util/fault.ts'
import { Problem } from '../problems/problem.ts'

const DAY_MS = 24 * 60 * 60 * 1000
const DEFAULT_DAYS = 7

/** The counts of so many days are shown at most. */
export const CHANGES_DAYS = 90

/** The changes of an hour as the API shows them. */
export const ChangeCountsResponse = Type.Object({
  at: { ...time, description: 'When the hour begins.' },
  entered: Type.Integer({ description: 'Profiles that got a value, or another one.' }),
  left: Type.Integer({ description: 'Profiles that lost their value.' }),
})

/** The changes of an hour as the API shows them. */
export function presentChangeCounts({ start, entered, left }: ChangeCounts): object {
  return { at: formatTimestamp(start), entered, left }
}

/** Since when changes are shown. @throws {Problem} `invalid_query` */
export function changesSince(from: string | undefined, now: number): number {
  if (from === undefined) return now - DEFAULT_DAYS * DAY_MS
  const since = parseTimestamp(from)
  if (since !== undefined && since >= now - CHANGES_DAYS * DAY_MS) return since
  const isTime = since !== undefined
  const code = isTime ? 'out_of_range' : 'wrong_form'
  const message = isTime ? `from is more than ${CHANGES_DAYS} days ago.` : 'from is not a time.'
  const hint = `A time of the last ${CHANGES_DAYS} days in ISO 8601, like 2026-01-31T12:00:00Z.`
  throw new Problem('invalid_query', { faults: [fault('/from', code, message, hint)] })
}
