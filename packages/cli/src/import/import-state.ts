import { isJsonObject } from '@hookline/protocol'
import { open, readFile, rename } from 'node:fs/promises'
import { Failure } from '../failure.ts'
import type { Fingerprint } from './fingerprint.ts'
import type { Place } from './read-lines.ts'

/** The source that a file is imported into. */
export interface ImportTarget {
  readonly url: string
  /** SHA-256, in hex, of the write key: identifies the source without storing the key. */
  readonly writeKeySha256: string
}

/** The progress of an import. Its place is after the last line whose outcome is known. */
export interface ImportState extends Place {
  readonly version: 1
  readonly file: Fingerprint
  readonly target: ImportTarget
  readonly accepted: number
  readonly rejected: number
  /** The size of the file of rejected lines. Anything after it belongs to lines that will be read again. */
  readonly rejectedBytes: number
  readonly isComplete: boolean
}

/** The progress before the first line. */
export function newState(file: Fingerprint, target: ImportTarget): ImportState {
  const counts = { offset: 0, line: 0, accepted: 0, rejected: 0, rejectedBytes: 0 }
  return { version: 1, file, target, ...counts, isComplete: false }
}

/** The progress stored at `path`, if any. @throws {Failure} if the file there is not the progress of an import */
export async function loadState(path: string): Promise<ImportState | undefined> {
  try {
    const stored: unknown = JSON.parse(await readFile(path, 'utf8'))
    if (isJsonObject(stored) && stored['version'] === 1) {
      // Earlier versions of Hookline called it delivered.
      return { accepted: stored['delivered'], ...stored } as unknown as ImportState
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    if (!(error instanceof SyntaxError)) throw error
  }
  throw new Failure('failed', `${path} does not hold the progress of an import.`, {
    code: 'progress_unreadable',
    hint: 'Start again from the first line with --from-start.',
  })
}

/** Stores the progress. After a crash at any moment, the file holds the earlier progress or this one. */
export async function saveState(path: string, state: ImportState): Promise<void> {
  const draft = `${path}.new`
  {
    await using file = await open(draft, 'w')
    await file.writeFile(`${JSON.stringify(state, null, 2)}\n`)
    await file.sync()
  }
  await rename(draft, path)
}

/** @throws {Failure} if the progress belongs to another file, or to an import into another source */
export function assertSameImport(
  state: ImportState,
  file: Fingerprint,
  target: ImportTarget,
  paths: { readonly file: string; readonly state: string },
): void {
  if (state.file.bytes !== file.bytes || state.file.startSha256 !== file.startSha256) {
    throw new Failure('failed', `${paths.file} has changed since its import started.`, {
      code: 'file_changed',
      hint: `Put the new lines into another file, or import the whole file again with --from-start. ${paths.state} holds the progress.`,
    })
  }
  if (state.target.url !== target.url || state.target.writeKeySha256 !== target.writeKeySha256) {
    throw new Failure('failed', `The import of ${paths.file} was started into another source.`, {
      code: 'target_changed',
      hint: `To continue, give the --url and --write-key of that import; its service is ${state.target.url}. To import the whole file into this source, add --from-start.`,
    })
  }
}
