import type { LaneState } from '@hookline/protocol'

/** How a webhook stands on another node. Times of its clock are told as durations. */
export interface ToldState {
  readonly url: string
  readonly breaker: LaneState['breaker']
  readonly brokenForMs: number | null
  readonly restsForMs: number | null
  readonly retryAfterForMs: number | null
  readonly pacePerSecond: number | null
  readonly inFlight: number
}

export function toldState(state: LaneState, now: number): ToldState {
  const { url, breaker, brokenSince, restsUntil, retryAfterUntil, pacePerSecond, inFlight } = state
  return {
    url,
    breaker,
    brokenForMs: brokenSince === null ? null : now - brokenSince,
    restsForMs: restsUntil === null ? null : restsUntil - now,
    retryAfterForMs: retryAfterUntil === null ? null : retryAfterUntil - now,
    pacePerSecond,
    inFlight,
  }
}

/**
 * The state of a webhook on this node and another one. The node that knows more decides: one whose breaker is not closed; among
 * several, the one that tries first, because the others hear of its result.
 */
export function mergedState(own: LaneState, told: readonly ToldState[], now: number): LaneState {
  const other = told.find(({ url }) => url === own.url)
  if (other === undefined) return own
  const brokenSince = earliest(own.brokenSince, at(now, other.brokenForMs, -1))
  const retryAfterUntil = latest(own.retryAfterUntil, at(now, other.retryAfterForMs, 1))
  const restsUntil =
    own.breaker !== 'closed' && other.breaker !== 'closed'
      ? earliest(own.restsUntil, at(now, other.restsForMs, 1))
      : latest(own.restsUntil, at(now, other.restsForMs, 1))
  const breaker = own.breaker === 'closed' ? other.breaker : own.breaker
  const inFlight = own.inFlight + other.inFlight
  const pacePerSecond = total(own.pacePerSecond, other.pacePerSecond)
  return { ...own, breaker, brokenSince, restsUntil, retryAfterUntil, pacePerSecond, inFlight }
}

function at(now: number, forMs: number | null, sign: 1 | -1): number | null {
  return forMs === null ? null : now + sign * forMs
}

function earliest(a: number | null, b: number | null): number | null {
  return a === null || b === null ? (a ?? b) : Math.min(a, b)
}

function latest(a: number | null, b: number | null): number | null {
  return a === null || b === null ? (a ?? b) : Math.max(a, b)
}

/** Each node learns a pace of its own. */
function total(a: number | null, b: number | null | undefined): number | null {
  return a === null || b == null ? (a ?? b ?? null) : a + b
}
