import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { REPOSITORY } from '@hookline/testing/repository'
import { RINGS, type Step } from './rings.ts'

// node test/rings/run.ts RING [STEP…]: runs the steps of a ring, or some of them, continues after failures and steps that
// take too long, and prints one table.

/** Failed tests print at most 100 lines. This limit is for other steps. */
const MAX_PRINTED_LINES = 600
const SIDE_BY_SIDE = 2

interface Outcome {
  readonly name: string
  readonly passed: boolean
  readonly seconds: number
  /** The last test summary in the output, if there is one. */
  readonly tests: string
}

const [ring = '', ...names] = process.argv.slice(2)
if (!(ring in RINGS)) {
  console.error(`Usage: node test/rings/run.ts ${Object.keys(RINGS).join('|')} [STEP…]`)
  process.exit(2)
}
const { stepMinutes, steps: all } = RINGS[ring as keyof typeof RINGS]
const steps = all.filter(({ name }) => names.length === 0 || names.includes(name))
const seed = process.env['HOOKLINE_TEST_SEED'] ?? String(Date.now() % 1_000_000)
const logs = join(REPOSITORY, 'node_modules/.cache/rings', ring)
mkdirSync(logs, { recursive: true })

const startedAt = performance.now()
const outcomes: Outcome[] = []
/** The running steps, and the files with their output. */
const running = new Map<ChildProcess, string>()
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    for (const [child, file] of running) {
      kill(child)
      printTail(output(file), file)
    }
    process.exit(1)
  })

await runAll(
  steps.filter(({ when }) => when === 'first'),
  1,
)
await runAll(
  steps.filter(({ when }) => when === undefined),
  SIDE_BY_SIDE,
)
await runAll(
  steps.filter(({ when }) => when === 'alone'),
  1,
)
printTable()

/** Runs steps in order, `atOnce` at a time. */
async function runAll(waiting: readonly Step[], atOnce: number): Promise<void> {
  const queue = waiting.values()
  const lane = async (): Promise<void> => {
    for (const step of queue) outcomes.push(await runStep(step))
  }
  await Promise.all(Array.from({ length: atOnce }, lane))
}

async function runStep({ name, command, env, when }: Step): Promise<Outcome> {
  console.log(`-- ${name}: ${command}`)
  const beginning = performance.now()
  const file = join(logs, `${name}.log`)
  const log = openSync(file, 'w')
  // Two steps share the cores, so each uses fewer workers.
  const workers = when === undefined ? { VITEST_MAX_WORKERS: '2' } : {}
  // With a file instead of a pipe, a process that survives its test can't keep the step open.
  const child = spawn('sh', ['-c', command], {
    cwd: REPOSITORY,
    env: { ...process.env, HOOKLINE_TEST_SEED: seed, ...workers, ...env },
    stdio: ['ignore', log, log],
    detached: true,
  })
  closeSync(log)
  running.set(child, file)
  const deadline = setTimeout(() => {
    console.log(`== ${name} was stopped after ${stepMinutes} minutes`)
    kill(child)
  }, stepMinutes * 60_000)
  const code = await new Promise<number | null>((resolve) => child.on('exit', resolve))
  clearTimeout(deadline)
  running.delete(child)
  kill(child)
  const seconds = Math.round((performance.now() - beginning) / 1000)
  const printed = output(file)
  const tests = /^ +Tests +(.*?)(?: \(\d+\))?$/gm
  const summary = [...printed.matchAll(tests)].at(-1)?.[1] ?? ''
  const passed = code === 0
  console.log(`== ${name} ${passed ? 'passed' : `failed (exit code ${code})`} after ${seconds} s`)
  if (!passed) printTail(printed, file)
  return { name, passed, seconds, tests: summary }
}

/** Kills a step and the processes that it left running. */
function kill({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL')
  } catch {
    // All of them have exited.
  }
}

function output(file: string): string {
  return stripVTControlCharacters(readFileSync(file, 'utf8'))
}

function printTail(text: string, file: string): void {
  const lines = text.trimEnd().split('\n')
  const from = Math.max(0, lines.length - MAX_PRINTED_LINES)
  if (from > 0) console.log(`… ${from} earlier lines are in ${file}`)
  console.log(lines.slice(from).join('\n'))
}

function printTable(): void {
  const width = Math.max(...outcomes.map(({ name }) => name.length))
  console.log(`\n${'step'.padEnd(width)}  result  seconds    seed  tests`)
  for (const { name, passed, seconds, tests } of outcomes) {
    const result = passed ? 'passed' : 'FAILED'
    console.log(
      `${name.padEnd(width)}  ${result}  ${String(seconds).padStart(7)}  ${seed.padStart(6)}  ${tests}`.trimEnd(),
    )
  }
  const failed = outcomes.filter(({ passed }) => !passed).length
  console.log(`total ${Math.round((performance.now() - startedAt) / 1000)} s`)
  console.log(`${outcomes.length - failed} passed, ${failed} failed`)
  process.exitCode = failed === 0 ? 0 : 1
}
