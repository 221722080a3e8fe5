import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { TemporaryFolder } from '../../packages/server/test/harness/temporary-folder.ts'
import { freePort } from '../harness/free-port.ts'
import { ServiceProcess } from './service-process.ts'

const NAMES = { there: 'replays', away: 'replays_renamed' }

function renameTable(dataDir: string, from: string, to: string): void {
  const database = new DatabaseSync(join(dataDir, 'hookline.db'))
  database.exec(`ALTER TABLE ${from} RENAME TO ${to}`)
  database.close()
}

test('a process whose worker fails again and again says so in /readyz, then ends with a last line that names it', async () => {
  using folder = new TemporaryFolder()
  const dataDir = folder.path
  const settings = { HOOKLINE_LOG_LEVEL: 'error' }
  const start = async (): Promise<ServiceProcess> =>
    new ServiceProcess({ port: await freePort(), dataDir, settings })
  const first = await start()
  expect(await first.ready()).toBe(true)
  expect(await first.stop()).toBe(0)

  renameTable(dataDir, NAMES.there, NAMES.away)
  const failing = await start()
  const answers: { status: number; reason: string | undefined }[] = []
  while (failing.isRunning()) {
    const response = await fetch(`${failing.url}/readyz`).catch(() => undefined)
    if (response === undefined) continue
    const { checks } = (await response.json()) as { checks: Record<string, { reason?: string }> }
    answers.push({ status: response.status, reason: checks['workers']?.reason })
  }
  expect(answers).toContainEqual({
    status: 503,
    reason: expect.stringMatching(/^Failed and restarted: replays \(\w+\)/),
  })
  expect(failing.exitCode).toBe(1)
  expect(failing.stderr).toMatch(
    /Stopped: replays failed 5 times within a minute .*\n.*delivered after the next start.*\n$/,
  )

  renameTable(dataDir, NAMES.away, NAMES.there)
  const mended = await start()
  expect(await mended.ready()).toBe(true)
  expect(await mended.stop()).toBe(0)
})
