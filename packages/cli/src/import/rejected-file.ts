import { type FileHandle, open, rm, stat, truncate } from 'node:fs/promises'
import type { Rejection } from './parse-line.ts'

/** A line that was not delivered, as the file of rejected lines holds it. */
export interface RejectedLine extends Rejection {
  readonly lineNumber: number
  /** The line itself, or of one that is far too long the beginning. */
  readonly line: string
}

/** The file of rejected lines, one JSON object a line. There is none while nothing was rejected. */
export class RejectedFile implements AsyncDisposable {
  readonly #path: string
  #file: FileHandle | undefined
  #bytes: number

  private constructor(path: string, bytes: number) {
    this.#path = path
    this.#bytes = bytes
  }

  /** Opens it where the import stands: what comes after so many bytes will come again. */
  static async open(path: string, bytes: number): Promise<RejectedFile> {
    // Someone may have moved it away meanwhile, to look after those lines.
    const size = (await stat(path).catch(() => undefined))?.size ?? 0
    const kept = Math.min(bytes, size)
    if (kept === 0) await rm(path, { force: true })
    else await truncate(path, kept)
    return new RejectedFile(path, kept)
  }

  /** Its size. */
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
