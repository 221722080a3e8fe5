import { describe, expect, test, vi } from 'vitest'
import { openReceiver, type ReceiverOptions } from '@hookline/testing/receiver/receiver'
import { type RunningService, startService } from '@hookline/testing/service/running-service'

const settings = { logLevel: 'info', retryScheduleMs: '100', retryWindowMs: '2000' }

/** Generous, for slow machines. No test depends on it. */
const MAX_RUN_MS = 300_000

const PINO_LEVELS: Readonly<Record<number, string>> = {
  20: 'debug',
  30: 'info',
  40: 'warn',
  50: 'error',
}

/** The number of lines by level and event. */
function linesOf({ logLines }: RunningService): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { level, msg } of logLines) {
    const key = `${PINO_LEVELS[level as number]} ${msg as string}`
    counts[key] = (counts[key] ?? 0) + 1
  }
  return counts
}

/** The number of minutes that the log covers. Limits apply per minute, and slow machines need several. */
function minutesOf({ logLines }: RunningService): number {
  const times = logLines.map(({ time }) => Date.parse(time as string))
  // A line may be written a moment after its minute was determined.
  const spanMs = Math.max(...times) - Math.min(...times) + 1_000
  return Math.ceil(spanMs / 60_000)
}

async function sendBatches(service: RunningService, events: number): Promise<void> {
  for (let sent = 0; sent < events; sent += 15) {
    const batch = Array.from({ length: 15 }, (_, index) => ({
      type: 'track',
      event: 'e',
      userId: 'u',
      messageId: `m-${sent + index}`,
    }))
    expect((await service.send('/v1/batch', { batch })).status).toBe(200)
  }
}

/** Resolves when no delivery is pending. */
async function allEnded(service: RunningService, deliveries: number): Promise<void> {
  const check = async (): Promise<void> => {
    const states = ['delivered', 'rejected', 'expired']
    const ended = await Promise.all(
      states.map((state) => service.metric(`hookline_deliveries_ended_total{state="${state}"}`)),
    )
    expect(ended.reduce((sum, count) => sum + count, 0)).toBe(deliveries)
  }
  await vi.waitFor(check, { timeout: MAX_RUN_MS, interval: 50 })
}

const BAD: readonly NonNullable<ReceiverOptions['respond']>[] = [
  500,
  503,
  404,
  429,
  'reset',
  302,
  401,
  [500, 200],
]

describe('the log', () => {
  test(
    'for 300 events to eight failing receivers has only a few lines per receiver, each naming its webhook',
    async () => {
      await using stack = new AsyncDisposableStack()
      const receivers = await Promise.all(
        BAD.map(async (respond) => stack.use(await openReceiver({ respond }))),
      )
      const service = stack.use(await startService({ settings }))
      for (const { url } of receivers)
        await service.createDestination({ urls: [`${url}/T0KEN?key=T0KEN`] })
      await sendBatches(service, 300)
      await allEnded(service, 300 * BAD.length)
      const failing = service.logLines.filter(({ msg }) => msg === 'webhook.failing')
      expect(new Set(failing.map(({ webhook }) => webhook))).toEqual(
        new Set(receivers.map(({ port }) => `127.0.0.1:${port}`)),
      )
      const max = BAD.length * minutesOf(service)
      expect(failing.length).toBeLessThanOrEqual(max)
      expect(linesOf(service)['warn webhook.breaker_opened'] ?? 0).toBeLessThanOrEqual(max)
      expect(service.logLines.length).toBeLessThanOrEqual(max * 5)
      for (const line of service.logLines) {
        expect(line).toMatchObject({
          source: 'Test',
          webhook: expect.stringMatching(/^127\.0\.0\.1:/),
        })
        expect(JSON.stringify(line)).not.toContain('T0KEN')
      }
    },
    MAX_RUN_MS,
  )

  test(
    'for 20 destinations with five failing webhooks each is limited to logLinesPerMinute for each log event',
    async () => {
      await using stack = new AsyncDisposableStack()
      const receiver = stack.use(await openReceiver({ respond: 500 }))
      const service = stack.use(
        await startService({ settings: { ...settings, logLinesPerMinute: '50' } }),
      )
      const urls = ['a', 'b', 'c', 'd', 'e'].map((path) => `${receiver.url}/${path}`)
      for (let count = 0; count < 20; count++) await service.createDestination({ urls })
      await sendBatches(service, 15)
      await allEnded(service, 15 * 20)
      const lines = linesOf(service)
      const max = 50 * minutesOf(service)
      // A hundred webhooks start to fail, so at least one minute reaches the limit.
      expect(lines['warn webhook.failing']).toBeGreaterThanOrEqual(50)
      expect(lines['warn webhook.failing']).toBeLessThanOrEqual(max)
      expect(lines['warn webhook.breaker_opened'] ?? 0).toBeLessThanOrEqual(max)
      expect(service.logLines.length).toBeLessThanOrEqual(max * 3)
    },
    MAX_RUN_MS,
  )

  test(
    'with level debug has a line for each failed attempt',
    async () => {
      await using receiver = await openReceiver({ respond: 404 })
      await using service = await startService({ settings: { ...settings, logLevel: 'debug' } })
      await service.createDestination({ urls: [receiver.url] })
      await sendBatches(service, 300)
      await allEnded(service, 300)
      expect(linesOf(service)).toMatchObject({ 'debug attempt.failed': 300 })
    },
    MAX_RUN_MS,
  )
})
