import type { Computation } from '@hookline/protocol'
import { expect, test } from 'vitest'
import { Plans } from '../../../src/audiences/evaluation/plans.ts'
import { newSync } from '../../../src/audiences/syncs/needed-syncs.ts'
import { openEmbeddedBackend } from '../../../src/backend/embedded/open.ts'
import { acceptedEvent, NOON } from '@hookline/testing/records/accepted-event'
import { newAudience } from '@hookline/testing/records/catalog-records'
import { TemporaryFolder } from '@hookline/testing/files/temporary-folder'

async function opened() {
  const folder = new TemporaryFolder()
  const options = { dataDir: folder.path, maxWaitingBytes: 2 ** 30 }
  const backend = await openEmbeddedBackend(options)
  await backend.profiles.begin(100)
  return {
    backend,
    [Symbol.asyncDispose]: async () => {
      await backend[Symbol.asyncDispose]()
      folder[Symbol.dispose]()
    },
  }
}

const within = (hours: number, version: number) =>
  newAudience({ version, condition: { event: 'Order Completed', within: { hours } } })
const syncOf = (audience: Computation) =>
  newSync(audience, 'requested', { open: undefined, last: undefined, now: NOON })

test('a version has a plan only after its sync is recorded', async () => {
  await using open = await opened()
  const { backend } = open
  const plans = new Plans(backend)
  const audience = within(1, 1)
  await backend.catalog.putComputation(audience)
  await plans.refresh()
  expect(plans.find(audience)).toBeUndefined()
  await backend.syncs.put(syncOf(audience))
  await plans.refresh()
  expect(plans.find(audience)).toMatchObject({ computation: { version: 1 } })
})

test('a completed deletion gives no one a value while its computation is still in the catalog', async () => {
  await using open = await opened()
  const { backend } = open
  const plans = new Plans(backend)
  const audience = newAudience()
  await backend.catalog.putComputation(audience)
  const over = { reason: 'deleted', state: 'done', finishedAt: NOON } as const
  await backend.syncs.put({ ...syncOf(audience), ...over })
  await plans.refresh()
  expect(plans.find(audience)).toMatchObject({ rule: 'never' })
})

test('a version that arrives while clauses are being stored is not planned with clauses of the previous version', async () => {
  await using open = await opened()
  const { backend } = open
  // Without an event, the clause that keeps more would be filled immediately.
  await backend.log.append([acceptedEvent()])
  const slice = { after: 0, through: 1, changes: [], purges: 0, at: NOON }
  expect(await backend.profiles.apply(slice)).toBeDefined()
  const { facts, catalog, syncs } = backend
  const [old, wider] = [within(1, 1), within(48, 2)]
  const whenPut: (() => Promise<void>)[] = []
  const put: typeof facts.put = async (clause) => {
    const done = await facts.put(clause)
    await facts.fill({ clauses: [done.number], through: 1, facts: [], purges: 0, at: NOON })
    await whenPut.shift()?.()
    return done
  }
  const watched = { clauses: () => facts.clauses(), remove: (n: number) => facts.remove(n), put }
  const plans = new Plans({ ...backend, facts: watched as typeof facts })
  await catalog.putComputation(old)
  await syncs.put(syncOf(old))
  whenPut.push(async () => {
    await catalog.putComputation(wider)
    await syncs.put({ ...syncOf(wider), id: 'syn_z' })
  })
  await plans.refresh()
  expect(plans.find(old)?.computation.version).not.toBe(2)
  await plans.refresh()
  const [clause] = plans.clauses
  expect(clause).toMatchObject({ retention: { maxAgeMs: 48 * 60 * 60 * 1000 } })
  expect(plans.find(wider)).toMatchObject({ computation: { version: 2 } })
})
