import type { Config } from '@hookline/server'
import { VERSION } from '@hookline/server/version'
import { existsSync } from 'node:fs'
import { mkdir, rm, statfs, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import type { Finding } from './finding.ts'
import { serviceAt } from './service-at.ts'

const LEAST_FREE_BYTES = 512 * 1024 * 1024
const DAMAGES_SHOWN_MS = 30 * 24 * 60 * 60 * 1000
const MOST_SKEW_MS = 5_000
/** This program is newer: an earlier time means that the clock is wrong. */
const EARLIEST_NOW = Date.UTC(2026, 0, 1)

const NEXT_AFTER_JUMP =
  'If it is wrong now, correct it within an hour of the jump: until then, retention removes nothing because of it.'

/** The checks of `hookline doctor`, in their order. A rejection counts as a failed check. */
export const CHECKS: Readonly<Record<string, (config: Config) => Promise<Finding>>> = {
  version: async () => {
    const ok = Number(process.versions.node.split('.')[0]) >= 24
    return { ok, detail: `hookline ${VERSION} on Node ${process.versions.node}` }
  },
  'data folder': dataFolder,
  disk: async ({ dataDir }) => {
    const { bavail, bsize } = await statfs(dataDir)
    const free = bavail * bsize
    return { ok: free >= LEAST_FREE_BYTES, detail: `${Math.floor(free / 2 ** 20)} MiB free` }
  },
  clock,
  port,
  database,
}

async function dataFolder({ dataDir }: Config): Promise<Finding> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  const probe = join(dataDir, `.doctor-${process.pid}`)
  await writeFile(probe, '', { flag: 'wx' })
  await rm(probe)
  return { ok: true, detail: `${dataDir} is writable` }
}

async function clock(config: Config): Promise<Finding> {
  const now = Date.now()
  if (now < EARLIEST_NOW)
    return { ok: false, detail: 'the clock of this machine is wrong: it shows a time before 2026' }
  const service = await serviceAt(config)
  if (service === undefined) return { ok: true, detail: new Date(now).toISOString() }
  const skewMs = Math.abs(service.date - now)
  const detail = `differs from the clock of the service by ${Math.round(skewMs / 1000)} s`
  // The Date header has a resolution of one second.
  const ok = skewMs <= MOST_SKEW_MS
  const { clockNote } = service
  if (!ok || clockNote === undefined) return { ok, detail }
  return { ok, detail: clockNote, warning: true, next: NEXT_AFTER_JUMP }
}

async function port(config: Config): Promise<Finding> {
  const at = `${config.host}:${config.port}`
  const service = await serviceAt(config)
  if (service !== undefined) {
    const detail = `the service at ${at} is ${service.isReady ? 'ready' : `not ready: ${service.reason}`}`
    return { ok: service.isReady, detail }
  }
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const server = createServer().once('error', reject)
  server.listen(config.port, config.host, () => server.close(() => resolve()))
  await promise
  return { ok: true, detail: `${at} is free` }
}

async function database({ dataDir }: Config): Promise<Finding> {
  const file = join(dataDir, 'hookline.db')
  if (!existsSync(file))
    return { ok: true, detail: 'does not exist yet; the first start creates it' }
  const { damageOf, recordedDamages } = await import('@hookline/server')
  const [damage] = damageOf(file)
  if (damage !== undefined) return { ok: false, detail: damage }
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
