import { expect, test } from 'vitest'
import type { Replay } from '@hookline/cli/management-client'
import { replayProgress, describeReplay } from '../../src/domain/replays/replay-progress.ts'
import { EMPTY_DRAFT, selectionOf } from '../../src/pages/destinations/replay/replay-draft.ts'

const replay = {
  state: 'running',
  states: ['rejected', 'expired'],
  from: '2026-11-23T10:00:00.000Z',
  to: '2026-11-23T12:00:00.000Z',
  reachedAt: '2026-11-23T10:30:00.000Z',
  types: null,
  text: null,
  includeDeclined: false,
  ratePerSecond: null,
} as unknown as Replay

test('the progress of a replay is the completed share of its time range', () => {
  expect(replayProgress(replay)).toBe(0.25)
  expect(replayProgress({ ...replay, state: 'queued' })).toBe(0)
  expect(replayProgress({ ...replay, state: 'finished' })).toBe(1)
  expect(replayProgress({ ...replay, from: null })).toBeNull()
})

test('the selection of a replay is shown in words', () => {
  expect(describeReplay(replay)).toBe('rejected and expired')
  expect(
    describeReplay({
      ...replay,
      types: ['track'],
      text: 'order',
      includeDeclined: true,
      ratePerSecond: 5,
    }),
  ).toBe(
    'rejected and expired; declined events; only track; containing “order”; at most 5 per second',
  )
})

test('a draft becomes a selection without its empty fields', () => {
  expect(selectionOf(EMPTY_DRAFT, 'dst_1')).toEqual({
    destinationId: 'dst_1',
    states: ['rejected', 'expired'],
    includeDeclined: false,
  })
  const draft = { ...EMPTY_DRAFT, types: ['track'] as const, text: 'order', rate: '5' }
  expect(selectionOf(draft, 'dst_1')).toMatchObject({
    types: ['track'],
    text: 'order',
    ratePerSecond: 5,
  })
})
