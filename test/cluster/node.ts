import { SHIFTED_CLOCK } from '@hookline/testing/repository'
import { expect } from 'vitest'
import { renameSync, writeFileSync } from 'node:fs'
import type { Link } from '@hookline/testing/cluster/link'
import { ServiceProcess } from '@hookline/testing/service/service-process'

export interface NodeOptions {
  readonly name: string
  readonly port: number
  /** Contains how many milliseconds the process's clock is ahead. */
  readonly clockFile: string
  readonly dataDir: string
  readonly settings: Readonly<Record<string, string>>
  /** To PostgreSQL, and to each NATS server. */
  readonly links: { readonly postgres: Link; readonly nats: readonly Link[] }
}

/** One process of the cluster, which tests kill and restart, and its links. */
export class Node {
  readonly #options: NodeOptions
  #process: ServiceProcess
  #stderr = ''

  constructor(options: NodeOptions) {
    this.#options = options
    this.setClock(0)
    this.#process = this.#start()
  }

  get name(): string {
    return this.#options.name
  }

  get links(): NodeOptions['links'] {
    return this.#options.links
  }

  get url(): string {
    return this.#process.url
  }

  /** The output of all its processes. */
  get stderr(): string {
    return this.#stderr + this.#process.stderr
  }

  get isRunning(): boolean {
    return this.#process.isRunning()
  }

  async ready(): Promise<void> {
    expect(await this.#process.ready(), this.stderr).toBe(true)
  }

  kill(): Promise<void> {
    return this.#process.kill()
  }

  startAgain(): void {
    if (this.isRunning) return
    this.#stderr = this.stderr
    this.#process = this.#start()
  }

  async stop(): Promise<void> {
    expect(await this.#process.stop(), this.stderr).toBe(0)
  }

  signal(signal: 'SIGSTOP' | 'SIGCONT'): void {
    process.kill(this.#process.pid, signal)
  }

  /** Sets the clock of this process and its successors, within 20 ms. */
  setClock(aheadMs: number): void {
    const { clockFile } = this.#options
    // Atomically: the process may read the file at any time.
    writeFileSync(`${clockFile}.new`, String(aheadMs))
    renameSync(`${clockFile}.new`, clockFile)
  }

  #start(): ServiceProcess {
    const { settings, clockFile, ...rest } = this.#options
    const clock = {
      NODE_OPTIONS: `--import=${SHIFTED_CLOCK}`,
      CLOCK_AHEAD_MS_FILE: clockFile,
    }
    return new ServiceProcess({ ...rest, settings: { ...settings, ...clock } })
  }
}
