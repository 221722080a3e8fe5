import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openReceiver, type Receiver } from '@hookline/testing/receiver/receiver'
import { MeasuredService } from '@hookline/testing/service/measured-service'
import { floodWith } from './hostile-requests.ts'
import {
  expectAsFast,
  expectHealthy,
  type AttackMeasurement,
  measureWhile,
} from './service-under-attack.ts'

const KEYS = 40_000
const TOKENS = 4_800
const CONNECTIONS = 40
/** The number of reads with the operator's token during the attack. */
const READS = 20
const BEFORE_MS = 5_000
/** A line a minute for each of 20 clients or key prefixes, and one for all others. The attack may span two minutes. */
const MAX_LINES = 2 * 21

let receiver: Receiver
let service: MeasuredService
let before: AttackMeasurement

beforeAll(async () => {
  receiver = await openReceiver()
  service = new MeasuredService()
  await service.start({ HOOKLINE_LOG_LEVEL: 'info' })
  await service.addSource(receiver.url)
  await service.load(1)
  before = (await measureWhile(service, () => sleep(BEFORE_MS))).measured
})
afterAll(async () => {
  await service[Symbol.asyncDispose]()
  await receiver[Symbol.asyncDispose]()
})

test(`${KEYS} requests with different write keys do not disturb other clients, and cause few log lines`, async () => {
  const { port } = service
  const flood = { port, method: 'POST', path: '/v1/track', connections: CONNECTIONS } as const
  const { measured, result } = await measureWhile(service, () =>
    floodWith({ ...flood, count: KEYS }),
  )
  const lines = service.logged('write_key.rejected')
  console.log(`${KEYS} keys, ${lines} lines: ${JSON.stringify({ before, measured })}`)
  expect(result).toEqual({ 401: KEYS })
  expect(lines).toBeGreaterThan(0)
  expect(lines).toBeLessThanOrEqual(MAX_LINES)
  expectHealthy(measured)
  expectAsFast(measured, before)
})

test(`${TOKENS} invalid tokens are rate-limited, counted and logged once a minute, and the valid one is accepted`, async () => {
  const { port } = service
  const flood = { port, method: 'GET', path: '/api/v1/sources', connections: CONNECTIONS } as const
  const { measured, result } = await measureWhile(service, () =>
    Promise.all([floodWith({ ...flood, count: TOKENS }), readWithValidToken()]),
  )
  const [statuses] = result
  const lines = service.logged('token.rejected')
  console.log(`${TOKENS} tokens, ${lines} lines: ${JSON.stringify({ statuses, before, measured })}`)
  expect((statuses[401] ?? 0) + (statuses[429] ?? 0)).toBe(TOKENS)
  expect(statuses[401]).toBeLessThan(TOKENS / 4)
  expect(await service.gauge('hookline_auth_failures_total')).toBe(TOKENS)
  expect(lines).toBeGreaterThan(0)
  expect(lines).toBeLessThanOrEqual(3)
  expectHealthy(measured)
  expectAsFast(measured, before)
})

/** Reads with the operator's token, which must always be accepted. */
async function readWithValidToken(): Promise<void> {
  for (let reads = 0; reads < READS; reads++) {
    await service.api.call('GET', 'sources')
    await sleep(20)
  }
}
