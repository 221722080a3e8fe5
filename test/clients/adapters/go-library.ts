import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { buildGo } from '@hookline/testing/programs/go'
import type { AdaptedClient, AdapterOptions, ClientAdapter } from '../client-adapter.ts'

const MODULE = fileURLToPath(new URL('go', import.meta.url))

interface Reply {
  readonly id?: number
  readonly result?: { readonly delivered: number; readonly failed: number }
  readonly error?: string
  /** The library has reported an error. */
  readonly reported?: boolean
}

interface GoLibrary {
  readonly name: string
  readonly version: string
  /** The folder of its program in `adapters/go`. */
  readonly program: string
  readonly hasFlush: boolean
}

/** The adapter of a Go library. Each client is a process that reads commands through `adapters/go/adapter`. */
export function goLibrary({ name, version, program, hasFlush }: GoLibrary): ClientAdapter {
  let built: Promise<string> | undefined
  const binary = () => (built ??= buildGo(MODULE, program))
  return {
    name,
    version,
    program: async (part, endpoint) => [await binary(), part, endpoint],
    create: async (options) => new GoClient(await binary(), options, hasFlush),
  }
}

class GoClient implements AdaptedClient {
  errors = 0
  readonly #child
  readonly #hasFlush: boolean
  readonly #waiting = new Map<number, (reply: Reply) => void>()
  #lastId = 0

  constructor(binary: string, options: AdapterOptions, hasFlush: boolean) {
    const defaults = { flushAt: 20, flushAfterMs: 3_600_000, maxRetries: 3, timeoutMs: 10_000 }
    const args = [JSON.stringify({ ...defaults, ...options })]
    this.#child = spawn(binary, args, { stdio: ['pipe', 'pipe', 'ignore'] })
    this.#hasFlush = hasFlush
    createInterface(this.#child.stdout).on('line', (line) => this.#read(JSON.parse(line) as Reply))
    // Writes fail after the process has exited. The `close` handler rejects their promises.
    this.#child.stdin.on('error', () => {})
    this.#child.once('close', () => {
      for (const settle of this.#waiting.values()) settle({ error: 'the process has exited' })
    })
  }

  track(event: string, properties: object = {}): Promise<unknown> {
    return this.#run({ method: 'track', event, properties })
  }

  trackThenChange(event: string): Promise<unknown> {
    return this.#run({ method: 'trackThenChange', event })
  }

  flush(): Promise<unknown> {
    return this.#run({ method: 'flush' })
  }

  sendAll(): Promise<unknown> {
    return this.#hasFlush ? this.flush() : this.close()
  }

  close(timeoutMs = 0): Promise<unknown> {
    return this.#run({ method: 'close', timeoutMs })
  }

  end(): void {
    this.#child.kill('SIGKILL')
  }

  #run(command: object): Promise<unknown> {
    const id = ++this.#lastId
    this.#child.stdin.write(`${JSON.stringify({ id, ...command }, asGoValue)}\n`)
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, ({ result, error }) => {
        this.#waiting.delete(id)
        if (error === undefined) resolve(result)
        else reject(new Error(error))
      })
    })
  }

  #read({ reported = false, id = 0, ...reply }: Reply): void {
    if (reported) this.errors++
    else this.#waiting.get(id)?.(reply)
  }
}

/** Encodes values that JSON cannot represent. The program decodes them. */
function asGoValue(_key: string, value: unknown): unknown {
  if (typeof value === 'bigint') return '<not JSON>'
  return Number.isNaN(value) ? '<NaN>' : value
}
