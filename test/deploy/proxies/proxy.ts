import { eventually } from '@hookline/testing/run/eventually'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { TemporaryFolder } from '@hookline/testing/files/temporary-folder'
import { pathOf } from '../programs.ts'
import { exchangeHttps, type SecureServer } from './https-exchange.ts'

/** The ports of the service. */
interface Upstreams {
  readonly port: number
  readonly adminPort: number
}

/** How to run a proxy with a configuration of this repository. */
export interface ProxyProgram {
  readonly program: string
  readonly args: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  readonly ports: { readonly calls: number; readonly admin: number }
  /** The authority of its certificates. Available once it runs. */
  readonly ca: () => string
}

/** Writes the configuration for these ports into the folder. */
export type PrepareProxy = (folder: TemporaryFolder, to: Upstreams) => Promise<ProxyProgram>

/** A reverse proxy process. */
export class Proxy implements AsyncDisposable {
  readonly #program: ProxyProgram
  readonly #child: ChildProcess
  #output = ''

  private constructor(program: ProxyProgram) {
    this.#program = program
    this.#child = spawn(pathOf(program.program)!, program.args, {
      env: { PATH: process.env['PATH'], ...program.env },
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    this.#child.stderr!.on('data', (text: Buffer) => (this.#output += text.toString()))
  }

  static async start(program: ProxyProgram): Promise<Proxy> {
    await using stack = new AsyncDisposableStack()
    const proxy = stack.use(new Proxy(program))
    await eventually(() => proxy.#ready())
    stack.move()
    return proxy
  }

  async #ready(): Promise<void> {
    if (this.#child.exitCode !== null) throw new Error(this.#output)
    await exchangeHttps(this.calls, '/')
    await exchangeHttps(this.admin, '/livez')
  }

  /** Stops the proxy. Resolves with its error output. */
  async stop(): Promise<string> {
    await this[Symbol.asyncDispose]()
    return this.#output
  }

  /** The server for calls. */
  get calls(): SecureServer {
    return { port: this.#program.ports.calls, ca: this.#program.ca() }
  }

  /** The server for the management API. */
  get admin(): SecureServer {
    return { port: this.#program.ports.admin, ca: this.#program.ca() }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return
    const closed = once(this.#child, 'close')
    this.#child.kill('SIGTERM')
    await closed
  }
}
