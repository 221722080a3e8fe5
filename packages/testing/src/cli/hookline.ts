import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { dirname } from 'node:path'
import { expect } from 'vitest'
import { eventually } from '../run/eventually.ts'
import { HOOKLINE } from '../repository.ts'

const { PATH, HOOKLINE_TEST_NATS_SERVER: nats } = process.env

// NODE_COMPILE_CACHE also covers the threads of the service, unlike the command's own cache.
const COMMON_ENV = {
  // `hookline cluster` uses the first nats-server in PATH.
  PATH: nats === undefined ? PATH : `${dirname(nats)}:${PATH}`,
  NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
}

export interface RunOptions {
  readonly cwd?: string
  /** Added to PATH and the compile cache. The rest of this process's environment is not passed on. */
  readonly env?: Readonly<Record<string, string>>
  readonly nodeArgs?: readonly string[]
  /** The file descriptor for stdout. By default, output is collected in `stdout`. */
  readonly stdoutFd?: number
  /** Runs on a pseudo-terminal; both streams are in `stdout`. */
  readonly onTerminal?: boolean
}

/** The command in a separate process, as a user runs it. */
export class Hookline implements AsyncDisposable {
  stdout = ''
  stderr = ''
  readonly #child: ChildProcess
  readonly #closed: Promise<unknown>

  constructor(
    args: readonly string[],
    { cwd = '/', env = {}, nodeArgs = [], stdoutFd, onTerminal = false }: RunOptions = {},
  ) {
    const node = [process.execPath, ...nodeArgs, HOOKLINE, ...args]
    const [program, ...rest] = onTerminal ? onTerminalOf(node) : node
    this.#child = spawn(program!, rest, {
      cwd,
      env: { ...COMMON_ENV, ...env },
      stdio: ['ignore', stdoutFd ?? 'pipe', 'pipe'],
    })
    this.#child.stdout?.on('data', (text: Buffer) => (this.stdout += text.toString()))
    this.#child.stderr!.on('data', (text: Buffer) => (this.stderr += text.toString()))
    this.#closed = once(this.#child, 'close')
  }

  /** Resolves with the exit code once all output has been read. */
  async exit(): Promise<number | null> {
    await this.#closed
    return this.#child.exitCode
  }

  /** Resolves with the first match in its output. */
  async printed(pattern: RegExp, stream: 'stdout' | 'stderr' = 'stdout'): Promise<RegExpExecArray> {
    await eventually(() => expect(this[stream]).toMatch(pattern), 10)
    return pattern.exec(this[stream])!
  }

  /** Resolves with its JSON documents of this kind once there are this many. */
  async documents<T = Record<string, unknown>>(kind: string, count: number): Promise<T[]> {
    const found = () => this.#documents().filter((document) => document['kind'] === kind)
    await eventually(() => expect(found()).toHaveLength(count), 10)
    return found() as T[]
  }

  async document<T = Record<string, unknown>>(kind: string): Promise<T> {
    const [only] = await this.documents<T>(kind, 1)
    return only!
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) this.signal('SIGKILL')
    await this.#closed
  }

  #documents(): Record<string, unknown>[] {
    const lines = this.stdout.split('\n').slice(0, -1)
    return lines.map((line) => JSON.parse(line) as Record<string, unknown>)
  }
}

export const hasTerminals = (): boolean =>
  spawnSync('script', ['--version'], { encoding: 'utf8' }).stdout?.includes('util-linux') ?? false

function onTerminalOf(command: readonly string[]): string[] {
  const quoted = command.map((part) => `'${part}'`).join(' ')
  return ['script', '-qefc', `exec ${quoted}`, '/dev/null']
}

export interface Run {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

export async function run(args: readonly string[], options?: RunOptions): Promise<Run> {
  await using hookline = new Hookline(args, options)
  const code = await hookline.exit()
  return { code, stdout: hookline.stdout, stderr: hookline.stderr }
}

/** The error printed by a failed run with `--json`. Expects no other output. */
export function errorOf({ stdout, stderr }: Run): Record<string, unknown> {
  expect(stdout).toBe('')
  return (JSON.parse(stderr) as { error: Record<string, unknown> }).error
}
