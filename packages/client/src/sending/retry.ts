import { parseRetryAfter } from '@hookline/protocol'
import { type BatchResponse, isOk } from './transport.ts'

const FIRST_MS = 100
const MAX_BACKOFF_MS = 30_000
/** The maximum delay that a server can request. */
const MAX_REQUESTED_MS = 300_000

/**
 * Whether to try again. Requests without a response or a numeric status are retried. So is a 2xx that does not come from
 * the service, such as a login page: it may be temporary.
 */
export function isRetryable({ status = NaN, isSuccess }: BatchResponse): boolean {
  if (isOk(status)) return !isSuccess
  return status === 408 || status === 425 || status === 429 || !(status < 500)
}

/**
 * The delay before a retry, in milliseconds: 100 ms before the first, doubling up to 30 s, reduced by up to half at random, so
 * that many clients do not retry at the same time. Longer if the server requests it.
 * @param retry counts from 1
 * @param random from 0 to 1
 * @param requestedMs the delay requested by the server
 */
export function retryDelayMs(retry: number, random: number, requestedMs = 0): number {
  const backoffMs = Math.min(MAX_BACKOFF_MS, FIRST_MS * 2 ** (retry - 1))
  return Math.max(backoffMs * (0.5 + random / 2), requestedMs)
}

/**
 * The delay in a `Retry-After` header, limited to 300 s: a mistake by the server or a proxy must not stop the client for
 * days. 0 if the header is absent or invalid.
 */
export function retryAfterMs(header = '', nowMs: number): number {
  const ms = parseRetryAfter(header, nowMs) ?? 0
  return Math.max(0, Math.min(ms, MAX_REQUESTED_MS))
}
