import { expect, test } from 'vitest'
import { Ledger } from '../../../src/delivery/lanes/ledger.ts'
import { ManualClock } from '../../harness/manual-clock.ts'

test('balances while every task is held, being parked, recorded or released', () => {
  const ledger = new Ledger(new ManualClock())
  for (let tasks = 0; tasks < 5; tasks += 1) ledger.take()
  ledger.park()
  expect(ledger.imbalance(4)).toBe(0)
  ledger.parked('recorded')
  expect(ledger.imbalance(4)).toBe(0)
  ledger.end('recorded')
  ledger.end('released', 2)
  expect(ledger.imbalance(1)).toBe(0)
})

test('shows a task that was lost, and one that ended twice', () => {
  const lost = new Ledger(new ManualClock())
  lost.take()
  lost.end(undefined)
  expect(lost.imbalance(0)).toBe(1)
  const twice = new Ledger(new ManualClock())
  twice.take()
  twice.end('recorded')
  twice.end('recorded')
  expect(twice.imbalance(0)).toBe(-1)
})

test('says for how long nothing has moved, while there is something to move', () => {
  const clock = new ManualClock()
  const ledger = new Ledger(clock)
  clock.advance(1_000)
  expect(ledger.stillForMs).toBe(0)
  ledger.take()
  clock.advance(10)
  ledger.take()
  expect(ledger.stillForMs).toBe(10)
  ledger.end('recorded')
  clock.advance(7)
  expect(ledger.stillForMs).toBe(7)
  ledger.end('released')
  expect(ledger.stillForMs).toBe(0)
})
