import { type EventType, parseTimestamp } from '@hookline/protocol'
import type { CatalogSnapshot } from '../../backend/catalog.ts'
import type { ReplayableState, ReplaySelection } from '../../backend/replays.ts'
import { type Fault, fault } from '../../util/fault.ts'
import { Problem } from '../problems/problem.ts'

interface ReplayRequest {
  readonly destinationId: string
  readonly states?: readonly ReplayableState[]
  readonly from?: string
  readonly to?: string
  readonly types?: readonly EventType[]
  readonly text?: string
  readonly includeDeclined?: boolean
}

/** The default: what did not arrive while a receiver was down. */
const DEFAULT_STATES: readonly ReplayableState[] = ['rejected', 'expired']

/**
 * The selection that a request describes. It ends at `now` at the latest.
 * @throws {Problem} `invalid_body` with all faults
 */
export function requestedSelection(
  request: ReplayRequest,
  { destinations }: CatalogSnapshot,
  now: number,
): ReplaySelection {
  const { destinationId, states = DEFAULT_STATES, types, text, includeDeclined = false } = request
  const faults: Fault[] = []
  if (!destinations.has(destinationId)) {
    const hint = 'Give the id of an existing destination.'
    const message = 'No destination has this id.'
    faults.push(fault('/destinationId', 'unknown_destination', message, hint))
  }
  const from = parseTime(request, 'from', faults) ?? 0
  const to = Math.min(parseTime(request, 'to', faults) ?? now, now)
  if (from >= to && faults.length === 0) {
    const hint = 'Give a from in the past, and a to that is later than from.'
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

function parseTime(
  request: ReplayRequest,
  name: 'from' | 'to',
  faults: Fault[],
): number | undefined {
  const ms = parseTimestamp(request[name])
  if (request[name] !== undefined && ms === undefined) {
    const hint = 'Give ISO 8601, for example 2026-11-21T09:30:00Z.'
    faults.push(fault(`/${name}`, 'wrong_form', `${name} is not a time.`, hint))
  }
  return ms
}
