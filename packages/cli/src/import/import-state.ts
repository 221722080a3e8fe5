import { isJsonObject } from '@hookline/protocol'
import { open, readFile, rename } from 'node:fs/promises'
import { Failure } from '../failure.ts'
import type { Fingerprint } from './imported-file.ts'
import type { Place } from './read-lines.ts'

/** What a file is imported into. */
export interface Target {
  readonly url: string
  /** SHA-256, in hex, of the write key: enough to know it again. */
  readonly writeKeySha256: string
}

/** How far an import has come. The place is after the last line whose fate is known. */
export interface ImportState extends Place {
  readonly version: 1
  readonly file: Fingerprint
  readonly target: Target
  readonly delivered: number
  readonly rejected: number
  /** The size of the file of rejected lines. What is beyond belongs to lines that will come again. */
  readonly rejectedBytes: number
  readonly isComplete: boolean
}

/** The state before the first line. */
export function newState(file: Fingerprint, target: Target): ImportState {
  const counts = { offset: 0, line: 0, delivered: 0, rejected: 0, rejectedBytes: 0 }
  return { version: 1, file, target, ...counts, isComplete: false }
}

/** The state kept at `path`, if there is one. @throws {Failure} where that file cannot be read */
export async function loadState(path: string): Promise<ImportState | undefined> {
  try {
    const kept: unknown = JSON.parse(await readFile(path, 'utf8'))
    if (isJsonObject(kept) && kept['version'] === 1) return kept as unknown as ImportState
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    if (!(error instanceof SyntaxError)) throw error
  }
  throw new Failure('failed', `${path} is not the progress of an import.`, {
    code: 'progress_unreadable',
    hint: 'Begin again with --from-start.',
  })
}

/** Keeps the state. A crash at any moment leaves the one before, or this one. */
export async function saveState(path: string, state: ImportState): Promise<void> {
  const draft = `${path}.new`
  {
    await using file = await open(draft, 'w')
    await file.writeFile(`${JSON.stringify(state, null, 2)}\n`)
    await file.sync()
  }
  await rename(draft, path)
}

/** @throws {Failure} where the state is of another file, or of an import into something else */
export function assertSameImport(
  state: ImportState,
  file: Fingerprint,
  target: Target,
  names: { readonly file: string; readonly state: string },
): void {
  if (state.file.bytes !== file.bytes || state.file.startSha256 !== file.startSha256) {
    throw new Failure('failed', `${names.file} has changed since its import began.`, {
      code: 'file_changed',
      hint: `Put the lines that are new into a file of their own; or import all of it again with --from-start. ${names.state} says how far it had come.`,
    })
  }
  if (state.target.url !== target.url || state.target.writeKeySha256 !== target.writeKeySha256) {
    throw new Failure('failed', `${names.file} is being imported into another source.`, {
      code: 'target_changed',
      hint: `That was a source of ${state.target.url}: give its --url and --write-key to go on, or --from-start to import all of it here.`,
    })
  }
}
