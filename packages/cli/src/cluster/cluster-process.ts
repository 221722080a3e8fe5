import { spawn, type SpawnOptions } from 'node:child_process'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { Failure } from '../failure.ts'

export interface ClusterProgram {
  readonly command: readonly [program: string, ...args: string[]]
  readonly options?: Pick<SpawnOptions, 'env' | 'uid' | 'gid'>
  /** Resolves to whether process `pid` is ready. A rejection counts as false. */
  readonly isReady: (pid: number) => Promise<boolean>
}

interface ProcessOptions {
  readonly name: string
  /** The file to which the output is appended. */
  readonly log: string
  readonly note: (line: string) => void
}

const CHECK_MS = 50
const STOP_MS = 20_000

/**
 * Starts a program, and resolves when it is ready. Disposing of the result stops the program, or kills it after 20 s.
 * `note` reports an unexpected exit. @throws {Failure} if it exits before it is ready
 */
export async function startProcess(
  { command: [program, ...args], options, isReady }: ClusterProgram,
  { name, log, note }: ProcessOptions,
) {
  const output = openSync(log, 'a', 0o600)
  const stdio = ['ignore' as const, output, output]
  // Detached, so that Ctrl-C reaches only this process, which stops the nodes before PostgreSQL and NATS.
  const child = spawn(program, args, { ...options, cwd: '/', detached: true, stdio })
  closeSync(output)
  process.on('exit', () => child.kill('SIGKILL'))
  const { promise: exited, resolve } = Promise.withResolvers<string>()
  child.once('error', ({ message }) => resolve(message))
  let isExpected = true
  child.once('exit', (code, signal) => {
    const reason = signal ?? `exit code ${code}`
    if (!isExpected) note(`${name} exited unexpectedly (${reason}). See ${log}.`)
    resolve(reason)
  })
  const pid = child.pid ?? 0
  const untilReady = async (): Promise<undefined> => {
    while (!(await isReady(pid).catch(() => false)))
      await sleep(CHECK_MS, undefined, { ref: false })
  }
  const failure = await Promise.race([exited, untilReady()])
  if (failure !== undefined) throw startFailure(name, failure, log)
  isExpected = false
  const stop = async (): Promise<void> => {
    isExpected = true
    // For PostgreSQL, SIGTERM would wait until all clients have disconnected.
    child.kill('SIGINT')
    const late = setTimeout(() => child.kill('SIGKILL'), STOP_MS)
    await exited
    clearTimeout(late)
  }
  return { name, pid, [Symbol.asyncDispose]: stop }
}

function startFailure(name: string, reason: string, log: string): Failure {
  const lines = readFileSync(log, 'utf8').trim().split('\n').slice(-5)
  return new Failure('failed', [`${name} did not start (${reason}):`, ...lines].join('\n  '), {
    hint: `See ${log}. If a port is in use, choose other ports with --port. \`ps -ef\` shows processes left over from an earlier run.`,
  })
}
