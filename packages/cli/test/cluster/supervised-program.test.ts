import { describe, expect, it } from 'vitest'
import {
  ProgramFailed,
  type ProgramListener,
  SupervisedProgram,
} from '../../src/cluster/supervised-program.ts'

/** A program of Node.js that runs `script`. */
function program(script: string, on: Partial<ProgramListener> = {}): SupervisedProgram {
  return new SupervisedProgram({
    name: 'it',
    program: process.execPath,
    args: ['-e', script],
    stopSignal: 'SIGTERM',
    isReady: async () => true,
    on: {
      started: () => undefined,
      ready: () => undefined,
      ended: () => undefined,
      ...on,
    },
  })
}

const RUNS = 'setInterval(() => {}, 1000)'

describe('a supervised program', () => {
  it('is started again when it is killed, and not when it is stopped', async () => {
    const told: string[] = []
    const ran = program(RUNS, {
      ready: (name, _pid, again) => told.push(`${name} ready ${again}`),
      ended: (name, _pid, how) => told.push(`${name} ended ${how}`),
    })
    await ran.start()
    const { pid } = ran
    process.kill(pid!, 'SIGKILL')
    await expect
      .poll(() => told)
      .toEqual(['it ready false', 'it ended by SIGKILL', 'it ready true'])
    expect(ran.pid).not.toBe(pid)
    await ran[Symbol.asyncDispose]()
    expect(told).toHaveLength(3)
    expect(() => process.kill(ran.pid!, 0)).toThrow('ESRCH')
  })

  it('that ends again and again before it can be used is given up, with what it said', async () => {
    const broken = new SupervisedProgram({
      name: 'it',
      program: process.execPath,
      args: ['-e', 'console.error("no such port"); process.exit(3)'],
      stopSignal: 'SIGTERM',
      isReady: async () => false,
      on: { started: () => undefined, ready: () => undefined, ended: () => undefined },
    })
    await using _broken = broken
    const error = await broken.start().catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(ProgramFailed)
    expect((error as Error).message).toBe('no such port')
  })

  it('passes on each line that it writes to stderr', async () => {
    const lines: string[] = []
    await using ran = new SupervisedProgram({
      name: 'it',
      program: process.execPath,
      args: [
        '-e',
        `process.stderr.write('one\\ntw'); setTimeout(() => process.stderr.write('o\\n'), 50); ${RUNS}`,
      ],
      stopSignal: 'SIGTERM',
      isReady: async () => lines.length === 2,
      on: { started: () => undefined, ready: () => undefined, ended: () => undefined },
      onLine: (line) => lines.push(line),
    })
    await ran.start()
    expect(lines).toEqual(['one', 'two'])
  })
})
