import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { seededRandom } from '@hookline/testing/run/seeded-random'
import { TemporaryFolder } from '@hookline/testing/files/temporary-folder'
import { CountingReceiver } from '@hookline/testing/receiver/counting-receiver'
import { play } from './wire/exchange.ts'
import { type Keys, wireCase } from './wire/wire-cases.ts'
import { SendingService } from './writes/sending-service.ts'

const SEED = Number(process.env['HOOKLINE_TEST_SEED'] ?? Date.now() % 1_000_000)
const FUZZ_MS = Number(process.env['HOOKLINE_TEST_FUZZ_MS'] ?? 10_000)
const CONNECTIONS = 16
const LIVE_WITHIN_MS = 1_000

test(`no bytes on a connection stop the service or make it respond 500, over ${FUZZ_MS} ms`, async () => {
  using folder = new TemporaryFolder()
  await using receiver = await CountingReceiver.open({ random: Math.random, failing: 0 })
  await using service = new SendingService(folder.path)
  await service.start()
  await service.setUp(receiver)
  const seen = new Map<number, number>()
  const until = Date.now() + FUZZ_MS
  const cases = { count: 0 }
  const probes = probe(service.process.url, until)
  await Promise.all(
    Array.from({ length: CONNECTIONS }, () => fuzz(service, counted(until, cases), seen)),
  )
  const slow = (await probes).filter((ms) => ms > LIVE_WITHIN_MS)
  expect(service.process.isRunning(), service.process.stderr).toBe(true)
  expect(await service.send()).toBe(200)
  await expect.poll(() => receiver.missing('hook', service.accepted)).toBe(0)
  expect(await service.process.stop(), service.process.stderr).toBe(0)
  const statuses = JSON.stringify(Object.fromEntries(seen))
  console.log(
    `seed ${SEED}: ${cases.count} connections, responses ${statuses}, ` +
      `/livez asked ${(await probes).length} times, at most ${Math.max(...(await probes))} ms`,
  )
  // A machine that is busy with other things may be late once.
  expect(slow.length, `slow responses of /livez: ${slow.join()} ms`).toBeLessThan(2)
  expect(seen.get(200)).toBeGreaterThan(0)
  expect(seen.get(400)).toBeGreaterThan(0)
})

/** Plays one case after another. Every response must be a decision of the service, not a failure. */
async function fuzz(
  service: SendingService,
  numbers: Iterable<number>,
  seen: Map<number, number>,
): Promise<void> {
  const port = Number(new URL(service.process.url).port)
  for (const number of numbers) {
    const each = wireCase(keysOf(service), seededRandom(SEED * 1_000_000 + number))
    for (const status of await play(each, port)) {
      seen.set(status, (seen.get(status) ?? 0) + 1)
      const sent = Buffer.concat(each.parts).subarray(0, 500).toString('latin1')
      expect(status, `seed ${SEED}, case ${number}, ${each.name}: ${sent}`).toBeLessThan(500)
    }
  }
}

const keysOf = ({ writeKey, adminToken }: SendingService): Keys => ({ writeKey, adminToken })

/** The numbers of the cases, for all connections together. */
function* counted(until: number, cases: { count: number }): Generator<number> {
  while (Date.now() < until) yield cases.count++
}

/** Asks /livez all the time. Resolves with how long each response took. */
async function probe(url: string, until: number): Promise<number[]> {
  const times: number[] = []
  while (Date.now() < until) {
    const start = Date.now()
    const { status } = await fetch(`${url}/livez`)
    expect(status).toBe(200)
    times.push(Date.now() - start)
    await sleep(50)
  }
  return times
}
