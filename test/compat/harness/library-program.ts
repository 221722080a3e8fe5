import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Command } from '../libraries/library.ts'

const DEADLINE_MS = 90_000

/** The output of a program: see README.md. */
export interface ProgramOutput {
  /** The ids of the calls that it made. */
  readonly callIds: readonly string[]
  /** The types that the library has no method for. */
  readonly lacks: ReadonlySet<string>
  /** Errors reported by the library. */
  readonly errors: readonly string[]
  /** Faults of the program itself; empty if it behaved correctly. */
  readonly faults: readonly string[]
  readonly stderr: string
}

/** Starts the program of a library. `output` resolves when it exits. */
export class LibraryProgram {
  readonly output: Promise<ProgramOutput>
  readonly #child: ChildProcess
  #stdout = ''
  #stderr = ''

  constructor({ program, args, env }: Command, settings: Readonly<Record<string, string>>) {
    this.#child = spawn(program, args, {
      env: {
        PATH: process.env['PATH'],
        HOME: process.env['HOME'],
        LANG: 'C.UTF-8',
        TZ: 'UTC',
        ...env,
        ...settings,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
      // A process group: its children, such as a browser, are killed with it.
      detached: true,
    })
    this.#child.stdout!.on('data', (chunk: Buffer) => (this.#stdout += chunk.toString()))
    this.#child.stderr!.on('data', (chunk: Buffer) => (this.#stderr += chunk.toString()))
    this.output = this.#finish()
  }

  get isRunning(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null
  }

  async #finish(): Promise<ProgramOutput> {
    const deadline = setTimeout(() => process.kill(-this.#child.pid!, 'SIGKILL'), DEADLINE_MS)
    const [code, signal] = (await once(this.#child, 'close')) as [number | null, string | null]
    clearTimeout(deadline)
    const lines = this.#stdout.split('\n').filter(Boolean)
    const output = lines.map((line) => JSON.parse(line) as Readonly<Record<string, string | true>>)
    const each = (name: string) =>
      output.filter((line) => name in line).map((line) => String(line[name]))
    return {
      callIds: each('made'),
      lacks: new Set(each('lacks')),
      errors: each('error'),
      faults: [
        ...(code === 0 ? [] : [`the program exited with ${code ?? signal}: ${this.#stderr}`]),
        ...(each('done').length === 1 ? [] : [`the program did not print "done"`]),
      ],
      stderr: this.#stderr,
    }
  }
}
