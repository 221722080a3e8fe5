import type { Config, Service, WorkerGivenUp } from '@hookline/server'
import { EXIT_CODES } from '../exit-codes.ts'
import { Failure } from '../failure.ts'
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

/**
 * Runs the service until SIGINT or SIGTERM, then stops it gracefully. The last line says why it ended.
 * @throws {Failure} where a worker of the service has failed too often
 */
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
  const signal = await Promise.race([stop, service.failed.then(workerFailure)])
  if (signal instanceof Failure) throw signal
  logger.info(`stopping: finishing what is in flight; another ${signal} stops at once`)
  return signal
}

function workerFailure({ worker, failures, error }: WorkerGivenUp): Failure {
  const kind = error instanceof Error ? error.name : typeof error
  const hint =
    'Nothing that was accepted is lost: it is on disk, and is delivered after the next start. The log has the error.'
  const message = `Stopped: ${worker} failed ${failures} times within a minute (${kind}).`
  return new Failure('failed', message, { code: 'worker_failed', hint, cause: error })
}

function showNewToken({ adminToken }: Service, output: Output): void {
  if (!adminToken.isNew) return
  output.note(`Admin token, shown this once: ${adminToken.reveal()}`)
  output.note(`It is kept in ${adminToken.file}.`)
}
