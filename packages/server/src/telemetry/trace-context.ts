import type { IncomingHttpHeaders } from 'node:http'

/** Headers that continue a trace (W3C Trace Context). */
export interface TraceHeaders {
  readonly traceparent: string
  readonly tracestate?: string
}

/** A span of another program, as in the stored trace context of an event. */
export interface RemoteSpan {
  readonly traceId: string
  readonly spanId: string
  readonly flags: number
  readonly tracestate: string | undefined
}

const TRACEPARENT =
  /^(?!ff)([\da-f]{2})-((?!0{32})[\da-f]{32})-((?!0{16})[\da-f]{16})-([\da-f]{2})(-.*)?$/
const MEMBER = /^[\da-z][\w*/@-]{0,255}=[ -+\--<>-~]{0,255}[!-+\--<>-~]$/
const MAX_MEMBERS = 32
const MAX_STATE_CHARACTERS = 512
/** If the state is too long, members longer than this are dropped first. */
const MAX_MEMBER_CHARACTERS = 128
/** The flag of a trace whose spans are recorded. */
const SAMPLED = 0b01
/** The flag of a random trace id. */
const RANDOM = 0b10

/** The trace context of a request, as it is stored with events; `undefined` without a valid `traceparent`. */
export function traceContextIn({ traceparent, tracestate }: IncomingHttpHeaders) {
  if (typeof traceparent !== 'string') return undefined
  const [, version, traceId, spanId, flags = '', more] = TRACEPARENT.exec(traceparent) ?? []
  if (traceId === undefined || spanId === undefined) return undefined
  // Only later versions may have more fields.
  if (version === '00' && more !== undefined) return undefined
  const parent = { traceId, spanId, flags: Number.parseInt(flags, 16) & (SAMPLED | RANDOM) }
  const state = typeof tracestate === 'string' ? stateIn(tracestate) : ''
  return traceContextOf({ ...parent, tracestate: state || undefined })
}

/** The valid state, shortened to 512 characters; empty if a member is invalid. */
function stateIn(tracestate: string): string {
  const all = tracestate
    .split(',')
    .map((member) => member.trim())
    .filter((member) => member !== '')
  const keys = new Set(all.map((member) => member.slice(0, member.indexOf('='))))
  if (all.length > MAX_MEMBERS || keys.size < all.length) return ''
  if (!all.every((member) => MEMBER.test(member))) return ''
  if (all.join(',').length <= MAX_STATE_CHARACTERS) return all.join(',')
  const members = all.filter(({ length }) => length <= MAX_MEMBER_CHARACTERS)
  while (members.join(',').length > MAX_STATE_CHARACTERS) members.pop()
  return members.join(',')
}

export function traceContextOf(span: RemoteSpan): string {
  const { traceparent, tracestate } = traceHeadersOf(span)
  return tracestate === undefined ? traceparent : `${traceparent} ${tracestate}`
}

export function traceHeadersOf({ traceId, spanId, flags, tracestate }: RemoteSpan): TraceHeaders {
  const traceparent = `00-${traceId}-${spanId}-${flags.toString(16).padStart(2, '0')}`
  return tracestate === undefined ? { traceparent } : { traceparent, tracestate }
}

/** The span of a stored trace context. */
export function remoteSpanIn(traceContext: string): RemoteSpan {
  return {
    traceId: traceContext.slice(3, 35),
    spanId: traceContext.slice(36, 52),
    flags: Number.parseInt(traceContext.slice(53, 55), 16),
    tracestate: traceContext.slice(56) || undefined,
  }
}

/** Whether the spans of the trace are recorded. */
export function isSampled(traceContext: string): boolean {
  return (remoteSpanIn(traceContext).flags & SAMPLED) !== 0
}

/** The headers of a request that continues the trace, with a new span id. */
export function continuedFrom(traceContext: string): TraceHeaders {
  const traceparent = traceContext.slice(0, 36) + newSpanId() + traceContext.slice(52, 55)
  const tracestate = traceContext.slice(56)
  return tracestate === '' ? { traceparent } : { traceparent, tracestate }
}

export function newTraceId(): string {
  return newSpanId() + newSpanId()
}

export function newSpanId(): string {
  return randomHex() + randomHex()
}

/** Each byte as two digits. `toString(16)` is slow for integers above 31 bits. */
const HEX_BYTES = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))

/**
 * Eight digits. Random, but not secret: for an attempt without a recorded span, `crypto` would take longer than everything
 * else. An id of zeros is invalid, but only one span in 2^64 gets it.
 */
function randomHex(): string {
  const bits = Math.floor(Math.random() * 2 ** 32)
  let digits = ''
  for (const shift of [24, 16, 8, 0]) digits += HEX_BYTES[(bits >>> shift) & 0xff]
  return digits
}
