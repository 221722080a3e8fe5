import { describe, expect, test } from 'vitest'
import { HOOKLINE } from '@hookline/testing/repository'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { moveData, type MoveReport } from '../../../src/backend/cluster/move/move-data.ts'
import { MoveUnfinishedError } from '../../../src/backend/cluster/move/move-progress.ts'
import type { Postgres } from '../../../src/backend/cluster/postgres/postgres.ts'
import { openStoppedData } from '../../../src/backend/embedded/stopped/stopped-database.ts'
import { SecretBox } from '../../../src/util/secrets/secret-box.ts'
import { clusterSkipReason } from '@hookline/testing/cluster/cluster-servers'
import { seededRandom } from '@hookline/testing/run/seeded-random'
import { openPostgres } from '../cluster/open-postgres.ts'
import { fillFolder } from './filled-folder.ts'
import { moveInto, openNode, openTarget, type Target } from './open-target.ts'
import { snapshotOf } from './snapshot.ts'
import { SEED } from '@hookline/testing/run/seed'

const KILLS = 4

class CutOff extends Error {}

/** A database whose connection fails before or after the commit of a transaction. */
function cuttingOff(postgres: Postgres, at: number, moment: 'before' | 'after'): Postgres {
  let writes = 0
  const write: Postgres['write'] = async (use) => {
    const isLast = ++writes === at
    if (!isLast) return postgres.write(use)
    await postgres.write(async (transaction) => {
      const result = await use(transaction)
      if (moment === 'before') throw new CutOff()
      return result
    })
    throw new CutOff()
  }
  return new Proxy(postgres, {
    get: (target, name) => {
      if (name === 'write') return write
      const value: unknown = Reflect.get(target, name)
      return typeof value === 'function' ? (value.bind(target) as unknown) : value
    },
  })
}

/** Runs the command, or kills it after it has reported `killAtTable` tables. Resolves to its exit code or signal. */
async function runCommand(target: Target, dataDir: string, killAtTable = Infinity) {
  const env = { PATH: process.env['PATH'], ...target.settings, HOOKLINE_DATA_DIR: dataDir }
  const args = [HOOKLINE, 'migrate-data', '--json']
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'pipe'] })
  let [stdout, stderr] = ['', '']
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString()
    if (stderr.split('\n').length > killAtTable) child.kill('SIGKILL')
  })
  await once(child, 'close')
  return { end: child.signalCode ?? child.exitCode, stdout, stderr }
}

// Each start of the command takes seconds on a busy machine.
const TIMEOUT_MS = 300_000

describe.skipIf(clusterSkipReason() !== undefined)(
  'an interrupted move',
  { timeout: TIMEOUT_MS },
  () => {
    test('continues after any of its transactions, with the same result', async () => {
      await using folder = await fillFolder({ more: 1_200 })
      using data = openStoppedData({ dataDir: folder.dataDir })
      const box = new SecretBox(SecretBox.keysIn(SecretBox.newKey())!)
      const options = { box, data, maxPayloadBytes: 1024 * 1024, checkLog: async () => undefined }
      await using whole = await openPostgres()
      let transactions = 0
      const counted = new Proxy(whole, {
        get: (target, name) => {
          if (name === 'write') transactions++
          const value: unknown = Reflect.get(target, name)
          return typeof value === 'function' ? (value.bind(target) as unknown) : value
        },
      })
      const expected = await moveData({ ...options, postgres: counted })
      expect(transactions).toBeGreaterThan(60)
      await using postgres = await openPostgres()
      let report: MoveReport | undefined
      for (let run = 0; report === undefined; run++) {
        // The first run begins the move. Later runs commit at most one slice each.
        const at = Math.min(run + 1, 2)
        const moment = run % 2 === 0 ? 'before' : 'after'
        report = await moveData({ ...options, postgres: cuttingOff(postgres, at, moment) }).catch(
          (error: unknown) => {
            if (!(error instanceof CutOff)) throw error
            return undefined
          },
        )
        expect(run).toBeLessThan(4 * transactions)
      }
      expect(report).toEqual(expected)
    })

    test(`continues after SIGKILL when the command runs again, and no node starts until it has finished (seed ${SEED})`, async () => {
      const random = seededRandom(SEED)
      await using folder = await fillFolder({ more: 4_000 })
      await using target = await openTarget()
      await using reference = await openTarget()
      const expected = await moveInto(reference, folder.dataDir)
      expect((await runCommand(target, folder.dataDir, 2)).end).toBe('SIGKILL')
      await expect(openNode(target)).rejects.toThrow(MoveUnfinishedError)
      for (let kill = 0; kill < KILLS; kill++)
        await runCommand(target, folder.dataDir, Math.ceil(random() * 30))
      const { end, stdout, stderr } = await runCommand(target, folder.dataDir)
      expect(end, stderr).toBe(0)
      const report = JSON.parse(stdout) as MoveReport
      expect(report).toEqual(expected)
      await using node = await openNode(target)
      await using other = await openNode(reference)
      expect(await snapshotOf(node)).toEqual(await snapshotOf(other))
    })
  },
)
