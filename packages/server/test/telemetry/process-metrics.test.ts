import { Registry } from 'prom-client'
import { expect, test } from 'vitest'
import { collectProcessMetrics } from '../../src/telemetry/process-metrics.ts'

const registry = new Registry()
const restart = collectProcessMetrics(registry)

async function seconds(figure: string): Promise<number> {
  const text = await registry.getSingleMetricAsString(`nodejs_eventloop_lag_${figure}`)
  return Number(/^\S+ (\S+)$/m.exec(text.split('\n').at(-1)!)![1])
}

test('the event loop delay includes the longest blocking work since the last scrape', async () => {
  const startedAt = performance.now()
  await new Promise((resolve) => setTimeout(resolve, 200))
  const end = performance.now() + 600
  while (performance.now() < end);
  await expect.poll(() => seconds('max_seconds')).toBeGreaterThan(0.3)
  expect(await seconds('max_seconds')).toBeLessThan((performance.now() - startedAt) / 1_000)
  expect(await seconds('p99_seconds')).toBeLessThanOrEqual(await seconds('max_seconds'))
  restart()
  expect(await seconds('max_seconds')).toBe(0)
})

test('while the event loop is busy, work of 100 ms is never missed', async () => {
  // The delay is measured less often until the event loop is found to be busy.
  const isBusy = AbortSignal.timeout(1000)
  while (!isBusy.aborted) await busyTurn()
  for (let round = 0; round < 8; round++) {
    for (let turns = 0; turns < 10; turns++) await busyTurn()
    restart()
    blockFor(100)
    await busyTurn()
    expect(await seconds('max_seconds')).toBeGreaterThan(0.08)
  }
})

function blockFor(milliseconds: number): void {
  const end = performance.now() + milliseconds
  while (performance.now() < end);
}

function busyTurn(): Promise<void> {
  blockFor(5)
  return new Promise((resolve) => setTimeout(resolve))
}
