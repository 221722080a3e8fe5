import { EVENT_TYPES, type EventType } from '@hookline/protocol'
import { type Command, InvalidArgumentError, Option } from 'commander'
import type { TokenOptions } from '../../api/admin-token.ts'
import { withApiOptions } from '../../api/api-command.ts'
import { deliveryFailure } from '../../sending/delivery-failure.ts'
import { findWriteKey } from '../../sending/write-key.ts'
import { Failure } from '../../failure.ts'
import type { ImportState } from '../../import/import-state.ts'
import { durationText, grouped } from '../../import/progress-text.ts'
import { type ImportEnded, progressPath, rejectedPath, runImport } from '../../import/run-import.ts'
import { outputOf } from '../../output/output-of.ts'
import { stopSignal } from '../../service/stop-signal.ts'

const HELP = `
One call as JSON a line, like {"type":"track","userId":"u1","event":"Order Completed","timestamp":"2014-05-01T09:30:00Z"}.
A call keeps its timestamp and its messageId; one without messageId gets one that is the same in every import of the file.
Progress is kept in <file>.import.json: the same command again goes on. Lines that cannot be delivered are in
<file>.rejected.ndjson, with the reason.`

/** `hookline import` */
export function addImport(program: Command): void {
  withApiOptions(program.command('import <file>'))
    .description('send the calls of a file, as they happened long ago or today')
    .addOption(new Option('--type <type>', 'type of lines without one').choices(EVENT_TYPES))
    .option('--from-start', 'forget how far an import of the file had come')
    .option('--retries <count>', 'how often a request is tried again', retriesOption, 10)
    .option('--write-key <key>', 'write key of the source (HOOKLINE_WRITE_KEY); else the only one')
    .addHelpText('after', HELP)
    .action(importFile)
}

interface ImportCommandOptions extends TokenOptions {
  readonly type?: EventType
  readonly fromStart?: boolean
  readonly retries: number
  readonly writeKey?: string
}

async function importFile(
  file: string,
  options: ImportCommandOptions,
  command: Command,
): Promise<void> {
  const startedAt = performance.now()
  const interrupted = new AbortController()
  void stopSignal().then(() => interrupted.abort())
  const writeKey =
    options.writeKey ?? process.env['HOOKLINE_WRITE_KEY'] ?? (await findWriteKey(options))
  const { url, type, retries: maxRetries, fromStart = false } = options
  const ended = await runImport(
    { path: file, url, writeKey, type, maxRetries, fromStart },
    interrupted.signal,
  )
  const { state, error } = ended
  const elapsedMs = Math.round(performance.now() - startedAt)
  outputOf(command).data(resultDocument(file, ended, elapsedMs), () => resultText(ended, elapsedMs))
  if (error !== undefined) throw toGoOn(deliveryFailure(error, url), file, state)
  if (!state.isComplete) throw toGoOn(new Failure('interrupted', 'Interrupted.'), file, state)
  if (state.rejected > 0) throw partly(file, state)
}

function resultDocument(file: string, { state, wasComplete }: ImportEnded, elapsedMs: number) {
  const { line, delivered, rejected, isComplete } = state
  const rejectedFile = rejected > 0 ? rejectedPath(file) : null
  return {
    kind: 'result',
    complete: isComplete,
    wasComplete,
    line,
    delivered,
    rejected,
    file,
    progressFile: progressPath(file),
    rejectedFile,
    elapsedMs,
  }
}

function resultText({ state, wasComplete }: ImportEnded, elapsedMs: number): string {
  const { delivered, rejected, isComplete } = state
  const counts = `${grouped(delivered)} delivered, ${grouped(rejected)} rejected`
  if (wasComplete) return `Was imported before: ${counts}. --from-start sends all of it again.`
  return `${isComplete ? 'Imported' : 'So far'}: ${counts}, in ${durationText(elapsedMs / 1000)}.`
}

/** The failure of an import that can go on. */
function toGoOn(failure: Failure, file: string, { line }: ImportState): Failure {
  const next = `The same command again goes on after line ${line} of ${file}.`
  return failure.withHint(failure.hint === undefined ? next : `${failure.hint} ${next}`)
}

function partly(file: string, { rejected }: ImportState): Failure {
  const what = rejected === 1 ? '1 line was' : `${grouped(rejected)} lines were`
  return new Failure('partial', `${what} rejected.`, {
    hint: `${rejectedPath(file)} has each with its number and the reason.`,
  })
}

function retriesOption(text: string): number {
  if (/^\d{1,6}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('It must be a number like 10.')
}
