import { parseRetryAfter } from '@hookline/protocol'
import { type BatchResponse, isOk } from './transport.ts'

const FIRST_MS = 100
const LONGEST_MS = 30_000
/** The longest delay that a server may ask for. */
const LONGEST_REQUESTED_MS = 300_000

/**
 * Whether to try again. A request without a response, or without a numeric status, is tried again, and one to which
 * something responded 200 that is not the service, such as a login page: it may go away.
 */
export function isRetryable({ status = NaN, isSuccess }: BatchResponse): boolean {
  if (isOk(status)) return !isSuccess
  return status === 408 || status === 425 || status === 429 || !(status < 500)
}

/**
 * How long to wait before a retry, in milliseconds: 100 ms before the first, doubling up to 30 s, minus a random part
 * of up to a half, so that many clients do not return at the same time. Longer if the server asks for longer.
 * @param retry counts from 1
 * @param random from 0 to 1
 * @param requestedMs what the server asks for
 */
export function retryDelayMs(retry: number, random: number, requestedMs = 0): number {
  const backoffMs = Math.min(LONGEST_MS, FIRST_MS * 2 ** (retry - 1))
  return Math.max(backoffMs * (0.5 + random / 2), requestedMs)
}

/**
 * The delay that a `Retry-After` header asks for, but at most 300 s: a mistake of the server or of a proxy must not stop
 * the client for days. 0 if there is no header or it is unreadable.
 */
export function retryAfterMs(header = '', nowMs: number): number {
  const ms = parseRetryAfter(header, nowMs) ?? 0
  return Math.max(0, Math.min(ms, LONGEST_REQUESTED_MS))
}
