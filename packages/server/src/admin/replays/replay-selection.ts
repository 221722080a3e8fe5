import { type EventType, parseTimestamp } from '@hookline/protocol'
import type { CatalogSnapshot } from '../../backend/catalog.ts'
import type { ReplayableState, ReplaySelection } from '../../backend/replays.ts'
import { type Fault, fault } from '../../util/fault.ts'
import { Problem } from '../problems/problem.ts'

interface Given {
  readonly destinationId: string
  readonly states?: readonly ReplayableState[]
  readonly from?: string
  readonly to?: string
  readonly types?: readonly EventType[]
  readonly text?: string
  readonly includeDeclined?: boolean
}

/** What the owner of a receiver that was down means: what did not arrive. */
const USUAL_STATES: readonly ReplayableState[] = ['rejected', 'expired']

/**
 * What a replay is to be about, with an end: what comes after `now` is none of it.
 * @throws {Problem} `invalid_body` with all faults
 */
export function requestedSelection(
  given: Given,
  { destinations }: CatalogSnapshot,
  now: number,
): ReplaySelection {
  const { destinationId, states = USUAL_STATES, types, text, includeDeclined = false } = given
  const faults: Fault[] = []
  if (!destinations.has(destinationId)) {
    const hint = 'Give the id of a destination that GET /api/v1/destinations lists.'
    const message = 'No destination has this id.'
    faults.push(fault('/destinationId', 'unknown_destination', message, hint))
  }
  const from = momentIn(given, 'from', faults) ?? 0
  const to = Math.min(momentIn(given, 'to', faults) ?? now, now)
  if (from >= to && faults.length === 0) {
    const hint = 'Give a from that lies in the past, and a to that is later.'
    faults.push(fault('/from', 'out_of_range', 'Nothing lies between from and to.', hint))
  }
  if (faults.length > 0) throw new Problem('invalid_body', { faults })
  return {
    destinationId,
    states,
    from: Math.max(0, from),
    to,
    includeDeclined,
    ...(types !== undefined && { types }),
    ...(text !== undefined && { text }),
  }
}

function momentIn(given: Given, name: 'from' | 'to', faults: Fault[]): number | undefined {
  const moment = parseTimestamp(given[name])
  if (given[name] !== undefined && moment === undefined) {
    const hint = 'Give ISO 8601, for example 2026-11-21T09:30:00Z.'
    faults.push(fault(`/${name}`, 'wrong_form', `${name} cannot be read.`, hint))
  }
  return moment
}
