import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { DeficitRoundRobin, type Queue } from '../../../src/delivery/lanes/deficit-round-robin.ts'

const QUANTUM = 5

class TestQueue implements Queue {
  readonly name: string
  readonly costs: number[]
  spent = 0

  constructor(name: string, costs: readonly number[]) {
    this.name = name
    this.costs = [...costs]
  }

  get nextCost(): number | undefined {
    return this.costs[0]
  }

  take(): void {
    this.spent += this.costs.shift()!
  }
}

describe('deficit round robin', () => {
  test('gives queues that always have work the same share, whatever their turns cost, within two quanta', () => {
    const lane = fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 200, maxLength: 200 })
    const run = fc.property(fc.array(lane, { minLength: 2, maxLength: 8 }), (lanes) => {
      const queues = lanes.map((costs, index) => new TestQueue(`${index}`, costs))
      const ring = new DeficitRoundRobin<TestQueue>(QUANTUM)
      for (const queue of queues) ring.add(queue)
      while (queues.every(({ costs }) => costs.length > 0)) {
        ring.next()!.take()
        const spent = queues.map((queue) => queue.spent)
        expect(Math.max(...spent) - Math.min(...spent)).toBeLessThanOrEqual(2 * QUANTUM)
      }
    })
    fc.assert(run)
  })

  test('does not let a queue wait for one that cannot take a turn', () => {
    const ring = new DeficitRoundRobin<TestQueue>(QUANTUM)
    const [empty, busy] = [new TestQueue('empty', []), new TestQueue('busy', [1, 1])]
    ring.add(empty)
    ring.add(busy)
    expect(ring.next()).toBe(busy)
  })

  test('gives a queue that comes back no credit, and adds a queue once even if it is added twice', () => {
    const ring = new DeficitRoundRobin<TestQueue>(QUANTUM)
    const [a, b] = [
      new TestQueue('a', []),
      new TestQueue(
        'b',
        Array.from({ length: 50 }, () => 1),
      ),
    ]
    ring.add(a)
    ring.add(b)
    for (let turns = 0; turns < 20; turns++) ring.next()!.take()
    a.costs.push(...Array.from({ length: 50 }, () => 1))
    ring.add(a)
    ring.add(a)
    for (let turns = 0; turns < 20; turns++) ring.next()!.take()
    expect(a.spent).toBeGreaterThanOrEqual(10 - QUANTUM)
    expect(a.spent).toBeLessThanOrEqual(10 + QUANTUM)
  })

  test('returns undefined when no queue can take a turn', () => {
    const ring = new DeficitRoundRobin<TestQueue>(QUANTUM)
    expect(ring.next()).toBeUndefined()
    ring.add(new TestQueue('empty', []))
    expect(ring.next()).toBeUndefined()
  })
})
