import { EVENT_TYPES, type EventType } from '@hookline/protocol'
import { type Command, Option } from 'commander'
import type { TokenOptions } from '../../api/admin-token.ts'
import { Failure } from '../../failure.ts'
import type { ImportState } from '../../import/import-state.ts'
import { durationText, formatCount } from '../../output/figures.ts'
import {
  type ImportResult,
  progressPath,
  rejectedPath,
  rejectedText,
  runImport,
} from '../../import/run-import.ts'
import { wholeNumber } from '../../options/whole-number.ts'
import { outputOf } from '../../output/output.ts'
import { sendingFailure } from '../../sending/sending-failure.ts'
import { findWriteKey } from '../../sending/write-key.ts'
import { stopSignal } from '../../service/stop-signal.ts'
import type { ApiCommand } from '../api-command.ts'

const HELP = `
Each line of the file is one call as JSON, for example
{"type":"track","userId":"u1","event":"Paid","timestamp":"2014-05-01T09:30:00Z"}

Calls keep their timestamp and messageId. A call without a messageId gets the
same one in every import of the file.

Progress is stored in <file>.import.json: run the same command again to resume
an interrupted import. Rejected lines and reasons go to <file>.rejected.ndjson.`

export function addImport(program: ApiCommand): void {
  program
    .api('import <file>', 'import calls from a file, keeping their timestamps')
    .addOption(
      new Option('--type <type>', 'call type for lines without a type').choices(EVENT_TYPES),
    )
    .option('--from-start', 'ignore stored progress and send all lines again')
    .option('--retries <count>', 'retries of a failed request', wholeNumber(0), 10)
    .option(
      '--write-key <key>',
      'write key of the source (HOOKLINE_WRITE_KEY); default: the key of the only enabled source',
    )
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
  const writeKey = await findWriteKey(options)
  const { url, type, retries: maxRetries, fromStart = false } = options
  const result = await runImport(
    { path: file, url, writeKey, type, maxRetries, fromStart },
    interrupted.signal,
  )
  const { state, error } = result
  const elapsedMs = Math.round(performance.now() - startedAt)
  outputOf(command).data(resultDocument(file, result, elapsedMs), () =>
    resultText(result, elapsedMs),
  )
  if (error !== undefined) throw toContinue(sendingFailure(error, url), file, state)
  if (!state.isComplete) throw toContinue(new Failure('interrupted', 'Interrupted.'), file, state)
  if (state.rejected > 0) throw rejectedLines(file, state)
}

function resultDocument(file: string, { state, wasComplete }: ImportResult, elapsedMs: number) {
  const { line, accepted, rejected, isComplete } = state
  const rejectedFile = rejected > 0 ? rejectedPath(file) : null
  return {
    kind: 'result',
    complete: isComplete,
    wasComplete,
    line,
    accepted,
    rejected,
    file,
    progressFile: progressPath(file),
    rejectedFile,
    elapsedMs,
  }
}

function resultText({ state, wasComplete }: ImportResult, elapsedMs: number): string {
  const { accepted, rejected, isComplete } = state
  const counts = `${formatCount(accepted)} accepted, ${formatCount(rejected)} rejected`
  if (wasComplete) return `Already imported: ${counts}. Add --from-start to send all lines again.`
  return `${isComplete ? 'Imported' : 'So far'}: ${counts}, in ${durationText(elapsedMs / 1000)}.`
}

function toContinue(failure: Failure, file: string, { line }: ImportState): Failure {
  const next = `Run the same command again to resume after line ${line} of ${file}.`
  return failure.withHint(failure.hint === undefined ? next : `${failure.hint} ${next}`)
}

function rejectedLines(file: string, { rejected }: ImportState): Failure {
  return new Failure('partial', rejectedText(rejected), {
    hint: `${rejectedPath(file)} lists each rejected line with its number and reason.`,
  })
}
