import type { Config } from '@hookline/server'
import { VERSION } from '@hookline/server/version'
import { existsSync } from 'node:fs'
import { mkdir, rm, statfs, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { startCommand } from './start-command.ts'
import { failedCheck, type Finding } from './finding.ts'
import { isHere, type Patient, serviceAt } from './service-at.ts'

const LEAST_FREE_BYTES = 512 * 1024 * 1024
const DAMAGES_SHOWN_MS = 30 * 24 * 60 * 60 * 1000
const MOST_SKEW_MS = 5_000
/** This program is newer: an earlier time means that the clock is wrong. */
const EARLIEST_NOW = Date.UTC(2026, 0, 1)

const NEXT_AFTER_DAMAGE =
  'Check the disk. Stop the service, and restore a backup with `hookline restore <backup> --replace`, or rebuild the database from its readable rows with `hookline rebuild`'

const NEXT_AFTER_JUMP =
  'If it is wrong now, correct it within an hour of the jump: until then, retention removes nothing because of it.'

type Check = (patient: Patient) => Promise<Finding>

const NOT_HERE: Finding = {
  ok: true,
  detail: 'not checked: the service runs on another machine; run `hookline doctor` there',
}

const ofThisMachine =
  (check: Check): Check =>
  async (patient) =>
    isHere(patient) ? check(patient) : NOT_HERE

/** The checks of `hookline doctor`, in their order. A rejection counts as a failed check. */
export const CHECKS: Readonly<Record<string, Check>> = {
  version: async () => {
    const ok = Number(process.versions.node.split('.')[0]) >= 24
    return { ok, detail: `hookline ${VERSION} on Node ${process.versions.node}` }
  },
  'data folder': ofThisMachine(dataFolder),
  disk: ofThisMachine(async ({ config }) => {
    const { bavail, bsize } = await statfs(config.dataDir)
    const free = bavail * bsize
    return { ok: free >= LEAST_FREE_BYTES, detail: `${Math.floor(free / 2 ** 20)} MiB free` }
  }),
  clock,
  service,
}

/** The checks of what keeps the state: the file of an embedded service, or the servers of a cluster. */
export async function storageFindings(
  patient: Patient,
): Promise<Readonly<Record<string, Finding>>> {
  if (patient.config.backend === 'embedded')
    return { database: await ofThisMachine(database)(patient).catch(failedCheck) }
  const { diagnoseCluster } = await import('@hookline/server')
  return diagnoseCluster(patient.config).catch((error: unknown) => ({
    servers: failedCheck(error),
  }))
}

async function dataFolder({ config: { dataDir } }: Patient): Promise<Finding> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  const probe = join(dataDir, `.doctor-${process.pid}`)
  await writeFile(probe, '', { flag: 'wx' })
  await rm(probe)
  return { ok: true, detail: `${dataDir} is writable` }
}

async function clock(patient: Patient): Promise<Finding> {
  const now = Date.now()
  if (now < EARLIEST_NOW)
    return { ok: false, detail: 'the clock of this machine is wrong: it shows a time before 2026' }
  const found = await serviceAt(patient)
  if (found === undefined) return { ok: true, detail: new Date(now).toISOString() }
  const skewMs = Math.abs(found.date - now)
  const detail = `differs from the clock of the service by ${Math.round(skewMs / 1000)} s`
  // The Date header has a resolution of one second.
  const ok = skewMs <= MOST_SKEW_MS
  const { clockNote } = found
  if (!ok || clockNote === undefined) return { ok, detail }
  return { ok, detail: clockNote, warning: true, next: NEXT_AFTER_JUMP }
}

async function service(patient: Patient): Promise<Finding> {
  const { config, url, isUrlGiven } = patient
  const at = isUrlGiven ? url.host : `${config.host}:${config.port}`
  const found = await serviceAt(patient)
  if (found !== undefined) {
    const detail = `the service at ${at} is ${found.isReady ? 'ready' : `not ready: ${found.reason}`}`
    return { ok: found.isReady, detail }
  }
  if (isUrlGiven) {
    const detail = `does not run: no service responds at ${url.href}`
    return { ok: false, detail, next: 'Start the service, or correct --url or HOOKLINE_URL' }
  }
  await listenOnce(config)
  // No address can be asked: the system chooses the port, as for the check of a restored folder.
  if (config.port === 0) return { ok: true, detail: 'not checked: port 0 stands for any free port' }
  const hasRun = existsSync(databaseOf(config))
  if (!hasRun) return { ok: true, detail: `not started yet; ${at} is free` }
  const detail = `does not run: none responds at ${at}, and ${config.dataDir} has its database`
  return { ok: false, detail, next: nextWithout(config) }
}

function nextWithout(config: Config): string {
  return `start it with \`${startCommand(config)}\`; if it listens elsewhere, give its address with --url`
}

/** Rejects if the address and port of the service cannot be used. */
async function listenOnce({ host, port }: Config): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const server = createServer().once('error', reject)
  server.listen(port, host, () => server.close(() => resolve()))
  await promise
}

function databaseOf({ dataDir }: Config): string {
  return join(dataDir, 'hookline.db')
}

async function database({ config }: Patient): Promise<Finding> {
  const file = databaseOf(config)
  if (!existsSync(file))
    return { ok: true, detail: 'does not exist yet; the first start creates it' }
  const { damageOf, recordedDamages } = await import('@hookline/server')
  const [damage] = damageOf(file)
  if (damage !== undefined)
    return { ok: false, detail: `${file}: ${damage}`, next: NEXT_AFTER_DAMAGE }
  const recorded = recordedDamages(file, Date.now() - DAMAGES_SHOWN_MS)
  if (recorded.length === 0) return { ok: true, detail: `${file} is intact` }
  return {
    ok: true,
    warning: true,
    detail: `${file} is intact, but was damaged`,
    causes: recorded.map(({ foundAt, description }) => `${foundAt} ${description}`),
    next: 'Check the disk. If you have a backup, compare what it has of the lost rows.',
  }
}
