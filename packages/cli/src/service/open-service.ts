import type { Config, Service, ServiceLog, ServiceOptions } from '@hookline/server'
import { setTimeout as sleep } from 'node:timers/promises'
import { startFailure } from './start-failure.ts'
import { printableText, terminalText } from '../output/safe-text.ts'
import { type Format, styledText } from '../layout/style.ts'

const MAX_FLUSH_MS = 1_000

/** Opens the log on stderr, as JSON or formatted lines. */
export async function openServiceLog(
  level: Config['logLevel'],
  isHumanReadable = process.stderr.isTTY,
): Promise<ServiceLog> {
  // Imported on demand: other commands start faster without the server.
  const { openLog } = await import('@hookline/server')
  return isHumanReadable ? openLog(level, (json) => `${logLine(json)}\n`) : openLog(level)
}

export async function flushLog({ logOutput }: ServiceLog): Promise<void> {
  const end = new AbortController()
  const late = sleep(MAX_FLUSH_MS, undefined, { signal: end.signal }).catch(() => undefined)
  await Promise.race([logOutput.flushed(), late])
  end.abort()
}

/** @throws {Failure} if the service cannot start */
export async function openOrFail(
  config: Config,
  log: ServiceLog,
  more: Pick<ServiceOptions, 'allowsLocalAccess' | 'onInspected' | 'settings'> = {},
): Promise<Service> {
  const { openService } = await import('@hookline/server')
  try {
    return await openService({ config, ...log, ...more })
  } catch (error) {
    throw startFailure(error, config) ?? error
  }
}

const LEVELS: Readonly<Record<number, readonly [string, Format]>> = {
  10: ['trace', 'dim'],
  20: ['debug', 'dim'],
  30: ['info', 'green'],
  40: ['warn', 'yellow'],
  50: ['error', 'red'],
  60: ['fatal', ['red', 'bold']],
}

export function logLine(json: string): string {
  const { level, time, msg, err, ...rest } = JSON.parse(json) as LogEntry
  const [name, colour] = LEVELS[level] ?? ['', 'dim']
  const fields = Object.entries({ ...rest, ...(err && { error: err.message }) })
  const words = fields.map(([key, value]) => `${key}=${textOf(value)}`)
  const style = (format: Format, text: string) => styledText(format, text, process.stderr)
  const line = [
    style('dim', time.slice(11, 23)),
    style(colour, name.padEnd(5)),
    printableText(msg ?? ''),
    ...words.map((word) => style('dim', printableText(word))),
  ].join(' ')
  return terminalText(line)
}

interface LogEntry {
  readonly level: number
  readonly time: string
  readonly msg?: string
  readonly err?: { readonly message: string }
}

function textOf(value: unknown): string {
  return typeof value === 'string' && !/\s/.test(value) ? value : JSON.stringify(value)
}
