import { expect, test } from 'vitest'
import { MeasuredService } from '@hookline/testing/service/measured-service'
import { ReceiversProcess } from '../receivers/receivers-process.ts'

const FILL_SECONDS = 5
const MIN_PURGED = 5_000
/** A slice takes 5 ms plus the commit. On slow machines, the limit is a multiple of the p99 of calls before the purge. */
const MAX_P99_MS = 100
const MAX_P99_RATIO = 5
const MAX_MS = 1_000

interface Shown {
  readonly id: string
  readonly purgedAt: string | null
  readonly purged: { readonly events: number }
}

/** Sends one call after another while `shouldContinue` returns true. Returns their durations in milliseconds, sorted. */
async function responseTimes(
  service: MeasuredService,
  shouldContinue: (sent: number) => Promise<boolean>,
): Promise<number[]> {
  const times: number[] = []
  while (await shouldContinue(times.length)) {
    const started = performance.now()
    await service.send(1)
    times.push(performance.now() - started)
  }
  return times.toSorted((a, b) => a - b)
}

function shown(times: readonly number[]): string {
  const [p50, p99, max] = [0.5, 0.99, 1].map((part) => percentile(times, part).toFixed(1))
  return `p50 ${p50} ms, p99 ${p99} ms, max ${max} ms of ${times.length}`
}

function percentile(sorted: readonly number[], part: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Infinity
}

test("calls are hardly slowed down while thousands of a user's events are purged and overwritten", async () => {
  await using receivers = await ReceiversProcess.open()
  await using service = new MeasuredService()
  await service.start()
  await service.addSource(receivers.urlOf('answering'))
  await service.load(FILL_SECONDS)
  const pending = async (): Promise<unknown[]> =>
    (await service.api.call<{ data: unknown[] }>('GET', 'deliveries?state=pending')).data
  await expect.poll(pending, { interval: 500 }).toEqual([])

  const before = await responseTimes(service, async (sent) => sent < 300)
  // Without suppress, new events are stored.
  const { id } = await service.api.call<Shown>('POST', 'deletions', { userIds: ['u1'] })
  const started = performance.now()
  const now = () => service.api.call<Shown>('GET', `deletions/${id}`)
  const during = await responseTimes(service, async () => (await now()).purgedAt === null)
  const { purged } = await now()
  console.log(
    `${purged.events} events purged in ${((performance.now() - started) / 1000).toFixed(1)} s; ` +
      `calls before: ${shown(before)}; during: ${shown(during)}`,
  )
  expect(purged.events).toBeGreaterThan(MIN_PURGED)
  expect(during.length).toBeGreaterThan(20)
  const maxMs = Math.max(MAX_P99_MS, MAX_P99_RATIO * percentile(before, 0.99))
  expect(percentile(during, 0.99)).toBeLessThan(maxMs)
  expect(during.at(-1)).toBeLessThan(MAX_MS)
})
