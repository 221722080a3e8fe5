import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Backend } from '../../../src/backend/backend.ts'
import type { Suppression } from '../../../src/backend/deletions.ts'
import type { StoredToken } from '../../../src/backend/tokens.ts'
import { openClusterBackend } from '../../../src/backend/cluster/open.ts'
import { NOON } from '@hookline/testing/records/accepted-event'
import { newSource } from '@hookline/testing/records/catalog-records'
import { clusterSkipReason } from '@hookline/testing/cluster/cluster-servers'
import { Link } from '@hookline/testing/cluster/link'
import { Redacted } from '../../../src/util/secrets/redacted.ts'
import { openNodes, type OpenNodes, untilConnected } from './open-nodes.ts'

/**
 * Notifications usually arrive within milliseconds. If a change did not wait for the other nodes, at least one of this many
 * rounds would see the change too late.
 */
const ROUNDS = 20

describe.skipIf(clusterSkipReason() !== undefined)('when a change has resolved', () => {
  let opened: OpenNodes

  beforeAll(async () => {
    opened = await openNodes(3)
    await untilConnected(opened.nodes)
  })

  afterAll(() => opened[Symbol.asyncDispose]())

  /** Makes a change on each node in turn, and expects all nodes to have it immediately. */
  async function everyNodeHas(
    change: (node: Backend, round: number) => Promise<unknown>,
    has: (node: Backend, round: number) => boolean,
  ): Promise<void> {
    const { nodes } = opened
    for (let round = 0; round < ROUNDS; round++) {
      await change(nodes[round % nodes.length]!, round)
      expect(
        nodes.filter((node) => has(node, round)),
        `round ${round}`,
      ).toHaveLength(nodes.length)
    }
  }

  test('every node has the write key of a new source', async () => {
    const keyOf = (round: number): string => `wk_${round}`
    await everyNodeHas(
      ({ catalog }, round) => {
        const writeKeys = [{ ...newSource().writeKeys[0]!, key: keyOf(round) }]
        return catalog.putSource(newSource({ id: `src_${round}`, writeKeys }))
      },
      ({ catalog }, round) => catalog.current.sourceByWriteKey.has(keyOf(round)),
    )
  })

  test('no node has a removed source', () =>
    everyNodeHas(
      ({ catalog }, round) => catalog.removeSource(`src_${round}`),
      ({ catalog }, round) => !catalog.current.sources.has(`src_${round}`),
    ))

  test('every node accepts a new token, and none accepts a revoked one', async () => {
    await everyNodeHas(
      ({ tokens }, round) => tokens.add(tokenOf(round)),
      ({ tokens }, round) => tokens.current.has(`tok_${round}`),
    )
    await everyNodeHas(
      ({ tokens }, round) => tokens.remove(`tok_${round}`),
      ({ tokens }, round) => !tokens.current.has(`tok_${round}`),
    )
  })

  test('every node has the suppression of a user, until it is removed', async () => {
    await everyNodeHas(
      ({ suppressions }, round) => suppressions.add([suppressionOf(round)]),
      ({ suppressions }, round) => suppressions.has('src_a', 'user', `u${round}`),
    )
    await everyNodeHas(
      ({ suppressions }, round) => suppressions.remove({ kind: 'user', id: `u${round}` }),
      ({ suppressions }, round) => !suppressions.has('src_a', 'user', `u${round}`),
    )
  })

  test('even a node that has just opened has the change', async () => {
    const here = opened.nodes[0]!
    // The newcomer has not joined, so no heartbeat announces it.
    await using newcomer = await openClusterBackend(opened.harness.options)
    for (let round = 0; round < ROUNDS; round++) {
      await here.catalog.putSource(newSource({ id: `src_new_${round}` }))
      expect(newcomer.catalog.current.sources.has(`src_new_${round}`)).toBe(true)
    }
  })

  test('every other node has the change, even while one is cut off from the database', async () => {
    const url = opened.harness.options.databaseUrl.reveal()
    await using link = await Link.open(Number(new URL(url).port))
    const cutOff = await opened.add({ databaseUrl: new Redacted(link.urlOf(url)) })
    await untilConnected(opened.nodes)
    link.cut('both')
    await opened.nodes[0]!.catalog.putSource(newSource({ id: 'src_late' }))
    const having = opened.nodes.filter(({ catalog }) => catalog.current.sources.has('src_late'))
    expect(having).toEqual(opened.nodes.slice(0, -1))
    link.repair()
    await expect.poll(() => cutOff.catalog.current.sources.has('src_late')).toBe(true)
  })
})

function tokenOf(round: number): StoredToken {
  const id = `tok_${round}`
  return {
    id,
    name: id,
    role: 'editor',
    hash: id,
    createdAt: NOON,
    expiresAt: null,
    lastUsedAt: null,
  }
}

function suppressionOf(round: number): Suppression {
  return { kind: 'user', id: `u${round}`, sourceId: null, since: NOON, deletionId: 'del_a' }
}
