import type { Config } from '@hookline/server'
import { VERSION } from '@hookline/server/version'
import { existsSync } from 'node:fs'
import { mkdir, rm, statfs, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { SETTINGS } from '@hookline/server/settings'
import { shellWord } from '../output/shell-word.ts'
import { listenFailure } from '../service/listen-failure.ts'
import { failedCheck, type Finding } from './finding.ts'
import { type DoctorTarget, isLocal, serviceAt } from './service-at.ts'

const MIN_FREE_BYTES = 512 * 1024 * 1024
const CORRUPTION_SHOWN_MS = 30 * 24 * 60 * 60 * 1000
const MAX_SKEW_MS = 5_000
/** Every release is newer than this, so an earlier time means that the clock is wrong. */
const EARLIEST_NOW = Date.UTC(2026, 0, 1)

const NEXT_AFTER_CORRUPTION =
  'Check the disk. Stop the service, then restore a backup with `hookline restore <backup> --replace`, or rebuild the database with `hookline rebuild`.'

const NEXT_AFTER_JUMP =
  'If the clock is wrong, correct it within an hour of the jump. After that, retention may remove events.'

type Check = (target: DoctorTarget) => Promise<Finding>

const NOT_LOCAL: Finding = {
  ok: true,
  detail: 'not checked: the service is on another machine; run `hookline doctor` there',
}

const ofThisMachine =
  (check: Check): Check =>
  async (target) =>
    isLocal(target) ? check(target) : NOT_LOCAL

/** The checks in order. A rejection counts as a failed check. */
export const CHECKS: Readonly<Record<string, Check>> = {
  version: async () => {
    const ok = Number(process.versions.node.split('.')[0]) >= 24
    return { ok, detail: `hookline ${VERSION} on Node ${process.versions.node}` }
  },
  'data folder': ofThisMachine(dataFolder),
  disk: ofThisMachine(async ({ config }) => {
    const { bavail, bsize } = await statfs(config.dataDir)
    const free = bavail * bsize
    return { ok: free >= MIN_FREE_BYTES, detail: `${Math.floor(free / 2 ** 20)} MiB free` }
  }),
  clock,
  service,
}

/** Checks the database of an embedded service, or the servers of a cluster. */
export async function storageFindings(
  target: DoctorTarget,
): Promise<Readonly<Record<string, Finding>>> {
  if (target.config.backend === 'embedded')
    return { database: await ofThisMachine(database)(target).catch(failedCheck) }
  const { diagnoseCluster } = await import('@hookline/server')
  return diagnoseCluster(target.config).catch((error: unknown) => ({
    servers: failedCheck(error),
  }))
}

async function dataFolder({ config: { dataDir } }: DoctorTarget): Promise<Finding> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  const probe = join(dataDir, `.doctor-${process.pid}`)
  await writeFile(probe, '', { flag: 'wx' })
  await rm(probe)
  return { ok: true, detail: `${dataDir} is writable` }
}

async function clock(target: DoctorTarget): Promise<Finding> {
  const now = Date.now()
  if (now < EARLIEST_NOW)
    return { ok: false, detail: 'the system clock is wrong: it is set to a date before 2026' }
  const found = await serviceAt(target)
  if (found === undefined) return { ok: true, detail: new Date(now).toISOString() }
  const skewMs = Math.abs(found.date - now)
  const detail = `differs from the service's clock by ${Math.round(skewMs / 1000)} s`
  // The Date header has a resolution of one second.
  const ok = skewMs <= MAX_SKEW_MS
  const { clockNote } = found
  if (!ok || clockNote === undefined) return { ok, detail }
  return { ok, detail: clockNote, warning: true, next: NEXT_AFTER_JUMP }
}

async function service(target: DoctorTarget): Promise<Finding> {
  const { config, url, hasExplicitUrl } = target
  const at = hasExplicitUrl ? url.host : `${config.host}:${config.port}`
  const found = await serviceAt(target)
  if (found !== undefined) {
    const detail = `the service at ${at} is ${found.isReady ? 'ready' : `not ready: ${found.reason}`}`
    return { ok: found.isReady, detail }
  }
  if (hasExplicitUrl) {
    const detail = `no response from Hookline at ${url.href}`
    return { ok: false, detail, next: 'Start the service, or correct --url or HOOKLINE_URL.' }
  }
  await listenOnce(config).catch((error: unknown) => {
    throw listenFailure(error, config) ?? error
  })
  // The system chooses the port.
  if (config.port === 0) return { ok: true, detail: 'not checked: port 0 means any free port' }
  const hasRun = existsSync(databaseOf(config))
  if (!hasRun) return { ok: true, detail: `not started yet; ${at} is free` }
  const detail = `not running: no response from Hookline at ${at}, but ${config.dataDir} has a database`
  return {
    ok: false,
    detail,
    next: `Start it with \`${startCommand(config)}\`, or pass its address with --url.`,
  }
}

function startCommand({ dataDir, port }: Config): string {
  const folder = dataDir === SETTINGS.dataDir.default ? '' : ` --data-dir ${shellWord(dataDir)}`
  return `hookline start${folder}${String(port) === SETTINGS.port.default ? '' : ` --port ${port}`}`
}

/** Rejects if the address is not available. */
async function listenOnce({ host, port }: Config): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const server = createServer().once('error', reject)
  server.listen(port, host, () => server.close(() => resolve()))
  await promise
}

function databaseOf({ dataDir }: Config): string {
  return join(dataDir, 'hookline.db')
}

async function database({ config }: DoctorTarget): Promise<Finding> {
  const file = databaseOf(config)
  if (!existsSync(file)) return { ok: true, detail: 'not created yet' }
  const { corruptionsOf, recordedCorruptions } = await import('@hookline/server')
  const [corruption] = corruptionsOf(file)
  if (corruption !== undefined)
    return { ok: false, detail: `${file}: ${corruption}`, next: NEXT_AFTER_CORRUPTION }
  const recorded = recordedCorruptions(file, Date.now() - CORRUPTION_SHOWN_MS)
  if (recorded.length === 0) return { ok: true, detail: `${file} is intact` }
  return {
    ok: true,
    warning: true,
    detail: `${file} is intact now, but was corrupted earlier`,
    causes: recorded.map(({ foundAt, description }) => `${foundAt} ${description}`),
    next: 'Check the disk. If you have a backup, check it for the lost rows.',
  }
}
