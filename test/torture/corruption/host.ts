import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

export type HostRequest =
  { readonly kind: 'open'; readonly settings: HostSettings } | { readonly kind: 'close' }

export type HostSettings = Readonly<Record<string, string>>

export type HostMessage =
  | { readonly kind: 'failed'; readonly reason: string }
  | { readonly kind: 'closed' }
  | Refused
  | Opened

interface Opened {
  readonly kind: 'opened'
  readonly url: string
  readonly token: string
}

interface Refused {
  readonly kind: 'refused'
  readonly reason: string
}

const PROGRAM = fileURLToPath(new URL('./service-host.ts', import.meta.url))
/** After this long, starting or stopping counts as hung. */
const DEADLINE_MS = 30_000

/** A process that runs one service at a time. It is forked again if it has exited. */
export class Host implements AsyncDisposable {
  /** Why the service has stopped unexpectedly since the last start. */
  ended: string | undefined
  #child: ChildProcess | undefined
  #stderr = ''
  #answer: (message: HostMessage) => void = () => undefined

  /** Opens the service. Resolves with `refused` if startup fails or the process exits. */
  async open(dataDir: string, acceptLoss?: number): Promise<Opened | Refused> {
    this.ended = undefined
    const settings = {
      dataDir,
      ...(acceptLoss === undefined ? {} : { acceptLoss: `${acceptLoss}` }),
    }
    const message = await this.#request({ kind: 'open', settings })
    if (message.kind === 'opened' || message.kind === 'refused') return message
    return { kind: 'refused', reason: this.ended ?? message.kind }
  }

  /** Stops the service gracefully, or kills the process if that fails. */
  async close(): Promise<void> {
    if (this.#child === undefined) return
    const message = await this.#request({ kind: 'close' })
    if (message.kind !== 'closed') await this.kill()
  }

  async kill(): Promise<void> {
    const child = this.#child
    if (child === undefined) return
    const exited = once(child, 'exit')
    child.kill('SIGKILL')
    await exited
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill()
  }

  #request(request: HostRequest): Promise<HostMessage> {
    this.#child ??= this.#start()
    const { promise, resolve } = Promise.withResolvers<HostMessage>()
    const late = { kind: 'failed', reason: `The service did not ${request.kind} in time.` } as const
    const timer = setTimeout(() => {
      this.ended ??= late.reason
      resolve(late)
    }, DEADLINE_MS)
    this.#answer = (message) => {
      clearTimeout(timer)
      resolve(message)
    }
    this.#child.send(request)
    return promise
  }

  #start(): ChildProcess {
    const child = fork(PROGRAM, {
      execArgv: ['--conditions=hookline-source'],
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    })
    this.#stderr = ''
    child.stderr!.on('data', (chunk: Buffer) => (this.#stderr += chunk.toString()))
    child.on('message', (message: HostMessage) => this.#take(message))
    child.on('exit', (code, signal) => {
      this.#child = undefined
      this.ended ??= `The process exited (${signal ?? code}). ${this.#stderr}`
      this.#answer({ kind: 'failed', reason: this.ended })
    })
    return child
  }

  #take(message: HostMessage): void {
    if (message.kind === 'failed') this.ended ??= message.reason
    else this.#answer(message)
  }
}
