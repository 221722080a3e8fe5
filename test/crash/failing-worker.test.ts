import { expect, test } from 'vitest'
import { openDatabaseOfRunningService } from '@hookline/testing/service/running-database'
import { TemporaryFolder } from '@hookline/testing/files/temporary-folder'
import { freePort } from '@hookline/testing/network/free-port'
import { ServiceProcess } from '@hookline/testing/service/service-process'

/** Replaces a table with a view whose row makes `abs` fail. Only the worker `deliveries.parked` and the API read it. */
const BREAK_LANES = `
  INSERT INTO waiting_lanes VALUES (99, 0, 8);
  ALTER TABLE waiting_lanes RENAME TO waiting_lanes_renamed;
  CREATE VIEW waiting_lanes AS
    SELECT lane, is_held, abs(-9223372036854775800 - count) AS count FROM waiting_lanes_renamed;`
const REPAIR_LANES = `
  DROP VIEW waiting_lanes;
  ALTER TABLE waiting_lanes_renamed RENAME TO waiting_lanes;
  DELETE FROM waiting_lanes;`
/** Breaks the worker `replays` in the same way. */
const BREAK_REPLAYS = `
  INSERT INTO replays (id, state, created_at, scanned, requeued, document)
    VALUES ('rpl_1', 'running', 8, 0, 0, '{}');
  ALTER TABLE replays RENAME TO replays_renamed;
  CREATE VIEW replays AS SELECT id, state, abs(-9223372036854775800 - created_at) AS created_at, finished_at, scanned,
    requeued, reached_at, cursor, document, search_text FROM replays_renamed;
  CREATE TRIGGER broken_insert INSTEAD OF INSERT ON replays BEGIN SELECT 1; END;
  CREATE TRIGGER broken_update INSTEAD OF UPDATE ON replays BEGIN SELECT 1; END;
  CREATE TRIGGER broken_delete INSTEAD OF DELETE ON replays BEGIN SELECT 1; END;`

function change(dataDir: string, sql: string): void {
  using database = openDatabaseOfRunningService(dataDir)
  database.exec(sql)
}

const start = async (dataDir: string): Promise<ServiceProcess> =>
  new ServiceProcess({
    port: await freePort(),
    dataDir,
    settings: { HOOKLINE_LOG_LEVEL: 'error' },
  })

/** Creates a database by starting and stopping a service. */
async function makeDatabase(dataDir: string): Promise<void> {
  const first = await start(dataDir)
  expect(await first.ready()).toBe(true)
  expect(await first.stop()).toBe(0)
}

interface Workers {
  readonly status: number
  readonly reason?: string
  readonly note?: string
}

/** The check of the workers in `/readyz`; `undefined` without a response. */
async function workersOf({ url }: ServiceProcess): Promise<Workers | undefined> {
  const response = await fetch(`${url}/readyz`).catch(() => undefined)
  if (response === undefined) return undefined
  const { checks } = (await response.json()) as { checks: Record<string, object> }
  return { status: response.status, ...checks['workers'] }
}

test('a process with a repeatedly failing worker reports it in /readyz, then exits with a log line that names it', async () => {
  using folder = new TemporaryFolder()
  const dataDir = folder.path
  await makeDatabase(dataDir)
  change(dataDir, BREAK_LANES)
  const failing = await start(dataDir)
  const seen: Workers[] = []
  while (failing.isRunning()) {
    const workers = await workersOf(failing)
    if (workers !== undefined) seen.push(workers)
  }
  expect(seen).toContainEqual(
    expect.objectContaining({
      status: 503,
      reason: expect.stringMatching(/^Failed: .*deliveries\.parked \(\w+\)/),
    }),
  )
  expect(failing.exitCode).toBe(1)
  expect(failing.stderr).toMatch(
    /Stopped: deliveries\.parked failed 5 times within a minute .*\n.*delivered after the next start.*\n$/,
  )

  change(dataDir, REPAIR_LANES)
  const repaired = await start(dataDir)
  expect(await repaired.ready()).toBe(true)
  expect(await repaired.stop()).toBe(0)
})

test('a process continues without a worker that neither ingestion nor delivery needs', async () => {
  using folder = new TemporaryFolder()
  const dataDir = folder.path
  await makeDatabase(dataDir)
  change(dataDir, BREAK_REPLAYS)
  const running = await start(dataDir)
  expect(await running.ready()).toBe(true)
  const metrics = async (): Promise<string> => (await fetch(`${running.url}/metrics`)).text()
  await expect
    .poll(metrics, { interval: 500 })
    .toContain('hookline_worker_failures_total{worker="replays"} 5')
  expect(await workersOf(running)).toMatchObject({
    status: 200,
    ok: true,
    note: expect.stringMatching(/^Failed: replays \(\w+\)/),
  })
  expect(running.isRunning()).toBe(true)
  expect(await running.stop()).toBe(0)
})
