import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import type { Effort, Measured } from '../benchmarks/benchmark.ts'
import { commit } from './machine.ts'

/** A benchmark with all that is needed to judge it, as it is kept in bench/results. */
export interface Result extends Measured {
  readonly name: string
  readonly machine: string
  readonly commit: string
  readonly command: string
  readonly rounds: number
  readonly seconds: number
}

const FOLDER = new URL('../results/', import.meta.url)

export function saveResult(
  name: string,
  measured: Measured,
  { rounds, seconds, machine }: Effort & { readonly machine: string },
): void {
  mkdirSync(FOLDER, { recursive: true })
  const command = `npm run bench -- ${name}`
  const result: Result = { name, machine, commit: commit(), command, rounds, seconds, ...measured }
  writeFileSync(fileOf(name), `${JSON.stringify(result, rounded, 2)}\n`)
}

/** What was measured last, where it ever was. */
export function readResult(name: string): Result | undefined {
  const file = fileOf(name)
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Result) : undefined
}

function fileOf(name: string): URL {
  return new URL(`${name}.json`, FOLDER)
}

/** No more digits than a measurement has. */
function rounded(key: string, value: unknown): unknown {
  return typeof value === 'number' && key !== 'x' ? Number(value.toPrecision(4)) : value
}
