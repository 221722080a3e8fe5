import { expect, test } from 'vitest'
import { PartialBody } from '../../../src/ingest/request-body.ts'
import { ByteBudget } from '../../../src/util/limits/byte-budget.ts'

test('a body uses memory for the bytes that arrived, not for its announced length', () => {
  const budget = new ByteBudget(10_000_000)
  const before = process.memoryUsage().external
  const small = new PartialBody(budget, { maxBytes: 500_000, contentLength: 500_000 })
  small.add(Buffer.from('x'))
  const large = new PartialBody(budget, { maxBytes: 500_000, contentLength: 400_001 })
  const packet = Buffer.alloc(1_000)
  for (let count = 0; count < 400; count++) large.add(packet)
  expect(process.memoryUsage().external - before).toBeLessThan(600_000)
  small.drop()
  large.drop()
})
