import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { openReceiver } from '../../../packages/server/test/harness/receiver.ts'
import { MeasuredService } from '../measured-service.ts'
import { expectUndisturbed, trafficWhile } from './healthy-traffic.ts'
import { floodWith } from './hostile-requests.ts'

const KEYS = 40_000
const TOKENS = 4_800
const CONNECTIONS = 40
const BEFORE_MS = 5_000
/** 20 clients or prefixes of keys, and one line for all others; the attack may last for two minutes. */
const MOST_LINES = 2 * 21

test(
  `${KEYS} requests with different write keys disturb no other client, and leave a few log lines`,
  { timeout: 180_000 },
  async () => {
    await using receiver = await openReceiver()
    await using service = new MeasuredService()
    await service.start({ HOOKLINE_LOG_LEVEL: 'info' })
    await service.addSource(receiver.url)
    await service.load(1)
    const { traffic: before } = await trafficWhile(service, pause(BEFORE_MS))
    const { port } = service
    const flood = { port, method: 'POST', path: '/v1/track', connections: CONNECTIONS } as const
    const { traffic: during, result } = await trafficWhile(
      service,
      floodWith({ ...flood, count: KEYS }),
    )
    const lines = service.logged('write_key.refused')
    console.log(`${KEYS} keys, ${lines} lines: ${JSON.stringify({ before, during })}`)
    expect(result).toEqual({ 401: KEYS })
    expect(lines).toBeGreaterThan(0)
    expect(lines).toBeLessThanOrEqual(MOST_LINES)
    expectUndisturbed(during, before)
  },
)

test(
  `${TOKENS} wrong tokens are limited, counted and logged once a minute, and the right one passes`,
  { timeout: 180_000 },
  async () => {
    await using receiver = await openReceiver()
    await using service = new MeasuredService()
    await service.start({ HOOKLINE_LOG_LEVEL: 'info' })
    await service.addSource(receiver.url)
    await service.load(1)
    const { traffic: before } = await trafficWhile(service, pause(BEFORE_MS))
    const { port } = service
    const flood = { port, method: 'GET', path: '/api/v1/sources' } as const
    let passed = 0
    const attack = Promise.all([
      floodWith({ ...flood, count: TOKENS, connections: CONNECTIONS }),
      readWithRightToken(service, () => passed++),
    ])
    const { traffic: during, result } = await trafficWhile(service, attack)
    const [statuses] = result
    const lines = service.logged('token.refused')
    console.log(`${TOKENS} tokens, ${lines} lines: ${JSON.stringify({ statuses, before, during })}`)
    expect((statuses[401] ?? 0) + (statuses[429] ?? 0)).toBe(TOKENS)
    expect(statuses[401]).toBeLessThan(TOKENS / 4)
    expect(await service.gauge('hookline_wrong_tokens_total')).toBe(TOKENS)
    expect(lines).toBeGreaterThan(0)
    expect(lines).toBeLessThanOrEqual(3)
    expect(passed).toBe(READS)
    expectUndisturbed(during, before)
  },
)

const READS = 20

/** Reads with the token of the operator, which must pass each time. */
async function readWithRightToken(service: MeasuredService, onPass: () => void): Promise<void> {
  for (let index = 0; index < READS; index++) {
    await service.api.call('GET', 'sources')
    onPass()
    await pause(20)
  }
}
