import { describe, expect, test } from 'vitest'
import type { Backend } from '../../../src/backend/backend.ts'
import { PostgresNodes } from '../../../src/backend/cluster/postgres-nodes.ts'
import { migrate } from '../../../src/backend/cluster/postgres/migrate.ts'
import { Postgres } from '../../../src/backend/cluster/postgres/postgres.ts'
import { divisionOf } from '../../../src/engine/peers.ts'
import { Redacted } from '../../../src/util/secrets/redacted.ts'
import { clusterIsMissing } from '@hookline/testing/cluster/cluster-servers'
import { PostgresServer } from '@hookline/testing/cluster/postgres-server'
import { ManualClock } from '@hookline/testing/clocks/manual-clock'
import { BEAT_MS, openNodes } from './open-nodes.ts'

/** Counts the statements that it was asked to run. */
class CountingPostgres extends Postgres {
  runs = 0

  override run<Row>(...given: Parameters<typeof Postgres.prototype.run<Row>>): Promise<Row[]> {
    this.runs += 1
    return super.run<Row>(...given)
  }
}

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
    const { harness } = opened
    await expect.poll(() => aliveOn(a!)).toHaveLength(2)
    await harness.sql(`INSERT INTO nodes VALUES
      ('dead', '0.0.0', 'all', clock_timestamp() - interval '1 hour', clock_timestamp() - interval '1 minute'),
      ('forgotten', '0.0.0', 'all', clock_timestamp() - interval '1 hour', clock_timestamp() - interval '11 minutes')`)
    await expect.poll(() => a!.nodes.current.map(({ id }) => id)).toContain('dead')
    expect(aliveOn(a!)).toEqual(idsOf(opened.nodes))
    await expect.poll(() => harness.sql("SELECT id FROM nodes WHERE id = 'forgotten'")).toEqual([])
    // As if it had slept for a day: others have removed its row.
    await harness.sql(`DELETE FROM nodes WHERE id = '${b!.nodes.id}'`)
    await expect.poll(() => aliveOn(a!)).toHaveLength(2)
  })

  test('stay as they were while the database is away, and are all there when it is back', async () => {
    await using server = await PostgresServer.start()
    await using postgres = new CountingPostgres({ url: new Redacted(await server.newDatabase()) })
    await migrate(postgres)
    const clock = new ManualClock()
    const nodes = [1, 2].map(() => new PostgresNodes({ postgres, clock, beatMs: BEAT_MS }))
    for (const node of nodes) await node.join({ version: '0.0.0', role: 'all' })
    const beat = (): number => {
      clock.advance(BEAT_MS)
      return postgres.runs
    }
    const alive = (): number[] =>
      nodes.map(({ current }) => current.filter(({ isAlive }) => isAlive).length)
    const shown = (): number[] => (beat(), alive())
    await expect.poll(shown).toEqual([2, 2])
    await server.server.kill()
    const before = postgres.runs
    // Far more heartbeats than a node may miss.
    await expect.poll(beat, { interval: 10 }).toBeGreaterThan(before + 30)
    expect(alive()).toEqual([2, 2])
    await server.server.start()
    const back = postgres.runs
    await expect.poll(beat).toBeGreaterThan(back + 4)
    await expect.poll(shown).toEqual([2, 2])
    for (const node of nodes) await node[Symbol.asyncDispose]()
  })

  test('divide what a webhook may get by those that deliver', async () => {
    await using opened = await openNodes(2)
    const onlyCalls = await opened.add()
    await onlyCalls.nodes.join({ version: '0.0.0', role: 'ingest' })
    const [a, b] = opened.nodes.map(({ nodes }) => nodes)
    await expect.poll(() => divisionOf(a!).nodes + divisionOf(b!).nodes).toBe(4)
    expect(new Set([divisionOf(a!).place, divisionOf(b!).place])).toEqual(new Set([0, 1]))
  })
})
