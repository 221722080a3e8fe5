import { expect, test } from 'vitest'
import { TaskAccounting } from '../../../src/delivery/lanes/open-delivery.ts'
import { ManualClock } from '@hookline/testing/clocks/manual-clock'

test('balances while every task is in a lane or has ended', () => {
  const accounting = new TaskAccounting(new ManualClock())
  for (let tasks = 0; tasks < 4; tasks += 1) accounting.take()
  expect(accounting.imbalance(4)).toBe(0)
  accounting.end()
  accounting.end(2)
  expect(accounting.imbalance(1)).toBe(0)
})

test('reports a lost task, and a task that ended twice', () => {
  const lost = new TaskAccounting(new ManualClock())
  lost.take()
  expect(lost.imbalance(0)).toBe(1)
  const twice = new TaskAccounting(new ManualClock())
  twice.take()
  twice.end(2)
  expect(twice.imbalance(0)).toBe(-1)
})

test('reports the time since a task last ended while there are tasks', () => {
  const clock = new ManualClock()
  const accounting = new TaskAccounting(clock)
  clock.advance(1_000)
  expect(accounting.stalledMs).toBe(0)
  accounting.take()
  clock.advance(10)
  accounting.take()
  expect(accounting.stalledMs).toBe(10)
  accounting.end()
  clock.advance(7)
  expect(accounting.stalledMs).toBe(7)
  accounting.end()
  expect(accounting.stalledMs).toBe(0)
})
