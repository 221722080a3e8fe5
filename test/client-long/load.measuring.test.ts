import { expect, test } from 'vitest'
import { openExchange } from '@hookline/testing/client/open-exchange'
import { asService } from '@hookline/testing/receiver/receiver'
import { runProgram } from '@hookline/testing/client/run-program'

interface FloodOutput {
  readonly grownBytes: number
  readonly reports: readonly string[]
  readonly stats: object
}

test('a million calls to a dead server stay within the memory limit, and the queued ones arrive later', async () => {
  await using exchange = await openExchange({ respond: 'reset' })
  const { receiver } = exchange
  await using program = runProgram('flood', [`http://127.0.0.1:${receiver.port}`])
  await expect.poll(() => program.stdout.length).toBe(1)
  const { grownBytes, reports, stats } = JSON.parse(program.stdout[0]!) as FloodOutput
  expect(stats).toEqual({
    queued: 1_000_000,
    delivered: 0,
    failed: 0,
    dropped: 900_000,
    pending: 100_000,
  })
  expect(reports).toEqual(['DroppedError'])
  // 100,000 queued messages are 27 MB of JSON, and a million would be ten times as much. The rest is overhead of the engine.
  expect(grownBytes).toBeLessThan(128 * 1024 * 1024)

  receiver.requests.length = 0
  receiver.respond = asService(200)
  expect(await program.exit()).toBe(0)
  expect(JSON.parse(program.stdout[1]!)).toMatchObject({ delivered: 100_000, pending: 0 })
  const ids = new Set(exchange.messages.map(({ messageId }) => messageId))
  expect(ids.size).toBe(100_000)
  expect(exchange.messages.at(-1)!.properties).toMatchObject({ index: 99_999 })
})

test('a call takes at most 5 µs of CPU time, or on slow machines 3.3 times as long as copying it through JSON, and uses less than 1.5 times the memory of its JSON', async () => {
  await using program = runProgram('enqueue', [])
  expect(await program.exit()).toBe(0)
  const { rate, copyRate, growth } = JSON.parse(program.stdout[0]!) as Record<
    'rate' | 'copyRate' | 'growth',
    number
  >
  console.log(`${rate} calls per second of CPU time, ${copyRate} copies through JSON`)
  expect(rate).toBeGreaterThan(Math.min(200_000, 0.3 * copyRate))
  expect(growth).toBeGreaterThan(0.9)
  expect(growth).toBeLessThan(1.5)
})
