import { describe, expect, test } from 'vitest'
import { Recurring } from '../../src/util/recurring.ts'
import { ManualClock } from '../harness/manual-clock.ts'

const turn = () => new Promise((resolve) => setImmediate(resolve))

function open(work: () => Promise<number>) {
  const clock = new ManualClock()
  const failures: unknown[] = []
  const onFailure = (error: unknown): void => void failures.push(error)
  return { clock, failures, recurring: new Recurring({ clock, work, onFailure }) }
}

describe('recurring work', () => {
  test('is done when woken, and again after the time it named', async () => {
    let times = 0
    const { clock, recurring } = open(async () => (++times < 2 ? 50 : Infinity))
    await using _closing = recurring
    await turn()
    expect(times).toBe(0)
    recurring.wake()
    await turn()
    clock.advance(49)
    await turn()
    expect(times).toBe(1)
    clock.advance(1)
    await turn()
    clock.advance(1_000_000)
    await turn()
    expect(times).toBe(2)
  })

  test('is never done twice at once: whoever wakes it meanwhile has it done once more', async () => {
    const { promise: finished, resolve: finish } = Promise.withResolvers<void>()
    let times = 0
    const { recurring } = open(async () => {
      times += 1
      await finished
      return Infinity
    })
    await using _closing = recurring
    recurring.wake()
    recurring.wake()
    recurring.wake()
    expect(times).toBe(1)
    finish()
    await turn()
    expect(times).toBe(2)
  })

  test('that fails is tried again in a second', async () => {
    let times = 0
    const { clock, failures, recurring } = open(async () => {
      if (++times === 1) throw new Error('first')
      return Infinity
    })
    await using _closing = recurring
    recurring.wake()
    await turn()
    expect(failures).toHaveLength(1)
    clock.advance(1000)
    await turn()
    expect(times).toBe(2)
  })

  test('ends what it does when it is disposed of, and begins nothing more', async () => {
    let ended = 0
    const { clock, recurring } = open(async () => {
      await turn()
      ended += 1
      return 10
    })
    recurring.wake()
    await recurring[Symbol.asyncDispose]()
    expect(ended).toBe(1)
    recurring.wake()
    clock.advance(100)
    await turn()
    expect(ended).toBe(1)
  })
})
