import { describe, expect, test } from 'vitest'
import { ManualClock } from '@hookline/testing/clocks/manual-clock'
import { SourceTurns, type Steps } from '../../../src/ingest/source-turns.ts'
import { MAX_SLICE_MS } from '../../../src/util/time/time-slices.ts'

const KIB = 1024

/** Turns with work of a given duration, and the steps in execution order. */
class RecordedTurns {
  readonly clock = new ManualClock()
  isCongested = false
  readonly turns = new SourceTurns(this.clock, () => this.isCongested)
  readonly steps: string[] = []

  add(source: string, name: string, { steps = 1, stepMs = MAX_SLICE_MS, bytes = KIB } = {}) {
    return this.turns.run({ source, bytes }, this.#work(name, steps, stepMs))
  }

  *#work(name: string, count: number, stepMs: number): Steps<string> {
    for (let step = 0; step < count; step++) {
      if (step > 0) yield
      this.steps.push(name)
      this.clock.advance(stepMs)
    }
    return name
  }
}

describe('bodies', () => {
  test('are processed immediately while the turn has time left', async () => {
    const worked = new RecordedTurns()
    const done = [1, 2, 3].map((n) => worked.add('a', `a${n}`, { stepMs: MAX_SLICE_MS / 2 }))
    expect(worked.steps).toEqual(['a1', 'a2'])
    expect(worked.turns.isOpen).toBe(false)
    expect(await Promise.all(done)).toEqual(['a1', 'a2', 'a3'])
    await worked.clock.turn()
    expect(worked.turns.isOpen).toBe(true)
  })

  test('get a tenth of the time per turn while deliveries wait', async () => {
    const worked = new RecordedTurns()
    worked.isCongested = true
    await worked.add('a', 'first', { stepMs: MAX_SLICE_MS })
    await worked.clock.turn()
    const done = [1, 2, 3].map((n) => worked.add('a', `a${n}`, { stepMs: MAX_SLICE_MS / 10 }))
    expect(worked.steps).toEqual(['first', 'a1'])
    await Promise.all(done)
    expect(worked.steps).toHaveLength(4)
  })

  test('of a source wait for at most one step of another source, however many bodies that source has waiting', async () => {
    const worked = new RecordedTurns()
    const flood = Array.from({ length: 60 }, (_, n) =>
      worked.add('flood', `f${n}`, { steps: 20, bytes: 500 * KIB }),
    )
    await worked.clock.turn()
    const earlier = worked.steps.length
    await worked.add('other', 'other', { stepMs: 1 })
    expect(worked.steps.indexOf('other')).toBeLessThanOrEqual(earlier + 1)
    await worked.add('other', 'again', { stepMs: 1 })
    expect(worked.steps.indexOf('again')).toBeLessThanOrEqual(earlier + 3)
    await Promise.all(flood)
    expect(worked.steps).toHaveLength(60 * 20 + 2)
  })

  test('of two busy sources get equal time, however long a body takes', async () => {
    const worked = new RecordedTurns()
    const slow = Array.from({ length: 20 }, () => worked.add('slow', 'slow', { stepMs: 50 }))
    const fast = Array.from({ length: 100 }, () => worked.add('fast', 'fast'))
    await Promise.all(slow)
    const before = worked.steps.slice(0, worked.steps.lastIndexOf('slow'))
    expect(before.filter((name) => name === 'fast').length).toBeGreaterThanOrEqual(90)
    await Promise.all(fast)
  })

  test('of one source are processed by size, but a large one before a much later small one', async () => {
    const worked = new RecordedTurns()
    const first = worked.add('a', 'first')
    const large = worked.add('a', 'large', { bytes: 100 * KIB })
    const small = worked.add('a', 'small', { bytes: KIB })
    worked.clock.advance(200)
    const later = worked.add('a', 'later', { bytes: KIB })
    await Promise.all([first, large, small, later])
    expect(worked.steps).toEqual(['first', 'small', 'large', 'later'])
  })

  test('that throw reject, and the next ones are processed', async () => {
    const worked = new RecordedTurns()
    const failing = worked.turns.run({ source: 'a', bytes: 1 }, failingSteps())
    await expect(failing).rejects.toThrow('by the test')
    expect(await worked.add('a', 'next')).toBe('next')
  })
})

function* failingSteps(): Steps<never> {
  yield
  throw new Error('by the test')
}
