import { expect, test } from 'vitest'
import { openBesideService } from '@hookline/testing/service/beside-service'
import { TemporaryFolder } from '@hookline/testing/files/temporary-folder'
import { freePort } from '@hookline/testing/network/free-port'
import { ServiceProcess } from '@hookline/testing/service/service-process'

/** A view in place of a table, whose row has too small a number for abs: only the worker `replays` reads that column. */
const BREAK = `
  INSERT INTO replays (id, state, created_at, scanned, requeued, document)
    VALUES ('rpl_1', 'running', 8, 0, 0, '{}');
  ALTER TABLE replays RENAME TO replays_renamed;
  CREATE VIEW replays AS SELECT id, state, abs(-9223372036854775800 - created_at) AS created_at, finished_at, scanned,
    requeued, reached_at, cursor, document, delivered, failed FROM replays_renamed;
  CREATE TRIGGER broken_insert INSTEAD OF INSERT ON replays BEGIN SELECT 1; END;
  CREATE TRIGGER broken_update INSTEAD OF UPDATE ON replays BEGIN SELECT 1; END;
  CREATE TRIGGER broken_delete INSTEAD OF DELETE ON replays BEGIN SELECT 1; END;`
const MEND =
  'DROP VIEW replays; ALTER TABLE replays_renamed RENAME TO replays; DELETE FROM replays;'

function change(dataDir: string, sql: string): void {
  using database = openBesideService(dataDir)
  database.exec(sql)
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

  change(dataDir, BREAK)
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

  change(dataDir, MEND)
  const mended = await start()
  expect(await mended.ready()).toBe(true)
  expect(await mended.stop()).toBe(0)
})
