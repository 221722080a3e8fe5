import type { Config, createLogger, Service } from '@hookline/server'
import { logLine } from './log-line.ts'
import { startFailure } from './start-failure.ts'

// The server is imported in these functions only: the commands that run no service start faster without it.

/** The logger of the service. */
export type ServiceLogger = ReturnType<typeof createLogger>

/** Creates the logger. It writes to stderr: JSON lines, or on a terminal short lines for people. */
export async function serviceLogger(level: Config['logLevel']): Promise<ServiceLogger> {
  const server = await import('@hookline/server')
  if (!process.stderr.isTTY) return server.createLogger(level)
  return server.createLogger(level, {
    write: (line) => process.stderr.write(`${logLine(line)}\n`),
  })
}

/** Opens the service. @throws {Failure} with the reason and the remedy if it cannot start */
export async function openOrFail(config: Config, logger: ServiceLogger): Promise<Service> {
  const { openService } = await import('@hookline/server')
  try {
    return await openService({ config, logger })
  } catch (error) {
    throw startFailure(error, config) ?? error
  }
}
