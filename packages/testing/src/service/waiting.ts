import { expect, vi } from 'vitest'
import { run } from '../cli/hookline.ts'
import type { RunningService } from './running-service.ts'
import type { Trace, TracedDelivery } from './trace.ts'

export type WaitReason =
  | 'in_flight'
  | 'queued'
  | 'retry'
  | 'retry_after'
  | 'breaker_open'
  | 'webhook_paused'
  | 'webhook_gone'
  | 'url_forbidden'
  | 'disabled_by_receiver'
  | 'destination_paused'
  | 'destination_disabled'

interface WaitingPart {
  readonly url: string
  readonly state: string
  readonly waiting: {
    readonly reason: WaitReason
    readonly since: string
    readonly nextAttemptAt: string | null
    readonly explanation: string
    readonly remedy: string | null
  } | null
  readonly lastAttempt: { readonly class: string; readonly status?: number } | null
}

export interface ExplainedWait {
  readonly trace: Trace
  readonly delivery: TracedDelivery
  readonly part: WaitingPart
  readonly explanation: string
  readonly cli: string
}

/** Retries soon, without shortening how long breakers stay open. */
export const RETRY_SOON = { retryScheduleMs: '500,500,500,500,600000' }

interface WebhookHealth {
  readonly url: string
  readonly breaker: 'closed' | 'open' | 'half_open'
  readonly brokenSince: string | null
  readonly openUntil: string | null
  readonly retryAfterUntil: string | null
  readonly pacePerSecond: number | null
  readonly pending: number
  readonly held: number
}

/** Runs a CLI command against this service, and returns its human-readable output. */
export async function hookline(
  service: RunningService,
  ...args: readonly string[]
): Promise<{ readonly code: number | null; readonly text: string }> {
  const env = { HOOKLINE_URL: service.url, HOOKLINE_ADMIN_TOKEN: service.token }
  const { code, stdout, stderr } = await run(args, { env })
  return { code, text: stdout + stderr }
}

/**
 * Waits until an event is waiting for this reason, and returns the explanation. Expects the API and the CLI to show the
 * start of the wait and, unless an operator must act, a future next attempt.
 */
export async function whyItWaits(
  service: RunningService,
  messageId: string,
  reason: WaitReason,
): Promise<ExplainedWait> {
  const { requestedAt, ...answer } = await service.eventually(async () => {
    const at = Date.now()
    const trace = await service.trace(messageId)
    const [delivery] = trace.deliveries as (TracedDelivery & { webhooks: WaitingPart[] })[]
    const part = delivery?.webhooks.find(({ waiting }) => waiting?.reason === reason)
    expect(part, `a webhook that waits: ${reason}`).toBeDefined()
    return { requestedAt: at, trace, delivery: delivery!, part: part! }
  })
  const { since, nextAttemptAt, explanation: why, remedy } = answer.part.waiting!
  const [decision] = answer.trace.decisions as (Trace['decisions'][number] & {
    explanation: string
    remedy: string | null
  })[]
  const { explanation } = decision!
  // The failure of the last attempt is the reason to retry.
  expect(explanation).toContain(reason === 'retry' ? 'The last attempt to ' : why)
  if (remedy !== null) expect(decision!.remedy).toContain(remedy)
  expect(explanation).toContain(since)
  if (nextAttemptAt !== null) expect(explanation).toContain(nextAttemptAt)
  expectTimes({ since, next: nextAttemptAt }, answer.trace.receivedAt, requestedAt)
  const cliCalledAt = Date.now()
  const { code, text: cli } = await hookline(service, 'trace', messageId)
  expect(code).toBe(0)
  const [, shownSince, shownNext] =
    /^ +since (\S+Z), (?:next attempt (\S+Z)|no attempt scheduled)$/m.exec(cli) ?? []
  expectTimes({ since: shownSince!, next: shownNext ?? null }, answer.trace.receivedAt, cliCalledAt)
  expect(shownNext === undefined).toBe(nextAttemptAt === null)
  return { ...answer, explanation: `${explanation} ${decision!.remedy ?? ''}`, cli }
}

export async function sendBatch(
  service: RunningService,
  messageIds: readonly string[],
): Promise<void> {
  const call = { type: 'track', userId: 'u1', event: 'E' }
  const batch = messageIds.map((messageId) => ({ ...call, messageId }))
  expect(await service.send('/v1/batch', { batch })).toMatchObject({ status: 200 })
}

export async function healthOf(service: RunningService, id: string): Promise<WebhookHealth> {
  const { health } = await service.api.call<{ health: { webhooks: WebhookHealth[] } }>(
    'GET',
    `destinations/${id}`,
  )
  return health.webhooks[0]!
}

/**
 * Sends ten calls to a failing receiver, and waits until the breaker will stay open for at least `minOpenMs`. Resolves to the time
 * of its next probe. The service needs `RETRY_SOON`.
 */
export async function openBreaker(
  service: RunningService,
  id: string,
  { minOpenMs }: { readonly minOpenMs: number },
): Promise<number> {
  await sendBatch(
    service,
    Array.from({ length: 10 }, (_, index) => `failing-${index}`),
  )
  // It stays open for a random time, which grows with each failed probe.
  return vi.waitFor(
    async () => {
      const { breaker, openUntil } = await healthOf(service, id)
      expect(breaker).toBe('open')
      const until = Date.parse(openUntil!)
      expect(until).toBeGreaterThan(Date.now() + minOpenMs)
      return until
    },
    { timeout: 90_000, interval: 50 },
  )
}

function expectTimes(
  { since, next }: { readonly since: string; readonly next: string | null },
  receivedAt: string,
  requestedAt: number,
): void {
  expect(Date.parse(since)).toBeLessThanOrEqual(Date.now())
  // A pause or a breaker may be older than the event, but not than the test.
  expect(Date.parse(since)).toBeGreaterThan(Date.parse(receivedAt) - 60_000)
  if (next !== null) expect(Date.parse(next)).toBeGreaterThanOrEqual(requestedAt)
}
