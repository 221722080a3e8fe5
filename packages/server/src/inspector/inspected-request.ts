import {
  type Destination,
  INSPECTOR_URL,
  isId,
  isJsonObject,
  reservedBy,
  signersOf,
} from '@hookline/protocol'
import { checkSignature, type SignatureCheck } from '@hookline/protocol/check-signature'
import { publicKeyOf } from '@hookline/protocol/ed25519'
import type { IncomingHttpHeaders } from 'node:http'
import { canBeFilledTo } from '../routing/url-template.ts'

/** A request as received. */
export interface InspectedRequest {
  /** `req_…` */
  readonly id: string
  /** Milliseconds since the epoch. */
  readonly receivedAt: number
  readonly method: string
  /** Includes the query. */
  readonly path: string
  /** In order. Values of static headers are hidden: they are secrets. */
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body: Buffer
  readonly event: EventInBody
  /** `webhook-id`: the same for every attempt. */
  readonly deliveryId: string | null
  /** The number of the attempt to the webhook, from 1. */
  readonly attempt: number | null
  /** The destination that sent it; `null` while that is not certain. */
  readonly destinationId: string | null
  readonly signature: Signature
  readonly response: InspectorResponse
}

export type RequestSummary = Omit<InspectedRequest, 'headers' | 'body'> & {
  /** Bytes of the body. */
  readonly size: number
}

/** The maximum length of a string in a summary: otherwise a list of 200 requests could take megabytes. */
const MAX_CHARACTERS = 500

/** Summarises a request. Long strings of the event are truncated. */
export function summaryOf({ headers: _, body, ...request }: InspectedRequest): RequestSummary {
  const fields = Object.entries(request.event) as [keyof EventInBody, string | null][]
  const cut = fields.map(([name, text]) => [name, text?.slice(0, MAX_CHARACTERS) ?? null])
  const event = Object.fromEntries(cut) as Record<keyof EventInBody, string | null>
  return { ...request, event, size: body.length }
}

interface InspectorResponse {
  readonly status: number
  readonly delayMs: number
  /** Whether it was sent: the connection may close during the delay. */
  readonly isSent: boolean
}

/** The fields that identify an event; `null` means absent. */
export interface EventInBody {
  readonly type: string | null
  /** The name of the event, page or screen. */
  readonly name: string | null
  readonly messageId: string | null
  readonly userId: string | null
  readonly anonymousId: string | null
  /** `Previous ID` of an alias call. */
  readonly previousId: string | null
}

/** The event in a body of any format; all fields are `null` if it has none. */
export function eventIn(body: string): EventInBody {
  const object = parseObject(body)
  const { data } = object
  // The formats `standard` and `cloudevents` wrap the payload.
  const payload = isJsonObject(data) && object['messageId'] === undefined ? data : object
  const field = (name: string): string | null => {
    const value = Object.hasOwn(payload, name) ? payload[name] : undefined
    return typeof value === 'string' ? value : null
  }
  return {
    type: field('type'),
    name: field('event') ?? field('name'),
    messageId: field('messageId'),
    userId: field('userId') ?? field('User ID'),
    anonymousId: field('anonymousId'),
    previousId: field('Previous ID'),
  }
}

function parseObject(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text)
    return isJsonObject(value) ? value : {}
  } catch {
    return {}
  }
}

const HIDDEN = '[hidden]'

const SIGNATURE = /^(?:x-signature|webhook-signature)$/i

/** The headers for roles that may not see valid signatures. */
export function withoutSignatures(
  headers: InspectedRequest['headers'],
): InspectedRequest['headers'] {
  return headers.map(([name, value]) => [name, SIGNATURE.test(name) ? HIDDEN : value])
}

/** The headers in Node's `rawHeaders`, with secret values hidden. */
export function headersOf(rawHeaders: readonly string[]): InspectedRequest['headers'] {
  return Array.from({ length: rawHeaders.length / 2 }, (_, index) => {
    const [name, value] = [rawHeaders[2 * index]!, rawHeaders[2 * index + 1]!]
    return [name, isShown(name) ? value : HIDDEN]
  })
}

/** Other headers are static ones of a webhook. */
function isShown(name: string): boolean {
  return reservedBy(name) !== undefined && !/^proxy-/i.test(name)
}

export function deliveryIdIn(header: string | readonly string[] | undefined): string | null {
  return typeof header === 'string' && isId('msg', header) ? header : null
}

/** The number in the header `X-Hookline-Attempt`. */
export function attemptIn(header: string | readonly string[] | undefined): number | null {
  return typeof header === 'string' && /^[1-9]\d{0,8}$/.test(header) ? Number(header) : null
}

interface Signature extends Pick<SignatureCheck, 'xSignature' | 'webhookSignature'> {
  readonly verdict: 'valid' | 'invalid' | 'missing'
  /** Why it is not valid; `null` if it is. */
  readonly reason: string | null
}

interface SignedRequest {
  /** Includes the query. */
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** Checks signatures as documented for receivers. `destinationId` is set if only one destination could have signed. */
export function signatureOf(
  request: SignedRequest,
  destinations: Iterable<Destination>,
  nowMs: number,
): Pick<InspectedRequest, 'signature' | 'destinationId'> {
  const url = INSPECTOR_URL.slice(0, -1) + request.path
  const { headers } = request
  const isSigned = (headers['x-signature'] ?? headers['webhook-signature']) !== undefined
  const senders = sendersAt(url, destinations, { isSigned, nowMs })
  const checks = senders.flatMap((sender) =>
    keysOf(sender, url, nowMs).map((key) => ({
      sender,
      check: checkSignature(request, key, nowMs),
    })),
  )
  const valid = checks.filter(({ check }) => check.verdict === 'valid')
  const { check } = valid[0] ??
    checks.find(({ check: { xSignature } }) => xSignature === 'valid') ??
    checks[0] ?? { check: checkSignature(request, undefined, nowMs) }
  const reason = valid.length > 0 ? null : reasonFor(check, senders, url)
  const { xSignature, webhookSignature } = check
  return {
    signature: { verdict: verdictOf(check), reason, xSignature, webhookSignature },
    destinationId: onlyIdOf(valid.length > 0 ? valid.map(({ sender }) => sender) : senders),
  }
}

/** Destinations with this webhook that sign if and only if the request is signed; if none match, all with this webhook. */
function sendersAt(
  url: string,
  all: Iterable<Destination>,
  { isSigned, nowMs }: { readonly isSigned: boolean; readonly nowMs: number },
): Destination[] {
  const senders = [...all].filter(({ settings }) =>
    settings.webhooks.some((webhook) => canBeFilledTo(webhook.url, url)),
  )
  const matching = senders.filter((sender) => keysOf(sender, url, nowMs).length > 0 === isSigned)
  return matching.length > 0 ? matching : senders
}

/** The secrets and public keys that verify requests to this URL. */
function keysOf({ settings }: Destination, url: string, nowMs: number): string[] {
  const webhook = settings.webhooks.find((each) => canBeFilledTo(each.url, url))
  if (webhook === undefined) return []
  const { sharedSecret, previousSecret, signingKeys = [] } = signersOf(webhook, settings, nowMs)
  const secrets = [sharedSecret, previousSecret].filter((secret) => typeof secret === 'string')
  return [...secrets, ...signingKeys.map(({ privateKey }) => publicKeyOf(privateKey))]
}

function verdictOf({ verdict }: SignatureCheck): Signature['verdict'] {
  if (verdict === 'valid') return verdict
  return verdict === 'missing' || verdict === 'unsigned' ? 'missing' : 'invalid'
}

function reasonFor(
  { verdict, xSignature, webhookSignature }: SignatureCheck,
  senders: readonly Destination[],
  url: string,
): string {
  if (senders.length === 0) return `No destination currently has the webhook ${url}.`
  if (verdict === 'unsigned')
    return 'The webhook has neither a secret nor a signing key, so its requests are not signed.'
  if (verdict === 'missing') return 'The signature header is missing.'
  if (verdict === 'unchecked')
    return 'The request is signed, but the webhook currently has neither a secret nor a signing key.'
  if (webhookSignature === 'stale')
    return 'webhook-timestamp is more than five minutes off: the request was delayed, or a clock is wrong.'
  const invalid = [
    ...(xSignature === 'invalid' ? ['X-Signature'] : []),
    ...(webhookSignature === 'invalid' ? ['webhook-signature'] : []),
  ]
  return `${invalid.join(' and ')} cannot be verified: the request was signed with another secret or key, or its body was changed.`
}

function onlyIdOf(destinations: readonly Destination[]): string | null {
  const [first, ...others] = new Set(destinations.map(({ id }) => id))
  return first !== undefined && others.length === 0 ? first : null
}
