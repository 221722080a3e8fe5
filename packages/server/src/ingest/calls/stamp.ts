import {
  type Event,
  type Fields,
  formatTimestamp,
  isFormattedTimestamp,
  isJsonObject,
  type Json,
  type EventWarning,
  parseTimestamp,
} from '@hookline/protocol'
import type { FastifyRequest } from 'fastify'
import { isIP } from 'node:net'
import { shapedCall } from '../../routing/body.ts'
import type { ParsedCall } from './parse-call.ts'

/** An event, with a warning if its timestamp is unreadable. */
export interface StampedEvent {
  readonly event: Event
  readonly warning?: EventWarning
}

/** Turns a call into an event: adds times, messageId and client address. Pure. */
export function stamp(
  call: Omit<ParsedCall, 'unknown'>,
  messageId: string,
  receipt: Receipt,
): StampedEvent {
  const { fields, timestamp: raw } = call
  const { receivedAt } = receipt
  const sentAt = receipt.sentAt?.instant
    ? receipt.sentAt
    : (readSentAt(call.sentAt) ?? receipt.sentAt)
  const timestamp = raw === undefined ? receivedAt.text : correctedTimestamp(raw, sentAt, receipt)
  return {
    event: {
      ...fields,
      messageId,
      context: withAddress(fields.context, receipt),
      timestamp: timestamp ?? receivedAt.text,
      receivedAt: receivedAt.text,
      ...(sentAt?.instant && { sentAt: sentAt.instant.text }),
      ...(isText(raw) && { originalTimestamp: String(raw) }),
    },
    ...(timestamp === undefined && { warning: 'timestamp_unreadable' }),
  }
}

/** Maximum plausible clock error. Beyond it, `sentAt` is zero, a calendar epoch, or corrupt. */
const MAX_SKEW_MS = 10 * 365 * 24 * 60 * 60 * 1000
/** Longest time for which a client with a fast clock can plausibly have queued a call. */
const MAX_WAIT_MS = 30 * 24 * 60 * 60 * 1000
/** `sentAt` in whole seconds is up to a second earlier than a timestamp in milliseconds. */
const SENT_AT_PRECISION_MS = 1_000

/**
 * The timestamp of the call, corrected by the skew of the client's clock if that exceeds the tolerance. If `sentAt` is
 * implausible, unreadable or only a date, the timestamp is only capped at the time of receipt. `undefined` if
 * the timestamp is unreadable.
 */
function correctedTimestamp(
  raw: Json,
  sentAt: SentAt | undefined,
  { receivedAt, clockSkewToleranceMs }: Receipt,
): string | undefined {
  const clock = sentAt?.hasTimeOfDay ? sentAt.instant : undefined
  const skewMs = clock === undefined ? 0 : receivedAt.ms - clock.ms
  const isAccurate = clock ? Math.abs(skewMs) <= clockSkewToleranceMs : sentAt === undefined
  if (isAccurate && isFormattedTimestamp(raw)) return raw
  const ms = parseTimestamp(raw)
  if (ms === undefined) return undefined
  if (isAccurate) return formatTimestamp(ms)
  const correctedMs = isPlausible(skewMs, receivedAt.ms - skewMs - ms) ? ms + skewMs : ms
  return formatTimestamp(Math.min(correctedMs, receivedAt.ms))
}

/** Whether a clock can be wrong by this skew, for a call that was sent `waitMs` after it happened. */
function isPlausible(skewMs: number, waitMs: number): boolean {
  // Nothing is sent before it happened: a restored queue may have the `sentAt` of an earlier request.
  if (Math.abs(skewMs) > MAX_SKEW_MS || waitMs < -SENT_AT_PRECISION_MS) return false
  // Otherwise, a `sentAt` in the future would move the call into the past by the same amount.
  return skewMs > 0 || waitMs <= MAX_WAIT_MS
}

function withAddress(context: Event['context'], { ip, isFromBrowser }: Receipt): Event['context'] {
  const isWanted = isFromBrowser || context['direct'] === true
  if (!isWanted || ip === undefined || (context['ip'] ?? '') !== '') return context
  return { ...context, ip }
}

function isText(raw: Json | undefined): raw is string | number {
  return typeof raw === 'string' || typeof raw === 'number'
}

/** Data about a request, the same for all its calls. */
export interface Receipt {
  readonly receivedAt: Instant
  /** `sentAt` of the batch. */
  readonly sentAt: SentAt | undefined
  readonly ip: string | undefined
  /** Whether it has an `Origin` header: `ip` is the user's address only if a browser sent the request. */
  readonly isFromBrowser: boolean
  readonly clockSkewToleranceMs: number
}

/** The receipt of a request that arrived at `now` (milliseconds since the epoch). */
export function receiptOf(
  request: FastifyRequest,
  sentAt: Json | undefined,
  now: number,
  clockSkewToleranceMs: number,
): Receipt {
  return {
    receivedAt: instantAt(now),
    sentAt: readSentAt(sentAt),
    ip: clientAddress(request),
    isFromBrowser: request.headers.origin !== undefined,
    clockSkewToleranceMs,
  }
}

/** Applies the field rules of the source to the address of a receipt, which is stored as `context.ip`. */
export function shapedReceipt(receipt: Receipt, fields: Fields): Receipt {
  if (receipt.ip === undefined) return receipt
  const { context } = shapedCall({ context: { ip: receipt.ip } }, fields)
  const ip = isJsonObject(context) ? context['ip'] : undefined
  return { ...receipt, ip: typeof ip === 'string' ? ip : undefined }
}

/** The address of the connection, or the one that a trusted proxy reports. IPv4 without its IPv6 mapping. */
function clientAddress(request: FastifyRequest): string | undefined {
  const address = withoutMapping(request.ip)
  // A proxy may report text that is not an address.
  return isIP(address) ? address : withoutMapping(request.socket.remoteAddress ?? '') || undefined
}

function withoutMapping(address: string): string {
  return address.startsWith('::ffff:') && address.includes('.') ? address.slice(7) : address
}

/** A moment, with its text in Hookline's format. */
interface Instant {
  /** Milliseconds since the epoch. */
  readonly ms: number
  readonly text: string
}

/** The `sentAt` of a batch or call. */
interface SentAt {
  /** Absent if unreadable. */
  readonly instant: Instant | undefined
  /** Whether it has a time of day: a date alone does not show the client's clock. */
  readonly hasTimeOfDay: boolean
}

let lastInstant: Instant = { ms: 0, text: formatTimestamp(0) }

/** The moment `ms` milliseconds after the epoch. The last one is cached, because many calls arrive in one millisecond. */
export function instantAt(ms: number): Instant {
  if (ms !== lastInstant.ms) lastInstant = { ms, text: formatTimestamp(ms) }
  return lastInstant
}

/** The moment of a client's timestamp; `undefined` if unreadable. */
function readInstant(timestamp: Json | undefined): Instant | undefined {
  const ms = parseTimestamp(timestamp)
  if (ms === undefined) return undefined
  return isFormattedTimestamp(timestamp) ? { ms, text: timestamp } : instantAt(ms)
}

/** `undefined` if absent: client libraries also send `null` and `''`. */
export function readSentAt(sentAt: Json | undefined): SentAt | undefined {
  if (sentAt === undefined || sentAt === null || sentAt === '') return undefined
  // Every time of day has a colon.
  const hasTimeOfDay = typeof sentAt !== 'string' || sentAt.includes(':')
  return { instant: readInstant(sentAt), hasTimeOfDay }
}
