import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { vi } from 'vitest'

/** The result of a block of commands. */
export interface BlockResult {
  /** The exit codes of the commands that failed, in order. */
  readonly failures: readonly number[]
  readonly output: string
}

/**
 * A bash session in its own network and process namespaces, so that the ports of a page are always free, and all processes of a
 * page exit with the session.
 */
export class Terminal implements AsyncDisposable {
  readonly #bash: ChildProcess
  readonly #folder: string
  #blocks = 0

  /** @param folder for the scripts and the output of this session */
  constructor(options: { folder: string; cwd: string; env: NodeJS.ProcessEnv }) {
    const { folder, cwd, env } = options
    this.#folder = folder
    this.#bash = spawn('unshare', ISOLATED, { cwd, env, stdio: ['pipe', 'ignore', 'ignore'] })
    this.#say('ip link set lo up', 'set -m')
  }

  /** Whether this machine permits such sessions. */
  static async isPossible(): Promise<boolean> {
    const probe = spawn('unshare', [...ISOLATED, '-c', 'ip link set lo up'], { stdio: 'ignore' })
    const [code] = (await Promise.race([once(probe, 'exit'), once(probe, 'error')])) as unknown[]
    return code === 0
  }

  /** Runs a block in the session, which keeps its folder and variables. Resolves when the block has finished. */
  async run(block: string): Promise<BlockResult> {
    const [script, log] = this.#filesFor(
      (file) => `trap 'echo "$?" >> ${file}.failures' ERR\n${block}\ntrap - ERR\n`,
    )
    this.#say(
      `touch ${log}.failures`,
      `source ${script} > ${log} 2>&1 < /dev/null`,
      `echo > ${log}.end`,
    )
    await until(
      () => textOf(`${log}.end`) !== undefined,
      () => `${block}\n${textOf(log) ?? ''}`,
    )
    const failures = textOf(`${log}.failures`)!.split('\n').filter(Boolean).map(Number)
    return { failures, output: textOf(log)! }
  }

  /** Starts a command in the background. Resolves when it prints that it is ready, with a function that reads its output. */
  async runInBackground(block: string): Promise<() => string> {
    const [script, log] = this.#filesFor(() => block)
    this.#say(`(source ${script}) > ${log} 2>&1 < /dev/null &`)
    await until(
      () => READY.test(textOf(log) ?? ''),
      () => `${block}\n${textOf(log) ?? ''}`,
    )
    return () => textOf(log)!
  }

  /** Sends Ctrl-C to all background commands, and waits until they have exited. */
  async stopBackground(): Promise<void> {
    const { failures, output } = await this.run(
      'for job in $(jobs -p); do kill -INT -- "-$job"; done; wait',
    )
    if (failures.length > 0) throw new Error(`A program failed after Ctrl-C.\n${output}`)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#bash.exitCode !== null || this.#bash.signalCode !== null) return
    const ended = once(this.#bash, 'exit')
    this.#bash.kill('SIGKILL')
    await ended
  }

  #say(...lines: string[]): void {
    this.#bash.stdin!.write(`${lines.join('\n')}\n`)
  }

  #filesFor(script: (log: string) => string): [script: string, log: string] {
    const name = join(this.#folder, `block-${++this.#blocks}`)
    const log = `${name}.log`
    writeFileSync(`${name}.sh`, script(log))
    return [`${name}.sh`, log]
  }
}

const ISOLATED = ['-rnpf', '--kill-child', '--mount-proc', 'bash', '--noprofile', '--norc']

/**
 * Servers print their URL when they are ready; commands that follow something print how to stop
 * them.
 */
const READY = /http:\/\/|Ctrl-C/

/** The time limit for one block on a slow machine. The slowest one builds all packages. */
const MAX_MS = 200_000

/** Polls a condition. `context` is part of the error message. */
async function until(holds: () => boolean, context: () => string): Promise<void> {
  await vi.waitFor(
    () => {
      if (!holds()) throw new Error(`This block did not finish in time:\n${context()}`)
    },
    { timeout: MAX_MS, interval: 20 },
  )
}

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}
