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
import { fingerprintOf } from './imported-file.ts'
import { Importer } from './importer.ts'
import { ProgressDisplay } from './progress-display.ts'
import { RejectedFile } from './rejected-file.ts'

export interface ImportWanted {
  readonly path: string
  readonly url: URL
  readonly writeKey: string
  readonly type: EventType | undefined
  readonly maxRetries: number
  /** Whether to forget how far an import of the file had come. */
  readonly fromStart: boolean
}

/** Where the progress of a file's import is kept. */
export function progressPath(path: string): string {
  return `${path}.import.json`
}

/** Where the lines of a file are that could not be delivered. */
export function rejectedPath(path: string): string {
  return `${path}.rejected.ndjson`
}

export interface ImportEnded {
  readonly state: ImportState
  /** Why it ended before the end of the file, where the service did not take a batch. */
  readonly error?: ReportedError | undefined
  /** Whether there was nothing left to do. */
  readonly wasComplete: boolean
}

/** Begins an import or goes on with it. Resolves when it has ended. */
export async function runImport(wanted: ImportWanted, signal: AbortSignal): Promise<ImportEnded> {
  const { path, url: endpoint, ...rest } = wanted
  const begun = await stateOf(wanted)
  if (begun.isComplete) return { state: begun, wasComplete: true }
  const save = (state: ImportState) => saveState(progressPath(path), state)
  await writable(path, () => save(begun))
  await using rejectedFile = await RejectedFile.open(rejectedPath(path), begun.rejectedBytes)
  const importer = new Importer({ path, endpoint, ...rest, state: begun, rejectedFile, save })
  using _display = new ProgressDisplay(() => progressOf(importer.state))
  const error = await importer.run(signal)
  return { state: importer.state, error, wasComplete: false }
}

async function stateOf({ path, url, writeKey, fromStart }: ImportWanted): Promise<ImportState> {
  const file = await fingerprintOf(path)
  const writeKeySha256 = createHash('sha256').update(writeKey).digest('hex')
  const target = { url: url.href, writeKeySha256 }
  const names = { file: path, state: progressPath(path) }
  const kept = fromStart ? undefined : await loadState(names.state)
  if (kept === undefined) return newState(file, target)
  assertSameImport(kept, file, target, names)
  return kept
}

/** Before the first call is sent it must be known that what becomes of it can be kept. */
async function writable(path: string, save: () => Promise<void>): Promise<void> {
  try {
    await save()
  } catch (cause) {
    const { message } = cause as Error
    throw new Failure('failed', `The progress of the import cannot be kept: ${message}.`, {
      cause,
      hint: `Put ${path} where files may be made beside it.`,
    })
  }
}

function progressOf({ offset, file, line, rejected }: ImportState) {
  return { bytes: offset, totalBytes: file.bytes, lines: line, rejected }
}
