import { expect, test } from 'vitest'
import { freePort } from '@hookline/testing/network/free-port'
import { halfIfShort } from '@hookline/testing/run/case-count'
import { MeasuredService } from '@hookline/testing/service/measured-service'
import { ReceiversProcess } from '../receivers/receivers-process.ts'
import { expectWithinLimits, loadText, worstWhile } from './worst-load.ts'

const REFUSING = 20
const EVENTS = Number(process.env['HOOKLINE_TEST_REFUSED'] ?? halfIfShort(20_100))
/** About three times the usual duration. */
const MAX_MS = 60_000 + 4 * EVENTS
const SENDERS = 8
const BATCH = 200

test.for(['refuse connections', 'respond with 500'] as const)(
  '20 destinations that %s lose no events and need little memory, and a healthy destination gets every event',
  { timeout: MAX_MS + 30_000 },
  async (kind) => {
    await using receivers = await ReceiversProcess.open()
    await using service = new MeasuredService()
    await service.start()
    const url =
      kind === 'respond with 500'
        ? receivers.urlOf('failing')
        : `http://127.0.0.1:${await freePort()}/`
    await service.addSource(receivers.urlOf('healthy'), ...Array<string>(REFUSING).fill(url))
    const started = performance.now()
    let refused = 0
    const worst = await worstWhile(
      service,
      sendAll(service).then((times) => {
        refused = times
        return expectAllKept(service)
      }),
    )
    console.log(
      `${EVENTS} events for ${REFUSING} destinations that ${kind} and a healthy one: ` +
        `delivered or parked after ${((performance.now() - started) / 1000).toFixed(0)} s, ` +
        `${refused} batches repeated after a 503; worst: ${loadText(worst)}`,
    )
    expectWithinLimits(worst, 'under load')
    expect((await receivers.latenciesMs()).length).toBeGreaterThanOrEqual(EVENTS)
    expect(await service.gauge('hookline_accounting_imbalance')).toBe(0)
    expect(await service.gauge('hookline_deliveries_ended_total')).toBe(EVENTS)
  },
)

/** Sends the events from several senders. Returns the number of batches that were refused and repeated. */
async function sendAll(service: MeasuredService): Promise<number> {
  let left = EVENTS
  let refused = 0
  const sender = async (): Promise<void> => {
    while (left > 0) {
      const count = Math.min(BATCH, left)
      left -= count
      refused += await service.sendUntilAccepted(count)
    }
  }
  await Promise.all(Array.from({ length: SENDERS }, sender))
  return refused
}

/** Resolves when all events are pending for each failing destination, and none for the healthy one. */
async function expectAllKept(service: MeasuredService): Promise<void> {
  const all = await service.api.listAll<{ readonly id: string }>('destinations')
  const pending = async (): Promise<number[]> => {
    const counts = all.map(async ({ id }) => {
      const path = `destinations/${id}`
      const { health } = await service.api.call<{ health: { pending: number } }>('GET', path)
      return health.pending
    })
    return (await Promise.all(counts)).toSorted((a, b) => a - b)
  }
  const expected = [0, ...Array<number>(REFUSING).fill(EVENTS)]
  await expect.poll(pending, { timeout: MAX_MS, interval: 1_000 }).toEqual(expected)
}
