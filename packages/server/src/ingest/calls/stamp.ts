import {
  type Event,
  formatTimestamp,
  isFormattedTimestamp,
  type Json,
  type Mark,
  parseTimestamp,
} from '@hookline/protocol'
import type { ParsedCall } from './parse-call.ts'

/** A moment, and how Hookline writes it. */
export interface Instant {
  /** Milliseconds since the epoch. */
  readonly ms: number
  readonly text: string
}

/** What the server knows about a request, the same for all its calls. */
export interface Receipt {
  /** By the server's clock. */
  readonly receivedAt: Instant
  /** What the envelope says; absent where it says nothing that can be read. */
  readonly sentAt: Instant | undefined
  /** The address the request came from. */
  readonly ip: string | undefined
  /** Whether it came from a browser by CORS: only then is `ip` the user's, and not that of a server. */
  readonly isFromBrowser: boolean
  readonly clockSkewToleranceMs: number
}

/** An event, and what was noticed while it was stamped. */
export interface Stamped {
  readonly event: Event
  readonly mark?: Mark
}

let lastInstant: Instant = { ms: 0, text: formatTimestamp(0) }

/** The moment `ms` milliseconds after the epoch. Many are asked for in one millisecond: the last is remembered. */
export function instantAt(ms: number): Instant {
  if (ms !== lastInstant.ms) lastInstant = { ms, text: formatTimestamp(ms) }
  return lastInstant
}

/** The moment a client names, or `undefined` where that cannot be read. */
export function readInstant(claimed: Json | undefined): Instant | undefined {
  const ms = parseTimestamp(claimed)
  if (ms === undefined) return undefined
  return isFormattedTimestamp(claimed) ? { ms, text: claimed } : instantAt(ms)
}

/** Gives a call its times, id and address (spec 01, §What is stamped). Pure. */
export function stamp(call: ParsedCall, messageId: string, receipt: Receipt): Stamped {
  const { fields, timestamp: raw } = call
  const { receivedAt } = receipt
  const sentAt = receipt.sentAt ?? readInstant(call.sentAt)
  const timestamp = raw === undefined ? receivedAt.text : correctedTimestamp(raw, sentAt, receipt)
  return {
    event: {
      ...fields,
      messageId,
      context: withAddress(fields.context, receipt),
      timestamp: timestamp ?? receivedAt.text,
      receivedAt: receivedAt.text,
      ...(sentAt && { sentAt: sentAt.text }),
      ...(isText(raw) && { originalTimestamp: String(raw) }),
    },
    ...(timestamp === undefined && { mark: 'timestamp_unreadable' }),
  }
}

/**
 * The moment `raw` names, moved by as much as the client's clock is wrong where that is more than the
 * tolerance. `undefined` where it cannot be read, or is moved out of the years that can be written.
 */
function correctedTimestamp(
  raw: Json,
  sentAt: Instant | undefined,
  { receivedAt, clockSkewToleranceMs }: Receipt,
): string | undefined {
  const skewMs = sentAt === undefined ? 0 : receivedAt.ms - sentAt.ms
  const isRight = Math.abs(skewMs) <= clockSkewToleranceMs
  if (isRight && isFormattedTimestamp(raw)) return raw
  const ms = parseTimestamp(raw)
  if (ms === undefined) return undefined
  const text = formatTimestamp(isRight ? ms : ms + skewMs)
  return text.length === receivedAt.text.length ? text : undefined
}

function withAddress(context: Event['context'], { ip, isFromBrowser }: Receipt): Event['context'] {
  const isWanted = isFromBrowser || context['direct'] === true
  if (!isWanted || ip === undefined || (context['ip'] ?? '') !== '') return context
  return { ...context, ip }
}

function isText(raw: Json | undefined): raw is string | number {
  return typeof raw === 'string' || typeof raw === 'number'
}
