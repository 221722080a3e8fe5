import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

/** A program from `packages/client/test/programs` in a separate process. */
export class RunningProgram implements AsyncDisposable {
  readonly stdout: string[] = []
  #stderr = ''
  readonly #child: ChildProcess
  readonly #exited: Promise<number | null>

  constructor(name: string, args: readonly string[], env: Record<string, string>) {
    const path = fileURLToPath(new URL(`../../../client/test/programs/${name}.ts`, import.meta.url))
    this.#child = spawn(
      process.execPath,
      ['--expose-gc', '--conditions=hookline-source', path, ...args],
      { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] },
    )
    createInterface(this.#child.stdout!).on('line', (line) => this.stdout.push(line))
    this.#child.stderr!.on('data', (chunk: Buffer) => (this.#stderr += chunk.toString()))
    this.#exited = once(this.#child, 'close').then(([code]) => code as number | null)
  }

  get stderr(): string {
    return this.#stderr
  }

  exit(): Promise<number | null> {
    return this.#exited
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill('SIGKILL')
    await this.#exited
  }
}

export function runProgram(
  name: string,
  args: readonly string[],
  env: Record<string, string> = {},
): RunningProgram {
  return new RunningProgram(name, args, env)
}
