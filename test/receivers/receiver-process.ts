import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, vi } from 'vitest'
import { eventually } from '@hookline/testing/run/eventually'
import { TemporaryFolder } from '@hookline/testing/files/temporary-folder'
import { freePort } from '@hookline/testing/network/free-port'
import { FILES, type Program } from './programs.ts'

/** The shared secret in the commands of the pages. */
export const SECRET = 'a shared secret'

/** Long, because Go compiles its standard library if its cache is empty. */
export const START_MS = 240_000

const MODULES = fileURLToPath(new URL('../../node_modules', import.meta.url))

export function isInstalled({ language }: Pick<Program, 'language'>): boolean {
  return spawnSync('sh', ['-c', `command -v ${language}`]).status === 0
}

/** A receiver of a page, saved and run in an empty folder as its page describes. */
export class ReceiverProcess implements AsyncDisposable {
  readonly url: string
  output = ''
  readonly #folder: TemporaryFolder
  readonly #child: ChildProcess
  readonly #closed: Promise<unknown>

  private constructor(command: string, port: number, folder: TemporaryFolder) {
    this.url = `http://127.0.0.1:${port}/`
    this.#folder = folder
    // A process group, because `go run` starts the program as a child process.
    this.#child = spawn('sh', ['-c', command], {
      cwd: folder.path,
      detached: true,
      env: { ...process.env, PORT: String(port), NODE_OPTIONS: '--conditions=hookline-source' },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    for (const stream of [this.#child.stdout!, this.#child.stderr!])
      stream.on('data', (text: Buffer) => (this.output += text.toString()))
    this.#closed = once(this.#child, 'close')
  }

  /** Resolves when the receiver listens. */
  static async start({ command }: Program, secret = SECRET): Promise<ReceiverProcess> {
    const folder = new TemporaryFolder()
    for (const [name, content] of FILES) writeFileSync(join(folder.path, name), content)
    symlinkSync(MODULES, join(folder.path, 'node_modules'))
    const port = await freePort()
    const adapted = command.replace(SECRET, secret).replace('4801', String(port))
    const receiver = new ReceiverProcess(adapted, port, folder)
    await vi
      .waitFor(() => fetch(receiver.url), { timeout: START_MS, interval: 50 })
      .catch(() => {
        throw new Error(`${adapted} is not listening: ${receiver.output}`)
      })
    return receiver
  }

  /** The stored deliveries by `webhook-id`. */
  stored(): Map<string, string> {
    const folder = join(this.#folder.path, 'inbox')
    const names = readdirSync(folder)
    // Temporary files are removed before the response is sent.
    expect(names.filter((name) => !name.endsWith('.json'))).toEqual([])
    return new Map(
      names.map((name) => [name.slice(0, -5), readFileSync(join(folder, name), 'utf8')]),
    )
  }

  /** Waits until it has printed this word with the id of a delivery this many times. */
  async printed(word: 'stored' | 'duplicate', id: string, times: number): Promise<void> {
    const count = (): number => this.output.split(`${word} ${id}`).length - 1
    await eventually(() => expect(count()).toBe(times))
  }

  /** Replaces the inbox folder with a file, so that storing fails, or the file with an empty folder. */
  setStorable(isStorable: boolean): void {
    const folder = join(this.#folder.path, 'inbox')
    rmSync(folder, { recursive: true, force: true })
    if (isStorable) mkdirSync(folder)
    else writeFileSync(folder, '')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    process.kill(-this.#child.pid!, 'SIGKILL')
    await this.#closed
    this.#folder[Symbol.dispose]()
  }
}
