import { isJsonObject } from '@hookline/protocol'
import { open, readFile, rename } from 'node:fs/promises'
import { Failure } from '../failure.ts'
import type { Fingerprint } from './fingerprint.ts'
import type { Position } from './read-lines.ts'

export interface ImportTarget {
  readonly url: string
  /** Identifies the source without storing the key. */
  readonly writeKeySha256: string
}

/** The progress of an import, up to the last line with a known outcome. */
export interface ImportState extends Position {
  readonly version: 1
  readonly file: Fingerprint
  readonly target: ImportTarget
  readonly accepted: number
  readonly rejected: number
  /** The size of the file of rejected lines. Anything beyond it is from lines that will be read again. */
  readonly rejectedBytes: number
  readonly isComplete: boolean
}

export function newState(file: Fingerprint, target: ImportTarget): ImportState {
  const counts = { offset: 0, line: 0, accepted: 0, rejected: 0, rejectedBytes: 0 }
  return { version: 1, file, target, ...counts, isComplete: false }
}

/** @throws {Failure} if the file at `path` is not the progress of an import */
export async function loadState(path: string): Promise<ImportState | undefined> {
  try {
    const stored: unknown = JSON.parse(await readFile(path, 'utf8'))
    if (isJsonObject(stored) && stored['version'] === 1) return stored as unknown as ImportState
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    if (!(error instanceof SyntaxError)) throw error
  }
  throw new Failure('failed', `${path} does not contain import progress.`, {
    code: 'progress_unreadable',
    hint: 'Add --from-start to start over.',
  })
}

/** Replaces the file atomically. */
export async function saveState(path: string, state: ImportState): Promise<void> {
  const draft = `${path}.new`
  {
    await using file = await open(draft, 'w')
    await file.writeFile(`${JSON.stringify(state, null, 2)}\n`)
    await file.sync()
  }
  await rename(draft, path)
}

/** @throws {Failure} if the file, the URL or the write key has changed */
export function assertSameImport(
  state: ImportState,
  file: Fingerprint,
  target: ImportTarget,
  paths: { readonly file: string; readonly state: string },
): void {
  if (state.file.bytes !== file.bytes || state.file.startSha256 !== file.startSha256) {
    throw new Failure('failed', `${paths.file} has changed since its import started.`, {
      code: 'file_changed',
      hint: `Put the new lines in another file, or import the whole file again with --from-start. The progress is in ${paths.state}.`,
    })
  }
  if (state.target.url !== target.url || state.target.writeKeySha256 !== target.writeKeySha256) {
    throw new Failure(
      'failed',
      `The import of ${paths.file} was started with another URL or write key.`,
      {
        code: 'target_changed',
        hint: `To resume, pass the same --url and --write-key as before; that import used ${state.target.url}. To import the whole file into this source, add --from-start.`,
      },
    )
  }
}
