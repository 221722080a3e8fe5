import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import type { RunSettings, Measurement } from '../benchmarks/benchmark.ts'
import { commit } from './machine.ts'

/** A measurement with the information needed to assess it, as stored in bench/results. */
export interface StoredMeasurement extends Measurement {
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
  measured: Measurement,
  { rounds, seconds, machine }: RunSettings & { readonly machine: string },
): void {
  mkdirSync(FOLDER, { recursive: true })
  const command = `npm run bench -- ${name}`
  const result: StoredMeasurement = {
    name,
    machine,
    commit: commit(),
    command,
    rounds,
    seconds,
    ...measured,
  }
  writeFileSync(fileOf(name), `${JSON.stringify(result, roundNumber, 2)}\n`)
}

/** A benchmark's most recent result, if any. */
export function readResult(name: string): StoredMeasurement | undefined {
  const file = fileOf(name)
  return existsSync(file)
    ? (JSON.parse(readFileSync(file, 'utf8')) as StoredMeasurement)
    : undefined
}

function fileOf(name: string): URL {
  return new URL(`${name}.json`, FOLDER)
}

/** Rounds to the precision of a measurement. */
function roundNumber(key: string, value: unknown): unknown {
  return typeof value === 'number' && key !== 'x' ? Number(value.toPrecision(4)) : value
}
