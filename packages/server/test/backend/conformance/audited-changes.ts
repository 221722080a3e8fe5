import { describe, expect, test } from 'vitest'
import type { AuditEntry } from '../../../src/backend/audit.ts'
import type { Backend } from '../../../src/backend/backend.ts'
import type { Suppression } from '../../../src/backend/deletions.ts'
import type { IdempotentResponse } from '../../../src/backend/idempotent-responses.ts'
import type { StoredToken } from '../../../src/backend/tokens.ts'
import { acceptedEvent, NOON } from '@hookline/testing/records/accepted-event'
import { auditEntryOf } from '@hookline/testing/records/audit-entry'
import { newAudience, newDestination, newSource } from '@hookline/testing/records/catalog-records'
import { newReplay } from '@hookline/testing/records/new-replay'
import type { BackendHarness, OpenBackendHarness } from './backend-harness.ts'
import { recordDelivery } from './deliveries/recorded-delivery.ts'

const entry = auditEntryOf('adt_a', { action: 'someChange' })
const response = { key: 'tok_a k', fingerprint: 'f', sealed: 's', expiresAt: NOON + 10 }
/** The entry of a request with an `Idempotency-Key`. */
const keyed: AuditEntry = { ...entry, response: { response, now: NOON } }

const source = newSource()
const destination = newDestination()
const audience = newAudience()
const token: StoredToken = {
  id: 'tok_b',
  name: 'ci',
  role: 'editor',
  hash: 'ab12',
  createdAt: NOON,
  expiresAt: null,
  lastUsedAt: null,
}
const replay = newReplay({ id: 'rpl_a' })
const suppression: Suppression = {
  kind: 'user',
  id: 'u1',
  sourceId: null,
  since: NOON,
  deletionId: 'del_b',
}
const deletion = { id: 'del_a', createdAt: NOON, sourceIds: null, suppress: false, users: 1 }
const imported = { sources: [{ ...source, version: 2 }], destinations: [] }

/** A method of a port that takes an audit entry. */
interface Change {
  readonly make: (backend: Backend, audit: AuditEntry) => Promise<unknown>
  /** A call that changes nothing: it rejects, or resolves to false. */
  readonly refused?: (backend: Backend, audit: AuditEntry) => Promise<unknown>
}

const CHANGES: Readonly<Record<string, Change>> = {
  'catalog.putSource': {
    make: ({ catalog }, audit) => catalog.putSource({ ...source, version: 2 }, audit),
    refused: ({ catalog }, audit) => catalog.putSource(source, audit),
  },
  'catalog.removeSource': { make: ({ catalog }, audit) => catalog.removeSource('src_a', audit) },
  'catalog.putDestination': {
    make: ({ catalog }, audit) => catalog.putDestination({ ...destination, version: 2 }, audit),
    refused: ({ catalog }, audit) => catalog.putDestination(destination, audit),
  },
  'catalog.removeDestination': {
    make: ({ catalog }, audit) => catalog.removeDestination('dst_a', audit),
  },
  'catalog.putComputation': {
    make: ({ catalog }, audit) => catalog.putComputation({ ...audience, version: 2 }, audit),
    refused: ({ catalog }, audit) => catalog.putComputation(audience, audit),
  },
  'catalog.removeComputation': {
    make: ({ catalog }, audit) => catalog.removeComputation('aud_a', audit),
  },
  'catalog.putAll': {
    make: ({ catalog }, audit) => catalog.putAll(imported, audit),
    refused: ({ catalog }, audit) =>
      catalog.putAll({ ...imported, destinations: [destination] }, audit),
  },
  'tokens.add': {
    make: ({ tokens }, audit) => tokens.add({ ...token, id: 'tok_c' }, audit),
    refused: ({ tokens }, audit) => tokens.add(token, audit),
  },
  'tokens.remove': { make: ({ tokens }, audit) => tokens.remove('tok_b', audit) },
  'replays.create': {
    make: ({ replays }, audit) => replays.create({ ...replay, id: 'rpl_b' }, audit),
    refused: ({ replays }, audit) => replays.create(replay, audit),
  },
  'replays.cancel': { make: ({ replays }, audit) => replays.cancel('rpl_a', NOON, audit) },
  'replays.retry': {
    make: async (backend, audit) => backend.replays.retry(await deliveryIn(backend), NOON, audit),
    refused: ({ replays }, audit) => replays.retry('msg_none', NOON, audit),
  },
  'deletions.create': {
    make: ({ deletions }, audit) =>
      deletions.create({ ...deletion, id: 'del_b' }, { userIds: ['u2'] }, audit),
    refused: ({ deletions }, audit) => deletions.create(deletion, { userIds: ['u1'] }, audit),
  },
  'suppressions.remove': {
    make: ({ suppressions }, audit) => suppressions.remove({ kind: 'user', id: 'u1' }, audit),
    refused: ({ suppressions }, audit) => suppressions.remove({ kind: 'user', id: 'u2' }, audit),
  },
}

async function deliveryIn({ deliveries }: Backend): Promise<string> {
  return (await deliveries.list({}, { limit: 1 })).data[0]!.id
}

async function prepare(harness: BackendHarness): Promise<void> {
  const { catalog, tokens, replays, deletions, suppressions } = harness.backend
  await catalog.putAll({
    sources: [source],
    destinations: [destination],
    computations: [audience],
  })
  await tokens.add(token)
  await replays.create(replay)
  await deletions.create(deletion, { userIds: ['u1'] })
  await suppressions.add([suppression])
  // From a user whose events are not suppressed.
  const event = acceptedEvent({ userId: 'u3' })
  await recordDelivery(harness, { state: 'expired', dueAt: null }, event)
}

/** Everything that the changes affect, read after a restart. */
async function stateOf(harness: BackendHarness): Promise<object> {
  await harness.reopen()
  const { catalog, tokens, replays, deletions, suppressions, deliveries } = harness.backend
  const all = { limit: 9 }
  return {
    sources: [...catalog.current.sources.values()],
    destinations: [...catalog.current.destinations.values()],
    computations: [...catalog.current.computations.values()],
    tokens: [...tokens.current.keys()],
    replays: (await replays.list({}, all)).data,
    deletions: (await deletions.list({}, all)).data,
    suppressed: [suppressions.has('src_a', 'user', 'u1'), (await suppressions.list({}, all)).data],
    deliveries: (await deliveries.list({}, all)).data.map(({ state }) => state),
  }
}

async function entriesIn({ backend }: BackendHarness): Promise<readonly AuditEntry[]> {
  return (await backend.audit.list({}, { limit: 9 })).data
}

function keptIn({ backend }: BackendHarness): Promise<IdempotentResponse | undefined> {
  return backend.idempotentResponses.find(response.key, NOON)
}

export function auditedChangesConformance(open: OpenBackendHarness): void {
  describe.each(Object.entries(CHANGES))('%s', (_name, { make, refused }) => {
    test('stores the change, its audit entry and its response together', async () => {
      await using harness = await open()
      await prepare(harness)
      const before = await stateOf(harness)
      await make(harness.backend, keyed)
      expect(await stateOf(harness)).not.toEqual(before)
      expect(await entriesIn(harness)).toEqual([entry])
      expect(await keptIn(harness)).toEqual(response)
    })

    test('changes nothing if another request with the key has already succeeded', async () => {
      await using harness = await open()
      await prepare(harness)
      const before = await stateOf(harness)
      const first = { ...response, sealed: 'first' }
      await harness.backend.idempotentResponses.add({ response: first, now: NOON })
      const { current } = harness.backend.catalog
      await expect(make(harness.backend, keyed)).rejects.toBeInstanceOf(Error)
      expect(harness.backend.catalog.current).toBe(current)
      expect(await stateOf(harness)).toEqual(before)
      expect(await entriesIn(harness)).toEqual([])
      expect(await keptIn(harness)).toEqual(first)
    })

    test('changes nothing if the entry cannot be written', async () => {
      await using harness = await open()
      await prepare(harness)
      const before = await stateOf(harness)
      await harness.failAuditWrites()
      const { current } = harness.backend.catalog
      await expect(make(harness.backend, keyed)).rejects.toBeInstanceOf(Error)
      expect(harness.backend.catalog.current).toBe(current)
      expect(await stateOf(harness)).toEqual(before)
      expect(await keptIn(harness)).toBeUndefined()
    })

    test.runIf(refused)('writes no entry and no response if it changes nothing', async () => {
      await using harness = await open()
      await prepare(harness)
      const before = await stateOf(harness)
      const done = await refused!(harness.backend, keyed).catch(() => false)
      expect(done).toBe(false)
      expect(await stateOf(harness)).toEqual(before)
      expect(await entriesIn(harness)).toEqual([])
      expect(await keptIn(harness)).toBeUndefined()
    })
  })

  test('a change replaces an expired response to an earlier request', async () => {
    await using harness = await open()
    const { idempotentResponses, tokens } = harness.backend
    const earlier = { ...response, sealed: 'first', expiresAt: NOON - 1 }
    await idempotentResponses.add({ response: earlier, now: NOON - 2 })
    await tokens.add(token, keyed)
    expect(await keptIn(harness)).toEqual(response)
  })

  test('concurrent changes each have an entry, and a failing one loses only its own', async () => {
    await using harness = await open()
    await prepare(harness)
    const { tokens } = harness.backend
    const results = await Promise.allSettled(
      ['tok_c', 'tok_b', 'tok_d'].map((id) =>
        tokens.add({ ...token, id }, { ...entry, targetId: id }),
      ),
    )
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    // Sorted, because several writers may commit in another order.
    const targets = (await entriesIn(harness)).map(({ targetId }) => String(targetId))
    expect(targets.toSorted()).toEqual(['tok_c', 'tok_d'])
  })
}
