import { expect, test } from 'vitest'
import { SecretBox } from '../../packages/server/src/util/secrets/secret-box.ts'
import { clusterSkipReason } from '@hookline/testing/cluster/cluster-servers'
import { NatsServer } from '@hookline/testing/cluster/nats-server'
import { PostgresServer } from '@hookline/testing/cluster/postgres-server'
import { isShortRun } from '@hookline/testing/run/case-count'
import {
  outcomeOf,
  PLANTED,
  prepareDeletion,
  runDeletion,
} from '@hookline/testing/deletions/deletion-backend'

/** The short form tries every third step, with a different offset each time. */
const EVERY = isShortRun() ? 3 : 1
const FIRST = 1 + (Number(process.env['HOOKLINE_TEST_SEED'] ?? Date.now()) % EVERY)
/**
 * One step before and one after each write. The writes: the start; for each of three steps, two slices of
 * users and the end; and the erasure.
 */
const MIN_STEPS = 2 * (1 + 3 * 3 + 1)

test.skipIf(clusterSkipReason() !== undefined)(
  'a deletion whose node is killed at any step has the same result on another node, with each notice once under the same id',
  async () => {
    await using postgres = await PostgresServer.start()
    await using nats = await NatsServer.start()
    const node = {
      natsUrl: nats.url,
      natsPrefix: 'hookline',
      encryptionKey: SecretBox.newKey(),
    }
    const prepared = await postgres.newDatabase()
    const userIds = Array.from({ length: 250 }, (_, index) => `user-${index}`)
    const id = await prepareDeletion({ ...node, databaseUrl: prepared }, userIds)
    const copy = async () => ({
      ...node,
      databaseUrl: await postgres.newDatabase(nameOf(prepared)),
    })
    expect(await postgres.filesWith(PLANTED, nameOf(prepared))).not.toEqual([])

    const whole = await copy()
    expect(await runDeletion(whole, 0)).toBe(0)
    const expected = await outcomeOf(whole, id)
    expect(expected).toMatchObject({ step: 'done', left: ['stranger'], isSuppressed: true })

    let kills = 0
    for (let killAt = FIRST; ; killAt += EVERY) {
      const place = await copy()
      const code = await runDeletion(place, killAt)
      if (code === 0) break
      kills++
      expect(await runDeletion(place, 0)).toBe(0)
      expect(await outcomeOf(place, id), `killed at ${killAt}`).toEqual(expected)
      const left = await postgres.filesWith(PLANTED, nameOf(place.databaseUrl))
      expect(left, `killed at ${killAt}`).toEqual([])
    }
    expect(kills).toBeGreaterThanOrEqual(Math.floor(MIN_STEPS / EVERY))
  },
)

function nameOf(databaseUrl: string): string {
  return new URL(databaseUrl).pathname.slice(1)
}
