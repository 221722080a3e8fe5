import { LIMITS } from '@hookline/protocol'
import { isUtf8 } from 'node:buffer'
import { textOf } from '../import/parse-line.ts'
import type { Progress } from '../import/progress-text.ts'
import { type Line, readLines } from '../import/read-lines.ts'
import type { RejectedFile } from '../import/rejected-file.ts'
import { type ParsedUser, type UserParser } from './parse-user-line.ts'

export type ListMode = 'add' | 'remove' | 'replace'

export interface ListImportOptions {
  readonly path: string
  readonly totalBytes: number
  readonly parse: UserParser
  readonly mode: ListMode
  readonly rejectedFile: RejectedFile
  readonly change: (change: { add?: string[]; remove?: string[] }) => Promise<unknown>
  readonly listed: () => AsyncIterable<readonly string[]>
}

/** Keeps a body below 1 MiB, at three bytes per character. */
const BATCH_CHARACTERS = 300_000

export class ListImporter {
  readonly #options: ListImportOptions
  /** All users in the file, for mode `replace`. */
  readonly #users = new Set<string>()
  #batch: string[] = []
  #characters = 0
  #progress: Progress
  #changed = 0
  #removed = 0

  constructor(options: ListImportOptions) {
    this.#options = options
    this.#progress = { bytes: 0, totalBytes: options.totalBytes, lines: 0, rejected: 0 }
  }

  get progress(): Progress {
    return this.#progress
  }

  get counts(): { readonly users: number; readonly removed: number } {
    return { users: this.#changed, removed: this.#removed }
  }

  /** Resolves to whether it completed. `signal` stops it between requests. */
  async run(signal: AbortSignal): Promise<boolean> {
    const { path, totalBytes, mode } = this.#options
    for await (const line of readLines(path, { offset: 0, line: 0 }, totalBytes)) {
      if (signal.aborted) return false
      await this.#process(line)
    }
    await this.#send()
    // A rejected line may name a user to keep.
    if (mode === 'replace' && this.#progress.rejected === 0) await this.#removeOthers(signal)
    return !signal.aborted
  }

  async #process(line: Line): Promise<void> {
    const { parse, rejectedFile } = this.#options
    const text = textOf(line)
    const parsed: ParsedUser = line.isCut ? TOO_LONG : parse(text, isUtf8(line.bytes))
    const isRejected = !('userId' in parsed)
    if (isRejected) await rejectedFile.append([{ ...parsed, lineNumber: line.number, line: text }])
    const { totalBytes, rejected } = this.#progress
    const lines = line.number
    this.#progress = { bytes: line.end, totalBytes, lines, rejected: rejected + Number(isRejected) }
    if (!isRejected && parsed.userId !== undefined) await this.#add(parsed.userId)
  }

  async #add(userId: string): Promise<void> {
    if (this.#options.mode === 'replace') this.#users.add(userId)
    this.#batch.push(userId)
    this.#characters += userId.length
    if (this.#batch.length < LIMITS.usersPerListChange && this.#characters < BATCH_CHARACTERS)
      return
    await this.#send()
  }

  async #send(): Promise<void> {
    if (this.#batch.length === 0) return
    const { change, mode } = this.#options
    await change(mode === 'remove' ? { remove: this.#batch } : { add: this.#batch })
    this.#changed += this.#batch.length
    this.#batch = []
    this.#characters = 0
  }

  async #removeOthers(signal: AbortSignal): Promise<void> {
    const { listed, change } = this.#options
    for await (const page of listed()) {
      if (signal.aborted) return
      const remove = page.filter((userId) => !this.#users.has(userId))
      if (remove.length > 0) await change({ remove })
      this.#removed += remove.length
    }
  }
}

const TOO_LONG = { code: 'line_too_long', message: 'The line is longer than 1 MiB.' }
