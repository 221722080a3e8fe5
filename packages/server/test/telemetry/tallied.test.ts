import { expect, test } from 'vitest'
import { Metrics } from '../../src/telemetry/metrics.ts'

test('every scrape has the tallied counts, each added once', async () => {
  const metrics = new Metrics()
  metrics.decisions.count('deliver', { reason: 'deliver' }, 3)
  metrics.inFlight.add(2)
  for (let scrape = 0; scrape < 2; scrape++) {
    const text = await metrics.scrape()
    expect(text).toContain('hookline_decisions_total{reason="deliver"} 3\n')
    expect(text).toContain('hookline_inflight 2\n')
  }
  metrics.decisions.count('deliver', { reason: 'deliver' })
  metrics.decisions.count('duplicate', { reason: 'duplicate' })
  metrics.inFlight.add(-1)
  const text = await metrics.scrape()
  expect(text).toContain('hookline_decisions_total{reason="deliver"} 4\n')
  expect(text).toContain('hookline_decisions_total{reason="duplicate"} 1\n')
  expect(text).toContain('hookline_inflight 1\n')
})
