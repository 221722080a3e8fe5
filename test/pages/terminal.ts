import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { vi } from 'vitest'

/** What a block of commands did. */
export interface BlockResult {
  /** The exit codes of the commands that failed, in order. */
  readonly failures: readonly number[]
  readonly output: string
}

/**
 * A bash session whose processes have a network and process ids of their own: the ports of a page are always free, and
 * everything that a page started ends with the session.
 */
export class Terminal implements AsyncDisposable {
  readonly #bash: ChildProcess
  readonly #folder: string
  #blocks = 0

  /** @param folder for the files of this session: scripts and output */
  constructor(options: { folder: string; cwd: string; env: NodeJS.ProcessEnv }) {
    const { folder, cwd, env } = options
    this.#folder = folder
    this.#bash = spawn('unshare', ISOLATED, { cwd, env, stdio: ['pipe', 'ignore', 'ignore'] })
    this.#say('ip link set lo up', 'set -m')
  }

  /** Whether this machine has what a session needs. */
  static async isPossible(): Promise<boolean> {
    const probe = spawn('unshare', [...ISOLATED, '-c', 'ip link set lo up'], { stdio: 'ignore' })
    const [code] = (await Promise.race([once(probe, 'exit'), once(probe, 'error')])) as unknown[]
    return code === 0
  }

  /** Pastes a block and waits for its end. The session keeps its folder and variables. */
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

  /** Pastes a command that runs until the session ends, and waits until it says that it is ready. Resolves with its output so far. */
  async runInBackground(block: string): Promise<() => string> {
    const [script, log] = this.#filesFor(() => block)
    this.#say(`(source ${script}) > ${log} 2>&1 < /dev/null &`)
    await until(
      () => READY.test(textOf(log) ?? ''),
      () => `${block}\n${textOf(log) ?? ''}`,
    )
    return () => textOf(log)!
  }

  /** Presses Ctrl-C where a command still runs, and waits until all have ended. */
  async stopBackground(): Promise<void> {
    const { failures, output } = await this.run(
      'for job in $(jobs -p); do kill -INT -- "-$job"; done; wait',
    )
    if (failures.length > 0) throw new Error(`A program did not end well after Ctrl-C.\n${output}`)
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

/** A program that serves says where; one that follows says how it ends. */
const READY = /http:\/\/|Ctrl-C/

/** The longest time of a command that ends, on a slow machine: it builds all packages. */
const LONGEST_MS = 200_000

/** Waits for what a program writes; `context` says what did not happen. */
async function until(holds: () => boolean, context: () => string): Promise<void> {
  await vi.waitFor(
    () => {
      if (!holds()) throw new Error(`This block did not get so far:\n${context()}`)
    },
    { timeout: LONGEST_MS, interval: 20 },
  )
}

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}
