import { describe, expect, test } from 'vitest'
import { openClusterBackend } from '../../../src/backend/cluster/open.ts'
import { NOON } from '@hookline/testing/records/accepted-event'
import { clusterSkipReason } from '@hookline/testing/cluster/cluster-servers'
import { idempotentResponsesConformance } from '../conformance/idempotent-responses.ts'
import { openClusterHarness } from './open-cluster-harness.ts'

const answer = { fingerprint: 'f', sealed: 's', expiresAt: NOON + 10 }

describe.skipIf(clusterSkipReason() !== undefined)('on a cluster', () => {
  idempotentResponsesConformance(openClusterHarness)

  test('a key reserved by one node is reserved on all nodes until that node releases it or the reservation expires', async () => {
    await using harness = await openClusterHarness()
    await using other = await openClusterBackend(harness.options)
    const [here, there] = [harness.backend.idempotentResponses, other.idempotentResponses]
    expect(await here.reserve('k', { now: NOON, until: NOON + 10 })).toBe(true)
    expect(await there.reserve('k', { now: NOON, until: NOON + 10 })).toBe(false)
    await there.release('k')
    expect(await there.reserve('k', { now: NOON, until: NOON + 10 })).toBe(false)
    expect(await there.reserve('k', { now: NOON + 10, until: NOON + 20 })).toBe(true)
  })

  test('if nodes store responses under one key concurrently, all nodes find the same one', async () => {
    await using harness = await openClusterHarness()
    await using other = await openClusterBackend(harness.options)
    const nodes = [harness.backend, other]
    const keys = Array.from({ length: 20 }, (_, index) => `tok_a ${index}`)
    await Promise.all(
      keys.flatMap((key) =>
        nodes.map(({ idempotentResponses }, node) =>
          idempotentResponses.add({
            response: { ...answer, key, sealed: `by ${node}` },
            now: NOON,
          }),
        ),
      ),
    )
    for (const key of keys) {
      const [here, there] = await Promise.all(
        nodes.map(({ idempotentResponses }) => idempotentResponses.find(key, NOON)),
      )
      expect(here).toMatchObject({ key, sealed: expect.stringMatching(/^by [01]$/) as unknown })
      expect(there).toEqual(here)
    }
  })

  test('expired responses are removed while several nodes add others', async () => {
    await using harness = await openClusterHarness()
    await using other = await openClusterBackend(harness.options)
    const add = (index: number, now: number) =>
      [harness.backend, other][index % 2]!.idempotentResponses.add({
        response: { ...answer, key: `tok_a ${index} ${now}`, expiresAt: now + 10 },
        now,
      })
    const round = (now: number) =>
      Promise.all(Array.from({ length: 50 }, (_, index) => add(index, now)))
    for (const now of [NOON, NOON + 20, NOON + 40]) await round(now)
    await add(0, NOON + 60)
    expect(await harness.sql('SELECT key FROM idempotent_responses')).toHaveLength(1)
  })
})
