import type {
  Config,
  DatabaseDamaged,
  Service,
  ServiceLog,
  ServiceOptions,
  WorkerGivenUp,
} from '@hookline/server'
import { EXIT_CODES, Failure } from '../failure.ts'
import type { Output } from '../output/output.ts'
import { flushLog, openOrFail, openServiceLog } from './open-service.ts'
import { type StopSignal, stopSignal } from './stop-signal.ts'

interface ServeOptions extends Pick<ServiceOptions, 'isOpenHere' | 'onInspected'> {
  readonly config: Config
  /** The texts of the configuration, and where they come from. */
  readonly settings: ServiceOptions['settings']
  readonly output: Output
  /** Whether the log has lines for people also where stderr is no terminal. */
  readonly isLogForPeople?: boolean
  /** Called once the service runs. Its result is disposed of before the service stops. */
  readonly whileRunning: (
    service: Service,
    logger: ServiceLog['logger'],
  ) => Promise<AsyncDisposable | undefined>
}

/** What still runs in the process when the service has stopped ends within this time, or is ended. */
const LONGEST_EXIT_MS = 500

/**
 * Runs the service until SIGINT or SIGTERM, then stops it gracefully. The last line of the log names the signal.
 * @throws {Failure} if a worker of the service fails too often
 */
export async function serve(options: ServeOptions): Promise<void> {
  const stop = stopSignal()
  ignoreClosedOutput()
  const log = await openServiceLog(options.config.logLevel, options.isLogForPeople)
  process.on('uncaughtException', (error) => void crash(error, log))
  // By default the system ends a process that writes beyond its limit of file sizes. So only the write fails.
  process.on('SIGXFSZ', () => undefined)
  try {
    const reason = await runUntil(stop, log, options)
    log.logger.info({ reason }, 'service.stopped')
    options.output.json({ kind: 'stopped', reason })
  } finally {
    await flushLog(log)
    endProcessSoon()
  }
}

async function crash(error: Error, log: ServiceLog): Promise<void> {
  log.logger.fatal({ err: error }, 'service.crashed')
  await flushLog(log)
  process.exit(EXIT_CODES.failed)
}

/** Other commands end when stdout takes nothing. The service goes on: it has more to do than to print. */
function ignoreClosedOutput(): void {
  process.stdout.removeAllListeners('error').on('error', () => undefined)
}

/**
 * Everything is on disk. What may be left is the copy of a backup whose client has gone, a name look-up, or output that
 * no reader takes.
 */
function endProcessSoon(): void {
  setTimeout(() => process.exit(), LONGEST_EXIT_MS).unref()
}

async function runUntil(
  stop: Promise<StopSignal>,
  log: ServiceLog,
  { config, settings, output, whileRunning, isOpenHere, onInspected }: ServeOptions,
): Promise<StopSignal> {
  await using service = await openOrFail(config, log, { settings, isOpenHere, onInspected })
  showNewToken(service, output)
  await using _companion = await whileRunning(service, log.logger)
  const signal = await Promise.race([stop, service.failed.then(serviceFailure)])
  if (signal instanceof Failure) throw signal
  const note = `Waiting for requests and deliveries in flight. Another ${signal} stops at once.`
  log.logger.info({ reason: signal, note }, 'service.stopping')
  return signal
}

function serviceFailure(failure: WorkerGivenUp | DatabaseDamaged): Failure {
  return 'damage' in failure ? damageFailure(failure) : workerFailure(failure)
}

function damageFailure({ damage }: DatabaseDamaged): Failure {
  const hint =
    'Check the disk. Then restore a backup with `hookline restore <backup> --replace`, or rebuild the database from its readable rows with `hookline rebuild`.'
  return new Failure('failed', `Stopped: the database is damaged (${damage.message}).`, {
    code: 'database_damaged',
    hint,
    cause: damage,
  })
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
  output.note(`Admin token (shown only now): ${adminToken.reveal()}`)
  output.note(`It is stored in ${adminToken.file}.`)
}
