import { execFileSync } from 'node:child_process'
import { closeSync, constants, openSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { TemporaryFolder } from './temporary-folder.ts'

const { O_NONBLOCK, O_RDONLY, O_WRONLY } = constants

/** A pipe that is read only when the test calls `read`. */
export class NamedPipe implements Disposable {
  readonly fd: number
  readonly #folder = new TemporaryFolder()
  readonly #reader: number
  #isRead = true

  /** @param isBlocking whether a write to a full pipe waits */
  constructor({
    isBlocking,
    name = 'pipe',
  }: {
    readonly isBlocking: boolean
    readonly name?: string
  }) {
    const path = join(this.#folder.path, name)
    execFileSync('mkfifo', [path])
    this.#reader = openSync(path, O_RDONLY | O_NONBLOCK)
    this.fd = openSync(path, O_WRONLY | (isBlocking ? 0 : O_NONBLOCK))
  }

  get folder(): string {
    return this.#folder.path
  }

  read(): string {
    const buffer = Buffer.alloc(65_536)
    let text = ''
    for (;;) {
      const bytes = this.#readInto(buffer)
      if (bytes === 0) return text
      text += buffer.toString('latin1', 0, bytes)
    }
  }

  /** Closes the reader's end, so that further writes fail. */
  closeReader(): void {
    this.#isRead = false
    closeSync(this.#reader)
  }

  [Symbol.dispose](): void {
    closeSync(this.fd)
    if (this.#isRead) closeSync(this.#reader)
    this.#folder[Symbol.dispose]()
  }

  #readInto(buffer: Buffer): number {
    try {
      return readSync(this.#reader, buffer)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return 0
      throw error
    }
  }
}
