import type { Config, Service, ServiceLog, ServiceOptions } from '@hookline/server'
import { setTimeout as pause } from 'node:timers/promises'
import { logLine } from './log-line.ts'
import { startFailure } from './start-failure.ts'

// The server is imported in these functions only: the commands that run no service start faster without it.

/** How long the end of the process waits for an output that takes no lines. */
const LONGEST_FLUSH_MS = 1_000

/** Opens the log of the service on stderr: JSON lines, or short lines for people. A terminal is for people. */
export async function openServiceLog(
  level: Config['logLevel'],
  isForPeople = process.stderr.isTTY,
): Promise<ServiceLog> {
  const { openLog } = await import('@hookline/server')
  return isForPeople ? openLog(level, (json) => `${logLine(json)}\n`) : openLog(level)
}

/** Waits until the lines of the log are written, for a second at most. */
export async function flushLog({ logOutput }: ServiceLog): Promise<void> {
  const end = new AbortController()
  const late = pause(LONGEST_FLUSH_MS, undefined, { signal: end.signal }).catch(() => undefined)
  await Promise.race([logOutput.flushed(), late])
  end.abort()
}

/** Opens the service. @throws {Failure} with the reason and the remedy if it cannot start */
export async function openOrFail(
  config: Config,
  log: ServiceLog,
  more: Pick<ServiceOptions, 'isOpenHere' | 'onInspected' | 'settings'> = {},
): Promise<Service> {
  const { openService } = await import('@hookline/server')
  try {
    return await openService({ config, ...log, ...more })
  } catch (error) {
    throw startFailure(error, config) ?? error
  }
}
