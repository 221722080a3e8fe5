import type { Config, Service } from '@hookline/server'
import { EXIT_CODES } from '../exit-codes.ts'
import type { Output } from '../output/output.ts'
import { openOrExplain } from './open-or-explain.ts'
import { serviceLogger, type ServiceLogger } from './service-logger.ts'
import { type StopSignal, stopSignal } from './stop-signal.ts'

export interface Serving {
  readonly config: Config
  readonly output: Output
  /** Called once the service runs. What it gives is disposed of before the service stops. */
  readonly whileRunning: (
    service: Service,
    logger: ServiceLogger,
  ) => Promise<AsyncDisposable | undefined>
}

/** Runs the service until SIGINT or SIGTERM, then stops it gracefully. The last line says why it ended. */
export async function serve(serving: Serving): Promise<void> {
  const stop = stopSignal()
  const logger = await serviceLogger(serving.config.logLevel)
  process.on('uncaughtException', (error) => {
    logger.fatal({ err: error }, 'stopped by a defect')
    process.exit(EXIT_CODES.failed)
  })
  const reason = await runUntil(stop, logger, serving)
  logger.info(`stopped by ${reason}`)
  serving.output.json({ kind: 'stopped', reason })
}

async function runUntil(
  stop: Promise<StopSignal>,
  logger: ServiceLogger,
  { config, output, whileRunning }: Serving,
): Promise<StopSignal> {
  await using service = await openOrExplain(config, logger)
  showNewToken(service, output)
  await using _companion = await whileRunning(service, logger)
  const signal = await stop
  logger.info(`stopping: finishing what is in flight; another ${signal} stops at once`)
  return signal
}

function showNewToken({ adminToken }: Service, output: Output): void {
  if (!adminToken.isNew) return
  output.note(`Admin token, shown this once: ${adminToken.reveal()}`)
  output.note(`It is kept in ${adminToken.file}.`)
}
