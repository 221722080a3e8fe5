import {
  type Event,
  formatTimestamp,
  isFormattedTimestamp,
  type Json,
  type Mark,
  parseTimestamp,
} from '@hookline/protocol'
import { readSentAt, type SentAt } from './instant.ts'
import type { ParsedCall } from './parse-call.ts'
import type { Receipt } from './receipt.ts'

/** An event, with a mark where its timestamp could not be read. */
export interface Stamped {
  readonly event: Event
  readonly mark?: Mark
}

/** Makes an event of a call: adds its times, messageId and client address (spec 01, §What is stamped). Pure. */
export function stamp(
  call: Omit<ParsedCall, 'unknown'>,
  messageId: string,
  receipt: Receipt,
): Stamped {
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
    ...(timestamp === undefined && { mark: 'timestamp_unreadable' }),
  }
}

/** A clock is not wrong by more: such a time is a zero, the start of some calendar, or damaged. */
const MAX_SKEW_MS = 10 * 365 * 24 * 60 * 60 * 1000
/** The longest that a client with a fast clock keeps a call in its queue. */
const MAX_WAIT_MS = 30 * 24 * 60 * 60 * 1000
/** A `sentAt` in whole seconds is up to a second earlier than a timestamp in milliseconds. */
const SENT_AT_PRECISION_MS = 1_000

/**
 * The timestamp of the call, corrected by the skew of the client's clock where that exceeds the tolerance. If `sentAt`
 * cannot be when the call was sent, cannot be read, or is only a date, it says nothing about the clock: then the timestamp
 * as it is, at most the time of receipt. `undefined` where the timestamp cannot be read.
 */
function correctedTimestamp(
  raw: Json,
  sentAt: SentAt | undefined,
  { receivedAt, clockSkewToleranceMs }: Receipt,
): string | undefined {
  const clock = sentAt?.isOfClock ? sentAt.instant : undefined
  const skewMs = clock === undefined ? 0 : receivedAt.ms - clock.ms
  const isRight = clock ? Math.abs(skewMs) <= clockSkewToleranceMs : sentAt === undefined
  if (isRight && isFormattedTimestamp(raw)) return raw
  const ms = parseTimestamp(raw)
  if (ms === undefined) return undefined
  if (isRight) return formatTimestamp(ms)
  const correctedMs = isBelievable(skewMs, receivedAt.ms - skewMs - ms) ? ms + skewMs : ms
  return formatTimestamp(Math.min(correctedMs, receivedAt.ms))
}

/** Whether a clock can be wrong by this skew, for a call that the client sent `waitMs` after it happened. */
function isBelievable(skewMs: number, waitMs: number): boolean {
  // Nothing is sent before it happened: a queue that was restored may have the `sentAt` of an earlier request.
  if (Math.abs(skewMs) > MAX_SKEW_MS || waitMs < -SENT_AT_PRECISION_MS) return false
  // Otherwise a wrong `sentAt` in the future would move the call into the past by as much.
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
