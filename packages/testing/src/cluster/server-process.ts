import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'

const running = new Set<ServerProcess>()
process.once('exit', () => {
  for (const server of running) server.kill('SIGKILL')
})

/** A server started by a test. It is killed when the test's process exits. */
export class ServerProcess implements AsyncDisposable {
  readonly #child: ChildProcess
  #output = ''

  constructor(
    program: string,
    args: readonly string[],
    options: { uid?: number; gid?: number } = {},
  ) {
    this.#child = spawn(program, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] })
    running.add(this)
    for (const stream of [this.#child.stdout!, this.#child.stderr!]) {
      stream.on(
        'data',
        (data: Buffer) => (this.#output = (this.#output + data.toString()).slice(-20_000)),
      )
      // Code that waits for the server keeps the process alive with a timer or a socket.
      ;(stream as unknown as { unref(): void }).unref()
    }
    this.#child.unref()
  }

  get pid(): number {
    return this.#child.pid!
  }

  get output(): string {
    return this.#output
  }

  kill(signal: NodeJS.Signals): void {
    this.#child.kill(signal)
  }

  get isRunning(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null
  }

  async [Symbol.asyncDispose](): Promise<void> {
    running.delete(this)
    if (!this.isRunning) return
    const ended = once(this.#child, 'exit')
    this.#child.ref()
    this.#child.kill('SIGKILL')
    await ended
  }
}
