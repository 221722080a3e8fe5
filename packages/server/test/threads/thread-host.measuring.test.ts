import { expect, test } from 'vitest'
import { openHost } from './open-host.ts'

test('a killed thread is ready again within two seconds', async () => {
  const { host, channels } = openHost()
  await expect.poll(() => channels.length, { interval: 5 }).toBe(1)
  const killedAt = performance.now()
  host.terminate()
  await expect.poll(() => channels.length, { interval: 5 }).toBe(2)
  const tookMs = performance.now() - killedAt
  console.log(`The thread was ready again ${Math.round(tookMs)} ms after its exit.`)
  expect(tookMs).toBeLessThan(2_000)
})
