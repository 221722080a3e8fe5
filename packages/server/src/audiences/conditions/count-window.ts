import type { CountOperator } from '@hookline/protocol'
import type { Fact } from '../../backend/profiles.ts'
import type { PlannedCount } from './plan-condition.ts'
import { isInWindow, type WindowMs } from './window.ts'

/** How many of the facts are in the window, counted up to `most`. The facts are ordered, the newest first. */
export function countInWindow(
  window: WindowMs,
  facts: readonly Fact[],
  now: number,
  most: number,
): number {
  let begin = 0
  // No window but a fixed one leaves out newer facts.
  if (window.between !== undefined) {
    while (begin < facts.length && facts[begin]!.at >= window.between[1]) begin++
  }
  let end = begin
  while (end < facts.length && end - begin < most && isInWindow(window, facts[end]!.at, now)) end++
  return end - begin
}

/** Whether a count holds. */
export function countHolds({ op, n }: PlannedCount['count'], count: number): boolean {
  return COUNT_TESTS[op](count, n)
}

const COUNT_TESTS: Readonly<Record<CountOperator, (count: number, n: number) => boolean>> = {
  '==': (count, n) => count === n,
  '!=': (count, n) => count !== n,
  '<': (count, n) => count < n,
  '<=': (count, n) => count <= n,
  '>': (count, n) => count > n,
  '>=': (count, n) => count >= n,
}

/**
 * The fact with which `countHolds` changes when it leaves the sliding window, unless another one comes before; `undefined`:
 * it stays as it is. `count` facts are in the window now, counted up to `n` + 1 at least.
 */
export function decidingFact(
  { op, n }: PlannedCount['count'],
  count: number,
  facts: readonly Fact[],
): Fact | undefined {
  const isExact = op === '==' || op === '!='
  // The verdict for this number is another one than for one less.
  const least = op === '>' || op === '<=' ? n + 1 : n
  if (count < least) return undefined
  if (!isExact || count === n) return facts[least - 1]
  // Facts of the same moment leave together: then there are never exactly n.
  return n > 0 && facts[n - 1]!.at === facts[n]!.at ? undefined : facts[n]
}
