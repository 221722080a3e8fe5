import { expect, test } from 'vitest'
import { PartialBody } from '../../../src/ingest/request-body.ts'
import { ByteBudget } from '../../../src/util/limits/byte-budget.ts'

const PAGE = 4096
const limits = { maxBytes: 500_000 }
const bytes = (text: string): Buffer => Buffer.from(text)

test('a body consists of the bytes that arrived, in any number of packets', () => {
  const text = Array.from({ length: 2_000 }, (_, index) => `${index} Zoë`).join(', ')
  for (const packet of [1, 7, 4_096, 100_000]) {
    const budget = new ByteBudget(1_000_000)
    const body = new PartialBody(budget, limits)
    const all = bytes(text)
    for (let from = 0; from < all.length; from += packet) {
      expect(body.add(all.subarray(from, from + packet))).toBe(true)
    }
    expect(body.bytes).toBe(all.length)
    const arrived = body.take()
    body.drop()
    expect(arrived.toString()).toBe(text)
    expect(budget.takenBytes).toBe(0)
  }
})

test('a body reserves budget for the bytes that arrived, not for its announced length', () => {
  const budget = new ByteBudget(10_000_000)
  const small = new PartialBody(budget, { ...limits, contentLength: 500_000 })
  small.add(bytes('x'))
  expect(budget.takenBytes).toBe(PAGE)
  const large = new PartialBody(budget, { ...limits, contentLength: 400_001 })
  const packet = Buffer.alloc(1_000)
  for (let count = 0; count < 400; count++) large.add(packet)
  expect(budget.takenBytes - PAGE).toBe(400_001)
  large.drop()
  large.drop()
  small.drop()
  expect(budget.takenBytes).toBe(0)
})

test('a body that arrives in one packet reserves no budget', () => {
  const body = new PartialBody(new ByteBudget(0), { ...limits, contentLength: 5 })
  expect(body.add(bytes('hello'))).toBe(true)
  expect(body.take().toString()).toBe('hello')
})

test('a body cannot grow beyond the budget until another body is dropped', () => {
  const budget = new ByteBudget(3 * PAGE)
  const first = new PartialBody(budget, limits)
  const second = new PartialBody(budget, limits)
  expect(first.add(Buffer.alloc(2 * PAGE))).toBe(true)
  expect(second.add(Buffer.alloc(PAGE))).toBe(true)
  expect(second.add(bytes('x'))).toBe(false)
  first.drop()
  expect(second.add(bytes('x'))).toBe(true)
  expect(second.bytes).toBe(PAGE + 1)
})
