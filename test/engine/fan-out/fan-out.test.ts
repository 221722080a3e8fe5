import { expect, test } from 'vitest'
import { MeasuredService } from '../measured-service.ts'
import { ReceiversProcess } from '../receivers/receivers-process.ts'

const DESTINATIONS = 1_000
const EVENTS = 2_500
const SECONDS = Number(process.env['HOOKLINE_TEST_FAN_OUT_SECONDS'] ?? 8)
const MIB = 2 ** 20

interface Load {
  residentMib: number
  /** How late the event loop was within one second, in ms. */
  eventLoopP99Ms: number
  eventLoopMostMs: number
  livezMs: number
}

const LIMITS: Load = {
  residentMib: 700,
  eventLoopP99Ms: 250,
  eventLoopMostMs: 1_000,
  livezMs: 1_000,
}

test(
  'a source with 1,000 destinations takes 2,500 events in one batch, and a restart in the middle of them',
  { timeout: (2 * SECONDS + 120) * 1000 },
  async () => {
    await using receivers = await ReceiversProcess.open()
    await using service = new MeasuredService()
    await service.start()
    await service.addSource(receivers.urlOf('answering'), DESTINATIONS)
    await service.send(EVENTS)
    const first = await worstWithin(service, SECONDS)
    await service.stop()
    await service.start()
    const second = await worstWithin(service, SECONDS)
    console.log(
      `${EVENTS * DESTINATIONS} deliveries of one batch, worst of ${SECONDS} s: ${shown(first)}; after a restart: ${shown(second)}`,
    )
    for (const name of Object.keys(LIMITS) as (keyof Load)[]) {
      expect(first[name], name).toBeLessThanOrEqual(LIMITS[name])
      expect(second[name], `${name} after a restart`).toBeLessThanOrEqual(LIMITS[name])
    }
    // It goes on: no delivery is lost, and none waits for all others.
    expect(await service.gauge('hookline_accounting_imbalance')).toBe(0)
    expect(await service.gauge('hookline_deliveries_ended_total')).toBeGreaterThan(1_000)
  },
)

/** The worst figure of each kind in so many seconds, a sample a second. */
async function worstWithin(service: MeasuredService, seconds: number): Promise<Load> {
  const worst: Load = { residentMib: 0, eventLoopP99Ms: 0, eventLoopMostMs: 0, livezMs: 0 }
  // The first scrape has the lag of the start as well.
  await service.gauge('nodejs_eventloop_lag_max_seconds')
  for (let sample = 0; sample < seconds; sample++) {
    await new Promise((resolve) => setTimeout(resolve, 1_000))
    const asked = performance.now()
    await service.livez()
    const figures: Load = {
      livezMs: performance.now() - asked,
      residentMib: service.residentBytes / MIB,
      ...(await service.eventLoop()),
    }
    for (const name of Object.keys(worst) as (keyof Load)[]) {
      worst[name] = Math.max(worst[name], figures[name])
    }
  }
  return worst
}

function shown({ residentMib, eventLoopP99Ms, eventLoopMostMs, livezMs }: Load): string {
  return `${residentMib.toFixed(0)} MiB, event loop late by ${eventLoopP99Ms.toFixed(0)} ms (p99), ${eventLoopMostMs.toFixed(0)} ms (max), /livez ${livezMs.toFixed(0)} ms`
}
