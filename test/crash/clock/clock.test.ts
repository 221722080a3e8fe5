import { expect, test } from 'vitest'
import { AdjustableService } from './adjustable-service.ts'

const TWO_DAYS = 2 * 24 * 60 * 60 * 1000
const SELDOM = { interval: 200 }

/** A service with 40 pending deliveries to a receiver that drops every connection. */
async function waiting(): Promise<AdjustableService> {
  const opened = await AdjustableService.open()
  opened.receiver.isDown = true
  await opened.send(40)
  await expect.poll(() => opened.metric('hookline_breaker_open'), SELDOM).toBe(1)
  return opened
}

async function expectDelivered(opened: AdjustableService): Promise<void> {
  opened.receiver.isDown = false
  await opened.send(5)
  await expect.poll(() => opened.missing, SELDOM).toBe(0)
  await expect.poll(() => opened.count('delivered'), SELDOM).toBe(45)
  await opened.service.stop()
}

test.for([
  ['back', -TWO_DAYS],
  ['ahead', TWO_DAYS],
] as const)(
  'nothing expires if the clock is set %s by two days during an outage, and everything is delivered afterwards',
  async ([set, ms]) => {
    const direction = set === 'ahead' ? 'forward' : 'back'
    await using opened = await waiting()
    await opened.setClock(ms)
    const { refused } = opened.receiver
    await expect.poll(() => opened.receiver.refused, SELDOM).toBeGreaterThan(refused + 2)
    expect([await opened.count('pending'), await opened.count('expired')]).toEqual([40, 0])
    const jumps = (): Promise<number> =>
      opened.metric(`hookline_clock_jumps_total{direction="${direction}"}`)
    await expect.poll(jumps, SELDOM).toBe(1)
    expect(await opened.clockNote()).toContain(`jumped ${direction} by 1728`)
    await expectDelivered(opened)
  },
)

test.for([
  ['back', -TWO_DAYS],
  ['ahead', TWO_DAYS],
] as const)(
  'nothing expires if a process starts with its clock %s by two days during an outage, and everything is delivered afterwards',
  async ([, ms]) => {
    await using opened = await waiting()
    await opened.killAndSetClock(ms)
    const { refused } = opened.receiver
    await expect.poll(() => opened.receiver.refused, SELDOM).toBeGreaterThan(refused + 12)
    expect([await opened.count('pending'), await opened.count('expired')]).toEqual([40, 0])
    await expectDelivered(opened)
  },
)
