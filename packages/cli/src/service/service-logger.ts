import type { Config, createLogger as create } from '@hookline/server'
import { logLine } from './log-line.ts'

export type ServiceLogger = ReturnType<typeof create>

/** The log of the service, on stderr: JSON lines, or short ones where people read along. */
export async function serviceLogger(level: Config['logLevel']): Promise<ServiceLogger> {
  const { createLogger } = await import('@hookline/server')
  if (!process.stderr.isTTY) return createLogger(level)
  return createLogger(level, { write: (line) => process.stderr.write(`${logLine(line)}\n`) })
}
