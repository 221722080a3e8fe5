import { describe, expect, test } from 'vitest'
import type { Backend } from '../../../src/backend/backend.ts'
import { divisionOf } from '../../../src/engine/peers.ts'
import { clusterIsMissing } from '../../harness/cluster/cluster-servers.ts'
import { openNodes } from './open-nodes.ts'

const aliveOn = ({ nodes }: Backend): string[] =>
  nodes.current.flatMap(({ id, isAlive }) => (isAlive ? [id] : []))

const idsOf = (backends: readonly Backend[]): string[] =>
  backends.map(({ nodes }) => nodes.id).toSorted()

describe.skipIf(clusterIsMissing() !== undefined)('the nodes of a service', () => {
  test('know each other soon after one has come, and after one has left', async () => {
    await using opened = await openNodes(2)
    const [a, b] = opened.nodes
    await expect.poll(() => aliveOn(a!)).toEqual(idsOf(opened.nodes))
    let changes = 0
    a!.nodes.onChange(() => changes++)
    const third = await opened.add()
    await expect.poll(() => aliveOn(a!)).toEqual(idsOf(opened.nodes))
    expect(changes).toBe(1)
    await third[Symbol.asyncDispose]()
    await expect.poll(() => aliveOn(b!)).toEqual(idsOf([a!, b!]))
  })

  test('show one that has died as such, remove it after ten minutes, and know it again when it wakes', async () => {
    await using opened = await openNodes(2)
    const [a, b] = opened.nodes
    const { sql } = opened.harness
    await expect.poll(() => aliveOn(a!)).toHaveLength(2)
    await sql(`INSERT INTO nodes VALUES
      ('dead', '0.0.0', 'all', clock_timestamp() - interval '1 hour', clock_timestamp() - interval '1 minute'),
      ('forgotten', '0.0.0', 'all', clock_timestamp() - interval '1 hour', clock_timestamp() - interval '11 minutes')`)
    await expect.poll(() => a!.nodes.current.map(({ id }) => id)).toContain('dead')
    expect(aliveOn(a!)).toEqual(idsOf(opened.nodes))
    await expect.poll(() => sql("SELECT id FROM nodes WHERE id = 'forgotten'")).toEqual([])
    // As if it had slept for a day: others have removed its row.
    await sql(`DELETE FROM nodes WHERE id = '${b!.nodes.id}'`)
    await expect.poll(() => aliveOn(a!)).toHaveLength(2)
  })

  test('stay as they were while the database is away', async () => {
    await using opened = await openNodes(2)
    const [a] = opened.nodes
    const { sql } = opened.harness
    await expect.poll(() => aliveOn(a!)).toHaveLength(2)
    await sql('ALTER TABLE nodes RENAME TO away')
    await sql('ALTER TABLE away RENAME TO nodes')
    expect(aliveOn(a!)).toHaveLength(2)
  })

  test('divide what a webhook may get by those that deliver', async () => {
    await using opened = await openNodes(2)
    const onlyCalls = await opened.add()
    await onlyCalls.nodes.join({ version: '0.0.0', role: 'ingest' })
    const places = (): number[] =>
      opened.nodes.slice(0, 2).map(({ nodes }) => divisionOf(nodes).place)
    await expect.poll(() => places().toSorted()).toEqual([0, 1])
    await expect.poll(() => divisionOf(opened.nodes[0]!.nodes).nodes).toBe(2)
  })
})
