import { expect, test } from 'vitest'
import { Ledger } from '../../src/delivery/ledger.ts'

test('balances while every task is held, being parked, recorded or released', () => {
  const ledger = new Ledger()
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
  const lost = new Ledger()
  lost.take()
  lost.end(undefined)
  expect(lost.imbalance(0)).toBe(1)
  const twice = new Ledger()
  twice.take()
  twice.end('recorded')
  twice.end('recorded')
  expect(twice.imbalance(0)).toBe(-1)
})
