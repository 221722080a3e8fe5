import type {
  Config,
  DatabaseCorruption,
  Service,
  ServiceLog,
  ServiceOptions,
  FailedWorker,
} from '@hookline/server'
import { EXIT_CODES, Failure } from '../failure.ts'
import type { Output } from '../output/output.ts'
import { flushLog, openOrFail, openServiceLog } from './open-service.ts'
import { type StopSignal, stopSignal } from './stop-signal.ts'

interface ServeOptions extends Pick<ServiceOptions, 'allowsLocalAccess' | 'onInspected'> {
  readonly config: Config
  readonly settings: ServiceOptions['settings']
  readonly output: Output
  /** Whether to format the log even if stderr is not a terminal. */
  readonly isLogFormatted?: boolean
  /** Called after startup. Its result is disposed of before the service stops. */
  readonly whileRunning: (
    service: Service,
    logger: ServiceLog['logger'],
  ) => Promise<AsyncDisposable | undefined>
}

const MAX_EXIT_MS = 500

/** Runs the service until SIGINT or SIGTERM, then stops it. @throws {Failure} if it cannot start, a worker fails too often, or the database is corrupted */
export async function serve(options: ServeOptions): Promise<void> {
  const stop = stopSignal()
  // Unlike other commands, the service continues when stdout is closed.
  process.stdout.removeAllListeners('error').on('error', () => undefined)
  const log = await openServiceLog(options.config.logLevel, options.isLogFormatted)
  process.on('uncaughtException', (error) => void crash(error, log))
  // With a handler, exceeding the file size limit fails the write instead of killing the process.
  process.on('SIGXFSZ', () => undefined)
  try {
    const reason = await runUntil(stop, log, options)
    log.logger.info({ reason }, 'service.stopped')
    options.output.json({ kind: 'stopped', reason })
  } finally {
    await flushLog(log)
    // A name lookup or unread output may still block the exit. Everything is on disk.
    setTimeout(() => process.exit(), MAX_EXIT_MS).unref()
  }
}

async function crash(error: Error, log: ServiceLog): Promise<void> {
  log.logger.fatal({ err: error }, 'service.crashed')
  await flushLog(log)
  process.exit(EXIT_CODES.failed)
}

async function runUntil(
  stop: Promise<StopSignal>,
  log: ServiceLog,
  { config, settings, output, whileRunning, allowsLocalAccess, onInspected }: ServeOptions,
): Promise<StopSignal> {
  await using service = await openOrFail(config, log, { settings, allowsLocalAccess, onInspected })
  showNewToken(service, output)
  await using _companion = await whileRunning(service, log.logger)
  const signal = await Promise.race([stop, service.failed.then(failureOf)])
  if (signal instanceof Failure) throw signal
  const note = `Waiting for requests and attempts in flight. Send ${signal} again to exit immediately.`
  log.logger.info({ reason: signal, note }, 'service.stopping')
  return signal
}

function failureOf(failure: FailedWorker | DatabaseCorruption): Failure {
  if (!('corruption' in failure)) return workerFailure(failure)
  const { corruption } = failure
  const hint =
    'Check the disk. Then restore a backup with `hookline restore <backup> --replace`, or rebuild the database with `hookline rebuild`.'
  return new Failure('failed', `Stopped: the database is corrupted (${corruption.message}).`, {
    code: 'database_corrupted',
    hint,
    cause: corruption,
  })
}

function workerFailure({ worker, failures, error }: FailedWorker): Failure {
  const kind = error instanceof Error ? error.name : typeof error
  const hint =
    'No accepted event was lost: all are on disk and will be delivered after the next start. The log contains the error.'
  const message = `Stopped: ${worker} failed ${failures} times within a minute (${kind}).`
  return new Failure('failed', message, { code: 'worker_failed', hint, cause: error })
}

function showNewToken({ adminToken }: Service, output: Output): void {
  if (!adminToken.isNew) return
  output.note(`Admin token (shown only once): ${adminToken.reveal()}`)
  output.note(`It is stored in ${adminToken.file}.`)
}
