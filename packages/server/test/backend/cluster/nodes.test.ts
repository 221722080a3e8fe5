import { describe, expect, test } from 'vitest'
import type { Backend } from '../../../src/backend/backend.ts'
import { PostgresNodes } from '../../../src/backend/cluster/postgres-nodes.ts'
import { migrate } from '../../../src/backend/cluster/postgres/migrate.ts'
import { Postgres } from '../../../src/backend/cluster/postgres/postgres.ts'
import { divisionOf } from '../../../src/engine/peers.ts'
import { Redacted } from '../../../src/util/secrets/redacted.ts'
import { clusterSkipReason } from '@hookline/testing/cluster/cluster-servers'
import { PostgresServer } from '@hookline/testing/cluster/postgres-server'
import { ManualClock } from '@hookline/testing/clocks/manual-clock'
import { HEARTBEAT_MS, openNodes } from './open-nodes.ts'

/** Counts the statements run. */
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

describe.skipIf(clusterSkipReason() !== undefined)('the nodes of a service', () => {
  test('see each other soon after one joins or leaves', async () => {
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

  test('show a dead node as dead, remove it after ten minutes, and add it again when it wakes', async () => {
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
    // As if it had slept for a day: others have already removed its row.
    await harness.sql(`DELETE FROM nodes WHERE id = '${b!.nodes.id}'`)
    await expect.poll(() => aliveOn(a!)).toHaveLength(2)
  })

  test('stay alive while the database is down, and after it is back', async () => {
    await using server = await PostgresServer.start()
    await using postgres = new CountingPostgres({ url: new Redacted(await server.newDatabase()) })
    await migrate(postgres)
    const clock = new ManualClock()
    const nodes = [1, 2].map(
      () => new PostgresNodes({ postgres, clock, heartbeatMs: HEARTBEAT_MS }),
    )
    for (const node of nodes) await node.join({ version: '0.0.0', role: 'all' })
    const beat = (): number => {
      clock.advance(HEARTBEAT_MS)
      return postgres.runs
    }
    const alive = (): number[] =>
      nodes.map(({ current }) => current.filter(({ isAlive }) => isAlive).length)
    const shown = (): number[] => (beat(), alive())
    await expect.poll(shown).toEqual([2, 2])
    await server.server.kill()
    const before = postgres.runs
    // Many more heartbeats than a node may miss.
    await expect.poll(beat, { interval: 10 }).toBeGreaterThan(before + 30)
    expect(alive()).toEqual([2, 2])
    await server.server.start()
    const back = postgres.runs
    await expect.poll(beat).toBeGreaterThan(back + 4)
    await expect.poll(shown).toEqual([2, 2])
    for (const node of nodes) await node[Symbol.asyncDispose]()
  })

  test('divide the limits of a webhook among the nodes that deliver', async () => {
    await using opened = await openNodes(2)
    const onlyCalls = await opened.add()
    await onlyCalls.nodes.join({ version: '0.0.0', role: 'ingest' })
    const [a, b] = opened.nodes.map(({ nodes }) => nodes)
    await expect.poll(() => divisionOf(a!).nodes + divisionOf(b!).nodes).toBe(4)
    expect(new Set([divisionOf(a!).index, divisionOf(b!).index])).toEqual(new Set([0, 1]))
  })
})
