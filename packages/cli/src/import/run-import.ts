import type { ReportedError } from '@hookline/client'
import type { EventType } from '@hookline/protocol'
import { createHash } from 'node:crypto'
import { Failure } from '../failure.ts'
import {
  assertSameImport,
  type ImportState,
  loadState,
  newState,
  saveState,
} from './import-state.ts'
import { fingerprintOf } from './fingerprint.ts'
import { Importer } from './importer.ts'
import { formatCount } from '../output/figures.ts'
import { ProgressDisplay } from './progress-display.ts'
import { RejectedFile } from './rejected-file.ts'

export interface ImportRequest {
  readonly path: string
  readonly url: URL
  readonly writeKey: string
  readonly type: EventType | undefined
  readonly maxRetries: number
  readonly fromStart: boolean
}

export function progressPath(path: string): string {
  return `${path}.import.json`
}

export function rejectedPath(path: string): string {
  return `${path}.rejected.ndjson`
}

/** `2 lines were rejected.` */
export function rejectedText(count: number): string {
  return count === 1 ? '1 line was rejected.' : `${formatCount(count)} lines were rejected.`
}

export interface ImportResult {
  readonly state: ImportState
  /** Set if the service did not accept a batch. */
  readonly error?: ReportedError | undefined
  readonly wasComplete: boolean
}

/** Starts or resumes an import. Resolves when it ends. */
export async function runImport(
  request: ImportRequest,
  signal: AbortSignal,
): Promise<ImportResult> {
  const { path, url: endpoint, ...rest } = request
  const start = await stateOf(request)
  if (start.isComplete) return { state: start, wasComplete: true }
  const save = (state: ImportState) => saveState(progressPath(path), state)
  await assertStorable(path, () => save(start))
  await using rejectedFile = await RejectedFile.open(rejectedPath(path), start.rejectedBytes)
  const importer = new Importer({ path, endpoint, ...rest, state: start, rejectedFile, save })
  using _display = new ProgressDisplay(() => progressOf(importer.state))
  const error = await importer.run(signal)
  return { state: importer.state, error, wasComplete: false }
}

async function stateOf({ path, url, writeKey, fromStart }: ImportRequest): Promise<ImportState> {
  const file = await fingerprintOf(path)
  const writeKeySha256 = createHash('sha256').update(writeKey).digest('hex')
  const target = { url: url.href, writeKeySha256 }
  const paths = { file: path, state: progressPath(path) }
  const stored = fromStart ? undefined : await loadState(paths.state)
  if (stored === undefined) return newState(file, target)
  assertSameImport(stored, file, target, paths)
  return stored
}

/** Checks before the first call that progress can be stored. */
async function assertStorable(path: string, save: () => Promise<void>): Promise<void> {
  try {
    await save()
  } catch (cause) {
    const { message } = cause as Error
    throw new Failure('failed', `Cannot store the progress of the import: ${message}.`, {
      cause,
      hint: `Move ${path} to a writable folder.`,
    })
  }
}

function progressOf({ offset, file, line, rejected }: ImportState) {
  return { bytes: offset, totalBytes: file.bytes, lines: line, rejected }
}
