import { type FileHandle, open, rm, stat, truncate } from 'node:fs/promises'
import type { Rejection } from './parse-line.ts'

export interface RejectedLine extends Rejection {
  readonly lineNumber: number
  /** Only the start if the line is too long. */
  readonly line: string
}

/** The file of rejected lines, as NDJSON. Created by the first rejection. */
export class RejectedFile implements AsyncDisposable {
  readonly #path: string
  #file: FileHandle | undefined
  #bytes: number

  private constructor(path: string, bytes: number) {
    this.#path = path
    this.#bytes = bytes
  }

  /** Truncates the file to `bytes`: later lines will be read again. */
  static async open(path: string, bytes: number): Promise<RejectedFile> {
    // The user may have moved it away or shortened it since.
    const size = (await stat(path).catch(() => undefined))?.size ?? 0
    const kept = Math.min(bytes, size)
    if (kept === 0) await rm(path, { force: true })
    else await truncate(path, kept)
    return new RejectedFile(path, kept)
  }

  get bytes(): number {
    return this.#bytes
  }

  /** Resolves when the lines are synced to disk. */
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
