import { type FileHandle, open, rm, stat, truncate } from 'node:fs/promises'
import type { Rejection } from './parse-line.ts'

/** A rejected line, in the form of the file of rejected lines. */
export interface RejectedLine extends Rejection {
  readonly lineNumber: number
  /** The line, or the beginning of a line that is far too long. */
  readonly line: string
}

/** The file of rejected lines, with one JSON object per line. It exists only after the first rejection. */
export class RejectedFile implements AsyncDisposable {
  readonly #path: string
  #file: FileHandle | undefined
  #bytes: number

  private constructor(path: string, bytes: number) {
    this.#path = path
    this.#bytes = bytes
  }

  /** Opens it to continue an import, and cuts it to `bytes`: the lines of the rest will be read again. */
  static async open(path: string, bytes: number): Promise<RejectedFile> {
    // The user may have moved it away or shortened it since.
    const size = (await stat(path).catch(() => undefined))?.size ?? 0
    const kept = Math.min(bytes, size)
    if (kept === 0) await rm(path, { force: true })
    else await truncate(path, kept)
    return new RejectedFile(path, kept)
  }

  /** The size of the file. */
  get bytes(): number {
    return this.#bytes
  }

  /** Resolves when the lines are on disk. */
  async append(lines: readonly RejectedLine[]): Promise<void> {
    if (lines.length === 0) return
    this.#file ??= await open(this.#path, 'a')
    const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('')
    await this.#file.appendFile(text)
    await this.#file.sync()
    this.#bytes += Buffer.byteLength(text)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#file?.close()
  }
}
