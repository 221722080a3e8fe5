import { expect, test } from 'vitest'
import { DeadlineQueue } from '../../../src/delivery/network/deadline.ts'
import { nextTurn } from '../../../src/util/time/clock.ts'

/** A manual clock that counts the timers. */
class SteppedClock {
  timers: { readonly at: number; readonly task: () => void }[] = []
  #now = 1_000

  now = (): number => this.#now
  wall = (): number => this.#now
  turn = nextTurn

  after = (delayMs: number, task: () => void): (() => void) => {
    const timer = { at: this.#now + delayMs, task }
    this.timers.push(timer)
    return () => undefined
  }

  async pass(ms: number): Promise<void> {
    this.#now += ms
    const due = this.timers.filter(({ at }) => at <= this.#now)
    this.timers = this.timers.filter(({ at }) => at > this.#now)
    for (const { task } of due) task()
    await nextTurn()
    await nextTurn()
  }
}

test('a deadline expires only when its time is up', async () => {
  const clock = new SteppedClock()
  const queue = new DeadlineQueue(clock, 100)
  const passed: string[] = []
  queue.begin(() => passed.push('first'))
  await clock.pass(60)
  queue.begin(() => passed.push('second'))
  await clock.pass(39)
  expect(passed).toEqual([])
  await clock.pass(1)
  expect(passed).toEqual(['first'])
  await clock.pass(59)
  expect(passed).toEqual(['first'])
  await clock.pass(1)
  expect(passed).toEqual(['first', 'second'])
})

test('a cancelled deadline never expires', async () => {
  const clock = new SteppedClock()
  const queue = new DeadlineQueue(clock, 100)
  const passed: string[] = []
  const first = queue.begin(() => passed.push('first'))
  queue.begin(() => passed.push('second'))
  queue.cancel(first)
  queue.cancel(first)
  await clock.pass(100)
  expect(passed).toEqual(['second'])
})

test('many deadlines share one timer, which is removed after the last', async () => {
  const clock = new SteppedClock()
  const queue = new DeadlineQueue(clock, 100)
  for (let each = 0; each < 1_000; each++) {
    const deadline = queue.begin(() => undefined)
    expect(clock.timers).toHaveLength(1)
    queue.cancel(deadline)
  }
  await clock.pass(100)
  expect(clock.timers).toHaveLength(0)
  queue.begin(() => undefined)
  expect(clock.timers).toHaveLength(1)
})

test('a timer that fires too early expires no deadline', async () => {
  const clock = new SteppedClock()
  const queue = new DeadlineQueue(clock, 100)
  let isPassed = false
  queue.begin(() => (isPassed = true))
  const [timer] = clock.timers.splice(0)
  await clock.pass(99)
  timer!.task()
  await nextTurn()
  expect(isPassed).toBe(false)
  await clock.pass(1)
  expect(isPassed).toBe(true)
})
