import { expect, test } from 'vitest'
import { startOf } from '../../../../src/backend/cluster/postgres/days.ts'
import { DAY_MS } from '../../../../src/backend/days.ts'
import { idBound } from '../../../../src/backend/store/rows.ts'
import { planRemoval, type RemovalPlan } from '../../../../src/backend/cluster/upkeep/retention.ts'

const TODAY = 20_000
/** Partitions of eleven days: nine past ones, today and tomorrow. */
const DAYS = Array.from({ length: 11 }, (_, index) => TODAY - 9 + index)
const start = (day: number): string => startOf('evt', day)
const noonOf = (day: number): number => (day + 0.5) * DAY_MS

const rows = (end: string, isLast: boolean): RemovalPlan => ({ end, isLast })
const day = (number: number, isLast: boolean): RemovalPlan => ({
  day: number,
  end: start(number + 1),
  isLast,
})

test.each<
  [string, { before?: number; after: string; days?: readonly number[] }, RemovalPlan | undefined]
>([
  ['starts before the first day', { after: '' }, rows(start(TODAY - 9), false)],
  ['continues with the first day', { after: start(TODAY - 9) }, day(TODAY - 9, false)],
  [
    'continues within a day by rows',
    { after: `${start(TODAY - 9)}x` },
    rows(start(TODAY - 8), false),
  ],
  ['does not drop yesterday', { after: start(TODAY - 1) }, rows(start(TODAY), false)],
  ['does not drop today', { after: start(TODAY) }, rows(start(TODAY + 1), false)],
  ['continues after the last day', { after: start(TODAY + 2) }, rows('evt_~', true)],
  ['runs without partitions', { after: '', days: [] }, rows('evt_~', true)],
  [
    'ends at a time without a partition',
    { before: noonOf(TODAY - 20), after: '' },
    rows(idBound('evt', noonOf(TODAY - 20)), true),
  ],
  [
    'drops the last day that is old enough',
    { before: noonOf(TODAY - 6), after: start(TODAY - 7) },
    day(TODAY - 7, true),
  ],
  [
    'leaves a day until all of it is old enough',
    { before: noonOf(TODAY - 6), after: start(TODAY - 6) },
    undefined,
  ],
  [
    'uses the exact time if the retention is short',
    { before: noonOf(TODAY - 1), after: start(TODAY - 1) },
    rows(idBound('evt', noonOf(TODAY - 1)), true),
  ],
])('a run of retention %s', (_, { before, after, days = DAYS }, plan) => {
  expect(planRemoval({ before, after }, { today: TODAY, days })).toEqual(plan)
})
